/* The pieces of level 0: cells that are connected by faces that conduct. Each box finds its own, by a union of the two
 * cells of each face in which the smaller number of a cell wins. The label of such a part goes into the ghosts of the
 * boxes next to it, and every rank joins all pairs of labels that meet at a face between boxes: as the smallest
 * number always wins, the labels do not depend on boxes and ranks. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy/build.h"
#include "multigrid/level_ops.h"

/* ---- host copies ---- */

/* Level 0 as it is in memory, where the host can read it; of what already is there no copy. */
typedef struct host_copy {
  double *beta[3], *alpha, *given, *piece;
} host_copy;

static double *copy_of(const hymgi_level *level, double *x)
{
  if (level->memory->on_host) return x;
  double *const copy = malloc((size_t)level->vector_size * sizeof *copy);
  if (copy) level->backend->copy(level->context, x, copy, (size_t)level->vector_size);
  return copy;
}

static void release(const hymgi_level *level, host_copy *c)
{
  if (level->memory->on_host) return;
  for (int axis = 0; axis < 3; axis++)
    free(c->beta[axis]);
  free(c->alpha);
  free(c->given);
  free(c->piece);
}

static bool make_copy(const hymgi_level *level, host_copy *c)
{
  level->backend->sync(
      level->context); /* what is in memory that both can access has been written then */
  *c = (host_copy){.alpha = copy_of(level, level->c.alpha),
                   .given = copy_of(level, level->fixed.given),
                   .piece = copy_of(level, level->fixed.piece)};
  bool complete = c->alpha && c->given && c->piece;
  for (int axis = 0; axis < 3; axis++) {
    c->beta[axis] = copy_of(level, level->c.beta[axis]);
    complete = complete && c->beta[axis];
  }
  return complete;
}

/* ---- within a box ---- */

/* A cell's number in a box, and what it stands for while its part grows: a smaller one of the same part. */
typedef struct forest {
  int64_t *parent;
  bool *held;     /* of a root: does something in its part hold u? */
  int64_t *first; /* the number of each box' first cell */
} forest;

static int64_t root_of(int64_t *parent, int64_t cell)
{
  while (parent[cell] != cell) {
    parent[cell] = parent[parent[cell]];
    cell = parent[cell];
  }
  return cell;
}

static void join(int64_t *parent, int64_t a, int64_t b)
{
  a = root_of(parent, a), b = root_of(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

static int64_t in_box(const hymgi_geom *g, int i, int j, int k)
{
  return ((int64_t)k * g->n[1] + j) * g->n[0] + i;
}

/* Of the whole level. */
static int64_t label_of(const hymgi_level *level, const hymgi_geom *g, int64_t cell)
{
  const int64_t i = cell % g->n[0], j = cell / g->n[0] % g->n[1], k = cell / g->n[0] / g->n[1];
  return ((k + g->low[2]) * level->n[1] + j + g->low[1]) * level->n[0] + i + g->low[0];
}

#define EACH_CELL(g)                                                                               \
  for (int k = 0; k < (g)->n[2]; k++)                                                              \
    for (int j = 0; j < (g)->n[1]; j++)                                                            \
      for (int i = 0; i < (g)->n[0]; i++)

static bool conducts(const host_copy *c, const hymgi_geom *g, int axis, int side, int i, int j,
                     int k)
{
  return c->beta[axis][hymgi_at(g, i + (side && axis == 0), j + (side && axis == 1),
                                k + (side && axis == 2))] > 0;
}

static bool is_unknown(const host_copy *c, const hymgi_geom *g, int i, int j, int k)
{
  return isnan(c->given[hymgi_at(g, i, j, k)]);
}

/* Is the cell held by its own C or by a boundary of the domain? */
static bool is_held(const host_copy *c, const hymgi_geom *g, int i, int j, int k)
{
  const int at[3] = {i, j, k};
  bool held = c->alpha[hymgi_at(g, i, j, k)] > 0;
  for (int m = 0; m < 6; m++) {
    const int axis = m / 2, side = m % 2;
    const bool ends = g->boundaries >> m & 1 && at[axis] == (side ? g->n[axis] - 1 : 0);
    held = held || (ends && conducts(c, g, axis, side, i, j, k));
  }
  return held;
}

static void grow_parts(const host_copy *c, const hymgi_geom *g, int64_t *parent, bool *held)
{
  const int64_t cells = (int64_t)g->n[0] * g->n[1] * g->n[2];
  const int64_t step[3] = {1, g->n[0], (int64_t)g->n[0] * g->n[1]};
  for (int64_t cell = 0; cell < cells; cell++)
    parent[cell] = cell, held[cell] = false;
  EACH_CELL(g)
  for (int axis = 0; axis < 3; axis++) {
    const int at[3] = {i, j, k};
    if (at[axis] + 1 < g->n[axis] && conducts(c, g, axis, 1, i, j, k))
      join(parent, in_box(g, i, j, k), in_box(g, i, j, k) + step[axis]);
  }
  EACH_CELL(g)
  if (is_held(c, g, i, j, k)) held[root_of(parent, in_box(g, i, j, k))] = true;
}

/* Writes the label of each cell's part, -1 where the cell is no unknown. */
static void write_labels(const hymgi_level *level, const host_copy *c, const hymgi_geom *g,
                         int64_t *parent)
{
  EACH_CELL(g)
  {
    const ptrdiff_t at = hymgi_at(g, i, j, k);
    c->piece[at] = is_unknown(c, g, i, j, k)
                       ? (double)label_of(level, g, root_of(parent, in_box(g, i, j, k)))
                       : -1;
  }
}

/* ---- between boxes ---- */

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

/* A pair: a part of this rank, one of another box that it is connected with, and whether the first is held. */
enum { PAIR = 3 };

static bool add_pair(list *pairs, int64_t own, int64_t other, bool held)
{
  const int64_t pair[PAIR] = {own, other, held};
  if (pairs->count && memcmp(pairs->item + pairs->count - PAIR, pair, sizeof pair) == 0)
    return true;
  return append(pairs, own) && append(pairs, other) && append(pairs, held);
}

/* Of the faces of a box that are not boundaries of the domain. */
static bool find_pairs(const host_copy *c, const hymgi_geom *g, int64_t *parent, const bool *held,
                       list *pairs)
{
  bool done = true;
  for (int m = 0; m < 6; m++) {
    const int axis = m / 2, side = m % 2, step = side ? 1 : -1;
    if (g->boundaries >> m & 1) continue;
    int from[3] = {0, 0, 0}, to[3] = {g->n[0], g->n[1], g->n[2]};
    from[axis] = side ? g->n[axis] - 1 : 0, to[axis] = from[axis] + 1;
    for (int k = from[2]; k < to[2]; k++)
      for (int j = from[1]; j < to[1]; j++)
        for (int i = from[0]; i < to[0]; i++) {
          if (!conducts(c, g, axis, side, i, j, k)) continue;
          const double
              own = c->piece[hymgi_at(g, i, j, k)],
              other = c->piece[hymgi_at(g, i + (axis == 0 ? step : 0), j + (axis == 1 ? step : 0),
                                        k + (axis == 2 ? step : 0))];
          if (own == other) continue;
          done = done && add_pair(pairs, (int64_t)own, (int64_t)other,
                                  held[root_of(parent, in_box(g, i, j, k))]);
        }
  }
  return done;
}

static int by_value(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Labels that meet at faces between boxes, ascending, what each has become, and whether it is held. */
typedef struct joined {
  int64_t *label, *parent, count;
  bool *held;
} joined;

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
    join(all->parent, place_of(all->label, all->count, pairs->item[PAIR * m]),
         place_of(all->label, all->count, pairs->item[PAIR * m + 1]));
  for (int64_t m = 0; m < count; m++)
    if (pairs->item[PAIR * m + 2])
      all->held[root_of(all->parent, place_of(all->label, all->count, pairs->item[PAIR * m]))] =
          true;
  return true;
}

/* What a part of a box belongs to. */
static int64_t piece_of(const joined *all, int64_t label, bool *held)
{
  const int64_t at = place_of(all->label, all->count, label);
  if (at < 0) return label;
  const int64_t root = root_of(all->parent, at);
  *held = all->held[root];
  return all->label[root];
}

/* ---- the singular ones ---- */

/* Everything that the search needs on this rank. */
typedef struct search {
  hymgi_hierarchy *h;
  hymgi_level *level;
  host_copy copy;
  forest parts;
  list pairs, singular;
  joined all;
} search;

/* Calls for the root of each part in which there are unknowns: its number in the box. */
#define EACH_PART(s, g, root)                                                                      \
  for (int64_t root = 0; root < (int64_t)(g)->n[0] * (g)->n[1] * (g)->n[2]; root++)                \
    if ((s)->parts.parent[(s)->parts.first[(g) - (s)->level->box] + root] == root &&               \
        is_part(s, g, root))

static bool is_part(const search *s, const hymgi_geom *g, int64_t cell)
{
  const int i = (int)(cell % g->n[0]), j = (int)(cell / g->n[0] % g->n[1]),
            k = (int)(cell / g->n[0] / g->n[1]);
  return is_unknown(&s->copy, g, i, j, k);
}

static const hymgi_geom *end_of(const search *s)
{
  return s->level->box + s->level->num_boxes;
}

/* The pieces whose first cell is here. */
static bool list_pieces(search *s, int64_t *count)
{
  bool done = true;
  for (const hymgi_geom *g = s->level->box; g < end_of(s); g++)
    EACH_PART(s, g, root)
    {
      const int64_t label = label_of(s->level, g, root);
      bool held = s->parts.held[s->parts.first[g - s->level->box] + root];
      if (piece_of(&s->all, label, &held) != label) continue;
      ++*count;
      if (!held) done = done && append(&s->singular, label);
    }
  return done;
}

/* Numbers the cells of the singular pieces and counts them. */
static void write_pieces(const search *s, const hymgi_pieces *p)
{
  double last = -1; /* neighbours mostly have the same label */
  int64_t at = -1;
  bool held;
  for (const hymgi_geom *g = s->level->box; g < end_of(s); g++)
    EACH_CELL(g)
    {
      double *const here = s->copy.piece + hymgi_at(g, i, j, k);
      if (*here < 0) continue;
      if (*here != last) {
        last = *here;
        at = place_of(p->label, p->singular, piece_of(&s->all, (int64_t)last, &held));
      }
      *here = (double)at;
      if (at >= 0) p->cells[at]++;
    }
}

/* What sums need for each piece. */
enum { NUMBERS = 4, HOST_NUMBERS = 7 };

static hymg_status make_room(search *s, hymgi_pieces *p)
{
  const size_t count = (size_t)s->singular.count;
  if (s->singular.count > INT_MAX / HYMGI_MAX_DOTS)
    return hymgi_fail(s->h->context, HYMG_EUNSUPPORTED, "%lld singular pieces: at most %d",
                      (long long)s->singular.count, INT_MAX / HYMGI_MAX_DOTS);
  p->singular = (int)count;
  p->label = malloc((count + 1) * sizeof *p->label);
  p->cells = calloc(count + 1, sizeof *p->cells);
  p->volume = calloc(count + 1, sizeof *p->volume);
  if (!p->label || !p->cells || !p->volume)
    return hymgi_fail(s->h->context, HYMG_ENOMEM, "no memory for %zu pieces", count);
  if (count) memcpy(p->label, s->singular.item, count * sizeof *p->label);
  unique(p->label, (int64_t)count);
  if (s->level->num_boxes == 0 || count == 0) return HYMG_OK;
  p->host = malloc(HOST_NUMBERS * count * sizeof *p->host);
  if (!p->host) return hymgi_fail(s->h->context, HYMG_ENOMEM, "no memory for %zu pieces", count);
  return hymgi_vector_create(s->level, (ptrdiff_t)(NUMBERS * count), &p->scratch);
}

static hymg_status label_parts(search *s)
{
  hymgi_level *level = s->level;
  const int64_t cells = hymgi_cells_here(level);
  if (cells == 0) return HYMG_OK;
  forest *f = &s->parts;
  f->parent = malloc((size_t)cells * sizeof *f->parent);
  f->held = malloc((size_t)cells * sizeof *f->held);
  f->first = malloc((size_t)level->num_boxes * sizeof *f->first);
  if (!make_copy(level, &s->copy) || !f->parent || !f->held || !f->first)
    return hymgi_fail(s->h->context, HYMG_ENOMEM, "no memory for %lld labels of cells",
                      (long long)cells);
  int64_t first = 0;
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b;
    f->first[b] = first;
    grow_parts(&s->copy, g, f->parent + first, f->held + first);
    write_labels(level, &s->copy, g, f->parent + first);
    first += (int64_t)g->n[0] * g->n[1] * g->n[2];
  }
  return HYMG_OK;
}

/* Between the host's copy and the level's vector. */
static void store_labels(search *s)
{
  const hymgi_level *level = s->level;
  if (level->num_boxes && !level->memory->on_host)
    level->backend->copy(level->context, s->copy.piece, level->fixed.piece,
                         (size_t)level->vector_size);
}

static hymg_status pair_parts(search *s)
{
  const hymgi_level *level = s->level;
  bool done = true;
  store_labels(s);
  hymgi_run_plan(level, level->halo[HYMGI_HALO_FACES], level->box, level->fixed.piece, level->box,
                 level->fixed.piece);
  if (level->num_boxes) level->backend->sync(level->context);
  if (level->num_boxes && !level->memory->on_host)
    level->backend->copy(level->context, level->fixed.piece, s->copy.piece,
                         (size_t)level->vector_size);
  for (int b = 0; b < level->num_boxes; b++)
    done = done && find_pairs(&s->copy, level->box + b, s->parts.parent + s->parts.first[b],
                              s->parts.held + s->parts.first[b], &s->pairs);
  return done ? HYMG_OK : hymgi_fail(s->h->context, HYMG_ENOMEM, "no memory for pairs of labels");
}

static hymg_status find(search *s)
{
  hymg_context *c = s->h->context;
  hymgi_pieces *p = &s->h->pieces;
  TRY(hymgi_agree(c, label_parts(s)));
  TRY(share(c, &s->pairs, pair_parts(s)));
  const bool could = join_pairs(&s->pairs, &s->all) && list_pieces(s, &p->count);
  TRY(share(c, &s->singular,
            could ? HYMG_OK : hymgi_fail(c, HYMG_ENOMEM, "no memory for the list of pieces")));
  TRY(hymgi_agree(c, make_room(s, p)));
  if (s->level->num_boxes) write_pieces(s, p);
  store_labels(s);
  TRY(hymgi_comm_sum_int64(c, c->comm, &p->count, 1));
  TRY(hymgi_comm_sum_int64(c, c->comm, p->cells, p->singular));
  hymgi_pieces_measure(s->level, p);
  return hymgi_agree(c, c->status);
}

hymg_status hymgi_pieces_find(hymgi_hierarchy *h)
{
  search s = {.h = h, .level = h->level};
  h->pieces = (hymgi_pieces){.count = 0};
  if (h->level->num_boxes) h->level->backend->sync(h->context);
  const hymg_status status = find(&s);
  release(s.level, &s.copy);
  free(s.parts.parent);
  free(s.parts.held);
  free(s.parts.first);
  free(s.pairs.item);
  free(s.singular.item);
  free(s.all.label);
  free(s.all.parent);
  free(s.all.held);
  return status;
}

void hymgi_pieces_destroy(hymgi_hierarchy *h)
{
  hymgi_pieces *p = &h->pieces;
  hymgi_vector_destroy(h->level, (ptrdiff_t)NUMBERS * p->singular, &p->scratch);
  free(p->host);
  free(p->label);
  free(p->cells);
  free(p->volume);
  *p = (hymgi_pieces){.count = 1};
}
