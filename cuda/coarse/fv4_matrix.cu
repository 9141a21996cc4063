/* The coarse end for FV4's red-black Gauss-Seidel from the level right above coarse matrices down: V- and
 * F-cycles in one launch of a single block, with the bits of coarse.cu. A thread owns a cell and keeps
 * its coefficients and its part of the matrix in registers, loaded before the kernel waits for its
 * predecessor. */
#include "coarse/interpolation.cuh"
#include "coarse/multiply.cuh"
#include "coarse/resident.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

/* The arguments of a launch; level[0] is the finer level, level[1] that of the matrices. */
struct fv4_matrix_run {
  hymgi_method method;
  coarse_level level[2];
  const double *v, *f_matrix; /* f_matrix: NULL in V-cycles */
  size_t matrix_doubles;
  double *x;
  const double *f;
};

/* What a thread owns: a cell, a ghost of the coarser level, and a row's part of the matrix. The iterate
 * is in one of two buffers, positions in the arena. */
template <bool VARIABLE> struct fv4_cell {
  coarse_resident<HYMG_FV4, VARIABLE> own;
  product<COARSE_THREADS> matrix;
  double scale;
  int colour, field, now, next;
  int parent,
      child;    /* positions: of the parent in x, of the first child of the thread's coarser cell */
  unsigned odd; /* bit per axis: the cell is the odd child */
  coarse_product ghost;

  __device__ __forceinline__ void load(const double *first_matrix)
  {
    const coarse_level &t = shared.level[0], &coarse = shared.level[1];
    const int c = thread_of();
    own.load(0, NULL);
    matrix.load(first_matrix, coarse.cells, c);
    colour = c >= t.reds;
    now = t.x_at, next = t.y_at;
    if (c < coarse.cells) child = entry_at(coarse.cell + c).child;
    if (c < coarse.products.count) ghost = entry_at(coarse.products.ghost + c);
    if (!own.mine) return;
    scale = __ldg(t.coefficients + COARSE_DINV * t.cells + c);
    field = cell_at(0, c).field;
    parent = parent_of(t, coarse, own.at, &odd);
  }

  /* The other colour is copied along. */
  __device__ __forceinline__ void smooth(int sweeps)
  {
    double *const arena = coarse_arena();
#pragma unroll 1
    for (int s = 0; s < sweeps; s++) {
      own.fill_ghosts(arena + now);
      if (own.mine) {
        double x = arena[now + own.at];
        if (colour == (s & 1)) x = hymgi_relax(x, scale, own.residual(arena + now));
        arena[next + own.at] = x;
      }
      const int old = now;
      now = next, next = old;
    }
  }

  /* f of the matrix's cells, without gaps. */
  __device__ __forceinline__ void restrict_residual()
  {
    const coarse_level &fine = shared.level[0], &coarse = shared.level[1];
    double *const arena = coarse_arena();
    own.fill_ghosts(arena + now);
    if (own.mine) arena[next + own.at] = own.residual(arena + now);
    __syncthreads();
    if (thread_of() >= coarse.cells) return;
    const double *const r = arena + next + child;
    const auto pair = [&](int j, int k) {
      const int at = j * fine.row + k * fine.plane;
      return r[at] + r[at + 1];
    };
    arena[coarse.y_at + thread_of()] =
        hymgi_mean_of_8(pair(0, 0), pair(1, 0), pair(0, 1), pair(1, 1));
  }

  /* x of the matrices' level, from f in its y. */
  __device__ __forceinline__ void solve_below()
  {
    __syncthreads();
    multiply(shared.level[1], matrix, thread_of());
    __syncthreads();
  }

  __device__ __forceinline__ void interpolate_v()
  {
    const coarse_level &coarse = shared.level[1];
    double *const arena = coarse_arena(), *const x = arena + coarse.x_at;
    if (thread_of() < coarse.products.count) x[ghost.to] = product_of(ghost, coarse, x);
#pragma unroll 1
    for (int m = thread_of() + COARSE_THREADS; m < coarse.products.count; m += COARSE_THREADS) {
      const coarse_product more = entry_at(coarse.products.ghost + m);
      x[more.to] = product_of(more, coarse, x);
    }
    __syncthreads();
    if (own.mine) arena[now + own.at] += interpolated<HYMGI_GHOSTS_V2>(coarse, parent, odd);
  }

  __device__ __forceinline__ void interpolate_f()
  {
    const coarse_level &coarse = shared.level[1];
    double *const arena = coarse_arena();
    fill_ghost_list(coarse.f_ghosts, 3, COARSE_THREADS, coarse.data, arena + coarse.x_at);
    __syncthreads();
    if (own.mine) arena[now + own.at] = interpolated<HYMGI_GHOSTS_V4>(coarse, parent, odd);
  }
};

template <bool VARIABLE>
__global__ void __launch_bounds__(COARSE_THREADS, 1)
    coarse_fv4_matrix(const __grid_constant__ fv4_matrix_run run)
{
  fv4_cell<VARIABLE> cell = {};
  double *const arena = coarse_arena();
  let_successors_start();
  share_levels(run.level, 2, run.method);
  __syncthreads();
  cell.load(run.f_matrix ? run.f_matrix : run.v);
  if (run.f_matrix) prefetch_lists(run.v, run.matrix_doubles, COARSE_THREADS);
  wait_for_predecessors();
  if (cell.own.mine) cell.own.f = run.f[cell.field];
  if (run.f_matrix) {
    const coarse_level &coarse = shared.level[1];
    if (thread_of() < coarse.cells)
      arena[coarse.y_at + thread_of()] = coarse.field_f[cell_at(1, thread_of()).field];
    cell.solve_below();
    cell.interpolate_f();
    cell.matrix.load(run.v, coarse.cells, thread_of());
  } else if (cell.own.mine) {
    arena[cell.now + cell.own.at] = run.x[cell.field];
  }
  cell.smooth(run.method.sweeps);
  cell.restrict_residual();
  cell.solve_below();
  cell.interpolate_v();
  cell.smooth(run.method.sweeps);
  if (cell.own.mine) run.x[cell.field] = arena[cell.now + cell.own.at];
}

} /* namespace */

bool hymgi_coarse_fv4_matrix(const hymgi_coarse_lists *lists, const hymgi_level *level,
                             const hymgi_coarse_matrix *matrix)
{
  const hymgi_method &m = lists->method;
  return lists->on_host[0].stencil == HYMG_FV4 && m.smoother == HYMG_GSRB &&
         matrix->level == level->index + 1 &&
         lists->on_host[level->index - lists->first].team == COARSE_THREADS &&
         m.interpolation_v == HYMGI_GHOSTS_V2 && m.interpolation_f == HYMGI_GHOSTS_V4;
}

void hymgi_coarse_launch_fv4_matrix(const hymgi_coarse_lists *lists, const hymgi_level *level,
                                    bool f_cycle, const hymgi_coarse_matrix *matrix)
{
  fv4_matrix_run run = {};
  run.method = lists->method;
  for (int l = 0; l < 2; l++)
    run.level[l] = lists->on_host[level->index - lists->first + l];
  run.v = matrix->v;
  run.f_matrix = f_cycle ? matrix->f : NULL;
  run.matrix_doubles = hymgi_matrix_doubles(run.level[1].cells);
  run.x = level->x;
  run.f = level->f;
  hymgi_launch_shared(level->context,
                      run.method.variable_beta ? coarse_fv4_matrix<true> : coarse_fv4_matrix<false>,
                      dim3(1), dim3(COARSE_THREADS), (size_t)lists->arena * sizeof(double), run);
}
