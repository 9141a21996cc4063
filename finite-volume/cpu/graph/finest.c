/* The graph of level 0: cells with a coupling, x fastest, and their conductances. */
#include "cpu/graph/graph.h"
#include "cpu/robust.h"

#include <stdlib.h>

void *hymgi_cpu_graph_array(size_t count, size_t size, bool *ok)
{
  void *const array = malloc((count + 1) * size);
  *ok = *ok && array;
  return array;
}

hymg_status hymgi_cpu_graph_status(hymg_context *context, bool ok, int nodes)
{
  return ok ? HYMG_OK
            : hymgi_fail(context, HYMG_ENOMEM, "no memory for a graph of %d nodes", nodes);
}

/* ---- of each cell ---- */

static bool is_wall(const hymgi_geom *g, int axis, int side, const int c[3])
{
  return g->boundaries >> (2 * axis + side) & 1 && c[axis] == (side ? g->n[axis] - 1 : 0);
}

static void cell_couplings(const hymgi_level *level, const hymgi_geom *g, const int c[3],
                           double *const high[3], double *excess)
{
  const ptrdiff_t q = hymgi_at(g, c[0], c[1], c[2]);
  for (int axis = 0; axis < 3; axis++) {
    const double *const beta = level->c.beta[axis];
    int next[3] = {c[0], c[1], c[2]};
    next[axis] = g->wraps >> axis & 1 && c[axis] == g->n[axis] - 1 ? 0 : c[axis] + 1;
    const double above = beta[hymgi_at(g, next[0], next[1], next[2])];
    const bool wall = is_wall(g, axis, 1, c);
    if (is_wall(g, axis, 0, c)) excess[q] += beta[q];
    if (wall) excess[q] += above;
    high[axis][q] = wall || level->n[axis] == 1 ? 0 : above;
  }
}

void hymgi_cpu_graph_couplings(const hymgi_level *level, double *const high[3], double *excess)
{
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *const g = level->box + b;
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    cell_couplings(level, g, (const int[3]){i, j, k}, high, excess);
  }
}

/* ---- the graph ---- */

typedef struct grid_of {
  const hymgi_level *level;
  const hymgi_geom *g;
  double *const *high;
  const double *excess;
  int *number; /* of a cell's node, or -1; cells x fastest */
  int *first;  /* node of a row; rows y fastest */
} grid_of;

static size_t place(const grid_of *c, const int at[3])
{
  const int *n = c->g->n;
  return ((size_t)at[2] * (size_t)n[1] + (size_t)at[1]) * (size_t)n[0] + (size_t)at[0];
}

/* The conductance of a cell's face, and the cell beyond it; 0 at boundaries. */
static double coupling(const grid_of *c, int axis, int side, const int at[3], int next[3])
{
  const int n = c->g->n[axis];
  for (int d = 0; d < 3; d++)
    next[d] = at[d];
  next[axis] += side ? 1 : -1;
  const bool beyond = next[axis] < 0 || next[axis] == n;
  if (beyond && !(c->level->periodic >> axis & 1)) return 0;
  if (beyond) next[axis] = side ? 0 : n - 1;
  const int *const low = side ? at : next;
  return c->high[axis][hymgi_at(c->g, low[0], low[1], low[2])];
}

/* The cell's edges, to `to` and `weight` if these are wanted; *off: their sum. */
static int edges_of(const grid_of *c, const int at[3], int *to, double *weight, double *off)
{
  int count = 0, next[3];
  *off = 0;
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++) {
      const double t = coupling(c, axis, side, at, next);
      if (!(t > 0)) continue;
      *off += t;
      if (to) to[count] = c->number[place(c, next)], weight[count] = t;
      count++;
    }
  return count;
}

static int count_row(const grid_of *c, int j, int k)
{
  int count = 0;
  for (int i = 0; i < c->g->n[0]; i++) {
    const int at[3] = {i, j, k};
    double off;
    edges_of(c, at, NULL, NULL, &off);
    const bool node = c->excess[hymgi_at(c->g, i, j, k)] + off > 0;
    c->number[place(c, at)] = node ? count++ : -1;
  }
  return count;
}

/* Numbers of nodes from those within rows. */
static void number_row(const grid_of *c, int j, int k)
{
  int *const number = c->number + place(c, (const int[3]){0, j, k});
  for (int i = 0; i < c->g->n[0]; i++)
    if (number[i] >= 0) number[i] += c->first[j + c->g->n[1] * k];
}

static void fill_row(const grid_of *c, int j, int k, hymgi_graph *graph)
{
  for (int i = 0; i < c->g->n[0]; i++) {
    const int at[3] = {i, j, k}, node = c->number[place(c, at)];
    if (node < 0) continue;
    const int e = graph->start[node];
    double off;
    edges_of(c, at, graph->to + e, graph->weight + e, &off);
    graph->at[node] = hymgi_at(c->g, i, j, k);
    graph->excess[node] = c->excess[graph->at[node]];
    graph->diagonal[node] = graph->excess[node] + off;
  }
}

/* graph->start, from the cells in the order of nodes. */
static void count_edges(const grid_of *c, hymgi_graph *graph)
{
  const int *n = c->g->n;
  double off;
  int node = 0;
  graph->start[0] = 0;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++) {
        const int at[3] = {i, j, k};
        if (c->number[place(c, at)] < 0) continue;
        graph->start[node + 1] = graph->start[node] + edges_of(c, at, NULL, NULL, &off);
        node++;
      }
}

static void number_cells(const grid_of *c, hymgi_graph *graph)
{
  const hymgi_level *level = c->level;
  const int *n = c->g->n, rows = n[1] * n[2];
  FOR_CELLS(level, 1, n[1], n[2])
  c->first[i + j + n[1] * k] = count_row(c, j, k);
  for (int row = 0; row < rows; row++) {
    const int count = c->first[row];
    c->first[row] = graph->n;
    graph->n += count;
  }
  FOR_CELLS(level, 1, n[1], n[2])
  number_row(c, j + i, k);
}

hymg_status hymgi_cpu_graph_finest(const hymgi_level *level, double *const high[3],
                                   const double *excess, hymgi_graph *graph)
{
  bool ok = true;
  const int *n = level->n;
  grid_of c = {.level = level, .g = level->box, .high = high, .excess = excess};
  c.number = hymgi_cpu_graph_array((size_t)level->cells, sizeof(int), &ok);
  c.first = hymgi_cpu_graph_array((size_t)n[1] * (size_t)n[2], sizeof(int), &ok);
  graph->n = 0;
  if (ok) number_cells(&c, graph);
  const size_t nodes = (size_t)graph->n;
  graph->start = hymgi_cpu_graph_array(nodes + 1, sizeof(int), &ok);
  if (ok) count_edges(&c, graph);
  const size_t edges = ok ? (size_t)graph->start[nodes] : 0;
  graph->to = hymgi_cpu_graph_array(edges, sizeof(int), &ok);
  graph->weight = hymgi_cpu_graph_array(edges, sizeof(double), &ok);
  graph->excess = hymgi_cpu_graph_array(nodes, sizeof(double), &ok);
  graph->diagonal = hymgi_cpu_graph_array(nodes, sizeof(double), &ok);
  graph->at = hymgi_cpu_graph_array(nodes, sizeof *graph->at, &ok);
  if (ok) {
    FOR_CELLS(level, 1, n[1], n[2])
    fill_row(&c, j + i, k, graph);
  }
  free(c.number);
  free(c.first);
  return hymgi_cpu_graph_status(level->context, ok, graph->n);
}
