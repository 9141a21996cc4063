/* The coarse end from the level right above coarse matrices down: V- and F-cycles with the bits of coarse.cu,
 * by the threads of a block. A thread owns a cell of that level and keeps its coefficients and its part of the
 * matrix in registers. Everything is loaded first (`fetch`) and used afterwards (`prepare`), so that the loads
 * overlap. */
#ifndef HYMGI_COARSE_MATRIX_CYCLE_CUH
#define HYMGI_COARSE_MATRIX_CYCLE_CUH

#include "coarse/interpolation.cuh"
#include "coarse/multiply.cuh"

/* The arguments of a launch. */
struct matrix_run {
  hymgi_method method;
  coarse_level level[2];      /* the finest level of the cycle, that of the matrices */
  const double *v, *f_matrix; /* f_matrix: NULL in V-cycles */
  size_t matrix_doubles;
  double *x;
  const double *f;
};

matrix_run hymgi_matrix_run_of(const hymgi_coarse_lists *lists, const hymgi_level *level,
                               bool f_cycle, const hymgi_coarse_matrix *matrix);

namespace
{

/* The thread's own entry of the list; to < 0: none. */
__device__ __forceinline__ coarse_product first_product(const coarse_level &t)
{
  if (thread_of() < t.products.count) return entry_at(t.products.ghost + thread_of());
  return {};
}

/* The ghosts of x of the level, between barriers. first: first_product(), loaded earlier. */
__device__ __forceinline__ void fill_products(const coarse_level &t, const coarse_product &first)
{
  double *const x = coarse_arena() + t.x_at;
  meet_block();
  if (thread_of() < t.products.count) x[first.to] = product_of(first, t, x);
#pragma unroll 1
  for (int m = thread_of() + COARSE_THREADS; m < t.products.count; m += COARSE_THREADS) {
    const coarse_product next = entry_at(t.products.ghost + m);
    x[next.to] = product_of(next, t, x);
  }
  meet_block();
}

/* CELL: what a thread knows of its cell, and how its level is smoothed. */
template <typename CELL> struct matrix_cycle {
  CELL own;
  product<COARSE_THREADS> matrix;
  coarse_cell below;    /* of the matrices' level */
  coarse_product ghost; /* of that level */
  int parent;           /* position in x of that level */
  unsigned odd;         /* bit per axis: the cell is the odd child */

  __device__ __forceinline__ void fetch(const matrix_run &run)
  {
    const coarse_level &coarse = run.level[1];
    own.fetch(run);
    matrix.load(run.f_matrix ? run.f_matrix : run.v, coarse.cells, thread_of());
    ghost = first_product(coarse);
    if (thread_of() < coarse.cells) below = entry_at(coarse.cell + thread_of());
  }

  __device__ __forceinline__ void prepare(const matrix_run &run)
  {
    parent = parent_of(run.level[0], run.level[1], own.entry.at, &odd);
    own.prepare(run);
  }

  /* x of the matrices' level, from f in its y; a barrier must follow. */
  __device__ __forceinline__ void solve_below(const matrix_run &run) const
  {
    meet_block();
    multiply(run.level[1], matrix, thread_of());
  }

  /* x = P_F x of the matrices' level, or += P_V x */
  template <bool F_CYCLE> __device__ __forceinline__ void interpolate(const matrix_run &run) const
  {
    constexpr hymgi_ghosts ORDER = F_CYCLE ? CELL::F_ORDER : HYMGI_GHOSTS_V2;
    const coarse_level &coarse = run.level[1];
    if (ORDER == HYMGI_GHOSTS_V2) {
      fill_products(coarse, ghost);
    } else {
      fill_ghost_list(coarse.f_ghosts, 3, COARSE_THREADS, coarse.data,
                      coarse_arena() + coarse.x_at);
      meet_block();
    }
    if (!own.takes_correction()) return;
    const double value = interpolated<ORDER>(coarse, parent, odd);
    double *const x = own.x();
    *x = F_CYCLE ? value : *x + value;
  }

  __device__ __forceinline__ void v_cycle(const matrix_run &run)
  {
    const coarse_level &fine = run.level[0], &coarse = run.level[1];
    own.smooth(run.method.sweeps);
    const int residual = own.store_residual(run);
    meet_block();
    if (thread_of() < coarse.cells)
      coarse_arena()[coarse.y_at + thread_of()] = mean_of_children<CELL::RED>(
          coarse_arena() + residual + below.child, fine.row, fine.plane, fine.parity);
    solve_below(run);
    interpolate<false>(run);
    own.smooth(run.method.sweeps);
  }

  /* The start of an F-cycle: x from the matrices' level. */
  __device__ __forceinline__ void start_f_cycle(const matrix_run &run)
  {
    const coarse_level &coarse = run.level[1];
    if (thread_of() < coarse.cells)
      coarse_arena()[coarse.y_at + thread_of()] = coarse.field_f[below.field];
    solve_below(run);
    interpolate<true>(run);
    matrix.load(run.v, coarse.cells, thread_of());
  }
};

} /* namespace */

#endif
