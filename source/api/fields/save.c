/* Cell fields in a file of VTK's XML formats: text that describes the grid and the arrays, then the
 * arrays as they are in memory ("appended raw"). Rank 0 writes; the others send it their cells in the
 * order of ranks. So a file has the same bytes for any number of ranks and boxes. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/fields/field.h"
#include "base/new_file.h"

enum { CHUNK = 1 << 18 /* cells per message */, MOST_FIELDS = 256, NAME = 64, TAG = 1 };

typedef struct saver {
  hymg_context *context;
  const hymg_grid *grid;
  const char *path;
  int count;
  const hymg_field *const *field;
  const char *const *name;
  bool rectilinear; /* coordinates of the faces of cells, instead of an origin and a spacing */
  bool writes;      /* rank 0, while its file is open */
  hymgi_new_file out;
  off_t data; /* of the arrays in the file */
  double *buffer;
  hymgi_requests *requests;
  hymg_status status; /* the first failure; what follows is still sent and received */
} saver;

static void note(saver *s, hymg_status status)
{
  if (s->status == HYMG_OK) s->status = status;
}

/* ---- checks ---- */

static bool ends_with(const char *text, const char *end)
{
  const size_t length = strlen(text), needed = strlen(end);
  return length > needed && strcmp(text + length - needed, end) == 0;
}

static hymg_status check_path(const saver *s)
{
  const bool image = ends_with(s->path, ".vti");
  if (!image && !ends_with(s->path, ".vtr"))
    return hymgi_fail(s->context, HYMG_EINVAL,
                      "saving fields: the file name '%.300s' must end in .vti or .vtr", s->path);
  for (int axis = 0; axis < 3; axis++)
    if (image && s->grid->widths[axis])
      return hymgi_fail(
          s->context, HYMG_EINVAL,
          "saving fields: %.300s: .vti has one spacing for all cells, but the grid has "
          "widths along %c: name it .vtr",
          s->path, "xyz"[axis]);
  return HYMG_OK;
}

/* Names stand between quotes in the file. */
static hymg_status check_name(const saver *s, int m)
{
  const char *name = s->name[m];
  if (!name) return hymgi_fail(s->context, HYMG_EINVAL, "saving fields: name %d is NULL", m);
  bool good = *name && strlen(name) < NAME;
  for (const char *c = name; *c; c++)
    good = good && *c >= ' ' && *c <= '~' && !strchr("<>&\"'", *c);
  if (!good)
    return hymgi_fail(
        s->context, HYMG_EINVAL,
        "saving fields: the name '%.80s' of field %d: 1 to %d characters of ASCII other "
        "than < > & \" '",
        name, m, NAME - 1);
  for (int other = 0; other < m; other++)
    if (strcmp(name, s->name[other]) == 0)
      return hymgi_fail(s->context, HYMG_EINVAL,
                        "saving fields: the fields %d and %d are both named '%s'", other, m, name);
  return HYMG_OK;
}

static hymg_status check_fields(const saver *s)
{
  for (int m = 0; m < s->count; m++) {
    const hymg_field *field = s->field[m];
    TRY(check_name(s, m));
    if (!field || field->grid != s->grid)
      return hymgi_fail(s->context, HYMG_EINVAL, "saving fields: field %d (%s) is %s", m,
                        s->name[m], field ? "of another grid than the first" : "NULL");
    if (field->centering != HYMG_CELL || field->level != 0)
      return hymgi_fail(
          s->context, HYMG_EUNSUPPORTED,
          "saving fields: field %d (%s) is one of %s on level %d: only cells on level 0", m,
          s->name[m], hymgi_centering_name(field->centering), field->level);
  }
  return HYMG_OK;
}

/* ---- the file ---- */

static void fail_to_write(saver *s)
{
  note(s, hymgi_fail(s->context, HYMG_EIO, "%.300s: not written: %s", s->path, strerror(errno)));
}

static void put(saver *s, off_t at, const void *data, size_t size)
{
  const char *bytes = data;
  while (size > 0 && s->status == HYMG_OK) {
    const ssize_t written = pwrite(s->out.file, bytes, size, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      fail_to_write(s);
      return;
    }
    bytes += written, at += written, size -= (size_t)written;
  }
}

/* Of a value of field m. */
static size_t size_of(const saver *s, int m)
{
  return s->field[m]->array.brick.is_float ? sizeof(float) : sizeof(double);
}

/* The position in the file of field m's values. Their size in bytes stands before them. */
static off_t array_at(const saver *s, int m)
{
  off_t at = s->data + (off_t)sizeof(uint64_t);
  for (int before = 0; before < m; before++)
    at += (off_t)hymg_grid_cells(s->grid) * (off_t)size_of(s, before) + (off_t)sizeof(uint64_t);
  return at;
}

static void put_size(saver *s, off_t array, int64_t count, size_t each)
{
  const uint64_t size = (uint64_t)count * each;
  put(s, array - (off_t)sizeof size, &size, sizeof size);
}

/* The text before the arrays. */
typedef struct text {
  char *start;
  size_t size, used; /* used may exceed size; the rest is then left out */
  long long offset;  /* of the next array, counted from the first one's size */
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  const size_t at = t->used < t->size ? t->used : t->size;
  t->used += (size_t)vsnprintf(t->start + at, t->size - at, format, list);
  va_end(list);
}

static void add_array(text *t, const char *name, int64_t values, size_t size)
{
  add(t, "        <DataArray type=\"Float%d\" Name=\"%s\" format=\"appended\" offset=\"%lld\"/>\n",
      (int)size * CHAR_BIT, name, t->offset);
  t->offset += (long long)(sizeof(uint64_t) + (uint64_t)values * size);
}

static void describe(const saver *s, text *t)
{
  static const uint16_t one = 1;
  const int *n = s->grid->desc.n;
  const double *h = s->grid->desc.spacing, *low = s->grid->desc.origin;
  const char *kind = s->rectilinear ? "RectilinearGrid" : "ImageData";
  add(t,
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%sEndian\" "
      "header_type=\"UInt64\">\n",
      kind, *(const char *)&one ? "Little" : "Big");
  add(t, "  <%s WholeExtent=\"0 %d 0 %d 0 %d\"", kind, n[0], n[1], n[2]);
  if (!s->rectilinear)
    add(t, " Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\"", low[0], low[1], low[2],
        h[0], h[1], h[2]);
  add(t, ">\n    <Piece Extent=\"0 %d 0 %d 0 %d\">\n      <CellData Scalars=\"%s\">\n", n[0], n[1],
      n[2], s->name[0]);
  for (int m = 0; m < s->count; m++)
    add_array(t, s->name[m], hymg_grid_cells(s->grid), size_of(s, m));
  add(t, "      </CellData>\n");
  if (s->rectilinear) add(t, "      <Coordinates>\n");
  for (int axis = 0; axis < 3 && s->rectilinear; axis++)
    add_array(t, (const char *[]){"x", "y", "z"}[axis], n[axis] + 1, sizeof(double));
  if (s->rectilinear) add(t, "      </Coordinates>\n");
  add(t, "    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n_", kind);
}

/* Numbers have a decimal point, whatever the program's locale. */
static void put_text(saver *s)
{
  enum { SIZE = 2048 + MOST_FIELDS * 160 };
  text t = {.start = malloc(SIZE), .size = SIZE};
  const locale_t plain = t.start ? newlocale(LC_NUMERIC_MASK, "C", (locale_t)0) : (locale_t)0;
  if (plain) {
    const locale_t users = uselocale(plain);
    describe(s, &t);
    uselocale(users);
    freelocale(plain);
    s->data = (off_t)t.used;
    put(s, 0, t.start, t.used);
  } else {
    note(s, hymgi_fail(s->context, HYMG_ENOMEM, "no memory to save fields"));
  }
  free(t.start);
}

/* The coordinates of the faces along an axis. */
static off_t put_coordinates(saver *s, int axis, off_t at)
{
  const int n = s->grid->desc.n[axis];
  const double *const widths = s->grid->widths[axis], spacing = s->grid->desc.spacing[axis];
  const double low = s->grid->desc.origin[axis];
  double x = low;
  put_size(s, at, n + 1, sizeof(double));
  for (int i = 0; i <= n; i++) {
    s->buffer[i % CHUNK] = widths ? x : low + i * spacing;
    if (widths && i < n) x += widths[i];
    if (i < n && (i + 1) % CHUNK) continue;
    const int first = i - i % CHUNK;
    put(s, at + first * (off_t)sizeof(double), s->buffer, (size_t)(i + 1 - first) * sizeof(double));
  }
  return at + (n + 1) * (off_t)sizeof(double) + (off_t)sizeof(uint64_t);
}

/* All but the cells. */
static void begin_file(saver *s)
{
  static const char end[] = "\n  </AppendedData>\n</VTKFile>\n";
  put_text(s);
  for (int m = 0; m < s->count; m++)
    put_size(s, array_at(s, m), hymg_grid_cells(s->grid), size_of(s, m));
  off_t at = array_at(s, s->count);
  for (int axis = 0; axis < 3 && s->rectilinear; axis++)
    at = put_coordinates(s, axis, at);
  put(s, at - (off_t)sizeof(uint64_t), end, sizeof end - 1);
}

/* ---- cells ---- */

/* A part of a box that fits into the buffer. */
typedef struct chunk {
  int low[3], count[3];
  size_t cells;
} chunk;

/* Number m of the chunks of a box; false: there are not so many. */
static bool find_chunk(const hymgi_geom *box, int64_t m, chunk *c)
{
  int room = CHUNK;
  c->cells = 1;
  for (int axis = 0; axis < 3; axis++) {
    const int n = box->n[axis], most = n < room ? n : room, parts = (n + most - 1) / most;
    const int first = (int)(m % parts) * most;
    c->low[axis] = box->low[axis] + first;
    c->count[axis] = n - first < most ? n - first : most;
    c->cells *= (size_t)c->count[axis];
    m /= parts;
    room /= most;
  }
  return m == 0;
}

/* The buffer's values, which were floats, become floats again. */
static void narrow(double *buffer, size_t count)
{
  for (size_t t = 0; t < count; t++) {
    const float value = (float)buffer[t];
    memcpy((char *)buffer + t * sizeof value, &value, sizeof value);
  }
}

/* Writes what is in the buffer: in one piece, in planes or in rows, as it is in the file. */
static void put_chunk(saver *s, int m, const chunk *c)
{
  const size_t size = size_of(s, m);
  if (size < sizeof(double)) narrow(s->buffer, c->cells);
  const int *n = s->grid->desc.n;
  const bool rows = c->count[0] == n[0], planes = rows && c->count[1] == n[1];
  const size_t row = (size_t)c->count[0], plane = row * (size_t)c->count[1];
  const size_t run = planes ? c->cells : rows ? plane : row;
  for (size_t at = 0; at < c->cells; at += run) {
    const off_t j = c->low[1] + (off_t)(at % plane / row), k = c->low[2] + (off_t)(at / plane);
    const off_t cell = c->low[0] + n[0] * (j + n[1] * k);
    put(s, array_at(s, m) + cell * (off_t)size, (const char *)s->buffer + at * size, run * size);
  }
}

static void send_or_receive(saver *s, bool sends, int rank, size_t cells)
{
  note(s, hymgi_comm_post(s->context, s->requests, sends, rank, TAG, s->buffer, cells));
  note(s, hymgi_comm_wait(s->context, s->requests));
}

/* The boxes of a rank: that rank and rank 0 take part. */
static void save_boxes(saver *s, int rank, const hymgi_geom *box, int boxes)
{
  const int me = hymg_context_rank(s->context);
  chunk c;
  for (int m = 0; m < s->count; m++)
    for (int b = 0; b < boxes; b++)
      for (int64_t part = 0; find_chunk(box + b, part, &c); part++) {
        const ptrdiff_t row = c.count[0];
        const ptrdiff_t stride[3] = {1, row, row * c.count[1]};
        if (me == rank)
          note(s, hymg_field_read(s->field[m], c.low, c.count, stride, s->buffer, HYMG_HOST));
        if (rank > 0) send_or_receive(s, me == rank, me == rank ? 0 : rank, c.cells);
        if (me == 0) put_chunk(s, m, &c);
      }
}

/* Ranks agree before each one's boxes, so that none sends what will not be received. */
static void save_cells(saver *s)
{
  const hymg_grid *grid = s->grid;
  const int me = hymg_context_rank(s->context), ranks = hymg_context_ranks(s->context);
  for (int r = 0; r < ranks; r++) {
    hymgi_geom *box = NULL;
    int(*cover)[6] = NULL, boxes = 0;
    if (me == 0)
      note(s,
           hymgi_side_boxes(s->context, grid->decomp, r, 0, grid->periodic, &box, &cover, &boxes));
    s->status = hymgi_agree(s->context, s->status);
    const bool ok = s->status == HYMG_OK;
    if (ok && me == 0) save_boxes(s, r, box, boxes);
    if (ok && me == r && me > 0) save_boxes(s, r, grid->box, grid->num_boxes);
    free(box);
    free(cover);
    if (!ok) return;
  }
}

/* ---- the calls ---- */

static hymg_status begin(saver *s)
{
  if (s->count > MOST_FIELDS || !s->name || !s->path)
    return hymgi_fail(s->context, HYMG_EINVAL, "saving %d fields: 1 to %d, with names and a file",
                      s->count, MOST_FIELDS);
  s->rectilinear = ends_with(s->path, ".vtr");
  TRY(check_path(s));
  TRY(check_fields(s));
  if (!(s->buffer = malloc(CHUNK * sizeof *s->buffer)))
    return hymgi_fail(s->context, HYMG_ENOMEM, "no memory to save fields");
  TRY(hymgi_requests_create(s->context, 1, &s->requests));
  if (hymg_context_rank(s->context) > 0) return HYMG_OK;
  const char *why = hymgi_new_file_open(&s->out, s->path, 0666);
  if (why) return hymgi_fail(s->context, HYMG_EIO, "%.300s: not written: %s", s->path, why);
  s->writes = true;
  return HYMG_OK;
}

/* The file gets its name when all ranks know that it is complete. */
static void end_file(saver *s)
{
  if (s->writes && s->status == HYMG_OK && !hymgi_new_file_flush(&s->out)) fail_to_write(s);
  s->status = hymgi_agree(s->context, s->status);
  if (s->writes && !hymgi_new_file_close(&s->out, s->status == HYMG_OK)) fail_to_write(s);
  s->status = hymgi_agree(s->context, s->status);
}

hymg_status hymg_fields_save(int count, const hymg_field *const field[], const char *const name[],
                             const char *file)
{
  if (count < 1 || !field || !field[0]) return HYMG_EINVAL;
  const hymg_grid *grid = field[0]->grid;
  saver s = {.context = grid->context,
             .grid = grid,
             .path = file,
             .count = count,
             .field = field,
             .name = name};
  int floats = 0;
  hymgi_arguments a;
  hymgi_arguments_begin(&a, "hymg_fields_save");
  hymgi_arguments_whole(&a, "the grid's number", grid->id);
  hymgi_arguments_whole(&a, "count", count);
  hymgi_arguments_text(&a, "file", file ? file : "NULL");
  for (int m = 0; m < count && count <= MOST_FIELDS; m++)
    floats += field[m] && field[m]->array.brick.is_float;
  hymgi_arguments_whole(&a, "fields of floats", floats);
  s.status = hymgi_agree_on(s.context, begin(&s), &a);
  if (s.status == HYMG_OK) {
    if (s.writes) begin_file(&s);
    save_cells(&s);
    end_file(&s);
  } else if (s.writes) {
    hymgi_new_file_close(&s.out, false);
  }
  hymgi_requests_destroy(&s.requests);
  if (!hymgi_comm_is_stuck(s.context->comm)) free(s.buffer);
  return s.status;
}

hymg_status hymg_field_save(const hymg_field *field, const char *file)
{
  char name[NAME];
  if (!field) return HYMG_EINVAL;
  const char *folder = file ? strrchr(file, '/') : NULL;
  snprintf(name, sizeof name, "%s", folder ? folder + 1 : file ? file : "");
  char *end = strrchr(name, '.');
  if (end) *end = '\0';
  for (char *c = name; *c; c++)
    if (*c < ' ' || *c > '~' || strchr("<>&\"'", *c)) *c = '_';
  return hymg_fields_save(1, &field, (const char *const[]){name}, file);
}
