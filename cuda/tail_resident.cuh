/* What the threads of the tail do on a level that is resident: a cell a thread, all vectors in
 * shared memory. What a cell needs is loaded once a call and stays in registers, so that a half
 * sweep is some reads of shared memory, the formula, and a barrier. A block that runs alone waits
 * for every single instruction: here each one counts. Vectors are named by their place in the
 * arena. */
#ifndef HYMGI_TAIL_RESIDENT_CUH
#define HYMGI_TAIL_RESIDENT_CUH

#include "tail.cuh"

extern "C" {
#include "quotient.h"
}

namespace
{

/* A thread's cell; `mine` is false where there are more threads than cells. */
template <hymg_stencil STENCIL, bool VARIABLE> struct tail_resident;

/* ---- FV2 ---- */

/* Beyond a wall lies a multiple of the opposite neighbour, or zero. */
template <bool VARIABLE> struct tail_resident<HYMG_FV2, VARIABLE> {
  bool mine;
  int at, team, to[6]; /* to: from the cell to what is seen across each face */
  double factor[6];
  fv2_betas b;
  operator_view o;
  double alpha, f;

  __device__ __forceinline__ void load(int l, const double *from)
  {
    const tail_level &t = shared.level[l];
    const int c = lane_of(), step[3] = {1, t.row, t.plane};
    *this = {};
    mine = c < t.cells;
    team = t.team;
    o.has_alpha = shared.method.has_alpha;
    if (!mine) return;
    const double *const rows = t.coefficients + c, *const beta = rows + TAIL_BETA * t.cells;
    const tail_cell cell = cell_at(l, c);
    b.w = __ldg(beta), b.e = __ldg(beta + t.cells);
    b.s = __ldg(beta + 2 * t.cells), b.n = __ldg(beta + 3 * t.cells);
    b.d = __ldg(beta + 4 * t.cells), b.u = __ldg(beta + 5 * t.cells);
    if (o.has_alpha) alpha = __ldg(rows + TAIL_ALPHA * t.cells);
    at = cell.at;
    if (from) f = from[at];
#pragma unroll
    for (int face = 0; face < 6; face++) {
      const int axis = face / 2, out = face & 1 ? step[axis] : -step[axis];
      const int around = face & 1 ? -t.wrap[axis] : t.wrap[axis];
      const bool wall = cell.sides >> face & 1, wraps = cell.sides >> (6 + face) & 1;
      to[face] = wall ? -out : wraps ? around : out;
      factor[face] = wall ? t.wall_ghost[face] : 1;
    }
  }

  __device__ __forceinline__ void close(double *) const
  {
    meet(team);
  }

  __device__ __forceinline__ fv2_values seen(const double *x) const
  {
    const double *const here = x + at;
    fv2_values v;
    v.c = *here;
    v.w = fv2_ghost(factor[0], here[to[0]]), v.e = fv2_ghost(factor[1], here[to[1]]);
    v.s = fv2_ghost(factor[2], here[to[2]]), v.n = fv2_ghost(factor[3], here[to[3]]);
    v.d = fv2_ghost(factor[4], here[to[4]]), v.u = fv2_ghost(factor[5], here[to[5]]);
    return v;
  }

  __device__ __forceinline__ double apply(const double *x) const
  {
    return fv2_apply(o, b, seen(x), alpha);
  }
};

/* `sweeps` half sweeps in place; then, if asked for, the residual of the red cells goes to y. */
__device__ __noinline__ void sweep_fv2(int l, int sweeps, bool residual)
{
  double *const arena = tail_arena();
  const tail_level &t = shared.level[l];
  double *const x = arena + t.x_at, *const y = arena + t.y_at;
  const int colour = lane_of() >= t.reds;
  tail_resident<HYMG_FV2, true> own;
  own.load(l, arena + t.f_at);
  hymgi_divisor diagonal = {};
  if (own.mine) diagonal = hymgi_divisor_of(fv2_diagonal(own.o, own.b, own.alpha));
#pragma unroll 1
  for (int s = 0; s < sweeps; s++) {
    meet(own.team);
    if (own.mine && colour == (s & 1))
      x[own.at] = hymgi_quotient(fv2_gsrb_sum(own.b, own.seen(x), own.f), &diagonal);
  }
  if (!residual) return;
  meet(own.team);
  if (own.mine && !colour) y[own.at] = fv2_residual(own.o, own.b, own.seen(x), own.f, own.alpha);
}

/* ---- FV4 ---- */

/* A ghost's line. */
struct tail_line {
  int to, from, step;
  hymgi_wall wall;
  bool mine, second;
};

__device__ __forceinline__ tail_line line_at(const tail_closure &closure, int begin, int end)
{
  const int m = begin + lane_of();
  tail_line line = {};
  line.mine = m < end;
  if (!line.mine) return line;
  const tail_ghost g = ghost_at(closure, m);
  line.to = g.to;
  line.from = g.from;
  line.step = g.step;
  line.wall = (hymgi_wall)((int)(g.what << 28) >> 28);
  line.second = g.what & 16;
  return line;
}

__device__ __forceinline__ void close_line(const tail_line &line, double *x)
{
  if (!line.mine) return;
  const double *const from = x + line.from;
  const inside v = inside_of(line.wall, [&](int m) { return from[m * line.step]; });
  x[line.to] = first_ghost(line.wall, v);
  if (line.second) x[line.to - line.step] = second_ghost(line.wall, v);
}

template <bool VARIABLE> struct tail_resident<HYMG_FV4, VARIABLE> {
  bool mine;
  int at, team, row, plane;
  tail_line faces, edges;
  fv4_betas<VARIABLE> b;
  operator_view o;
  double alpha, scale, f; /* scale: 1/diagonal */

  __device__ __forceinline__ void load(int l, const double *from)
  {
    const tail_level &t = shared.level[l];
    const int c = lane_of(), *const end = t.operator_ghosts.end;
    *this = {};
    mine = c < t.cells;
    team = t.team;
    row = t.row;
    plane = t.plane;
    o.has_alpha = shared.method.has_alpha;
    faces = line_at(t.operator_ghosts, 0, end[0]);
    edges = line_at(t.operator_ghosts, end[0], end[1]);
    if (!mine) return;
    const double *const rows = t.coefficients + c;
    at = cell_at(l, c).at;
    b.load(l, rows, t.cells);
    if (o.has_alpha) alpha = __ldg(rows + TAIL_ALPHA * t.cells);
    scale = __ldg(rows + TAIL_DINV * t.cells);
    if (from) f = from[at];
  }

  /* Both layers of ghosts, ready for all. */
  __device__ __forceinline__ void close(double *x) const
  {
    meet(team);
    close_line(faces, x);
    meet(team);
    close_line(edges, x);
    meet(team);
  }

  __device__ __forceinline__ double apply(const double *x) const
  {
    const double *const here = x + at;
    const double a = fv4_apply_with<VARIABLE>(
        [&](int di, int dj, int dk) { return here[di + dj * row + dk * plane]; },
        [&](int axis, int di, int dj, int dk) { return b.at(axis, di, dj, dk); });
    return fv4_with_alpha(o, a, *here, alpha);
  }
};

/* `sweeps` half sweeps from one buffer to the other, which get the other colour as it is; then, if
 * asked for, the residual goes to y. */
template <bool VARIABLE> __device__ __noinline__ void sweep_fv4(int l, int sweeps, bool residual)
{
  double *const arena = tail_arena();
  const tail_level &t = shared.level[l];
  const int colour = lane_of() >= t.reds;
  tail_resident<HYMG_FV4, VARIABLE> own;
  own.load(l, arena + t.f_at);
  int now = t.x_at, next = t.y_at;
#pragma unroll 1
  for (int s = 0; s < sweeps; s++) {
    const double *const x = arena + now;
    own.close(arena + now);
    if (own.mine)
      arena[next + own.at] =
          colour == (s & 1) ? hymgi_fma(own.scale, own.f - own.apply(x), x[own.at]) : x[own.at];
    const int old = now;
    now = next, next = old;
  }
  if (now != t.x_at && own.mine) arena[next + own.at] = arena[now + own.at];
  if (!residual) return;
  own.close(arena + t.x_at);
  if (own.mine) arena[t.y_at + own.at] = own.f - own.apply(arena + t.x_at);
}

/* ---- either ---- */

__device__ __forceinline__ void sweep_resident(int l, int sweeps, bool residual)
{
  if (shared.method.stencil == HYMG_FV2)
    sweep_fv2(l, sweeps, residual);
  else if (shared.method.variable)
    sweep_fv4<true>(l, sweeps, residual);
  else
    sweep_fv4<false>(l, sweeps, residual);
}

/* y = A x */
template <hymg_stencil STENCIL, bool VARIABLE>
__device__ __noinline__ void apply_resident(int l, int x, int y)
{
  double *const arena = tail_arena();
  tail_resident<STENCIL, VARIABLE> own;
  own.load(l, NULL);
  own.close(arena + x);
  if (own.mine) arena[y + own.at] = own.apply(arena + x);
}

__device__ __forceinline__ void apply_resident(int l, int x, int y)
{
  if (shared.method.stencil == HYMG_FV2)
    apply_resident<HYMG_FV2, true>(l, x, y);
  else if (shared.method.variable)
    apply_resident<HYMG_FV4, true>(l, x, y);
  else
    apply_resident<HYMG_FV4, false>(l, x, y);
}

} /* namespace */

#endif
