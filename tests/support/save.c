/* See save.h. */
#include "support/save.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int six[] = {6, 7}, one[] = {1, 10}, two[] = {2, 3}, three[] = {3, 8},
                 rows[] = {37, 53};

const save_case save_cases[SAVE_CASES] = {
    {.file = "cube.vti", .n = {7, 5, 9}},
    {.file = "plane.vti", .n = {13, 11, 1}, .boxes = {2, 2, 1}, .cuts = {six, one}},
    {.file = "line.vtr", .n = {1, 1, 17}},
    {.file = "stretched.vtr",
     .n = {6, 9, 5},
     .boxes = {1, 1, 2},
     .cuts = {NULL, NULL, two},
     .stretched = true},
    {.file = "solver.vti", .n = {16, 12, 8}, .boxes = {2, 2, 1}, .solver = true},
    {.file = "uneven.vtr",
     .n = {11, 10, 9},
     .boxes = {2, 1, 1},
     .cuts = {three},
     .stretched = true,
     .solver = true},
    /* several messages per box; coordinates that need several writes */
    {.file = "rows.vti",
     .n = {70, 90, 50},
     .boxes = {1, 2, 1},
     .cuts = {NULL, rows},
     .large = true},
    {.file = "long.vtr", .n = {(1 << 18) + 3, 1, 1}, .boxes = {1, 1, 1}, .large = true},
    {.file = "floats.vtr",
     .n = {9, 4, 11},
     .boxes = {1, 1, 2},
     .cuts = {NULL, NULL, three},
     .stretched = true,
     .floats = true},
    {.file = "floats.vti", .n = {12, 6, 8}, .boxes = {2, 1, 2}, .floats = true}};

const double save_spacing[3] = {0.1, 1.0 / 3, 1e-3};

size_t save_cells(const save_case *c)
{
  return (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2];
}

double *save_values(const save_case *c, int field)
{
  const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 4.9e-324};
  double *values = support_random(save_cells(c), -1, 1, 17 + (unsigned)field);
  for (size_t m = 0; m < 5; m++)
    values[(3 * m + (size_t)field) % save_cells(c)] = special[m];
  for (size_t m = 0; c->floats && field == 0 && m < save_cells(c); m++)
    values[m] = (float)values[m];
  return values;
}

double *save_widths(const save_case *c, int axis)
{
  if (!c->stretched || axis == 1) return NULL;
  return support_random((size_t)c->n[axis], 0.1, 2, 5 + (unsigned)axis);
}

static void write_whole(const save_case *c, const double *values, hymg_field *field)
{
  static const int low[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {1, c->n[0], (ptrdiff_t)c->n[0] * c->n[1]};
  ck_assert_int_eq(hymg_field_write_own(field, low, c->n, stride, values, HYMG_HOST), HYMG_OK);
}

/* Over an array of the whole grid whose last axis is fastest. */
static hymg_field *wrap_whole(hymg_grid *grid, const save_case *c, double *array)
{
  static const int low[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {(ptrdiff_t)c->n[1] * c->n[2], c->n[2], 1};
  hymg_field *field = NULL;
  ck_assert_int_eq(
      hymg_field_wrap(grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, low, c->n, stride, array, &field),
      HYMG_OK);
  return field;
}

static hymg_solver *make_solver(hymg_context *context, hymg_grid *grid, hymg_operator **op)
{
  const hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_options options = hymg_options_default();
  hymg_solver *solver = NULL;
  options.method = HYMG_MG;
  options.backend = support_backend();
  options.host_cells = options.tail_cells = options.backend == HYMG_BACKEND_CUDA ? 0 : -1;
  OK(context, hymg_operator_create(grid, &desc, op));
  OK(context, hymg_solver_create(*op, &options, &solver));
  return solver;
}

hymg_status save_write(hymg_context *context, const save_case *c, const char *path)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  hymg_grid *grid = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  hymg_field *field[2] = {NULL, NULL};
  double *values[2] = {save_values(c, 0), save_values(c, 1)}, *widths[3];
  double *array = support_poison(save_cells(c));
  for (int d = 0; d < 3; d++) {
    desc.n[d] = c->n[d], desc.boxes[d] = c->boxes[d], desc.spacing[d] = save_spacing[d];
    desc.cuts[d] = c->cuts[d], desc.widths[d] = widths[d] = save_widths(c, d);
  }
  OK(context, hymg_grid_create(context, &desc, &grid));
  if (c->solver) solver = make_solver(context, grid, &op);
  OK(context,
     hymg_field_create(grid, solver, HYMG_CELL, c->floats ? HYMG_FLOAT : HYMG_DOUBLE, &field[0]));
  field[1] = wrap_whole(grid, c, array);
  write_whole(c, values[0], field[0]);
  write_whole(c, values[1], field[1]);
  const hymg_status status = hymg_fields_save(2, (const hymg_field *const[]){field[0], field[1]},
                                              (const char *const[]){"u", "f, right side"}, path);
  for (int m = 0; m < 2; m++) {
    hymg_field_destroy(&field[m]);
    free(values[m]);
  }
  free(array);
  for (int d = 0; d < 3; d++)
    free(widths[d]);
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
  return status;
}

saved_file save_read(const char *path)
{
  saved_file s;
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s: cannot be read", path);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  s.size = (size_t)ftell(file);
  rewind(file);
  s.bytes = malloc(s.size + 1);
  ck_assert_ptr_nonnull(s.bytes);
  ck_assert_uint_eq(fread(s.bytes, 1, s.size, file), s.size);
  s.bytes[s.size] = '\0';
  fclose(file);
  return s;
}

void save_array(const saved_file *file, const char *name, bool floats, size_t count, double *values)
{
  static const char mark[] = "<AppendedData encoding=\"raw\">\n_", key[] = "offset=\"";
  char wanted[96];
  uint64_t size = 0;
  snprintf(wanted, sizeof wanted, "<DataArray type=\"Float%d\" Name=\"%s\" format=\"appended\"",
           floats ? 32 : 64, name);
  const char *data = strstr(file->bytes, mark), *row = strstr(file->bytes, wanted);
  ck_assert_msg(data && row && row < data, "no array '%s'", name);
  data += sizeof mark - 1 + strtoull(strstr(row, key) + sizeof key - 1, NULL, 10);
  memcpy(&size, data, sizeof size);
  ck_assert_uint_eq(size, count * (floats ? sizeof(float) : sizeof *values));
  ck_assert(data + sizeof size + size < file->bytes + file->size);
  data += sizeof size;
  if (!floats) memcpy(values, data, size);
  for (size_t m = 0; floats && m < count; m++) {
    float value;
    memcpy(&value, data + m * sizeof value, sizeof value);
    values[m] = value;
  }
}
