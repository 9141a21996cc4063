/* The steps of a cycle over graphs, a launch each. Whoever writes b of a graph, or r in its place, also makes the first step of
 * its smoother, to y. What set-up has made is loaded before the wait: most graphs are so small that a step takes as long as its chain
 * of loads, of which then only the neighbours' values come after the step before. */
#include "device/loops.cuh"
#include "kernels/graph/rows.cuh"

namespace
{

__device__ __forceinline__ int node_of_thread()
{
  return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

template <typename... P, typename... A>
void for_nodes(hymg_context *context, int n, void (*kernel)(P...), A... args)
{
  hymgi_launch(context, kernel, dim3(blocks_for(n, ROW_THREADS)), dim3(ROW_THREADS), args...);
}

/* Edges and children that are loaded before the wait; more come after it. */
enum { EARLY_EDGES = 12, EARLY_CHILDREN = 4 };

/* ---- within a graph ---- */

enum row_step { DOWN, RESIDUAL, UP, LAST, LAST_OF_TWO, AGAIN };

template <row_step STEP>
__global__ void __launch_bounds__(ROW_THREADS)
    on_rows(const __grid_constant__ graph_rows g, const __grid_constant__ graph_vectors v)
{
  const int i = node_of_thread();
  graph_row<EARLY_EDGES> row = {};
  if (i < g.n) row = row_at<EARLY_EDGES>(g, i);
  let_successors_start();
  wait_for_predecessors();
  if (i >= g.n) return;
  if (STEP == DOWN) smooth_down(g, row, i, v);
  if (STEP == RESIDUAL) v.p[i] = residual_of(g, row, i, v.b, v.x);
  if (STEP == UP) smooth_up(g, row, i, v);
  if (STEP == LAST) v.y[i] = smoothed(g, row, i, v);
  if (STEP == LAST_OF_TWO) v.y[i] = hymgi_graph_twice(v.c[i], smoothed(g, row, i, v));
  if (STEP == AGAIN) start_again(g, row, i, v);
}

template <row_step STEP> void take_step(hymg_context *context, const hymgi_graph *g)
{
  for_nodes(context, g->n, on_rows<STEP>, rows_of(g), vectors_of(g));
}

__global__ void __launch_bounds__(ROW_THREADS)
    take_first_step(int n, const double *inverse, const double *b, double *y)
{
  let_successors_start();
  wait_for_predecessors();
  const int i = node_of_thread();
  if (i < n) y[i] = hymgi_graph_first(__ldg(inverse + i), b[i]);
}

__global__ void __launch_bounds__(ROW_THREADS)
    divide_by_diagonal(int n, const double *inverse, const double *b, double *x)
{
  let_successors_start();
  wait_for_predecessors();
  const int i = node_of_thread();
  if (i < n) x[i] = __ldg(inverse + i) * b[i];
}

__global__ void __launch_bounds__(ROW_THREADS)
    multiply_by_matrix(int n, const double *matrix, const double *b, double *x)
{
  let_successors_start();
  wait_for_predecessors();
  multiply(matrix, n, b, [&](int i, double value) { x[i] = value; });
}

/* ---- between graphs ---- */

/* The values of a graph's nodes. at: NULL, or the places of those before `ghosts`; others' values are in `ghost` */
struct graph_values {
  const double *of;
  const ptrdiff_t *at;
  int ghosts;
  const double *ghost;
};

/* Where the value of child m is, of those before `high`, or a place that has one; a ghost's place is negative. */
__device__ __forceinline__ ptrdiff_t place_of_child(int m, int high, const int *child,
                                                    const graph_values &v)
{
  const int from = m < high ? __ldg(child + m) : 0;
  if (!v.at || m >= high) return from;
  return from < v.ghosts ? __ldg(v.at + from) : v.ghosts - 1 - from;
}

__device__ __forceinline__ double value_at(const graph_values &v, ptrdiff_t place)
{
  return place < 0 ? v.ghost[-1 - place] : v.of[place];
}

__global__ void __launch_bounds__(ROW_THREADS)
    sum_children(int n, const int *first, const int *child, const __grid_constant__ graph_values r,
                 const double *inverse, double *b, double *y)
{
  const int i = node_of_thread();
  const int low = i < n ? __ldg(first + i) : 0, high = i < n ? __ldg(first + i + 1) : 0;
  const double d = y && i < n ? __ldg(inverse + i) : 0;
  ptrdiff_t place[EARLY_CHILDREN];
#pragma unroll
  for (int m = 0; m < EARLY_CHILDREN; m++)
    place[m] = place_of_child(low + m, high, child, r);
  let_successors_start();
  wait_for_predecessors();
  if (i >= n) return;
  double value[EARLY_CHILDREN], sum = 0;
#pragma unroll
  for (int m = 0; m < EARLY_CHILDREN; m++)
    value[m] = low + m < high ? value_at(r, place[m]) : 0;
#pragma unroll
  for (int m = 0; m < EARLY_CHILDREN; m++)
    if (low + m < high) sum += value[m];
  for (int m = low + EARLY_CHILDREN; m < high; m++)
    sum += value_at(r, place_of_child(m, high, child, r));
  b[i] = sum;
  if (y) y[i] = hymgi_graph_first(d, sum);
}

/* Of a part of the first gathered graph there is no y. */
void sum_to(hymg_context *context, const hymgi_graph *fine, const double *r,
            const hymgi_graph *coarse)
{
  const graph_values values = {r, fine->at, (int)hymgi_whole_slices(fine->n), fine->b};
  for_nodes(context, coarse->n, sum_children, coarse->n, fine->first, fine->child, values,
            coarse->inverse, coarse->b, coarse->y);
}

__global__ void __launch_bounds__(ROW_THREADS)
    add_parents(int n, const int *parent, const double *coarse, const double *x, double *y)
{
  const int i = node_of_thread(), from = i < n ? __ldg(parent + i) : 0;
  let_successors_start();
  wait_for_predecessors();
  if (i < n) y[i] = x[i] + coarse[from];
}

template <bool ADD>
__global__ void __launch_bounds__(ROW_THREADS)
    spread_to_cells(int n, const int *parent, const ptrdiff_t *at, const double *coarse, double *x)
{
  const int i = node_of_thread(), from = i < n ? __ldg(parent + i) : 0;
  const ptrdiff_t cell = i < n ? __ldg(at + i) : 0;
  let_successors_start();
  wait_for_predecessors();
  if (i < n) x[cell] = ADD ? x[cell] + coarse[from] : coarse[from];
}

/* ---- between ranks ---- */

__global__ void __launch_bounds__(ROW_THREADS)
    copy_entries(int64_t count, const int64_t *from, const int64_t *to, const double *source,
                 double *target)
{
  let_successors_start();
  wait_for_predecessors();
  const int64_t m = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (m < count) target[to ? __ldg(to + m) : m] = source[from ? __ldg(from + m) : m];
}

void copy(hymg_context *context, int64_t count, const int64_t *from, const int64_t *to,
          const double *source, double *target)
{
  hymgi_launch(context, copy_entries, dim3(blocks_for(count, ROW_THREADS)), dim3(ROW_THREADS),
               count, from, to, source, target);
}

/* Of a part: what others have. */
void exchange(const hymgi_graph *g, const double *from, double *to)
{
  if (g->halo) hymgi_index_plan_run(g->halo, from, to);
}

/* ---- as in pairs.h ---- */

void sum(hymg_context *context, const hymgi_graph *finest, const double *r, hymgi_graph *coarse)
{
  exchange(finest, r, finest->b);
  sum_to(context, finest, r, coarse);
}

void spread(hymg_context *context, const hymgi_graph *finest, const hymgi_graph *coarse, bool add,
            double *x)
{
  exchange(coarse, coarse->x, coarse->x);
  for_nodes(context, finest->n, add ? spread_to_cells<true> : spread_to_cells<false>, finest->n,
            finest->parent, finest->at, coarse->x, x);
}

void descend(hymg_context *context, hymgi_graph *fine, hymgi_graph *coarse)
{
  exchange(fine, fine->y, fine->y);
  take_step<DOWN>(context, fine);
  exchange(fine, fine->x, fine->x);
  take_step<RESIDUAL>(context, fine);
  exchange(fine, fine->p, fine->p);
  sum_to(context, fine, fine->p, coarse);
}

void exchange_solution(hymgi_graph *g)
{
  double *const x = g->x;
  g->x = g->y;
  g->y = x;
}

void ascend(hymg_context *context, const hymgi_graph *coarse, hymgi_graph *fine, bool second)
{
  exchange(coarse, coarse->x, coarse->x);
  for_nodes(context, fine->n, add_parents, fine->n, fine->parent, coarse->x, fine->x, fine->y);
  exchange(fine, fine->y, fine->y);
  take_step<UP>(context, fine);
  exchange(fine, fine->x, fine->x);
  if (second)
    take_step<LAST_OF_TWO>(context, fine);
  else
    take_step<LAST>(context, fine);
  exchange_solution(fine);
}

void finish(hymg_context *context, hymgi_graph *g)
{
  if (g->matrix)
    hymgi_launch(context, multiply_by_matrix, dim3(1), dim3(ROW_THREADS), g->n, g->matrix, g->b,
                 g->x);
  else
    for_nodes(context, g->n, divide_by_diagonal, g->n, g->inverse, g->b, g->x);
}

void residual(hymg_context *context, hymgi_graph *g)
{
  exchange(g, g->c, g->c);
  take_step<AGAIN>(context, g);
}

void begin(hymg_context *context, hymgi_graph *g)
{
  for_nodes(context, g->n, take_first_step, g->n, g->inverse, g->b, g->y);
}

void tail(struct hymgi_pairs *pairs)
{
  hymgi_cuda_graph_tail(pairs);
  exchange_solution(pairs->graph + pairs->tail);
}

enum { LEAST_IN_PARTS = 100000 };

} /* namespace */

extern "C" const hymgi_graph_ops hymgi_cuda_graphs = {
    sum,  spread, descend,       ascend, finish, residual, begin, hymgi_cuda_graph_tail_from,
    tail, copy,   LEAST_IN_PARTS};
