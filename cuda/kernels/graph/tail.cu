/* The small graphs, from one on down, in one launch of one thread block: such graphs are visited hundreds of times in a cycle,
 * and a launch for each step would take longer than the step. Vectors are in shared memory as far as they fit, coarse graphs
 * first. All threads follow the same schedule; graphs of a warp or less are the first warp's, which need not wait for the
 * others. */
#include "device/loops.cuh"
#include "kernels/graph/rows.cuh"

namespace
{

/* EARLY_EDGES: those that a thread keeps from step to step, as far as its registers go */
enum { EARLY_EDGES = 4 };
typedef graph_row<EARLY_EDGES> tail_row;

enum { THREADS = 1024, MOST_GRAPHS = 24, SHARED_BYTES = 96 * 1024, WARP = 32 };

struct tail_graph {
  graph_rows rows;
  const int *first, *child; /* in the finer graph */
  graph_vectors v;
  int at; /* of its vectors in shared memory, or -1 */
  bool twice;
};

struct tail_graphs {
  int count;
  const double *matrix; /* of the last one, or NULL */
  double a, b;          /* the solution of a graph that is solved twice: a c + b x */
  const double *rhs;
  double *solution;
  tail_graph of[MOST_GRAPHS];
};
static_assert(sizeof(tail_graphs) < 4000, "arguments of a kernel");

HYMGI_INLINE int whole_slices(int n)
{
  return (n + HYMGI_LANES - 1) / HYMGI_LANES * HYMGI_LANES;
}

__device__ __forceinline__ graph_vectors vectors_at(const tail_graph &g)
{
  HYMGI_DYNAMIC_SHARED(graph_arena);
  if (g.at < 0) return g.v;
  double *const b = graph_arena + g.at;
  const int n = whole_slices(g.rows.n);
  return {b, b + n, b + 2 * n, b + 3 * n, b + 4 * n, b + 5 * n};
}

/* each(i) for all nodes, which a thread keeps from step to step. */
template <typename Each> __device__ __forceinline__ void each_node(int n, const Each &each)
{
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
    each(i);
}

/* The row of a thread's first node. */
__device__ __forceinline__ tail_row own_row(const graph_rows &g)
{
  const int i = (int)threadIdx.x;
  return i < g.n ? row_at<EARLY_EDGES>(g, i) : tail_row();
}

/* each(row, i) for all nodes; own: the row of the thread's first one */
template <typename Each>
__device__ __forceinline__ void each_row(const graph_rows &g, const tail_row &own, const Each &each)
{
  const int own_node = (int)threadIdx.x;
  if (own_node < g.n) each(own, own_node);
  for (int i = own_node + (int)blockDim.x; i < g.n; i += (int)blockDim.x)
    each(row_at<EARLY_EDGES>(g, i), i);
}

/* Before a step on a graph of n nodes, for those who do it. */
__device__ __forceinline__ void wait_for_step(int n)
{
  if (n > WARP)
    __syncthreads();
  else if (threadIdx.x < WARP)
    __syncwarp();
}

/* The value of a solution, to the children of its node, or out. */
__device__ __forceinline__ void give(const tail_graphs &a, int l, int i, double value)
{
  if (l == 0) {
    a.solution[i] = value;
    return;
  }
  const tail_graph &g = a.of[l];
  const graph_vectors fine = vectors_at(a.of[l - 1]);
  for (int m = __ldg(g.first + i); m < __ldg(g.first + i + 1); m++) {
    const int child = __ldg(g.child + m);
    fine.y[child] = fine.x[child] + value;
  }
}

__device__ void begin(const tail_graphs &a)
{
  const tail_graph &g = a.of[0];
  const graph_vectors v = vectors_at(g);
  each_node(g.rows.n, [&](int i) {
    const double b = a.rhs[i];
    v.b[i] = b;
    v.y[i] = hymgi_graph_first(__ldg(g.rows.inverse + i), b);
  });
}

/* second: the second cycle for it, whose right-hand side is r */
__device__ void descend(const tail_graphs &a, int l, bool second)
{
  const tail_graph &g = a.of[l], &coarse = a.of[l + 1];
  graph_vectors v = vectors_at(g);
  const graph_vectors next = vectors_at(coarse);
  if (second) v.b = v.r;
  const tail_row own = own_row(g.rows);
  wait_for_step(g.rows.n);
  each_row(g.rows, own, [&](const tail_row &row, int i) { smooth_down(g.rows, row, i, v); });
  wait_for_step(g.rows.n);
  each_row(g.rows, own,
           [&](const tail_row &row, int i) { v.p[i] = residual_of(g.rows, row, i, v.b, v.x); });
  wait_for_step(g.rows.n);
  each_node(coarse.rows.n, [&](int i) {
    double sum = 0;
    for (int m = __ldg(coarse.first + i); m < __ldg(coarse.first + i + 1); m++)
      sum += v.p[__ldg(coarse.child + m)];
    next.b[i] = sum;
    next.y[i] = hymgi_graph_first(__ldg(coarse.rows.inverse + i), sum);
  });
}

__device__ void finish(const tail_graphs &a)
{
  const int l = a.count - 1;
  const tail_graph &g = a.of[l];
  const double *const b = vectors_at(g).b;
  wait_for_step(a.matrix ? THREADS : g.rows.n); /* a product is done by all threads */
  if (a.matrix)
    multiply(a.matrix, g.rows.n, b, [&](int i, double value) { give(a, l, i, value); });
  else
    each_node(g.rows.n, [&](int i) { give(a, l, i, __ldg(g.rows.inverse + i) * b[i]); });
}

/* From y, the corrected x. False: it has to be solved a second time. */
__device__ bool ascend(const tail_graphs &a, int l, bool second)
{
  const tail_graph &g = a.of[l];
  graph_vectors v = vectors_at(g);
  if (second) v.b = v.r;
  const tail_row own = own_row(g.rows);
  wait_for_step(g.rows.n);
  each_row(g.rows, own, [&](const tail_row &row, int i) { smooth_up(g.rows, row, i, v); });
  wait_for_step(g.rows.n);
  const bool again = g.twice && !second;
  each_row(g.rows, own, [&](const tail_row &row, int i) {
    const double x = smoothed(g.rows, row, i, v);
    if (again)
      v.c[i] = x;
    else
      give(a, l, i, second ? hymgi_graph_twice(v.c[i], x) : x);
  });
  if (!again) return true;
  wait_for_step(g.rows.n);
  each_row(g.rows, own, [&](const tail_row &row, int i) { start_again(g.rows, row, i, v); });
  return false;
}

__global__ void __launch_bounds__(THREADS) graph_tail(const __grid_constant__ tail_graphs a)
{
  let_successors_start();
  wait_for_predecessors();
  unsigned second = 0; /* a bit for each graph */
  begin(a);
  for (int l = 0; l >= 0;) {
    for (; l < a.count - 1; l++)
      descend(a, l, second >> l & 1);
    finish(a);
    bool solved = true;
    while (solved && --l >= 0) {
      solved = ascend(a, l, second >> l & 1);
      if (a.of[l].twice) second ^= 1u << l;
    }
  }
}

/* Whose vectors are in shared memory; the doubles. */
int place_vectors(tail_graphs *a, int most)
{
  int used = 0;
  for (int l = a->count - 1; l >= 0; l--) {
    const int wanted = whole_slices(a->of[l].rows.n) * (a->of[l].twice ? 6 : 4);
    a->of[l].at = used + wanted <= most ? used : -1;
    if (a->of[l].at >= 0) used += wanted;
  }
  return used;
}

tail_graphs graphs_of(const struct hymgi_pairs *pairs)
{
  tail_graphs a = {};
  const hymgi_graph *g = pairs->graph + pairs->tail;
  a.count = pairs->last - pairs->tail + 1;
  a.matrix = pairs->graph[pairs->last].matrix;
  a.rhs = g->b, a.solution = g->y;
  for (int l = 0; l < a.count; l++, g++) {
    a.of[l].rows = rows_of(g);
    a.of[l].first = g[-1].first, a.of[l].child = g[-1].child;
    a.of[l].v = vectors_of(g);
    a.of[l].twice = g->twice;
  }
  return a;
}

} /* namespace */

extern "C" int hymgi_cuda_graph_tail_from(const struct hymgi_pairs *pairs)
{
  int first = pairs->last + 1;
  while (first > 1 && pairs->last + 1 - first < MOST_GRAPHS &&
         !hymgi_form_takes(pairs->context, HYMGI_GRAPH_SWEEPS, pairs->graph[first - 1].n))
    first--;
  return first;
}

extern "C" void hymgi_cuda_graph_tail(struct hymgi_pairs *pairs)
{
  hymg_context *const context = pairs->context;
  tail_graphs a = graphs_of(pairs);
  const int n = a.of[0].rows.n, bytes = context->gpu->shared_bytes;
  const int most = (bytes < SHARED_BYTES ? bytes : SHARED_BYTES) / (int)sizeof(double);
  const size_t shared = (size_t)place_vectors(&a, most) * sizeof(double);
  const int threads = n < THREADS ? (n + WARP - 1) / WARP * WARP : THREADS;
  hymgi_launch_shared(context, graph_tail, dim3(1), dim3((unsigned)threads), shared, a);
}
