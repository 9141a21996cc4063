/* FV2's cells of red_black.cuh. The exact diagonal cancels a cell's own value, so a half sweep is in
 * place, and after a black one the residual of black cells is zero. */
#ifndef HYMGI_COARSE_RED_BLACK_FV2_CUH
#define HYMGI_COARSE_RED_BLACK_FV2_CUH

#include "coarse/red_black.cuh"
#include "device/fast_division.cuh"

namespace
{

struct fv2_cell : red_black_cell {
  int to[6]; /* positions of the neighbours, and a factor of each */
  double factor[6];
  fv2_betas b;
  divisors<1> diagonal;
  double alpha;
};

/* A neighbour beyond a boundary is a multiple of the opposite one; if that is zero, position
 * ZERO_AT is read, which holds a zero. */
__device__ __forceinline__ void load_neighbours(const coarse_level &t, unsigned sides, fv2_cell *c)
{
  const int step[3] = {1, t.row, t.plane};
#pragma unroll
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2, out = face & 1 ? step[axis] : -step[axis];
    const int around = face & 1 ? -t.wrap[axis] : t.wrap[axis];
    const bool boundary = sides >> face & 1, wraps = sides >> (6 + face) & 1;
    const double ghost = t.boundary_ghost[face];
    c->to[face] = boundary && ghost == 0 ? (int)ZERO_AT
                                         : c->at + (boundary ? -out
                                                    : wraps  ? around
                                                             : out);
    c->factor[face] = boundary && ghost != 0 ? ghost : 1;
  }
}

__device__ __forceinline__ void load_coefficients(const red_black_run &run, const coarse_level &t,
                                                  int index, fv2_cell *c)
{
  const double *const rows = t.coefficients + index, *const beta = rows + COARSE_BETA * t.cells;
  operator_view o = {};
  o.has_alpha = run.method.has_alpha;
  c->b.w = __ldg(beta), c->b.e = __ldg(beta + t.cells);
  c->b.s = __ldg(beta + 2 * t.cells), c->b.n = __ldg(beta + 3 * t.cells);
  c->b.d = __ldg(beta + 4 * t.cells), c->b.u = __ldg(beta + 5 * t.cells);
  if (o.has_alpha) c->alpha = __ldg(rows + COARSE_ALPHA * t.cells);
  c->diagonal.take({{fv2_diagonal(o, c->b, c->alpha)}});
}

__device__ __forceinline__ fv2_values seen(const fv2_cell &c)
{
  const double *const x = coarse_arena();
  return {x[c.at],
          c.factor[0] * x[c.to[0]],
          c.factor[1] * x[c.to[1]],
          c.factor[2] * x[c.to[2]],
          c.factor[3] * x[c.to[3]],
          c.factor[4] * x[c.to[4]],
          c.factor[5] * x[c.to[5]]};
}

__device__ __forceinline__ void update(const fv2_cell &c)
{
  if (!c.mine) return;
  const cells<1> sum = {{fv2_gsrb_sum(c.b, seen(c), c.f)}};
  coarse_arena()[c.at] = c.diagonal.quotients(sum, true).at[0];
}

struct red_black_fv2 {
  static constexpr bool BOTH = false, VARIABLE = true;
  static constexpr hymg_stencil STENCIL = HYMG_FV2;
  static constexpr hymgi_ghosts F_ORDER = HYMGI_GHOSTS_V2;

  fv2_cell red, black;
  red_black_parent parent;
  int level;

  __device__ __forceinline__ void load(const red_black_run &run, int thread, int)
  {
    const coarse_level &t = run.level[level];
    const coarse_cell r = red.load_place(run, level, thread, t.reds),
                      b = black.load_place(run, level, t.reds + thread, t.cells);
    if (level == run.last && run.one_cell) load_coefficients(run, t, 0, &red);
    if (level == run.last || !red.mine) return;
    parent.load(t, run.level[level + 1], b.at);
    load_neighbours(t, r.sides, &red);
    load_neighbours(t, b.sides, &black);
    load_coefficients(run, t, thread, &red);
    load_coefficients(run, t, t.reds + thread, &black);
  }

  __device__ __forceinline__ fv2_one_cell one_cell(const red_black_run &run) const
  {
    return {red.b, run.method.has_alpha, red.alpha, red.diagonal};
  }

  template <bool BLOCK>
  __device__ __forceinline__ void smooth(const red_black_run &run, const coarse_level &) const
  {
    const bool works = !BLOCK || level == 0;
#pragma unroll 1
    for (int s = 0; s < run.method.sweeps; s += 2) {
      meet<BLOCK>();
      if (works) update(red);
      if (s + 1 == run.method.sweeps) break;
      meet<BLOCK>();
      if (works) update(black);
    }
  }

  template <bool BLOCK>
  __device__ __forceinline__ void store_residual(const red_black_run &run,
                                                 const coarse_level &t) const
  {
    operator_view o = {};
    o.has_alpha = run.method.has_alpha;
    meet<BLOCK>();
    if (red.mine && (!BLOCK || level == 0))
      coarse_arena()[red.at + t.y_at - t.x_at] =
          fv2_residual(o, red.b, seen(red), red.f, red.alpha);
  }
};

} /* namespace */

#endif
