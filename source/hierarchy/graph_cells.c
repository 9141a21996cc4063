/* A rank's part of graph 0: the cells of its boxes that have a coupling, and those of other ranks beyond their faces. */
#include <limits.h>
#include <stdlib.h>

#include "comm/context.h"
#include "hierarchy/graph_parts.h"

enum { MOST_EDGES = 6 };

/* A row of cells along x. */
typedef struct row {
  int64_t id; /* of its first cell */
  int box, j, k;
} row;

typedef struct cells {
  const hymgi_level *level;
  double *const *high;
  const double *excess;
  int *number; /* at the cell's place in a vector: its node, or -1 */
  int box;     /* in which a cell of this rank was last found */
  row *rows;
  int64_t count; /* of them */
} cells;

typedef struct edge {
  double weight;
  ptrdiff_t at; /* the other cell's place, or -1: it is another rank's */
  int rank;
  int64_t id;
} edge;

/* ---- whose a cell is ---- */

static int owner_of(const hymgi_level *level, const int cell[3])
{
  int box[3];
  for (int a = 0; a < 3; a++)
    box[a] = hymgi_decomp_box_at(level->decomp, a, cell[a]);
  return hymgi_decomp_owner(level->decomp, box);
}

int hymgi_part_owner(const hymgi_level *level, int64_t id)
{
  const int64_t above = id / level->n[0];
  return owner_of(level, (const int[3]){(int)(id % level->n[0]), (int)(above % level->n[1]),
                                        (int)(above / level->n[1])});
}

static int64_t id_of(const hymgi_level *level, const int cell[3])
{
  return ((int64_t)cell[2] * level->n[1] + cell[1]) * level->n[0] + cell[0];
}

static bool is_in(const hymgi_geom *g, const int cell[3])
{
  bool in = true;
  for (int a = 0; a < 3; a++)
    in = in && cell[a] >= g->low[a] && cell[a] < g->low[a] + g->n[a];
  return in;
}

/* Of a cell of this rank. */
static ptrdiff_t place_of(cells *c, const int cell[3])
{
  const hymgi_geom *g = c->level->box + c->box;
  if (!is_in(g, cell))
    for (g = c->level->box; !is_in(g, cell);)
      g++;
  c->box = (int)(g - c->level->box);
  return hymgi_at(g, cell[0] - g->low[0], cell[1] - g->low[1], cell[2] - g->low[2]);
}

/* ---- edges ---- */

/* Beyond a side of a box. */
static void find_outside(cells *c, const hymgi_geom *g, const int at[3], edge *e)
{
  const hymgi_level *level = c->level;
  int cell[3];
  for (int a = 0; a < 3; a++)
    cell[a] = (g->low[a] + at[a] + level->n[a]) % level->n[a];
  e->rank = owner_of(level, cell);
  e->id = id_of(level, cell);
  e->at = e->rank == hymg_context_rank(level->context) ? place_of(c, cell) : -1;
}

/* Those of a cell, at most, in the order of axes, the low side first; *off: the sum of their weights. */
static int list_edges(cells *c, const hymgi_geom *g, const int at[3], edge list[MOST_EDGES],
                      double *off)
{
  const hymgi_level *level = c->level;
  const ptrdiff_t here = hymgi_at(g, at[0], at[1], at[2]);
  int count = 0;
  *off = 0;
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++) {
      int next[3] = {at[0], at[1], at[2]};
      next[axis] += side ? 1 : -1;
      const bool inside = next[axis] >= 0 && next[axis] < g->n[axis];
      const int global = g->low[axis] + next[axis];
      const bool beyond = global < 0 || global == level->n[axis];
      if (level->n[axis] == 1 || (beyond && !(level->periodic >> axis & 1))) continue;
      edge *const e = list + count;
      e->at = inside ? hymgi_at(g, next[0], next[1], next[2]) : -1;
      e->weight = side     ? c->high[axis][here]
                  : inside ? c->high[axis][e->at]
                           : level->c.beta[axis][here];
      if (!(e->weight > 0)) continue;
      if (!inside) find_outside(c, g, next, e);
      *off += e->weight;
      count++;
    }
  return count;
}

/* ---- rows, in the order of ids ---- */

static int ascending(const void *a, const void *b)
{
  const row *const x = a, *const y = b;
  return (x->id > y->id) - (x->id < y->id);
}

static void list_rows(cells *c)
{
  row *to = c->rows;
  for (int b = 0; b < c->level->num_boxes; b++) {
    const hymgi_geom *const g = c->level->box + b;
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        *to++ = (row){id_of(c->level, (const int[3]){g->low[0], g->low[1] + j, g->low[2] + k}), b,
                      j, k};
  }
  if (c->level->num_boxes > 1) qsort(c->rows, (size_t)c->count, sizeof *c->rows, ascending);
}

/* Numbers to all cells that are nodes; *nodes and *edges of them. */
static void number_cells(cells *c, int64_t *nodes, int64_t *edges)
{
  for (const row *r = c->rows; r < c->rows + c->count; r++) {
    const hymgi_geom *const g = c->level->box + r->box;
    for (int i = 0; i < g->n[0]; i++) {
      edge list[MOST_EDGES];
      double off;
      const ptrdiff_t at = hymgi_at(g, i, r->j, r->k);
      *edges += list_edges(c, g, (const int[3]){i, r->j, r->k}, list, &off);
      c->number[at] = c->excess[at] + off > 0 && *nodes < INT_MAX ? (int)*nodes : -1;
      *nodes += c->excess[at] + off > 0;
    }
  }
}

/* ---- the part ---- */

static hymg_status lacking(const hymgi_level *level)
{
  return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for the part of a graph of %lld cells",
                    (long long)hymgi_cells_here(level));
}

static void fill_node(cells *c, const row *r, int i, hymgi_part *part)
{
  hymgi_raw_graph *const to = &part->g;
  const hymgi_geom *const g = c->level->box + r->box;
  const ptrdiff_t at = hymgi_at(g, i, r->j, r->k);
  const int node = c->number[at];
  if (node < 0) return;
  edge list[MOST_EDGES];
  double off;
  const int edges = list_edges(c, g, (const int[3]){i, r->j, r->k}, list, &off);
  to->id[node] = r->id + i;
  to->at[node] = at;
  to->start[node] = to->edges;
  for (const edge *e = list; e < list + edges; e++, to->edges++) {
    if (e->at < 0) hymgi_links_add(&part->in, e->rank, e->id, to->edges);
    if (e->at < 0) hymgi_links_add(&part->out, e->rank, to->id[node], node);
    to->to[to->edges] = e->at < 0 ? -1 : c->number[e->at];
    to->weight[to->edges] = e->weight;
  }
  to->end[node] = to->edges;
  to->excess[node] = c->excess[at];
  to->diagonal[node] = c->excess[at] + off;
}

/* part->in: an entry for each edge that leads to a node of another rank; then one for each such node. */
static hymg_status number_ghosts(const hymgi_level *level, hymgi_part *part)
{
  bool lacks = part->in.lacking || part->out.lacking;
  if (lacks) return lacking(level);
  hymgi_links_sort(&part->in, false);
  hymgi_links_sort(&part->out, true);
  int64_t last = -1;
  part->g.id = hymgi_resize(&lacks, part->g.id, (size_t)part->g.n + (size_t)part->in.count,
                            sizeof *part->g.id);
  if (lacks) return lacking(level);
  for (int m = 0; m < part->in.count; m++) {
    hymgi_link *const link = part->in.link + m;
    if (link->id != last) part->g.id[part->g.n + part->ghosts++] = last = link->id;
    part->g.to[link->at] = part->g.n + part->ghosts - 1;
    link->at = part->g.n + part->ghosts - 1;
  }
  hymgi_links_sort(&part->in, true);
  return HYMG_OK;
}

void *hymgi_resize(bool *lacks, void *array, size_t count, size_t size)
{
  void *const larger = realloc(array, (count + 1) * size);
  if (larger) return larger;
  *lacks = true;
  return array;
}

static hymg_status allocate(const hymgi_level *level, int64_t nodes, int64_t edges,
                            hymgi_part *part)
{
  hymgi_raw_graph *const g = &part->g;
  const size_t n = (size_t)nodes, e = (size_t)edges;
  bool lacks = false;
  g->start = hymgi_resize(&lacks, NULL, hymgi_sum_room(n), sizeof *g->start);
  g->end = hymgi_resize(&lacks, NULL, n, sizeof *g->end);
  g->to = hymgi_resize(&lacks, NULL, e, sizeof *g->to);
  g->weight = hymgi_resize(&lacks, NULL, e, sizeof *g->weight);
  g->excess = hymgi_resize(&lacks, NULL, n, sizeof *g->excess);
  g->diagonal = hymgi_resize(&lacks, NULL, n, sizeof *g->diagonal);
  g->id = hymgi_resize(&lacks, NULL, n, sizeof *g->id);
  g->at = hymgi_resize(&lacks, NULL, n, sizeof *g->at);
  g->n = (int)nodes;
  return lacks ? lacking(level) : HYMG_OK;
}

static hymg_status fill(cells *c, hymgi_part *part)
{
  int64_t nodes = 0, edges = 0;
  list_rows(c);
  number_cells(c, &nodes, &edges);
  TRY(hymgi_part_edges(c->level->context, edges > nodes ? edges : nodes));
  TRY(allocate(c->level, nodes, edges, part));
  for (const row *r = c->rows; r < c->rows + c->count; r++)
    for (int i = 0; i < c->level->box[r->box].n[0]; i++)
      fill_node(c, r, i, part);
  part->used = part->g.edges;
  return number_ghosts(c->level, part);
}

hymg_status hymgi_part_edges(hymg_context *context, int64_t edges)
{
  return edges <= INT_MAX ? HYMG_OK
                          : hymgi_fail(context, HYMG_EUNSUPPORTED,
                                       "transfer pairs for %lld couplings of cells on one rank, "
                                       "more than %d: use more ranks",
                                       (long long)edges, INT_MAX);
}

hymg_status hymgi_part_of_cells(const hymgi_level *level, double *const high[3],
                                const double *excess, hymgi_part *part)
{
  cells c = {.level = level, .high = high, .excess = excess};
  for (int b = 0; b < level->num_boxes; b++)
    c.count += (int64_t)level->box[b].n[1] * level->box[b].n[2];
  c.number = malloc(((size_t)level->vector_size + 1) * sizeof *c.number);
  c.rows = malloc(((size_t)c.count + 1) * sizeof *c.rows);
  const hymg_status status = c.number && c.rows ? fill(&c, part) : lacking(level);
  free(c.number);
  free(c.rows);
  return status;
}

void hymgi_part_release(hymgi_part *part)
{
  hymgi_raw_graph *const g = &part->g;
  void *const array[] = {g->start, g->end, g->to, g->weight, g->excess, g->diagonal, g->id, g->at};
  for (size_t m = 0; m < sizeof array / sizeof *array; m++)
    free(array[m]);
  hymgi_links_release(&part->in);
  hymgi_links_release(&part->out);
  hymgi_links_release(&part->parents_in);
  hymgi_links_release(&part->parents_out);
  *part = (hymgi_part){0};
}
