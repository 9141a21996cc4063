/* The graphs of the pairs once they are made (graph_build.c): their arrays, the matrix that takes the place of the smallest
 * ones, and the memory of the backend that runs the cycle. */
#include <math.h>
#include <stdlib.h>

#include "multigrid/pairs.h"

/* A matrix takes the place of the cycle unless it loses so much. */
#define MOST_AMPLIFIED 1e5

void hymgi_graph_release(hymg_context *context, hymgi_graph *g)
{
  if (g->block) g->memory->release(context, g->block, g->doubles);
  hymgi_index_plan_destroy(&g->halo);
  *g = (hymgi_graph){0};
}

void hymgi_graphs_destroy(struct hymgi_pairs *pairs)
{
  for (hymgi_graph *g = pairs->graph; g < pairs->graph + HYMGI_MAX_GRAPHS; g++)
    hymgi_graph_release(pairs->context, g);
  hymgi_graph_release(pairs->context, &pairs->part);
  hymgi_index_plan_destroy(&pairs->gather);
  hymgi_index_plan_destroy(&pairs->scatter);
  pairs->count = 0;
  pairs->gathered = HYMGI_MAX_GRAPHS;
}

/* ---- arrays ---- */

/* The next array of a block, of whole lines; NULL if it is empty or there is no block. */
static void *next_array(double *block, size_t *used, size_t bytes)
{
  enum { LINE = 128 };
  double *const array = block && bytes ? block + *used : NULL;
  *used += (bytes + LINE - 1) / LINE * (LINE / sizeof(double));
  return array;
}

size_t hymgi_graph_bind(hymgi_graph *g, double *block)
{
  const size_t n = (size_t)g->n, whole = g->packed ? hymgi_whole_slices(g->n) : 0;
  const size_t edges = (size_t)g->rows * HYMGI_LANES, slices = whole / HYMGI_LANES;
  const size_t fine = g->coarsest ? 0 : n, coarse = g->coarsest ? 0 : (size_t)g->nodes + 1;
  const size_t matrix = g->may_have_matrix ? hymgi_matrix_doubles(g->n) : 0;
  size_t used = 0;
  g->slice = next_array(block, &used, g->packed ? (slices + 1) * sizeof *g->slice : 0);
  g->to = next_array(block, &used, edges * sizeof *g->to);
  g->weight = next_array(block, &used, edges * sizeof *g->weight);
  g->diagonal = next_array(block, &used, whole * sizeof *g->diagonal);
  g->inverse = next_array(block, &used, whole * sizeof *g->inverse);
  g->parent = next_array(block, &used, fine * sizeof *g->parent);
  g->first = next_array(block, &used, coarse * sizeof *g->first);
  g->child = next_array(block, &used, (size_t)g->children * sizeof *g->child);
  g->at = next_array(block, &used, g->packed ? 0 : n * sizeof *g->at);
  g->matrix = next_array(block, &used, matrix * sizeof *g->matrix);
  double **const vector[] = {&g->b, &g->x, &g->y, &g->p, &g->c, &g->r};
  for (int m = 0; m < g->vectors; m++)
    *vector[m] = next_array(block, &used, (whole + (size_t)g->ghosts) * sizeof **vector[m]);
  return used;
}

size_t hymgi_graph_fixed_doubles(hymgi_graph g)
{
  g.vectors = 0;
  return hymgi_graph_bind(&g, NULL);
}

hymg_status hymgi_graph_allocate(hymg_context *context, const hymgi_memory *memory, hymgi_graph *g)
{
  g->doubles = hymgi_graph_bind(g, NULL);
  TRY(memory->alloc(context, g->doubles, &g->block));
  g->memory = memory;
  hymgi_graph_bind(g, g->block);
  return HYMG_OK;
}

/* Vectors come along, as they may be anything. */
hymg_status hymgi_graph_move(const struct hymgi_pairs *pairs, hymgi_graph *g)
{
  hymgi_graph moved = *g;
  if (!g->block || g->memory == pairs->memory) return HYMG_OK;
  TRY(hymgi_graph_allocate(pairs->context, pairs->memory, &moved));
  pairs->backend->copy(pairs->context, g->block, moved.block, g->doubles);
  if (!g->matrix) moved.matrix = NULL;
  g->memory->release(pairs->context, g->block, g->doubles);
  *g = moved;
  return pairs->context->status;
}

/* ---- the matrix ---- */

enum { SUMS = HYMGI_MATRIX_SUMS };

static double *entry(const hymgi_graph *g, double *matrix, int row, int column)
{
  return matrix + (column / SUMS * g->n + row) * SUMS + column % SUMS;
}

/* Errors of 1 in the nodes come to M D, of which sums of its entries lose as many digits. */
static double amplification(const hymgi_graph *g, double *matrix, const double *diagonal)
{
  double most = 0;
  for (int row = 0; row < g->n; row++) {
    double sum = 0;
    for (int c = 0; c < g->n; c++)
      sum += fabs(*entry(g, matrix, row, c)) * diagonal[c];
    if (!(sum <= most)) most = sum;
  }
  return most;
}

static void make_columns(struct hymgi_pairs *pairs, const hymgi_backend *maker, int l,
                         double *matrix)
{
  hymgi_graph *const g = pairs->graph + l;
  double column[HYMGI_MATRIX_CELLS];
  for (int c = 0; c < g->n; c++) {
    for (int row = 0; row < g->n; row++)
      column[row] = row == c;
    maker->copy(pairs->context, column, g->b, (size_t)g->n);
    if (pairs->ops->begin) pairs->ops->begin(pairs->context, g);
    hymgi_graphs_solve(pairs, l);
    maker->copy(pairs->context, g->x, column, (size_t)g->n);
    for (int row = 0; row < g->n; row++)
      *entry(g, matrix, row, c) = column[row];
  }
}

static int with_matrix(const struct hymgi_pairs *pairs)
{
  int l = 0;
  while (l < pairs->count && !pairs->graph[l].may_have_matrix)
    l++;
  return l;
}

/* From graph l on `maker` solves what is below it, as far as that goes in one operation. */
static void choose_tail(struct hymgi_pairs *pairs, const hymgi_backend *maker, int l)
{
  pairs->ops = maker->graphs;
  pairs->last = pairs->count - 1;
  pairs->tail = pairs->ops->tail_from ? pairs->ops->tail_from(pairs) : pairs->count;
  if (pairs->tail < l) pairs->tail = l;
}

/* Of the first graph that is small enough. */
static hymg_status make_matrix(struct hymgi_pairs *pairs, const hymgi_backend *maker)
{
  const int l = with_matrix(pairs);
  if (l == pairs->count) return HYMG_OK;
  hymgi_graph *const g = pairs->graph + l;
  const size_t doubles = hymgi_matrix_doubles(g->n);
  double *const matrix = calloc(doubles + 1, sizeof *matrix), diagonal[HYMGI_MATRIX_CELLS];
  if (!matrix) return hymgi_fail(pairs->context, HYMG_ENOMEM, "no memory for %d nodes", g->n);
  choose_tail(pairs, maker, l);
  make_columns(pairs, maker, l, matrix);
  maker->copy(pairs->context, g->diagonal, diagonal, (size_t)g->n);
  if (pairs->context->status == HYMG_OK && amplification(g, matrix, diagonal) <= MOST_AMPLIFIED)
    maker->copy(pairs->context, matrix, g->matrix, doubles);
  else
    g->matrix = NULL;
  free(matrix);
  return pairs->context->status;
}

hymg_status hymgi_graphs_move(struct hymgi_pairs *pairs, const hymgi_backend *maker)
{
  TRY(make_matrix(pairs, maker));
  pairs->bytes = 0;
  for (int l = 0; l < pairs->count; l++) {
    TRY(hymgi_graph_move(pairs, pairs->graph + l));
    pairs->bytes += pairs->graph[l].doubles * sizeof(double);
  }
  const int l = with_matrix(pairs);
  pairs->ops = pairs->backend->graphs;
  pairs->last = l < pairs->count && pairs->graph[l].matrix ? l : pairs->count - 1;
  pairs->tail = pairs->ops->tail_from ? pairs->ops->tail_from(pairs) : pairs->count;
  pairs->backend->sync(pairs->context); /* kernels of a cycle read graphs before they wait */
  return pairs->context->status;
}
