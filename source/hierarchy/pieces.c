/* The pieces of level 0: cells that are connected by faces that conduct. The backend finds the parts of each box, by a
 * union of the two cells of each face in which the smaller number of a cell wins. The label of such a part goes into the
 * ghosts of the boxes next to it, and every rank joins all pairs of labels that meet at a face between boxes: as the
 * smallest number always wins, the labels do not depend on boxes and ranks. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/forest.h"
#include "hierarchy/build.h"
#include "multigrid/level_ops.h"

/* A vector of level 0 where the host can read it, or NULL; no copy where it is there. */
static double *copy_of(const hymgi_level *level, double *x)
{
  if (level->memory->on_host) return x;
  double *const copy = malloc((size_t)level->vector_size * sizeof *copy);
  if (copy) level->backend->copy(level->context, x, copy, (size_t)level->vector_size);
  return copy;
}

/* Numbers of all ranks, one after the other. */
typedef struct list {
  int64_t *item;
  int64_t count, room;
} list;

static bool append(list *l, int64_t item)
{
  if (l->count == l->room) {
    const int64_t room = 2 * l->room + 96;
    int64_t *const more = realloc(l->item, (size_t)room * sizeof *more);
    if (!more) return false;
    l->item = more, l->room = room;
  }
  l->item[l->count++] = item;
  return true;
}

/* Everything that the search needs on this rank: labels and betas where the host can read them, the parts of its
 * boxes, two items each, and more that is said below. */
enum { PART = 2, PAIR = 3 };
typedef struct joined {
  int64_t *label, *parent,
      count;  /* labels that meet at faces between boxes, ascending; what each has become */
  bool *held; /* of a root: does a boundary hold u in its piece? */
} joined;
typedef struct search {
  hymgi_hierarchy *h;
  hymgi_level *level;
  double *piece, *beta[3];
  list parts; /* label, whether a boundary holds u in it; ascending */
  list
      pairs; /* a part of this rank, one of another box that it is connected with, whether the first is held */
  list free; /* labels of those that no boundary holds */
  joined all;
} search;

static void release(search *s)
{
  for (int axis = 0; axis < 3 && !s->level->memory->on_host; axis++)
    free(s->beta[axis]);
  if (!s->level->memory->on_host) free(s->piece);
  free(s->parts.item);
  free(s->pairs.item);
  free(s->free.item);
  free(s->all.label);
  free(s->all.parent);
  free(s->all.held);
}

static const hymgi_geom *end_of(const search *s)
{
  return s->level->box + s->level->num_boxes;
}

static int by_value(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* ---- parts ---- */

#define EACH_CELL(g)                                                                               \
  for (int k = 0; k < (g)->n[2]; k++)                                                              \
    for (int j = 0; j < (g)->n[1]; j++)                                                            \
      for (int i = 0; i < (g)->n[0]; i++)

/* Of the whole level, of cell `number` of a box. */
static int64_t label_of(const hymgi_level *level, const hymgi_geom *g, int64_t number)
{
  const int64_t i = number % g->n[0], j = number / g->n[0] % g->n[1],
                k = number / g->n[0] / g->n[1];
  return ((k + g->low[2]) * level->n[1] + j + g->low[1]) * level->n[0] + i + g->low[0];
}

/* Lists the parts of a box and makes labels of their numbers. */
static bool label_box(search *s, const hymgi_geom *g)
{
  int64_t cell = 0, last = -1, label = -1; /* neighbours mostly have the same one */
  bool done = true;
  EACH_CELL(g)
  {
    double *const here = s->piece + hymgi_at(g, i, j, k);
    const int64_t first = *here < 0 ? -1 : (int64_t)*here;
    if (first >= 0 && first != last) last = first, label = label_of(s->level, g, first);
    if (first == cell)
      done = done && append(&s->parts, label) && append(&s->parts, *here > (double)first);
    if (first >= 0) *here = (double)label;
    cell++;
  }
  return done;
}

static hymg_status find_parts(search *s)
{
  hymgi_level *level = s->level;
  bool done = true;
  if (level->num_boxes == 0) return HYMG_OK;
  level->backend->robust->find_parts(level, level->krylov, level->fixed.piece);
  level->backend->sync(
      level->context); /* what is in memory that both can access has been written then */
  s->piece = copy_of(level, level->fixed.piece);
  for (const hymgi_geom *g = level->box; s->piece && g < end_of(s); g++)
    done = done && label_box(s, g);
  if (!s->piece || !done)
    return hymgi_fail(s->h->context, HYMG_ENOMEM, "no memory for labels of cells");
  if (s->parts.count)
    qsort(s->parts.item, (size_t)s->parts.count / PART, PART * sizeof(int64_t), by_value);
  return level->context->status;
}

static bool is_held(const search *s, int64_t label)
{
  const int64_t *const found = bsearch(&label, s->parts.item, (size_t)s->parts.count / PART,
                                       PART * sizeof(int64_t), by_value);
  return found && found[1];
}

/* ---- between boxes ---- */

/* Collective. Every rank gets all items of all ranks. */
static hymg_status share(hymg_context *c, list *l, hymg_status status)
{
  const int size = hymgi_comm_size(c->comm), rank = hymgi_comm_rank(c->comm);
  int64_t *const counts = calloc((size_t)size + 1, sizeof *counts), *all = NULL, total = 0;
  if (status == HYMG_OK && !counts)
    status = hymgi_fail(c, HYMG_ENOMEM, "no memory for lists of pieces");
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) {
    counts[rank] = l->count;
    status = hymgi_comm_sum_int64(c, c->comm, counts, size);
  }
  for (int r = 0; status == HYMG_OK && r < size; r++)
    total += counts[r];
  if (status == HYMG_OK && size > 1) {
    all = total <= INT_MAX ? calloc((size_t)total + 1, sizeof *all) : NULL;
    if (!all) status = hymgi_fail(c, HYMG_ENOMEM, "no memory for lists of pieces");
    status = hymgi_agree(c, status);
  }
  if (status == HYMG_OK && size > 1) {
    int64_t at = 0;
    for (int r = 0; r < rank; r++)
      at += counts[r];
    if (l->count) memcpy(all + at, l->item, (size_t)l->count * sizeof *all);
    status = hymgi_comm_sum_int64(c, c->comm, all, (int)total);
    free(l->item);
    *l = (list){all, total, total};
    all = NULL;
  }
  free(all);
  free(counts);
  return status;
}

static bool add_pair(list *pairs, int64_t own, int64_t other, bool held)
{
  const int64_t pair[PAIR] = {own, other, held};
  if (pairs->count && memcmp(pairs->item + pairs->count - PAIR, pair, sizeof pair) == 0)
    return true;
  return append(pairs, own) && append(pairs, other) && append(pairs, held);
}

/* Of the faces of a box that are not boundaries of the domain. */
static bool find_pairs(search *s, const hymgi_geom *g)
{
  bool done = true;
  for (int m = 0; m < 6; m++) {
    const int axis = m / 2, side = m % 2;
    if (g->boundaries >> m & 1) continue;
    int from[3] = {0, 0, 0}, to[3] = {g->n[0], g->n[1], g->n[2]};
    from[axis] = side ? g->n[axis] - 1 : 0, to[axis] = from[axis] + 1;
    for (int k = from[2]; k < to[2]; k++)
      for (int j = from[1]; j < to[1]; j++)
        for (int i = from[0]; i < to[0]; i++) {
          int face[3] = {i, j, k}, next[3] = {i, j, k};
          face[axis] += side, next[axis] += side ? 1 : -1;
          if (!(s->beta[axis][hymgi_at(g, face[0], face[1], face[2])] > 0)) continue;
          const double own = s->piece[hymgi_at(g, i, j, k)],
                       other = s->piece[hymgi_at(g, next[0], next[1], next[2])];
          if (own == other) continue;
          done =
              done && add_pair(&s->pairs, (int64_t)own, (int64_t)other, is_held(s, (int64_t)own));
        }
  }
  return done;
}

static int64_t place_of(const int64_t *label, int64_t count, int64_t wanted)
{
  const int64_t *const found =
      count ? bsearch(&wanted, label, (size_t)count, sizeof *label, by_value) : NULL;
  return found ? found - label : -1;
}

static int64_t unique(int64_t *label, int64_t count)
{
  int64_t kept = 0;
  if (count) qsort(label, (size_t)count, sizeof *label, by_value);
  for (int64_t m = 0; m < count; m++)
    if (kept == 0 || label[m] != label[kept - 1]) label[kept++] = label[m];
  return kept;
}

static bool join_pairs(const list *pairs, joined *all)
{
  const int64_t count = pairs->count / PAIR;
  all->label = malloc((size_t)(2 * count + 1) * sizeof *all->label);
  all->parent = malloc((size_t)(2 * count + 1) * sizeof *all->parent);
  all->held = calloc((size_t)(2 * count + 1), sizeof *all->held);
  if (!all->label || !all->parent || !all->held) return false;
  for (int64_t m = 0; m < count; m++)
    all->label[2 * m] = pairs->item[PAIR * m], all->label[2 * m + 1] = pairs->item[PAIR * m + 1];
  all->count = unique(all->label, 2 * count);
  for (int64_t m = 0; m < all->count; m++)
    all->parent[m] = m;
  for (int64_t m = 0; m < count; m++)
    hymgi_join(all->parent, place_of(all->label, all->count, pairs->item[PAIR * m]),
               place_of(all->label, all->count, pairs->item[PAIR * m + 1]));
  for (int64_t m = 0; m < count; m++)
    if (pairs->item[PAIR * m + 2])
      all->held[hymgi_root_of(all->parent,
                              place_of(all->label, all->count, pairs->item[PAIR * m]))] = true;
  return true;
}

/* What a part of a box belongs to. */
static int64_t piece_of(const joined *all, int64_t label, bool *held)
{
  const int64_t at = place_of(all->label, all->count, label);
  if (at < 0) return label;
  const int64_t root = hymgi_root_of(all->parent, at);
  *held = all->held[root];
  return all->label[root];
}

/* ---- the floating ones ---- */

/* The pieces whose first cell is here. */
static bool list_pieces(search *s, int64_t *count)
{
  bool done = true;
  for (int64_t m = 0; m < s->parts.count; m += PART) {
    const int64_t label = s->parts.item[m];
    bool held = s->parts.item[m + 1];
    if (piece_of(&s->all, label, &held) != label) continue;
    ++*count;
    if (!held) done = done && append(&s->free, label);
  }
  return done;
}

/* Numbers the cells of the pieces that no boundary holds and counts them. */
static void write_pieces(const search *s, const hymgi_pieces *p)
{
  double last = -1; /* neighbours mostly have the same label */
  int64_t at = -1;
  bool held;
  for (const hymgi_geom *g = s->level->box; g < end_of(s); g++)
    EACH_CELL(g)
    {
      double *const here = s->piece + hymgi_at(g, i, j, k);
      if (*here < 0) continue;
      if (*here != last) {
        last = *here;
        at = place_of(p->label, p->floating, piece_of(&s->all, (int64_t)last, &held));
      }
      *here = (double)at;
      if (at >= 0) p->cells[at]++;
    }
}

/* What sums need for each piece. */
enum { NUMBERS = 4, HOST_NUMBERS = 7 };

static hymg_status make_room(search *s, hymgi_pieces *p)
{
  const size_t count = (size_t)s->free.count;
  if (s->free.count > INT_MAX / HYMGI_MAX_DOTS)
    return hymgi_fail(s->h->context, HYMG_EUNSUPPORTED,
                      "%lld pieces that no boundary holds: at most %d", (long long)s->free.count,
                      INT_MAX / HYMGI_MAX_DOTS);
  p->floating = p->room = (int)count;
  p->label = malloc((count + 1) * sizeof *p->label);
  p->cells = calloc(count + 1, sizeof *p->cells);
  p->volume = calloc(count + 1, sizeof *p->volume);
  p->hold = calloc(count + 1, sizeof *p->hold);
  p->mean = calloc(count + 1, sizeof *p->mean);
  if (!p->label || !p->cells || !p->volume || !p->hold || !p->mean)
    return hymgi_fail(s->h->context, HYMG_ENOMEM, "no memory for %zu pieces", count);
  if (count) memcpy(p->label, s->free.item, count * sizeof *p->label);
  unique(p->label, (int64_t)count);
  if (s->level->num_boxes == 0 || count == 0) return HYMG_OK;
  p->host = malloc(HOST_NUMBERS * count * sizeof *p->host);
  if (!p->host) return hymgi_fail(s->h->context, HYMG_ENOMEM, "no memory for %zu pieces", count);
  return hymgi_vector_create(s->level, (ptrdiff_t)(NUMBERS * count), &p->scratch);
}

/* Between the host's labels and the level's vector. */
static void store_labels(search *s)
{
  const hymgi_level *level = s->level;
  if (!level->memory->on_host)
    level->backend->copy(level->context, s->piece, level->fixed.piece, (size_t)level->vector_size);
}

static void fetch_labels(search *s)
{
  const hymgi_level *level = s->level;
  level->backend->sync(level->context);
  if (!level->memory->on_host)
    level->backend->copy(level->context, level->fixed.piece, s->piece, (size_t)level->vector_size);
}

/* Has this rank a box with another one, or itself, next to it? */
static bool has_neighbours(const search *s)
{
  bool has = false;
  for (const hymgi_geom *g = s->level->box; g < end_of(s); g++)
    has = has || g->boundaries != 63;
  return has;
}

static hymg_status pair_parts(search *s)
{
  hymgi_level *level = s->level;
  const bool neighbours = has_neighbours(s);
  bool done = true;
  if (neighbours) store_labels(s);
  hymgi_run_plan(level, level->halo[HYMGI_HALO_FACES], level->box, level->fixed.piece, level->box,
                 level->fixed.piece);
  if (!neighbours) return HYMG_OK;
  fetch_labels(s);
  for (int axis = 0; axis < 3; axis++)
    done = (s->beta[axis] = copy_of(level, level->c.beta[axis])) && done;
  for (const hymgi_geom *g = level->box; done && g < end_of(s); g++)
    done = find_pairs(s, g);
  return done ? HYMG_OK : hymgi_fail(s->h->context, HYMG_ENOMEM, "no memory for pairs of labels");
}

/* In place of labels the numbers of pieces. */
static void number_cells(search *s, hymgi_pieces *p)
{
  hymgi_level *level = s->level;
  if (level->num_boxes == 0) return;
  if (p->floating == 0) {
    level->backend->fill(level, -1, level->fixed.piece);
    return;
  }
  write_pieces(s, p);
  store_labels(s);
}

/* C holds u in a piece with a coupling that is large in comparison with this part of what couples its cells across
 * the whole piece. */
#define WEAK 1e-2

/* Is what C leaves of the piece one without its mean? */
static bool floats(const search *s, double cells, double hold, double distance)
{
  return hold == 0 || (distance == 0 && hold < WEAK * s->h->largest / pow(cells, 2. / 3));
}

/* Numbers the pieces that C does not hold anew, and the cells of others as in none. number: of each piece so far. */
static void keep_floating(search *s, hymgi_pieces *p, const double *hold, const double *distance,
                          int *number)
{
  int kept = 0;
  for (int m = 0; m < p->floating; m++) {
    number[m] = -1;
    if (!floats(s, (double)p->cells[m], hold[m], distance[m])) continue;
    number[m] = kept;
    p->label[kept] = p->label[m], p->cells[kept] = p->cells[m], p->hold[kept] = hold[m];
    p->singular += hold[m] == 0;
    kept++;
  }
  if (kept == p->floating) return;
  p->floating = kept;
  for (const hymgi_geom *g = s->level->box; g < end_of(s); g++)
    EACH_CELL(g)
    {
      double *const here = s->piece + hymgi_at(g, i, j, k);
      if (*here >= 0) *here = number[(int)*here];
    }
  if (s->level->num_boxes) store_labels(s);
}

static hymg_status weigh(search *s, hymgi_pieces *p)
{
  hymg_context *c = s->h->context;
  const size_t count = (size_t)p->floating + 1;
  double *const hold = calloc(2 * count, sizeof *hold);
  int *const number = malloc(count * sizeof *number);
  hymg_status status = HYMG_OK;
  if (!hold || !number) status = hymgi_fail(c, HYMG_ENOMEM, "no memory for %zu pieces", count - 1);
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) {
    hymgi_pieces_holds(s->level, p, hold, hold + count);
    status = hymgi_comm_max_double(c, c->comm, hold, (int)(2 * count));
  }
  if (status == HYMG_OK) keep_floating(s, p, hold, hold + count, number);
  free(hold);
  free(number);
  return status;
}

static hymg_status find(search *s)
{
  hymg_context *c = s->h->context;
  hymgi_pieces *p = &s->h->pieces;
  TRY(hymgi_agree(c, find_parts(s)));
  TRY(share(c, &s->pairs, pair_parts(s)));
  const bool could = join_pairs(&s->pairs, &s->all) && list_pieces(s, &p->count);
  TRY(share(c, &s->free,
            could ? HYMG_OK : hymgi_fail(c, HYMG_ENOMEM, "no memory for the list of pieces")));
  TRY(hymgi_agree(c, make_room(s, p)));
  number_cells(s, p);
  TRY(hymgi_comm_sum_int64(c, c->comm, &p->count, 1));
  TRY(hymgi_comm_sum_int64(c, c->comm, p->cells, p->floating));
  if (p->floating) TRY(weigh(s, p));
  hymgi_pieces_measure(s->level, p);
  return hymgi_agree(c, c->status);
}

hymg_status hymgi_pieces_find(hymgi_hierarchy *h)
{
  search s = {.h = h, .level = h->level};
  h->pieces = (hymgi_pieces){.count = 0};
  const hymg_status status = find(&s);
  release(&s);
  return status;
}

void hymgi_pieces_destroy(hymgi_hierarchy *h)
{
  hymgi_pieces *p = &h->pieces;
  hymgi_vector_destroy(h->level, (ptrdiff_t)NUMBERS * p->room, &p->scratch);
  free(p->host);
  free(p->label);
  free(p->cells);
  free(p->volume);
  free(p->hold);
  free(p->mean);
  *p = (hymgi_pieces){.count = 1};
}
