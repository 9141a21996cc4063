/* The smoothers and the operator: vectors are in shared memory; the coefficients of a cell are
 * loaded once per call and stay in registers, so that a half sweep is a few reads of shared memory,
 * the formula and a barrier. A single block cannot hide latency, so every instruction counts.
 * Vectors are identified by their position in the arena. */
#ifndef HYMGI_COARSE_RESIDENT_CUH
#define HYMGI_COARSE_RESIDENT_CUH

#include "coarse/coarse.cuh"

extern "C" {
#include "formulas/fast_division.h"
}

namespace
{

/* A thread's cell; `mine` is false for threads beyond the last cell. */
template <hymg_stencil STENCIL, bool VARIABLE> struct coarse_resident;

/* ---- FV2 ---- */

/* The ghost beyond a boundary is a multiple of the cell on the opposite side, or zero. */
template <bool VARIABLE> struct coarse_resident<HYMG_FV2, VARIABLE> {
  bool mine;
  int at, team, to[6]; /* to: offset of the cell read across each face */
  double factor[6];
  fv2_betas b;
  operator_view o;
  double alpha, f;

  __device__ __forceinline__ void load(int l, const double *from)
  {
    const coarse_level &t = shared.level[l];
    const int c = thread_of(), step[3] = {1, t.row, t.plane};
    *this = {};
    mine = c < t.cells;
    team = t.team;
    o.has_alpha = shared.method.has_alpha;
    if (!mine) return;
    const double *const rows = t.coefficients + c, *const beta = rows + COARSE_BETA * t.cells;
    const coarse_cell cell = cell_at(l, c);
    b.w = __ldg(beta), b.e = __ldg(beta + t.cells);
    b.s = __ldg(beta + 2 * t.cells), b.n = __ldg(beta + 3 * t.cells);
    b.d = __ldg(beta + 4 * t.cells), b.u = __ldg(beta + 5 * t.cells);
    if (o.has_alpha) alpha = __ldg(rows + COARSE_ALPHA * t.cells);
    at = cell.at;
    if (from) f = from[at];
#pragma unroll
    for (int face = 0; face < 6; face++) {
      const int axis = face / 2, out = face & 1 ? step[axis] : -step[axis];
      const int around = face & 1 ? -t.wrap[axis] : t.wrap[axis];
      const bool boundary = cell.sides >> face & 1, wraps = cell.sides >> (6 + face) & 1;
      to[face] = boundary ? -out : wraps ? around : out;
      factor[face] = boundary ? t.boundary_ghost[face] : 1;
    }
  }

  __device__ __forceinline__ void fill_ghosts(double *) const
  {
    sync_team(team);
  }

  __device__ __forceinline__ fv2_values seen(const double *x) const
  {
    const double *const here = x + at;
    fv2_values v;
    v.c = *here;
    v.w = hymgi_fv2_ghost(factor[0], here[to[0]]), v.e = hymgi_fv2_ghost(factor[1], here[to[1]]);
    v.s = hymgi_fv2_ghost(factor[2], here[to[2]]), v.n = hymgi_fv2_ghost(factor[3], here[to[3]]);
    v.d = hymgi_fv2_ghost(factor[4], here[to[4]]), v.u = hymgi_fv2_ghost(factor[5], here[to[5]]);
    return v;
  }

  __device__ __forceinline__ double apply(const double *x) const
  {
    return fv2_apply(o, b, seen(x), alpha);
  }

  __device__ __forceinline__ double residual(const double *x) const
  {
    return fv2_residual(o, b, seen(x), f, alpha);
  }

  __device__ __forceinline__ double diagonal() const
  {
    return fv2_diagonal(o, b, alpha);
  }

  /* the x that satisfies this cell's equation */
  __device__ __forceinline__ double solved(const double *x, const hymgi_divisor *diagonal) const
  {
    return hymgi_quotient(fv2_gsrb_sum(b, seen(x), f), diagonal);
  }
};

/* `sweeps` half sweeps in place; then, if asked for, the residual of the red cells, or on an uneven level of all
 * cells, goes to y. Not for periodic axes of odd length, where cells have neighbours of their own colour. */
__device__ __noinline__ void sweep_fv2(int l, int sweeps, bool residual)
{
  double *const arena = coarse_arena();
  const coarse_level &t = shared.level[l];
  double *const x = arena + t.x_at, *const y = arena + t.y_at;
  const int colour = thread_of() >= t.reds;
  coarse_resident<HYMG_FV2, true> own;
  own.load(l, arena + t.f_at);
  hymgi_divisor diagonal = {};
  if (own.mine) diagonal = hymgi_divisor_of(own.diagonal());
#pragma unroll 1
  for (int s = 0; s < sweeps; s++) {
    sync_team(own.team);
    if (own.mine && colour == (s & 1)) x[own.at] = own.solved(x, &diagonal);
    __syncwarp(); /* the division may diverge; a block's barrier needs whole warps */
  }
  if (!residual) return;
  sync_team(own.team);
  if (own.mine && (!colour || t.uneven)) y[own.at] = own.residual(x);
}

/* ---- FV4 ---- */

/* Fills one ghost, or none if it has no destination. Cells that the extrapolation does not need are
 * read from a valid address and ignored: a branch costs more. SECOND: there may be a second layer.
 * */
template <bool SECOND>
__device__ __forceinline__ void fill_resident(const coarse_ghost &g, double *x)
{
  const hymgi_extrapolation boundary = (hymgi_extrapolation)((int)(g.what << 28) >> 28);
  const bool quartic = boundary == HYMGI_QUARTIC_GHOST,
             quadratic = boundary == HYMGI_QUADRATIC_GHOST;
  const int far = quartic ? g.step : 0, near = quadratic ? g.step : far;
  const double *const from = x + g.from;
  const double x1 = from[0], x2 = from[near], x3 = from[2 * far], x4 = from[3 * far];
  const double first = hymgi_ghost_v4(x1, x2, x3, x4), second = hymgi_ghost2_v4(x1, x2, x3, x4),
               lower = hymgi_ghost_v2(x1, x2), lowest = boundary == HYMGI_LINEAR_GHOST ? -x1 : x1;
  if (g.to >= 0) x[g.to] = quartic ? first : quadratic ? lower : lowest;
  if (SECOND && g.to >= 0 && g.what & 16) x[g.to - g.step] = quartic ? second : 0;
}

/* The first two ghosts that a thread fills in a pass. */
struct coarse_lines {
  coarse_ghost one, two;
};

__device__ __forceinline__ coarse_ghost line_at(const coarse_extrapolation &extrapolation, int m,
                                                int end)
{
  return m < end ? entry_at(extrapolation.ghost + m) : coarse_ghost{-1, 0, 0, 0};
}

__device__ __forceinline__ coarse_lines lines_at(const coarse_extrapolation &extrapolation, int m,
                                                 int end, int team)
{
  return {line_at(extrapolation, m, end), line_at(extrapolation, m + team, end)};
}

template <bool VARIABLE> struct coarse_resident<HYMG_FV4, VARIABLE> {
  bool mine, one_line; /* one_line: at most one ghost per thread and pass */
  int l, at, team, row, plane;
  coarse_lines faces, edges;
  fv4_betas<VARIABLE> b;
  operator_view o;
  double alpha, f;

  __device__ __forceinline__ void load(int level, const double *from)
  {
    const coarse_level &t = shared.level[level];
    const int c = thread_of(), *const end = t.operator_ghosts.end;
    *this = {};
    l = level;
    mine = c < t.cells;
    team = t.team;
    row = t.row;
    plane = t.plane;
    o.has_alpha = shared.method.has_alpha;
    one_line = end[0] <= team && end[1] - end[0] <= team;
    faces = lines_at(t.operator_ghosts, c, end[0], team);
    edges = lines_at(t.operator_ghosts, end[0] + c, end[1], team);
    if (!mine) return;
    const double *const rows = t.coefficients + c;
    at = cell_at(l, c).at;
    b.load(level, rows, t.cells);
    if (o.has_alpha) alpha = __ldg(rows + COARSE_ALPHA * t.cells);
    if (from) f = from[at];
  }

  /* Fills both layers of ghosts, visible to all threads afterwards; edges have one layer. */
  __device__ __forceinline__ void fill_ghosts(double *x) const
  {
    if (one_line) {
      sync_team(team);
      fill_resident<true>(faces.one, x);
      sync_team(team);
      fill_resident<false>(edges.one, x);
    } else {
      fill_many(x);
    }
    sync_team(team);
  }

  __device__ __forceinline__ void fill_many(double *x) const
  {
    const coarse_extrapolation &extrapolation = shared.level[l].operator_ghosts;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
      coarse_lines lines = pass ? edges : faces;
      const int end = extrapolation.end[pass];
      int m = (pass ? extrapolation.end[0] : 0) + thread_of();
      sync_team(team);
#pragma unroll 1
      do {
        fill_resident<true>(lines.one, x);
        fill_resident<true>(lines.two, x);
        m += 2 * team;
        if (m < end) lines = lines_at(extrapolation, m, end, team);
      } while (m < end);
    }
  }

  __device__ __forceinline__ double apply(const double *x) const
  {
    const double *const here = x + at;
    const double a = fv4_apply_with<VARIABLE>(
        [&](int di, int dj, int dk) { return here[di + dj * row + dk * plane]; },
        [&](int axis, int di, int dj, int dk) { return b.at(axis, di, dj, dk); });
    return fv4_with_alpha(o, a, *here, alpha);
  }

  __device__ __forceinline__ double residual(const double *x) const
  {
    return f - apply(x);
  }

  __device__ __forceinline__ double diagonal() const
  {
    return 1;
  }
};

/* ---- either ---- */

/* How the smoothers and bottom solvers scale the residual: FV2 divides by the diagonal, except with
 * l1jacobi. */
template <hymg_stencil STENCIL> struct coarse_scaling {
  double scale;
  hymgi_divisor diagonal;
  bool divides;

  template <bool VARIABLE>
  __device__ __forceinline__ void load(int l, const coarse_resident<STENCIL, VARIABLE> &own,
                                       bool l1)
  {
    const coarse_level &t = shared.level[l];
    divides = STENCIL == HYMG_FV2 && !l1;
    scale = 0;
    diagonal = {};
    if (!own.mine) return;
    if (!divides)
      scale = __ldg(t.coefficients + (l1 ? COARSE_L1 : COARSE_DINV) * t.cells + thread_of());
    if (divides) diagonal = hymgi_divisor_of(own.diagonal());
  }
  __device__ __forceinline__ double scaled(double r) const
  {
    return divides ? hymgi_quotient(r, &diagonal) : r * scale;
  }
  /* x after a relaxation step with this weight; r: the residual of x */
  __device__ __forceinline__ double relaxed(double x, double r, double weight) const
  {
    return STENCIL == HYMG_FV4 ? hymgi_relax(x, weight * scale, r)
                               : hymgi_relax(x, weight, scaled(r));
  }
};

/* `sweeps` sweeps, each from one buffer to the other; a half sweep copies the other colour
 * unchanged. Then, if asked for, the residual goes to y. */
template <hymg_stencil STENCIL, bool VARIABLE, bool COLOURED>
__device__ __noinline__ void sweep_over(int l, int sweeps, bool residual)
{
  double *const arena = coarse_arena();
  const coarse_level &t = shared.level[l];
  const int colour = thread_of() >= t.reds;
  coarse_resident<STENCIL, VARIABLE> own;
  coarse_scaling<STENCIL> scaling;
  own.load(l, arena + t.f_at);
  scaling.load(l, own, shared.method.smoother == HYMG_L1JACOBI);
  hymgi_weights next_w = hymgi_weights_of(t.sweep_weights, 0);
  int now = t.x_at, next = t.y_at;
#pragma unroll 1
  for (int s = 0; s <= sweeps; s++) {
    const hymgi_weights w = next_w;
    if (!COLOURED) /* loaded during this sweep */
      next_w = hymgi_weights_of(t.sweep_weights, s + 1);
    if (s == sweeps && now != t.x_at) { /* an odd number: copy to x, once all have read it */
      sync_team(own.team);
      if (own.mine) arena[next + own.at] = arena[now + own.at];
      next = now, now = t.x_at;
    }
    if (s == sweeps && !residual) continue; /* a return here would confuse compute-sanitizer */
    own.fill_ghosts(arena + now);
    const bool last = s == sweeps;
    if (own.mine) {
      double x = arena[now + own.at];
      if (!COLOURED || last || colour == (s & 1)) {
        const double r = own.residual(arena + now);
        double swept = scaling.relaxed(x, r, COLOURED ? 1 : w.residual);
        if constexpr (COLOURED && STENCIL == HYMG_FV2)
          swept = own.solved(arena + now, &scaling.diagonal);
        if (!COLOURED && w.momentum != 0)
          swept = hymgi_add_momentum(swept, w.momentum, x, arena[next + own.at]);
        x = last ? r : swept;
      }
      arena[next + own.at] = x;
    }
    __syncwarp(); /* as in sweep_fv2 */
    const int old = now;
    now = next, next = old;
  }
}

__device__ __forceinline__ void sweep_resident(int l, int sweeps, bool residual)
{
  const bool gsrb = shared.method.smoother == HYMG_GSRB;
  with_operator([&](auto stencil, auto variable) {
    if (!gsrb)
      sweep_over<stencil, variable, false>(l, sweeps, residual);
    else if (decltype(stencil)::value == HYMG_FV2 && shared.level[l].in_place)
      sweep_fv2(l, sweeps, residual);
    else
      sweep_over<stencil, variable, true>(l, sweeps, residual);
  });
}

} /* namespace */

#endif
