/* FV4's cells of red_black.cuh. Cells read others of their colour, so a half sweep computes all new
 * values before it stores one. */
#ifndef HYMGI_COARSE_RED_BLACK_FV4_CUH
#define HYMGI_COARSE_RED_BLACK_FV4_CUH

#include "coarse/red_black.cuh"

namespace
{

/* Lines of ghosts off faces and edges that a thread fills at most: of a warp, and of the block. */
enum { FACE_LINES = 4, EDGE_LINES = 2, BLOCK_FACE_LINES = 2, BLOCK_EDGE_LINES = 1 };

template <bool BETA> struct fv4_cell : red_black_cell {
  fv4_betas<BETA> b;
  double alpha, scale;

  __device__ __forceinline__ void load(const red_black_run &run, int l, int index)
  {
    const coarse_level &t = run.level[l];
    const double *const rows = t.coefficients + index;
    b.load(t, rows, t.cells);
    scale = __ldg(rows + COARSE_DINV * t.cells);
    alpha = run.method.has_alpha ? __ldg(rows + COARSE_ALPHA * t.cells) : 0;
  }

  __device__ __forceinline__ double residual(const red_black_run &run, const coarse_level &t) const
  {
    const double *const here = coarse_arena() + at;
    operator_view o = {};
    o.has_alpha = run.method.has_alpha;
    const double a = fv4_apply_with<BETA>(
        [&](int di, int dj, int dk) { return here[di + dj * t.row + dk * t.plane]; },
        [&](int axis, int di, int dj, int dk) { return b.at(axis, di, dj, dk); });
    return f - fv4_with_alpha(o, a, *here, alpha);
  }
};

template <bool BETA> struct red_black_fv4 {
  static constexpr bool BOTH = true, VARIABLE = BETA;
  static constexpr hymg_stencil STENCIL = HYMG_FV4;
  static constexpr hymgi_ghosts F_ORDER = HYMGI_GHOSTS_V4;

  fv4_cell<BETA> red, black;
  red_black_parent parent;
  coarse_ghost face[FACE_LINES], edge[EDGE_LINES];
  int level;

  __device__ __forceinline__ void load(const red_black_run &run, int thread, int team)
  {
    const coarse_level &t = run.level[level];
    const coarse_extrapolation &lines = t.operator_ghosts;
    red.load_place(run, level, thread, t.reds);
    const coarse_cell b = black.load_place(run, level, t.reds + thread, t.cells);
    if (level == run.last && run.one_cell) red.load(run, level, 0);
    if (level == run.last) return;
#pragma unroll
    for (int m = 0; m < FACE_LINES; m++)
      face[m] = line_at(lines, thread + m * team, lines.end[0]);
#pragma unroll
    for (int m = 0; m < EDGE_LINES; m++)
      edge[m] = line_at(lines, lines.end[0] + thread + m * team, lines.end[1]);
    if (!red.mine) return;
    parent.load(t, run.level[level + 1], b.at);
    red.load(run, level, thread);
    black.load(run, level, t.reds + thread);
  }

  __device__ __forceinline__ fv4_one_cell<BETA> one_cell(const red_black_run &run) const
  {
    return {red.b, run.method.has_alpha, red.alpha, red.scale};
  }

  template <bool BLOCK> __device__ __forceinline__ void fill_ghosts(const coarse_level &t) const
  {
    constexpr int FACES = BLOCK ? (int)BLOCK_FACE_LINES : (int)FACE_LINES,
                  EDGES = BLOCK ? (int)BLOCK_EDGE_LINES : (int)EDGE_LINES;
    const bool works = !BLOCK || level == 0;
    double *const x = coarse_arena() + t.x_at;
    meet<BLOCK>();
#pragma unroll
    for (int m = 0; m < FACES; m++)
      if (works) fill_resident<true>(face[m], x);
    meet<BLOCK>();
#pragma unroll
    for (int m = 0; m < EDGES; m++)
      if (works) fill_resident<false>(edge[m], x);
    meet<BLOCK>();
  }

  template <bool BLOCK>
  __device__ __forceinline__ void half_sweep(const red_black_run &run, const coarse_level &t,
                                             const fv4_cell<BETA> &c) const
  {
    double *const x = coarse_arena() + c.at, value = 0;
    const bool works = c.mine && (!BLOCK || level == 0);
    fill_ghosts<BLOCK>(t);
    if (works) value = hymgi_relax(*x, c.scale, c.residual(run, t));
    meet<BLOCK>();
    if (works) *x = value;
  }

  template <bool BLOCK>
  __device__ __forceinline__ void smooth(const red_black_run &run, const coarse_level &t) const
  {
#pragma unroll 1
    for (int s = 0; s < run.method.sweeps; s += 2) {
      half_sweep<BLOCK>(run, t, red);
      if (s + 1 == run.method.sweeps) break;
      half_sweep<BLOCK>(run, t, black);
    }
  }

  template <bool BLOCK>
  __device__ __forceinline__ void store_residual(const red_black_run &run,
                                                 const coarse_level &t) const
  {
    double *const y = coarse_arena() + t.y_at - t.x_at;
    fill_ghosts<BLOCK>(t);
    if (!red.mine || (BLOCK && level > 0)) return;
    y[red.at] = red.residual(run, t);
    y[black.at] = black.residual(run, t);
  }
};

} /* namespace */

#endif
