/* The steps that make graphs (finite-volume/formulas/graph_setup.h), an index a thread, and prefix sums. */
#include "device/loops.cuh"
#include "kernels/graph/graph.h"
#include "kernels/robust/each.cuh"

extern "C" {
#include "formulas/graph_setup.h"
}

namespace
{

/* ---- steps ---- */

/* One kernel for all steps: none of them needs more registers than full multiprocessors have. */
__global__ void __launch_bounds__(ROW_THREADS)
    graph_step(const __grid_constant__ hymgi_graph_work w, hymgi_graph_step step, int indices)
{
  let_successors_start();
  wait_for_predecessors();
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= indices) return;
  switch (step) {
#define CASE(CONSTANT, name)                                                                       \
  case HYMGI_GRAPH_##CONSTANT:                                                                     \
    hymgi_graph_##name(&w, i);                                                                     \
    break;
    HYMGI_GRAPH_STEPS(CASE)
#undef CASE
  default:
    break;
  }
}

void run(hymg_context *context, hymgi_graph_step step, int indices, const hymgi_graph_work *w)
{
  hymgi_launch(context, graph_step, dim3(blocks_for(indices, ROW_THREADS)), dim3(ROW_THREADS), *w,
               step, indices);
}

/* ---- prefix sums: of tiles, of these sums by one block, then within tiles ---- */

enum { EACH = 8, TILE = EACH * ROW_THREADS };
static_assert((int)TILE >= (int)HYMGI_SUM_TILE, "room for the sums of tiles");

/* What the threads before this one in the block have in all, and *total all threads. */
__device__ __forceinline__ int sum_before(int own, int *total)
{
  __shared__ int upto[ROW_THREADS];
  const int t = (int)threadIdx.x;
  upto[t] = own;
  __syncthreads();
  for (int step = 1; step < ROW_THREADS; step *= 2) {
    const int other = t >= step ? upto[t - step] : 0;
    __syncthreads();
    upto[t] += other;
    __syncthreads();
  }
  const int before = upto[t] - own;
  *total = upto[ROW_THREADS - 1];
  __syncthreads();
  return before;
}

/* Sum of this thread's numbers in a tile of v[0] ... v[n - 1]. */
__device__ __forceinline__ int sum_of_thread(int tile, int n, const int *v)
{
  int sum = 0;
  for (int i = tile * TILE + (int)threadIdx.x * EACH, end = i + EACH; i < end; i++)
    sum += i < n ? v[i] : 0;
  return sum;
}

__device__ __forceinline__ void replace_of_thread(int tile, int n, int before, int *v)
{
  for (int i = tile * TILE + (int)threadIdx.x * EACH, end = i + EACH; i < end && i < n; i++) {
    const int value = v[i];
    v[i] = before;
    before += value;
  }
}

__global__ void __launch_bounds__(ROW_THREADS) sum_tiles(int n, const int *v, int *sums)
{
  let_successors_start();
  wait_for_predecessors();
  int total;
  sum_before(sum_of_thread((int)blockIdx.x, n, v), &total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/* By one block; all numbers to v[n]. */
__global__ void __launch_bounds__(ROW_THREADS) add_tiles(int tiles, int *sums, int *all)
{
  let_successors_start();
  wait_for_predecessors();
  int before = 0;
  for (int tile = 0; tile * TILE < tiles; tile++) {
    int total;
    const int of_others = sum_before(sum_of_thread(tile, tiles, sums), &total);
    replace_of_thread(tile, tiles, before + of_others, sums);
    before += total;
  }
  if (threadIdx.x == 0) *all = before;
}

__global__ void __launch_bounds__(ROW_THREADS) replace_in_tiles(int n, const int *sums, int *v)
{
  let_successors_start();
  wait_for_predecessors();
  const int tile = (int)blockIdx.x;
  int total;
  const int before = sum_before(sum_of_thread(tile, n, v), &total);
  replace_of_thread(tile, n, sums[tile] + before, v);
}

int sum(hymg_context *context, int n, int *v)
{
  const unsigned tiles = blocks_for(n, TILE);
  int *const sums = v + n + 1, total = 0;
  hymgi_launch(context, sum_tiles, dim3(tiles), dim3(ROW_THREADS), n, v, sums);
  hymgi_launch(context, add_tiles, dim3(1), dim3(ROW_THREADS), (int)tiles, sums, v + n);
  hymgi_launch(context, replace_in_tiles, dim3(tiles), dim3(ROW_THREADS), n, sums, v);
  if (context->status != HYMG_OK) return 0;
  const hymgi_device_guard guard(context->gpu->ordinal);
  hymgi_cuda_check(context,
                   cudaMemcpyAsync(&total, v + n, sizeof total, cudaMemcpyDefault,
                                   hymgi_device_stream(context->gpu)),
                   "a copy from the device");
  hymgi_device_sync(context);
  return context->status == HYMG_OK ? total : 0;
}

/* ---- graph 0 ---- */

struct couple_cell {
  unsigned flat;
  const double *beta[3];
  double *high[3], *excess;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    hymgi_cell_couplings(&g, beta, flat, high, excess, i, j, k);
  }
};

struct count_cell {
  hymgi_grid_graph grid;
  __device__ __forceinline__ void operator()(const hymgi_geom &, int i, int j, int k) const
  {
    hymgi_count_cell(&grid, i, j, k);
  }
};

struct fill_cell {
  hymgi_grid_graph grid;
  __device__ __forceinline__ void operator()(const hymgi_geom &, int i, int j, int k) const
  {
    hymgi_fill_cell(&grid, i, j, k);
  }
};

void couplings(const hymgi_graph_cells *c)
{
  const hymgi_level *level = c->level;
  couple_cell each = {};
  for (int axis = 0; axis < 3; axis++) {
    each.flat |= (unsigned)(level->n[axis] == 1) << axis;
    each.beta[axis] = level->c.beta[axis];
    each.high[axis] = c->high[axis];
  }
  each.excess = c->excess;
  for_each_cell(level, each);
}

void count(const hymgi_graph_cells *c)
{
  for_each_cell(c->level, count_cell{hymgi_grid_graph_of(c)});
}

void fill(const hymgi_graph_cells *c)
{
  for_each_cell(c->level, fill_cell{hymgi_grid_graph_of(c)});
}

} /* namespace */

extern "C" const hymgi_graph_setup hymgi_cuda_graph_setup = {NULL,      run,   sum,
                                                             couplings, count, fill};
