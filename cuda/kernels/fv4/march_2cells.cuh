/* What FV4's marches along z over split rows share. A thread owns both cells of a slot, so that
 * every face and every value of the window is loaded once for the two of them: 45 loads, not 94. A
 * warp has 16 slots of two rows, from which a coarse row is made; ghosts are in memory, or along x
 * computed from the warp's own cells. */
#ifndef HYMGI_KERNELS_FV4_MARCH_2CELLS_CUH
#define HYMGI_KERNELS_FV4_MARCH_2CELLS_CUH

#include "device/ghosts.cuh"
#include "device/reduce.cuh"
#include "kernels/gsrb_args.cuh"

extern "C" {
#include "formulas/limiter.h"
}

namespace
{

enum { SLOTS = 16, ROWS = 2 }; /* of a warp */

/* Jobs that write a value of each cell. */
template <typename JOB>
constexpr bool STORES = std::is_same_v<JOB, residual> || std::is_same_v<JOB, relax> ||
                        std::is_same_v<JOB, apply> || NARROWS<JOB>;
template <typename JOB> constexpr bool READS_F = !std::is_same_v<JOB, apply>;

/* Jobs that a level with limited faces has: the marks are on level 0 of the robust path, which smooths
 * and restricts with FV2. */
template <typename JOB>
constexpr bool MAY_LIMIT =
    !SINGLE && !std::is_same_v<JOB, relax> && !std::is_same_v<JOB, residual_mean>;

/* Which end of the rows a warp has. */
enum row_end { NO_END, WEST_END, EAST_END };

/* Where a slot's even and odd cell are; in rows an odd number of steps away they are swapped. */
template <int N> struct slot_place {
  ptrdiff_t even, odd, pitch, plane;

  __device__ __forceinline__ slot_place(const hymgi_geom &g, int t, int j, int k)
  {
    const ptrdiff_t red = hymgi_row(&g, 0, j, k) + t;
    const bool swapped = (j + k + g.parity) & 1;
    even = swapped ? red + g.half : red;
    odd = swapped ? red : red + g.half;
    pitch = N ? shape_pitch(N) : g.pitch;
    plane = N ? shape_plane(N, 2) : g.plane;
  }

  /* u: along x from the even cell; literals */
  __device__ __forceinline__ ptrdiff_t at(int u, int dj, int dk) const
  {
    return ((u + dj + dk) & 1 ? odd : even) + (u >> 1) + dj * pitch + dk * plane;
  }

  __device__ __forceinline__ void go_up()
  {
    const ptrdiff_t old = even;
    even = odd + plane;
    odd = old + plane;
  }
};

/* What the march keeps, from the plane below up: the column, the adjacent cells, the faces between;
 * and the terms of the low z-face, which was the high one of the plane below: with limited faces those
 * that the limiter selected. */
struct window {
  hymgi_real c[2][3], w[2], e[2], s[2][2], n[2][2];
  hymgi_real face_x[3][2], face_s[2][2], face_n[2][2];
  hymgi_real face_d[2], step_d[2], tangent_d[2];
};

/* What a step loads. */
struct arrivals {
  hymgi_real c[2], w, e, s[2], n[2];               /* x above */
  hymgi_real ww, ee, ss[2], nn[2], sw, se, nw, ne; /* x around */
  hymgi_real face_x[3], face_s[2], face_n[2];      /* of the plane above */
  hymgi_real face_u[4], up_s[2], up_n[2];          /* z-faces between */
  hymgi_real x_south[3], x_north[3];               /* x-faces of the adjacent rows */
  hymgi_real s_west, s_east, n_west, n_east;       /* y-faces of the adjacent columns */
  hymgi_real f[2], alpha[2], prev[2], scale[2];
};

/* The four cells from which the ghosts of a row are extrapolated: the even and the odd cell of this
 * slot and of the neighbouring lane's. */
template <row_end END> __device__ __forceinline__ inside cells_at(hymgi_real even, hymgi_real odd)
{
  const hymgi_real at_boundary = END == EAST_END ? odd : even, next = END == EAST_END ? even : odd;
  return {at_boundary, next, __shfl_xor_sync(~0u, at_boundary, 1), __shfl_xor_sync(~0u, next, 1)};
}

/* Puts the first ghost of a row in its place. */
template <row_end END>
__device__ __forceinline__ void fill_row_ghosts(bool at_end, hymgi_real even, hymgi_real odd,
                                                hymgi_real *west, hymgi_real *east)
{
  const hymgi_real ghost = first_ghost(HYMGI_QUARTIC_GHOST, cells_at<END>(even, odd));
  hymgi_real *const place = END == WEST_END ? west : east;
  *place = at_end ? ghost : *place;
}

/* Fills in the ghosts along x among what a step loads. */
template <bool VARIABLE, row_end END>
__device__ __forceinline__ void fill_arrivals(bool at_end, const window &w, arrivals *t)
{
  fill_row_ghosts<END>(at_end, w.c[0][2], w.c[1][2], &t->w, &t->e);
  const hymgi_real second = second_ghost(HYMGI_QUARTIC_GHOST, cells_at<END>(w.c[0][1], w.c[1][1]));
  hymgi_real *const place = END == WEST_END ? &t->ww : &t->ee;
  *place = at_end ? second : *place;
  if (!VARIABLE) return;
  fill_row_ghosts<END>(at_end, w.s[0][1], w.s[1][1], &t->sw, &t->se);
  fill_row_ghosts<END>(at_end, w.n[0][1], w.n[1][1], &t->nw, &t->ne);
}

/* Where a march loads from: vectors in memory. A lane at_end loads a cell instead of a ghost. */
template <int N, row_end END> struct memory_source {
  const gsrb_args &args;
  const slot_place<N> &p;
  int west, east;

  __device__ __forceinline__ memory_source(const gsrb_args &a, const slot_place<N> &place,
                                           bool at_end)
      : args(a), p(place), west(END == WEST_END && at_end ? 1 : 0),
        east(END == EAST_END && at_end ? -1 : 0)
  {
  }
  __device__ __forceinline__ hymgi_real x(int u, int dj, int dk) const
  {
    return args.own[p.at(u, dj, dk) + (u < 0 ? west : u > 1 ? east : 0)];
  }
  __device__ __forceinline__ hymgi_real beta(int axis, int u, int dj, int dk) const
  {
    return __ldg(args.v.beta[axis] + p.at(u, dj, dk));
  }
  __device__ __forceinline__ hymgi_real f(int u) const
  {
    return args.f[p.at(u, 0, 0)];
  }
  __device__ __forceinline__ hymgi_real prev(int u) const
  {
    return args.prev ? args.prev[p.at(u, 0, 0)] : 0;
  }
  __device__ __forceinline__ hymgi_real scale(int u) const
  {
    return __ldg(args.scale + p.at(u, 0, 0));
  }
  __device__ __forceinline__ hymgi_real alpha(int u) const
  {
    return args.v.has_alpha ? alpha_at(args.v, p.at(u, 0, 0)) : 0;
  }
};

template <typename JOB, bool VARIABLE, typename Source>
__device__ __forceinline__ arrivals arrive(const Source &from)
{
  arrivals t = {};
#pragma unroll
  for (int u = 0; u < 2; u++) {
    t.c[u] = from.x(u, 0, 2);
    t.s[u] = from.x(u, -1, 1), t.n[u] = from.x(u, 1, 1);
    t.ss[u] = from.x(u, -2, 0), t.nn[u] = from.x(u, 2, 0);
    if (READS_F<JOB>) t.f[u] = from.f(u);
    t.alpha[u] = from.alpha(u);
  }
  t.w = from.x(-1, 0, 1), t.e = from.x(2, 0, 1);
  t.ww = from.x(-2, 0, 0), t.ee = from.x(3, 0, 0);
  if (VARIABLE) {
    t.sw = from.x(-1, -1, 0), t.se = from.x(2, -1, 0);
    t.nw = from.x(-1, 1, 0), t.ne = from.x(2, 1, 0);
#pragma unroll
    for (int u = 0; u < 3; u++) {
      t.face_x[u] = from.beta(0, u, 0, 1);
      t.x_south[u] = from.beta(0, u, -1, 0), t.x_north[u] = from.beta(0, u, 1, 0);
    }
#pragma unroll
    for (int u = 0; u < 2; u++) {
      t.face_s[u] = from.beta(1, u, 0, 1), t.face_n[u] = from.beta(1, u, 1, 1);
      t.up_s[u] = from.beta(2, u, -1, 1), t.up_n[u] = from.beta(2, u, 1, 1);
    }
    t.s_west = from.beta(1, -1, 0, 0), t.s_east = from.beta(1, 2, 0, 0);
    t.n_west = from.beta(1, -1, 1, 0), t.n_east = from.beta(1, 2, 1, 0);
#pragma unroll
    for (int u = 0; u < 4; u++)
      t.face_u[u] = from.beta(2, u - 1, 0, 1);
  }
#pragma unroll
  for (int u = 0; u < 2; u++)
    if (std::is_same_v<JOB, relax>) t.prev[u] = from.prev(u), t.scale[u] = from.scale(u);
  return t;
}

/* x at u cells along x from the even one */
__device__ __forceinline__ hymgi_real x_seen(const window &w, const arrivals &t, int u, int dj,
                                             int dk)
{
  const bool inner = u == 0 || u == 1;
  if (inner && dj == 0) return dk == 2 ? t.c[u] : w.c[u][dk + 1];
  if (inner && dj * dj == 4) return dj < 0 ? t.ss[u] : t.nn[u];
  if (inner && dk == 1) return dj < 0 ? t.s[u] : t.n[u];
  if (inner) return dj < 0 ? w.s[u][dk + 1] : w.n[u][dk + 1];
  if (u == -2) return t.ww;
  if (u == 3) return t.ee;
  if (dj == 0) return dk == 1 ? (u < 0 ? t.w : t.e) : u < 0 ? w.w[dk + 1] : w.e[dk + 1];
  return dj < 0 ? (u < 0 ? t.sw : t.se) : (u < 0 ? t.nw : t.ne);
}

__device__ __forceinline__ hymgi_real x_face(const window &w, const arrivals &t, int u, int dj,
                                             int dk)
{
  if (dj != 0) return dj < 0 ? t.x_south[u] : t.x_north[u];
  return dk == 1 ? t.face_x[u] : w.face_x[u][dk + 1];
}

/* up: the low face or the high one */
__device__ __forceinline__ hymgi_real y_face(const window &w, const arrivals &t, int u, int up,
                                             int dk)
{
  if (u < 0) return up ? t.n_west : t.s_west;
  if (u > 1) return up ? t.n_east : t.s_east;
  if (dk == 1) return up ? t.face_n[u] : t.face_s[u];
  return up ? w.face_n[u][dk + 1] : w.face_s[u][dk + 1];
}

__device__ __forceinline__ hymgi_real z_face(const arrivals &t, int u, int di, int dj)
{
  return dj < 0 ? t.up_s[u] : dj > 0 ? t.up_n[u] : t.face_u[u + di + 1];
}

/* Bit per face of a slot's two cells that is a boundary of the domain. */
__device__ __forceinline__ unsigned walls_of_slot(const hymgi_geom &g, int t, int j, int k)
{
  return walls_of(g, 2 * t, j, k) | walls_of(g, 2 * t + 1, j, k);
}

/* A x of cell U without the alpha term, where faces may be marked; moves the window's low z-face up.
 * walls: of the slot; the face between its cells is none. */
template <int U>
__device__ __forceinline__ hymgi_real apply_limited_cell(const arrivals &t, unsigned walls,
                                                         window *w)
{
  const auto x = [&](int di, int dj, int dk) { return x_seen(*w, t, U + di, dj, dk); };
  const auto bi = [&](int di, int dj, int dk) { return x_face(*w, t, U + di, dj, dk); };
  const auto bj = [&](int di, int dj, int dk) { return y_face(*w, t, U + di, dj, dk); };
  const auto above = [&](int di, int dj, int) { return z_face(t, U, di, dj); };
  const bool west = U == 0 && (walls & 1), east = U == 1 && (walls >> 1 & 1);
  const hymgi_fv4_part low[3] = {HYMGI_FV4_PART(HYMGI_AT_I, x, bi, 0, west, false),
                                 HYMGI_FV4_PART(HYMGI_AT_J, x, bj, 0, walls >> 2 & 1, false),
                                 {hymgi_abs(w->face_d[U]), w->step_d[U], w->tangent_d[U]}};
  const hymgi_fv4_part high[3] = {HYMGI_FV4_PART(HYMGI_AT_I, x, bi, 1, east, true),
                                  HYMGI_FV4_PART(HYMGI_AT_J, x, bj, 1, walls >> 3 & 1, true),
                                  HYMGI_FV4_PART(HYMGI_AT_K, x, above, 1, walls >> 5 & 1, true)};
  w->step_d[U] = high[2].step;
  w->tangent_d[U] = high[2].tangent;
  return hymgi_fv4_sum(low, high);
}

/* The same without marks. */
template <bool VARIABLE, int U>
__device__ __forceinline__ hymgi_real apply_cell(const operator_view &v, const arrivals &t,
                                                 window *w)
{
  const auto x = [&](int di, int dj, int dk) { return x_seen(*w, t, U + di, dj, dk); };
  const auto bi = [&](int di, int dj, int dk) {
    return VARIABLE ? x_face(*w, t, U + di, dj, dk) : v.beta_constant[0];
  };
  const auto bj = [&](int di, int dj, int dk) {
    return VARIABLE ? y_face(*w, t, U + di, dj, dk) : v.beta_constant[1];
  };
  const auto above = [&](int di, int dj, int) { return z_face(t, U, di, dj); };
  const hymgi_real low = VARIABLE ? w->face_d[U] : v.beta_constant[2];
  const hymgi_real high = VARIABLE ? t.face_u[U + 1] : v.beta_constant[2];
  const hymgi_real step = HYMGI_FV4_STEP_K(x, 1);
  const hymgi_real tangent = VARIABLE ? HYMGI_FV4_TANGENT_FACE_K(x, above, 1) : 0;
  const hymgi_real ax = HYMGI_FV4_APPLY_BETWEEN(VARIABLE, x, bi, bj, low, w->step_d[U],
                                                w->tangent_d[U], high, step, tangent);
  w->step_d[U] = step;
  w->tangent_d[U] = tangent;
  return ax;
}

template <typename JOB, bool VARIABLE, bool LIMITED, int U>
__device__ __forceinline__ hymgi_real value_of(const gsrb_args &args, const arrivals &t,
                                               unsigned walls, window *w)
{
  const hymgi_real c = w->c[U][1];
  const hymgi_real fluxes =
      LIMITED ? apply_limited_cell<U>(t, walls, w) : apply_cell<VARIABLE, U>(args.v, t, w);
  const hymgi_real ax = fv4_with_alpha(args.v, fluxes, c, t.alpha[U]);
  if (std::is_same_v<JOB, apply>) return ax;
  const hymgi_real r = t.f[U] - ax;
  if (!std::is_same_v<JOB, relax>) return r;
  return relaxed(args, c, args.residual * t.scale[U], r, t.prev[U]);
}

/* The window of the first plane. walls: of its slot. */
template <bool VARIABLE, bool LIMITED, row_end END, typename Source>
__device__ __forceinline__ window window_at(const Source &from, bool at_end, unsigned walls)
{
  window w = {};
#pragma unroll
  for (int k = 0; k < 2; k++) {
    w.w[k] = from.x(-1, 0, k - 1), w.e[k] = from.x(2, 0, k - 1);
#pragma unroll
    for (int u = 0; u < 2; u++) {
      w.s[u][k] = from.x(u, -1, k - 1), w.n[u][k] = from.x(u, 1, k - 1);
      if (!VARIABLE) continue;
      w.face_s[u][k] = from.beta(1, u, 0, k - 1), w.face_n[u][k] = from.beta(1, u, 1, k - 1);
    }
    if (VARIABLE)
#pragma unroll
      for (int u = 0; u < 3; u++)
        w.face_x[u][k] = from.beta(0, u, 0, k - 1);
  }
#pragma unroll
  for (int u = 0; u < 2; u++)
#pragma unroll
    for (int k = 0; k < 3; k++)
      w.c[u][k] = from.x(u, 0, k - 1);
  if (END != NO_END)
#pragma unroll
    for (int k = 0; k < 2; k++)
      fill_row_ghosts<END>(at_end, w.c[0][k], w.c[1][k], &w.w[k], &w.e[k]);
  const arrivals none = {};
#pragma unroll
  for (int u = 0; u < 2; u++) {
    const auto x = [&](int di, int dj, int dk) {
      return dk == -2 ? from.x(u, 0, -2) : x_seen(w, none, u + di, dj, dk);
    };
    const auto here = [&](int di, int dj, int) { return from.beta(2, u + di, dj, 0); };
    w.step_d[u] = HYMGI_FV4_STEP_K(x, 0);
    if (!VARIABLE) continue;
    w.face_d[u] = here(0, 0, 0);
    w.tangent_d[u] = HYMGI_FV4_TANGENT_FACE_K(x, here, 0);
    if (!LIMITED) continue;
    const hymgi_fv4_part low = HYMGI_FV4_PART(HYMGI_AT_K, x, here, 0, walls >> 4 & 1, false);
    w.step_d[u] = low.step, w.tangent_d[u] = low.tangent;
  }
  return w;
}

template <bool VARIABLE> __device__ __forceinline__ void shift(window *w, const arrivals &t)
{
  w->w[0] = w->w[1], w->w[1] = t.w, w->e[0] = w->e[1], w->e[1] = t.e;
#pragma unroll
  for (int u = 0; u < 2; u++) {
    w->c[u][0] = w->c[u][1], w->c[u][1] = w->c[u][2], w->c[u][2] = t.c[u];
    w->s[u][0] = w->s[u][1], w->s[u][1] = t.s[u], w->n[u][0] = w->n[u][1], w->n[u][1] = t.n[u];
    if (!VARIABLE) continue;
    w->face_s[u][0] = w->face_s[u][1], w->face_s[u][1] = t.face_s[u];
    w->face_n[u][0] = w->face_n[u][1], w->face_n[u][1] = t.face_n[u];
    w->face_d[u] = t.face_u[u + 1];
  }
  if (VARIABLE)
#pragma unroll
    for (int u = 0; u < 3; u++)
      w->face_x[u][0] = w->face_x[u][1], w->face_x[u][1] = t.face_x[u];
}

/* The mean of a coarse cell's 8 fine cells, which two lanes in adjacent rows have. */
__device__ __forceinline__ hymgi_real mean_of_rows(hymgi_real below, hymgi_real above)
{
  const hymgi_real below_north = __shfl_down_sync(~0u, below, SLOTS);
  const hymgi_real above_north = __shfl_down_sync(~0u, above, SLOTS);
  return hymgi_mean_of_8(below, below_north, above, above_north);
}

/* Stores the coarse cell of two planes and two rows; the lane of the first row does it. */
__device__ __forceinline__ void store_mean(const gsrb_args &args, const hymgi_geom &patch,
                                           bool inside, int t, int j, int k, hymgi_real below,
                                           hymgi_real above)
{
  const hymgi_real mean = mean_of_rows(below, above);
  if (!inside || (j & 1)) return;
  const ptrdiff_t at = hymgi_at(&patch, t, j / 2, k / 2);
  args.coarse[at] = mean;
  if (args.zero) args.zero[at] = 0;
}

/* The slot and the row of a thread, in a tile that is X slots wide. */
template <int X> __device__ __forceinline__ void place_of_thread(int *t, int *j)
{
  const int id = (int)threadIdx.x;
  const int warp = __shfl_sync(~0u, id / (SLOTS * ROWS), 0); /* provably the same in all lanes */
  *t = warp % (X / SLOTS) * SLOTS + id % SLOTS;
  *j = warp / (X / SLOTS) * ROWS + id / SLOTS % ROWS;
}

} /* namespace */

#endif
