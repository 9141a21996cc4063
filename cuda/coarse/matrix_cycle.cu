/* Cycles from the level right above coarse matrices down in one launch of a single block, for red-black
 * Gauss-Seidel of FV2, where all sides of the level are even, and of FV4. */
#include "coarse/matrix_cycle.cuh"

#include "coarse/red_black_cells.cuh"
#include "coarse/resident.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

/* Of FV4. The iterate is in one of two buffers, positions in the arena. */
template <bool VARIABLE> struct fv4_cell : coarse_resident<HYMG_FV4, VARIABLE> {
  typedef coarse_resident<HYMG_FV4, VARIABLE> resident;
  using resident::at;
  using resident::mine;
  static constexpr hymgi_ghosts F_ORDER = HYMGI_GHOSTS_V4;
  static constexpr bool RED = false;
  coarse_cell entry;
  double scale;
  int colour, now, next;

  __device__ static __forceinline__ void start(const matrix_run &run)
  {
    share_levels(run.level, 2, run.method);
    __syncthreads();
  }

  __device__ __forceinline__ void fetch(const matrix_run &run)
  {
    const coarse_level &t = run.level[0];
    resident::load(0, NULL);
    if (!mine) return;
    entry = entry_at(t.cell + thread_of());
    scale = __ldg(t.coefficients + COARSE_DINV * t.cells + thread_of());
  }

  __device__ __forceinline__ void prepare(const matrix_run &run)
  {
    const coarse_level &t = run.level[0];
    colour = thread_of() >= t.reds;
    now = t.x_at, next = t.y_at;
  }

  __device__ __forceinline__ double *x() const
  {
    return coarse_arena() + now + at;
  }

  __device__ __forceinline__ bool takes_correction() const
  {
    return mine;
  }

  /* The other colour is copied along. */
  __device__ __forceinline__ void smooth(int sweeps)
  {
    double *const arena = coarse_arena();
#pragma unroll 1
    for (int s = 0; s < sweeps; s++) {
      resident::fill_ghosts(arena + now);
      if (mine) {
        double x = arena[now + at];
        if (colour == (s & 1)) x = hymgi_relax(x, scale, resident::residual(arena + now));
        arena[next + at] = x;
      }
      const int old = now;
      now = next, next = old;
    }
  }

  __device__ __forceinline__ int store_residual(const matrix_run &) const
  {
    double *const arena = coarse_arena();
    resident::fill_ghosts(arena + now);
    if (mine) arena[next + at] = resident::residual(arena + now);
    return next;
  }
};

template <typename CELL>
__global__ void __launch_bounds__(COARSE_THREADS, 1)
    coarse_above_matrix(const __grid_constant__ matrix_run run)
{
  matrix_cycle<CELL> cycle = {};
  CELL &own = cycle.own;
  let_successors_start();
  CELL::start(run);
  cycle.fetch(run);
  cycle.prepare(run);
  if (run.f_matrix) prefetch_lists(run.v, run.matrix_doubles, COARSE_THREADS);
  wait_for_predecessors();
  if (own.mine) own.f = run.f[own.entry.field];
  if (run.f_matrix)
    cycle.start_f_cycle(run);
  else if (own.mine)
    *own.x() = run.x[own.entry.field];
  cycle.v_cycle(run);
  if (own.mine) run.x[own.entry.field] = *own.x();
}

} /* namespace */

bool hymgi_coarse_above_matrix(const hymgi_coarse_lists *lists, const hymgi_level *level,
                               const hymgi_coarse_matrix *matrix)
{
  const hymgi_method &m = lists->method;
  const coarse_level &t = lists->on_host[level->index - lists->first];
  const bool fv2 = t.stencil == HYMG_FV2;
  return m.smoother == HYMG_GSRB && matrix->level == level->index + 1 &&
         (!fv2 || (t.in_place && !t.uneven)) && m.interpolation_v == HYMGI_GHOSTS_V2 &&
         m.interpolation_f == (fv2 ? HYMGI_GHOSTS_V2 : HYMGI_GHOSTS_V4);
}

matrix_run hymgi_matrix_run_of(const hymgi_coarse_lists *lists, const hymgi_level *level,
                               bool f_cycle, const hymgi_coarse_matrix *matrix)
{
  matrix_run run = {};
  run.method = lists->method;
  for (int l = 0; l < 2; l++)
    run.level[l] = lists->on_host[level->index - lists->first + l];
  run.v = matrix->v;
  run.f_matrix = f_cycle ? matrix->f : NULL;
  run.matrix_doubles = hymgi_matrix_doubles(run.level[1].cells);
  run.x = level->x;
  run.f = level->f;
  return run;
}

void hymgi_coarse_launch_above_matrix(const hymgi_coarse_lists *lists, const hymgi_level *level,
                                      bool f_cycle, const hymgi_coarse_matrix *matrix)
{
  const auto kernel = lists->on_host[0].stencil == HYMG_FV2 ? coarse_above_matrix<fv2_cell>
                      : lists->method.variable_beta         ? coarse_above_matrix<fv4_cell<true>>
                                                            : coarse_above_matrix<fv4_cell<false>>;
  hymgi_launch_shared(level->context, kernel, dim3(1), dim3(COARSE_THREADS),
                      (size_t)lists->arena * sizeof(double),
                      hymgi_matrix_run_of(lists, level, f_cycle, matrix));
}
