/* The graphs of the pairs: made by the host until no edge is left, then packed, and moved to the memory of the backend that
 * runs the cycle. */
#include <math.h>
#include <stdlib.h>

#include "multigrid/pairs.h"

/* A matrix takes the place of the cycle unless it loses so much. */
#define MOST_AMPLIFIED 1e5

/* The work of all visits to a level that is visited twice, in sweeps of level 0. */
#define MOST_WORK 1.5

/* ---- releasing ---- */

static void release_rows(hymgi_graph *g)
{
  free(g->start);
  free(g->to);
  free(g->weight);
  free(g->excess);
  free(g->diagonal);
  g->start = g->to = NULL;
  g->weight = g->excess = g->diagonal = NULL;
}

static void release_arrays(hymgi_graph *g)
{
  release_rows(g);
  free(g->slice);
  free(g->inverse);
  free(g->parent);
  free(g->first);
  free(g->child);
  free(g->at);
  free(g->matrix);
  free(g->vectors);
}

void hymgi_graphs_destroy(struct hymgi_pairs *pairs)
{
  for (hymgi_graph *g = pairs->graph; g < pairs->graph + HYMGI_MAX_GRAPHS; g++) {
    if (g->block)
      pairs->memory->release(pairs->context, g->block, g->doubles);
    else
      release_arrays(g);
    *g = (hymgi_graph){0};
  }
  pairs->count = 0;
}

/* ---- memory ---- */

enum { SLICE, TO, WEIGHT, DIAGONAL, INVERSE, PARENT, FIRST, CHILD, AT, MATRIX, ARRAYS };

typedef struct array {
  void *data;
  size_t bytes; /* 0 without data */
} array;

/* What the cycle reads of graph 0 or of a packed one. */
static void list_arrays(const hymgi_graph *g, array list[ARRAYS])
{
  const size_t n = (size_t)g->n, whole = hymgi_whole_slices(g->n), slices = whole / HYMGI_LANES;
  const size_t edges = g->slice ? (size_t)g->slice[slices] : 0;
  const size_t parents = g->first ? (size_t)g[1].n : 0;
  const array all[ARRAYS] = {[SLICE] = {g->slice, (slices + 1) * sizeof *g->slice},
                             [TO] = {g->to, edges * sizeof *g->to},
                             [WEIGHT] = {g->weight, edges * sizeof *g->weight},
                             [DIAGONAL] = {g->diagonal, whole * sizeof *g->diagonal},
                             [INVERSE] = {g->inverse, whole * sizeof *g->inverse},
                             [PARENT] = {g->parent, n * sizeof *g->parent},
                             [FIRST] = {g->first, (parents + 1) * sizeof *g->first},
                             [CHILD] = {g->child, n * sizeof *g->child},
                             [AT] = {g->at, n * sizeof *g->at},
                             [MATRIX] = {g->matrix, hymgi_matrix_doubles(g->n) * sizeof(double)}};
  for (int m = 0; m < ARRAYS; m++)
    list[m] = (array){all[m].data, all[m].data ? all[m].bytes : 0};
}

/* In doubles, arrays in whole lines. */
static size_t doubles_of(size_t bytes)
{
  enum { LINE = 128 };
  return (bytes + LINE - 1) / LINE * (LINE / sizeof(double));
}

static int vectors_of(const hymgi_graph *g)
{
  return !g->slice ? 0 : g->twice ? 6 : 4;
}

static size_t size_of(const hymgi_graph *g)
{
  array list[ARRAYS];
  list_arrays(g, list);
  size_t doubles = (size_t)vectors_of(g) * hymgi_whole_slices(g->n);
  for (int m = 0; m < ARRAYS; m++)
    doubles += doubles_of(list[m].bytes);
  return doubles;
}

static void bind_vectors(hymgi_graph *g, double *next)
{
  double **const vector[] = {&g->b, &g->x, &g->y, &g->p, &g->c, &g->r};
  for (int m = 0; m < vectors_of(g); m++, next += hymgi_whole_slices(g->n))
    *vector[m] = next;
}

static hymg_status create_vectors(hymg_context *context, hymgi_graph *g)
{
  if (!vectors_of(g)) return HYMG_OK;
  g->vectors = calloc((size_t)vectors_of(g) * hymgi_whole_slices(g->n) + 1, sizeof *g->vectors);
  if (!g->vectors) return hymgi_fail(context, HYMG_ENOMEM, "no memory for %d nodes", g->n);
  bind_vectors(g, g->vectors);
  return HYMG_OK;
}

/* All arrays to one block of the backend's memory, in which the vectors come last. Each of the host's has a number more than
 * it is long, so that whole doubles can be copied. */
static hymg_status move(const struct hymgi_pairs *pairs, hymgi_graph *g)
{
  hymg_context *const c = pairs->context;
  array list[ARRAYS];
  const size_t doubles = size_of(g);
  double *block = NULL;
  TRY(pairs->memory->alloc(c, doubles, &block));
  list_arrays(g, list);
  double *next = block;
  for (int m = 0; m < ARRAYS; m++) {
    const size_t count = (list[m].bytes + sizeof(double) - 1) / sizeof(double);
    if (count) pairs->backend->copy(c, list[m].data, next, count);
    list[m].data = list[m].data ? next : NULL;
    next += doubles_of(list[m].bytes);
  }
  release_arrays(g);
  g->vectors = NULL;
  g->slice = list[SLICE].data, g->to = list[TO].data, g->weight = list[WEIGHT].data;
  g->diagonal = list[DIAGONAL].data, g->inverse = list[INVERSE].data;
  g->parent = list[PARENT].data, g->first = list[FIRST].data, g->child = list[CHILD].data;
  g->at = list[AT].data, g->matrix = list[MATRIX].data;
  g->block = block, g->doubles = doubles;
  bind_vectors(g, next);
  return c->status;
}

/* ---- the matrix ---- */

/* Errors of 1 in the nodes come to M D, of which sums of its entries lose as many digits. */
static double amplification(const hymgi_graph *g, const double *matrix)
{
  enum { SUMS = HYMGI_MATRIX_SUMS };
  double most = 0;
  for (int row = 0; row < g->n; row++) {
    double sum = 0;
    for (int c = 0; c < g->n; c++)
      sum += fabs(matrix[(c / SUMS * g->n + row) * SUMS + c % SUMS]) * g->diagonal[c];
    if (!(sum <= most)) most = sum;
  }
  return most;
}

static void make_columns(struct hymgi_pairs *pairs, int l, double *matrix)
{
  enum { SUMS = HYMGI_MATRIX_SUMS };
  hymgi_graph *const g = pairs->graph + l;
  for (int c = 0; c < g->n; c++) {
    for (int row = 0; row < g->n; row++)
      g->b[row] = row == c;
    hymgi_graphs_solve(pairs, l);
    for (int row = 0; row < g->n; row++)
      matrix[(c / SUMS * g->n + row) * SUMS + c % SUMS] = g->x[row];
  }
}

/* Of the first graph that is small enough, by the host. Those below have their vectors for it. */
static hymg_status make_matrix(struct hymgi_pairs *pairs)
{
  int l = 1;
  while (l < pairs->last && pairs->graph[l].n > HYMGI_MATRIX_CELLS)
    l++;
  if (l >= pairs->last) return HYMG_OK;
  hymgi_graph *const g = pairs->graph + l;
  double *const matrix = calloc(hymgi_matrix_doubles(g->n) + 1, sizeof *matrix);
  if (!matrix) return hymgi_fail(pairs->context, HYMG_ENOMEM, "no memory for %d nodes", g->n);
  hymg_status status = HYMG_OK;
  for (int m = l; m < pairs->count; m++)
    if (status == HYMG_OK) status = create_vectors(pairs->context, pairs->graph + m);
  if (status == HYMG_OK) make_columns(pairs, l, matrix);
  if (status == HYMG_OK && amplification(g, matrix) <= MOST_AMPLIFIED)
    g->matrix = matrix, pairs->last = l;
  else
    free(matrix);
  return status;
}

/* ---- building ---- */

/* A graph below the finest one is visited twice, in every visit of the one above it, while that is cheap. */
static void choose_visits(struct hymgi_pairs *pairs, int64_t cells)
{
  double visits = 1;
  for (int l = 2; l < pairs->count - 1; l += 2) {
    hymgi_graph *const g = pairs->graph + l;
    const double cost = ((double)g->start[g->n] + g->n) / (7 * (double)cells);
    g->twice = 2 * visits * cost <= MOST_WORK;
    if (g->twice) visits *= 2;
  }
}

/* Once all are packed. */
static hymg_status settle(struct hymgi_pairs *pairs, hymgi_graph *g)
{
  pairs->bytes += size_of(g) * sizeof(double);
  if (pairs->memory) return move(pairs, g);
  return g->vectors ? HYMG_OK : create_vectors(pairs->context, g);
}

hymg_status hymgi_graphs_build(hymg_context *context, const hymgi_graph_setup *setup, int64_t cells,
                               struct hymgi_pairs *pairs)
{
  const int threads = context->threads;
  hymgi_graph *g = pairs->graph;
  for (pairs->count = 1; g->start[g->n] > 0; g++, pairs->count++) {
    int nodes;
    TRY(setup->match(context, threads, g, pairs->count == HYMGI_MAX_GRAPHS - 1, &nodes));
    TRY(setup->coarsen(context, threads, g, nodes, g + 1));
  }
  choose_visits(pairs, cells);
  release_rows(pairs->graph);
  pairs->context = context, pairs->bytes = 0;
  pairs->last = pairs->count - 1, pairs->tail = pairs->count;
  pairs->ops = setup->ops;
  for (int l = 1; l < pairs->count; l++)
    TRY(setup->pack(context, threads, pairs->graph + l - 1, pairs->graph + l));
  TRY(make_matrix(pairs));
  for (int l = 0; l < pairs->count; l++)
    TRY(settle(pairs, pairs->graph + l));
  if (pairs->backend) pairs->ops = pairs->backend->graphs;
  if (pairs->ops->tail_from) pairs->tail = pairs->ops->tail_from(pairs);
  return HYMG_OK;
}
