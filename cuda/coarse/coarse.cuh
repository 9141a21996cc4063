/* The level operations of the coarse end: what the threads of one block do together on a level of coarse.h. A level's
 * cells are dealt out to the threads in turn, always in the same way, so that what only touches
 * cells needs no barrier. A level operation that looks at other cells begins with one. The smallest levels
 * are the first warp's: the other threads pass them by. Loops are not unrolled over cells: most
 * levels have one cell a thread, and a block that runs alone waits for its code to arrive. */
#ifndef HYMGI_COARSE_COARSE_CUH
#define HYMGI_COARSE_COARSE_CUH

#include "base/exact_sum.h"
#include "coarse/coarse.h"
#include "device/ghosts.cuh"
#include "device/reduce.cuh"

namespace
{

enum { COARSE_WARPS = COARSE_THREADS / COARSE_WARP };

/* What all threads see. By its name everywhere, because a pointer to it would forget that it is
 * shared memory; functions are given the index of their level. */
struct coarse_shared {
  unsigned long long largest[COARSE_WARPS];
  int64_t words[HYMGI_SUM_WORDS][COARSE_WARPS];
  unsigned high[2][COARSE_WARPS];
  int64_t term_words[2 * HYMGI_SUM_WORDS][COARSE_WARPS];
  coarse_method method;
  coarse_level level[COARSE_LEVELS];
};

__shared__ coarse_shared shared;

__device__ __forceinline__ double *coarse_arena()
{
  HYMGI_DYNAMIC_SHARED(arena);
  return arena;
}

__device__ __forceinline__ int thread_of()
{
  return (int)threadIdx.x;
}

/* What the threads of a team wrote is there for all of them. */
__device__ __forceinline__ void meet(int team)
{
  if (team == COARSE_WARP)
    __syncwarp();
  else
    __syncthreads();
}

__device__ __forceinline__ coarse_cell cell_at(int l, int c)
{
  const int4 v = __ldg((const int4 *)(const void *)(shared.level[l].cell + c));
  return {v.x, v.y, v.z, (unsigned)v.w};
}

/* ---- ghosts ---- */

__device__ __forceinline__ coarse_ghost ghost_at(const coarse_extrapolation &extrapolation, int m)
{
  const int4 v = __ldg((const int4 *)(const void *)(extrapolation.ghost + m));
  return {v.x, v.y, v.z, (unsigned)v.w};
}

__device__ __forceinline__ void fill_line(const coarse_ghost &g, const double *data, double *x)
{
  const hymgi_extrapolation boundary = (hymgi_extrapolation)((int)(g.what << 28) >> 28);
  const inside v = inside_of(boundary, [&](int m) { return x[g.from + m * g.step]; });
  const double ghost = first_ghost(boundary, v);
  x[g.to] = g.what >> 5 ? ghost + __ldg(data + (g.what >> 5) - 1) : ghost;
  if (g.what & 16) x[g.to - g.step] = second_ghost(boundary, v);
}

/* The ghosts of x in up to `passes` passes: each closes what the one before left. The list is read
 * while others arrive at the barrier. */
__device__ __forceinline__ void fill_ghost_list(const coarse_extrapolation &extrapolation,
                                                int passes, int team, const double *data, double *x)
{
#pragma unroll 1
  for (int pass = 0, from = 0; pass < passes; pass++) {
    const int to = extrapolation.end[pass];
    if (from == to) continue;
    int m = from + thread_of();
    coarse_ghost next = m < to ? ghost_at(extrapolation, m) : coarse_ghost{};
    meet(team);
#pragma unroll 1
    while (m < to) {
      fill_line(next, data, x);
      m += team;
      if (m < to) next = ghost_at(extrapolation, m);
    }
    from = to;
  }
}

/* ---- the operator ---- */

enum coarse_job {
  COARSE_NOTHING,
  COARSE_APPLY,
  COARSE_RESIDUAL,
  COARSE_RED_RESIDUAL,
  COARSE_GSRB,
  COARSE_RELAX
};

struct coarse_weights {
  double residual, momentum;
};

/* What a pass needs of its level and its method, in registers. */
struct coarse_pass {
  int cells, reds, team, row, plane;
  bool in_place, has_alpha, l1;
};

__device__ __forceinline__ coarse_pass pass_of(int l)
{
  const coarse_level &t = shared.level[l];
  const coarse_method &m = shared.method;
  return {t.cells,     t.reds,
          t.team,      t.row,
          t.plane,     m.smoother == HYMG_GSRB && t.in_place,
          m.has_alpha, m.smoother == HYMG_L1JACOBI};
}

/* A cell with all that does not change while a smoother works. */
template <hymg_stencil STENCIL, bool VARIABLE> struct coarse_own;

template <bool VARIABLE> struct coarse_own<HYMG_FV2, VARIABLE> {
  int at, offset[6];
  unsigned sides;
  double f, alpha, scale; /* scale: of l1jacobi */
  fv2_betas b;

  __device__ __forceinline__ void load(int l, const coarse_pass &p, const double *from, int c)
  {
    const double *const rows = shared.level[l].coefficients + c, *const beta =
                                                                     rows + COARSE_BETA * p.cells;
    const coarse_cell cell = cell_at(l, c);
    b.w = __ldg(beta), b.e = __ldg(beta + p.cells);
    b.s = __ldg(beta + 2 * p.cells), b.n = __ldg(beta + 3 * p.cells);
    b.d = __ldg(beta + 4 * p.cells), b.u = __ldg(beta + 5 * p.cells);
    alpha = p.has_alpha ? __ldg(rows + COARSE_ALPHA * p.cells) : 0;
    scale = p.l1 ? __ldg(rows + COARSE_L1 * p.cells) : 0;
    at = cell.at;
    sides = cell.sides;
    f = from ? from[at] : 0;
#pragma unroll
    for (int face = 0; face < 6; face++)
      offset[face] = offset_of(l, p, face);
  }

  /* To the neighbour across a face; beyond a boundary the opposite one tells, on a periodic axis the
   * cell at the other end. */
  __device__ __forceinline__ int offset_of(int l, const coarse_pass &p, int face) const
  {
    const int axis = face / 2, sign = face & 1 ? 1 : -1;
    const int step = axis == 0 ? 1 : axis == 1 ? p.row : p.plane;
    if (sides >> face & 1) return -sign * step;
    return sides >> (6 + face) & 1 ? -sign * shared.level[l].wrap[axis] : sign * step;
  }

  __device__ __forceinline__ double neighbour(int l, const double *x, int face) const
  {
    const double value = x[at + offset[face]];
    return sides >> face & 1 ? hymgi_fv2_ghost(shared.level[l].boundary_ghost[face], value) : value;
  }

  __device__ __forceinline__ double value(coarse_job job, int l, const coarse_pass &p,
                                          const coarse_weights &w, const double *x,
                                          const double *y) const
  {
    operator_view v = {};
    v.has_alpha = p.has_alpha;
    fv2_values a;
    a.c = x[at];
    a.w = neighbour(l, x, 0), a.e = neighbour(l, x, 1);
    a.s = neighbour(l, x, 2), a.n = neighbour(l, x, 3);
    a.d = neighbour(l, x, 4), a.u = neighbour(l, x, 5);
    if (job == COARSE_GSRB) return fv2_gsrb(v, b, a, f, alpha);
    if (job == COARSE_APPLY) return fv2_apply(v, b, a, alpha);
    const double r = fv2_residual(v, b, a, f, alpha);
    if (job != COARSE_RELAX) return r;
    const double step = p.l1 ? r * scale : r / fv2_diagonal(v, b, alpha);
    const double relaxed = hymgi_relax(a.c, w.residual, step);
    return w.momentum != 0 ? hymgi_add_momentum(relaxed, w.momentum, a.c, y[at]) : relaxed;
  }
};

template <bool VARIABLE> struct fv4_betas {
  double normal[6], tangent[12];

  __device__ __forceinline__ void load(int, const double *rows, int cells)
  {
#pragma unroll
    for (int m = 0; m < 6; m++)
      normal[m] = __ldg(rows + (COARSE_BETA + m) * cells);
#pragma unroll
    for (int m = 0; m < 12; m++)
      tangent[m] = __ldg(rows + (COARSE_TANGENT + m) * cells);
  }

  /* The formula takes differences of betas on both sides of a face along it: here one of the two
   * is the difference, the other 0. */
  __device__ __forceinline__ double at(int axis, int di, int dj, int dk) const
  {
    const int along = axis == 0 ? di : axis == 1 ? dj : dk;
    const int u = axis == 0 ? dj : di, v = axis == 2 ? dj : dk;
    if (u == 0 && v == 0) return normal[2 * axis + along];
    return u + v > 0 ? tangent[2 * (2 * axis + along) + (v != 0)] : 0;
  }
};

template <> struct fv4_betas<false> {
  double constant[3];

  __device__ __forceinline__ void load(int l, const double *, int)
  {
    for (int axis = 0; axis < 3; axis++)
      constant[axis] = shared.level[l].beta[axis];
  }

  __device__ __forceinline__ double at(int axis, int, int, int) const
  {
    return constant[axis];
  }
};

template <bool VARIABLE> struct coarse_own<HYMG_FV4, VARIABLE> {
  int at;
  double f, alpha, scale; /* scale: 1/diagonal, or what l1jacobi has in its place */
  fv4_betas<VARIABLE> b;

  __device__ __forceinline__ void load(int l, const coarse_pass &p, const double *from, int c)
  {
    const double *const rows = shared.level[l].coefficients + c;
    at = cell_at(l, c).at;
    b.load(l, rows, p.cells);
    alpha = p.has_alpha ? __ldg(rows + COARSE_ALPHA * p.cells) : 0;
    scale = __ldg(rows + (p.l1 ? COARSE_L1 : COARSE_DINV) * p.cells);
    f = from ? from[at] : 0;
  }

  __device__ __forceinline__ double value(coarse_job job, int, const coarse_pass &p,
                                          const coarse_weights &w, const double *x,
                                          const double *y) const
  {
    operator_view v = {};
    v.has_alpha = p.has_alpha;
    const double *const here = x + at;
    const double apply = fv4_apply_with<VARIABLE>(
        [&](int di, int dj, int dk) { return here[di + dj * p.row + dk * p.plane]; },
        [&](int axis, int di, int dj, int dk) { return b.at(axis, di, dj, dk); });
    const double c = *here, ax = fv4_with_alpha(v, apply, c, alpha);
    if (job == COARSE_APPLY) return ax;
    const double r = f - ax;
    if (job == COARSE_RESIDUAL) return r;
    const double relaxed = hymgi_relax(c, w.residual * scale, r);
    return w.momentum != 0 ? hymgi_add_momentum(relaxed, w.momentum, c, y[at]) : relaxed;
  }
};

__device__ __forceinline__ coarse_weights weights_of(int l, int s)
{
  const hymg_smoother smoother = shared.method.smoother;
  const double *const c = shared.level[l].chebyshev + 2 * (s % 6);
  if (smoother == HYMG_CHEBYSHEV) return {__ldg(c + 1), __ldg(c)};
  return {smoother == HYMG_JACOBI ? HYMGI_JACOBI_WEIGHT : 1, 0};
}

/* From x to y. In place a half sweep touches its colour alone, else the other colour is copied. A
 * thread with one cell has loaded it. */
template <hymg_stencil STENCIL, bool VARIABLE>
__device__ __forceinline__ void
pass_over(coarse_job job, int l, const coarse_pass &p, coarse_own<STENCIL, VARIABLE> &own,
          const double *f, int colour, const coarse_weights &w, const double *x, double *y)
{
  const bool resident = p.cells <= p.team, coloured = job == COARSE_GSRB;
  int from = 0, to = job == COARSE_RED_RESIDUAL ? p.reds : p.cells;
  if (coloured && p.in_place) from = colour ? p.reds : 0, to = colour ? p.cells : p.reds;
#pragma unroll 1
  for (int c = from + ((thread_of() - from) & (p.team - 1)); c < to; c += p.team) {
    if (!resident) own.load(l, p, f, c);
    const bool copied = coloured && !p.in_place && (c >= p.reds) != colour;
    y[own.at] = copied ? x[own.at] : own.value(job, l, p, w, x, y);
  }
}

/* A thread's cells of y to x. */
__device__ __forceinline__ void copy_own(int l, const double *y, double *x)
{
#pragma unroll 1
  for (int c = thread_of(); c < shared.level[l].cells; c += shared.level[l].team) {
    const int at = cell_at(l, c).at;
    x[at] = y[at];
  }
}

/* `sweeps` of the smoother on x, with y as the other buffer of those that want one, then a last
 * pass from x to y. Ends without a barrier. */
template <hymg_stencil STENCIL, bool VARIABLE>
__device__ __noinline__ void operate(int l, int sweeps, coarse_job last, const double *f, double *x,
                                     double *y)
{
  const coarse_pass p = pass_of(l);
  const coarse_job smoother = shared.method.smoother == HYMG_GSRB ? COARSE_GSRB : COARSE_RELAX;
  coarse_own<STENCIL, VARIABLE> own = {};
  if (thread_of() < p.cells) own.load(l, p, f, thread_of());
#pragma unroll 1
  for (int s = 0; s <= sweeps; s++) {
    const coarse_job job = s == sweeps ? last : smoother;
    const coarse_weights w = weights_of(l, s);
    double *now = x, *next = y;
    if (!p.in_place && s & 1) now = y, next = x;
    if (s == sweeps && now != x) { /* an odd number of sweeps */
      meet(p.team);
      copy_own(l, y, x);
      now = x, next = y;
    }
    if (job == COARSE_NOTHING) return;
    if (STENCIL == HYMG_FV4) fill_ghost_list(shared.level[l].operator_ghosts, 2, p.team, NULL, now);
    meet(p.team);
    if (p.in_place && s < sweeps) next = x;
    pass_over(job, l, p, own, f, s & 1, w, now, next);
  }
}

/* The same for any stencil. */
__device__ __forceinline__ void operate(int l, int sweeps, coarse_job last, const double *f,
                                        double *x, double *y)
{
  if (shared.method.stencil == HYMG_FV2)
    operate<HYMG_FV2, true>(l, sweeps, last, f, x, y);
  else if (shared.method.variable)
    operate<HYMG_FV4, true>(l, sweeps, last, f, x, y);
  else
    operate<HYMG_FV4, false>(l, sweeps, last, f, x, y);
}

} /* namespace */

#endif
