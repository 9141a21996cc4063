/* FV4 on split rows, large levels: the residual, its norm, its restriction, or a step of the
 * smoothers that update all cells at once. A thread owns both cells of a slot and marches along z,
 * so that every face and every value of the window is loaded once for the two of them: 45 loads,
 * not 94. A warp has 16 slots of two rows, which are what a coarse row is made of; ghosts are in
 * memory, or across x made from what the warp has. Bytes per cell: x 8, f 8, betas 24, written 8, 0
 * or 1; a step of Chebyshev: x before 8 and 1/diag 8 more. */
#include "gsrb_args.cuh"
#include "march_plain.h"
#include "reduce.cuh"
#include "walls.cuh"

namespace
{

enum purpose { RESIDUAL, NORM, RESTRICT, RELAX };
enum { SLOTS = 16, ROWS = 2 }; /* of a warp */

struct pair_args {
  gsrb_args base;
  box_set patches;
  double *coarse, *zero;
  const double *prev, *scale; /* RELAX; prev may be NULL */
  double factor, momentum;
  bool across; /* ghosts across x are worked out as they are asked for: hymgi_cuda_fv4_across */
};

/* Which end of the rows a warp has. */
enum row_end { NO_END, WEST_END, EAST_END };

/* Where a slot's even and odd cell are; rows an odd number of steps away have them the other way
 * round. */
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

/* What the march keeps, of planes from below up: the two columns, the cells beside them, the faces
 * between. Of the low z-faces' neighbours only differences are asked for. */
struct window {
  double c[2][4], w[2], e[2], s[2][2], n[2][2];
  double face_x[3][2], face_s[2][2], face_n[2][2];
  double face_d[2], across_x[2], across_y[2];
  double done[2];
};

/* What a step loads. */
struct arrivals {
  double c[2], w, e, s[2], n[2];               /* x above */
  double ww, ee, ss[2], nn[2], sw, se, nw, ne; /* x around */
  double face_x[3], face_s[2], face_n[2];      /* of the plane above */
  double face_u[4], up_s[2], up_n[2];          /* z-faces between */
  double x_south[3], x_north[3];               /* x-faces of the rows beside */
  double s_west, s_east, n_west, n_east;       /* y-faces of the columns beside */
  double f[2], alpha[2], prev[2], scale[2];
};

/* The four cells that the ghosts of a row come from, from the even and the odd cell of this slot and
 * of that beside, which is the neighbouring lane's. */
template <row_end END> __device__ __forceinline__ inside cells_at(double even, double odd)
{
  const double at_wall = END == EAST_END ? odd : even, next = END == EAST_END ? even : odd;
  return {at_wall, next, __shfl_xor_sync(~0u, at_wall, 1), __shfl_xor_sync(~0u, next, 1)};
}

/* Puts the first ghost of a row in its place. */
template <row_end END>
__device__ __forceinline__ void close_row(bool at_end, double even, double odd, double *west,
                                          double *east)
{
  const double ghost = first_ghost(HYMGI_WALL_V4, cells_at<END>(even, odd));
  double *const place = END == WEST_END ? west : east;
  *place = at_end ? ghost : *place;
}

/* What arrives beyond the ends of rows. */
template <bool VARIABLE, row_end END>
__device__ __forceinline__ void close_arrivals(bool at_end, const window &w, arrivals *t)
{
  close_row<END>(at_end, w.c[0][3], w.c[1][3], &t->w, &t->e);
  const double second = second_ghost(HYMGI_WALL_V4, cells_at<END>(w.c[0][2], w.c[1][2]));
  double *const place = END == WEST_END ? &t->ww : &t->ee;
  *place = at_end ? second : *place;
  if (!VARIABLE) return;
  close_row<END>(at_end, w.s[0][1], w.s[1][1], &t->sw, &t->se);
  close_row<END>(at_end, w.n[0][1], w.n[1][1], &t->nw, &t->ne);
}

/* A lane at_end loads a cell in a ghost's stead. */
template <purpose WHAT, bool VARIABLE, int N, row_end END>
__device__ __forceinline__ arrivals arrive(const pair_args &args, const slot_place<N> &p,
                                           bool at_end)
{
  const gsrb_args &a = args.base;
  const double *const x = a.own;
  const int west = END == WEST_END && at_end ? 1 : 0, east = END == EAST_END && at_end ? -1 : 0;
  arrivals t = {};
  const auto beta = [&](int axis, int u, int dj, int dk) {
    return __ldg(a.v.beta[axis] + p.at(u, dj, dk));
  };
#pragma unroll
  for (int u = 0; u < 2; u++) {
    t.c[u] = x[p.at(u, 0, 2)];
    t.s[u] = x[p.at(u, -1, 1)], t.n[u] = x[p.at(u, 1, 1)];
    t.ss[u] = x[p.at(u, -2, 0)], t.nn[u] = x[p.at(u, 2, 0)];
    t.f[u] = a.f[p.at(u, 0, 0)];
  }
  t.w = x[p.at(-1, 0, 1) + west], t.e = x[p.at(2, 0, 1) + east];
  t.ww = x[p.at(-2, 0, 0) + west], t.ee = x[p.at(3, 0, 0) + east];
  if (VARIABLE) {
    t.sw = x[p.at(-1, -1, 0) + west], t.se = x[p.at(2, -1, 0) + east];
    t.nw = x[p.at(-1, 1, 0) + west], t.ne = x[p.at(2, 1, 0) + east];
#pragma unroll
    for (int u = 0; u < 3; u++) {
      t.face_x[u] = beta(0, u, 0, 1);
      t.x_south[u] = beta(0, u, -1, 0), t.x_north[u] = beta(0, u, 1, 0);
    }
#pragma unroll
    for (int u = 0; u < 2; u++) {
      t.face_s[u] = beta(1, u, 0, 1), t.face_n[u] = beta(1, u, 1, 1);
      t.up_s[u] = beta(2, u, -1, 1), t.up_n[u] = beta(2, u, 1, 1);
    }
    t.s_west = beta(1, -1, 0, 0), t.s_east = beta(1, 2, 0, 0);
    t.n_west = beta(1, -1, 1, 0), t.n_east = beta(1, 2, 1, 0);
#pragma unroll
    for (int u = 0; u < 4; u++)
      t.face_u[u] = beta(2, u - 1, 0, 1);
  }
#pragma unroll
  for (int u = 0; u < 2; u++) {
    if (a.v.has_alpha) t.alpha[u] = alpha_at(a.v, p.at(u, 0, 0));
    if (WHAT != RELAX) continue;
    t.prev[u] = args.prev ? args.prev[p.at(u, 0, 0)] : 0;
    t.scale[u] = __ldg(args.scale + p.at(u, 0, 0));
  }
  return t;
}

template <bool VARIABLE, int N, row_end END>
__device__ __forceinline__ window window_at(const gsrb_args &a, const slot_place<N> &p, bool at_end)
{
  const double *const x = a.own;
  const int west = END == WEST_END && at_end ? 1 : 0, east = END == EAST_END && at_end ? -1 : 0;
  const auto beta = [&](int axis, int u, int dj, int dk) {
    return __ldg(a.v.beta[axis] + p.at(u, dj, dk));
  };
  window w = {};
#pragma unroll
  for (int k = 0; k < 2; k++) {
    w.w[k] = x[p.at(-1, 0, k - 1) + west], w.e[k] = x[p.at(2, 0, k - 1) + east];
#pragma unroll
    for (int u = 0; u < 2; u++) {
      w.s[u][k] = x[p.at(u, -1, k - 1)], w.n[u][k] = x[p.at(u, 1, k - 1)];
      if (!VARIABLE) continue;
      w.face_s[u][k] = beta(1, u, 0, k - 1), w.face_n[u][k] = beta(1, u, 1, k - 1);
    }
    if (VARIABLE)
#pragma unroll
      for (int u = 0; u < 3; u++)
        w.face_x[u][k] = beta(0, u, 0, k - 1);
  }
#pragma unroll
  for (int u = 0; u < 2; u++) {
#pragma unroll
    for (int k = 0; k < 4; k++)
      w.c[u][k] = x[p.at(u, 0, k - 2)];
    if (!VARIABLE) continue;
    w.face_d[u] = beta(2, u, 0, 0);
    w.across_x[u] = beta(2, u + 1, 0, 0) - beta(2, u - 1, 0, 0);
    w.across_y[u] = beta(2, u, 1, 0) - beta(2, u, -1, 0);
  }
  if (END != NO_END)
#pragma unroll
    for (int k = 0; k < 2; k++)
      close_row<END>(at_end, w.c[0][k + 1], w.c[1][k + 1], &w.w[k], &w.e[k]);
  return w;
}

template <bool VARIABLE> __device__ __forceinline__ void shift(window *w, const arrivals &t)
{
  w->w[0] = w->w[1], w->w[1] = t.w, w->e[0] = w->e[1], w->e[1] = t.e;
#pragma unroll
  for (int u = 0; u < 2; u++) {
    w->c[u][0] = w->c[u][1], w->c[u][1] = w->c[u][2], w->c[u][2] = w->c[u][3], w->c[u][3] = t.c[u];
    w->s[u][0] = w->s[u][1], w->s[u][1] = t.s[u], w->n[u][0] = w->n[u][1], w->n[u][1] = t.n[u];
    if (!VARIABLE) continue;
    w->face_s[u][0] = w->face_s[u][1], w->face_s[u][1] = t.face_s[u];
    w->face_n[u][0] = w->face_n[u][1], w->face_n[u][1] = t.face_n[u];
    w->face_d[u] = t.face_u[u + 1];
    w->across_x[u] = t.face_u[u + 2] - t.face_u[u];
    w->across_y[u] = t.up_n[u] - t.up_s[u];
  }
  if (VARIABLE)
#pragma unroll
    for (int u = 0; u < 3; u++)
      w->face_x[u][0] = w->face_x[u][1], w->face_x[u][1] = t.face_x[u];
}

/* x at u cells along x from the even one */
__device__ __forceinline__ double x_seen(const window &w, const arrivals &t, int u, int dj, int dk)
{
  const bool inner = u == 0 || u == 1;
  if (inner && dj == 0) return dk == 2 ? t.c[u] : w.c[u][dk + 2];
  if (inner && dj * dj == 4) return dj < 0 ? t.ss[u] : t.nn[u];
  if (inner && dk == 1) return dj < 0 ? t.s[u] : t.n[u];
  if (inner) return dj < 0 ? w.s[u][dk + 1] : w.n[u][dk + 1];
  if (u == -2) return t.ww;
  if (u == 3) return t.ee;
  if (dj == 0) return dk == 1 ? (u < 0 ? t.w : t.e) : u < 0 ? w.w[dk + 1] : w.e[dk + 1];
  return dj < 0 ? (u < 0 ? t.sw : t.se) : (u < 0 ? t.nw : t.ne);
}

__device__ __forceinline__ double x_face(const window &w, const arrivals &t, int u, int dj, int dk)
{
  if (dj != 0) return dj < 0 ? t.x_south[u] : t.x_north[u];
  return dk == 1 ? t.face_x[u] : w.face_x[u][dk + 1];
}

/* up: the low face or the high one */
__device__ __forceinline__ double y_face(const window &w, const arrivals &t, int u, int up, int dk)
{
  if (u < 0) return up ? t.n_west : t.s_west;
  if (u > 1) return up ? t.n_east : t.s_east;
  if (dk == 1) return up ? t.face_n[u] : t.face_s[u];
  return up ? w.face_n[u][dk + 1] : w.face_s[u][dk + 1];
}

/* Below, one neighbour passes for the difference to the other one, and that for 0. */
__device__ __forceinline__ double z_face(const window &w, const arrivals &t, int u, int di, int dj,
                                         int up)
{
  if (!up) return di > 0 ? w.across_x[u] : dj > 0 ? w.across_y[u] : di == dj ? w.face_d[u] : 0;
  return dj < 0 ? t.up_s[u] : dj > 0 ? t.up_n[u] : t.face_u[u + di + 1];
}

template <purpose WHAT, bool VARIABLE, int U>
__device__ __forceinline__ double value_of(const pair_args &args, const window &w,
                                           const arrivals &t)
{
  const gsrb_args &a = args.base;
  const double c = w.c[U][2];
  const double ax =
      fv4_apply_with<VARIABLE>([&](int di, int dj, int dk) { return x_seen(w, t, U + di, dj, dk); },
                               [&](int axis, int di, int dj, int dk) {
                                 if (!VARIABLE) return a.v.beta_constant[axis];
                                 return axis == 0   ? x_face(w, t, U + di, dj, dk)
                                        : axis == 1 ? y_face(w, t, U + di, dj, dk)
                                                    : z_face(w, t, U, di, dj, dk);
                               });
  const double r = t.f[U] - fv4_with_alpha(a.v, ax, c, t.alpha[U]);
  if (WHAT != RELAX) return r;
  const double x = hymgi_fma(args.factor * t.scale[U], r, c);
  return args.prev ? hymgi_fma(args.momentum, c - t.prev[U], x) : x;
}

/* Calls into L2 what the next step is the first to read, a line by one lane. */
template <bool VARIABLE, int N>
__device__ __forceinline__ void call_next(const gsrb_args &a, const slot_place<N> &p)
{
#pragma unroll
  for (int u = 0; u < 2; u++) {
    prefetch(a.own + p.at(u, 0, 3));
    prefetch(a.f + p.at(u, 0, 1));
    if (a.v.alpha) prefetch(a.v.alpha + p.at(u, 0, 1));
    if (VARIABLE)
#pragma unroll
      for (int axis = 0; axis < 3; axis++)
        prefetch(a.v.beta[axis] + p.at(u, 0, 2));
  }
}

/* One plane of the march: both values. */
template <purpose WHAT, bool VARIABLE, int N, bool AHEAD, row_end END>
__device__ __forceinline__ void step(const pair_args &args, slot_place<N> *p, bool stored,
                                     bool at_end, window *w)
{
  constexpr bool STORES = WHAT == RESIDUAL || WHAT == RELAX;
  const gsrb_args &a = args.base;
  if (AHEAD && threadIdx.x % SLOTS == 0) call_next<VARIABLE>(a, *p);
  arrivals t = arrive<WHAT, VARIABLE, N, END>(args, *p, at_end);
  if (STORES && stored) {
    a.out[p->at(0, 0, -1)] = w->done[0];
    a.out[p->at(1, 0, -1)] = w->done[1];
  }
  if (END != NO_END) close_arrivals<VARIABLE, END>(at_end, *w, &t);
  w->done[0] = value_of<WHAT, VARIABLE, 0>(args, *w, t);
  w->done[1] = value_of<WHAT, VARIABLE, 1>(args, *w, t);
  shift<VARIABLE>(w, t);
  p->go_up();
}

/* The lanes of a row's pair of rows add up what a coarse cell is the mean of. */
__device__ __forceinline__ double mean_of_rows(double below, double above)
{
  const double below_north = __shfl_down_sync(~0u, below, SLOTS);
  const double above_north = __shfl_down_sync(~0u, above, SLOTS);
  return (((below + below_north) + above) + above_north) * 0.125;
}

/* (t, j): where the thread stores; what lies beyond the box marches along at its rim. */
template <purpose WHAT, bool VARIABLE, int N, bool AHEAD, row_end END>
__device__ __forceinline__ unsigned long long march_slot(const pair_args &args, const hymgi_geom &g,
                                                         const hymgi_geom &patch, int t, int j,
                                                         int from, int to)
{
  const gsrb_args &a = args.base;
  const bool inside = t < g.n[0] / 2 && j < g.n[1];
  const int last = g.n[0] / 2 - 1;
  slot_place<N> p(g, t < last ? t : last, j < g.n[1] ? j : g.n[1] - 1, from);
  const bool at_end = t == (END == WEST_END ? 0 : last);
  window w = window_at<VARIABLE, N, END>(a, p, at_end);
  unsigned long long norm = 0;
#pragma unroll 1
  for (int k = from; k < to; k++) {
    step<WHAT, VARIABLE, N, AHEAD, END>(args, &p, inside && k > from, at_end, &w);
    if (WHAT == NORM && inside) norm = larger(norm, larger(bits_of(w.done[0]), bits_of(w.done[1])));
    if (WHAT != RESTRICT) continue;
    const double below = w.done[0] + w.done[1];
    step<WHAT, VARIABLE, N, AHEAD, END>(args, &p, false, at_end, &w);
    const double mean = mean_of_rows(below, w.done[0] + w.done[1]);
    if (inside && !(j & 1)) {
      const ptrdiff_t at = hymgi_at(&patch, t, j / 2, k / 2);
      args.coarse[at] = mean;
      if (args.zero) args.zero[at] = 0;
    }
    k++;
  }
  if ((WHAT == RESIDUAL || WHAT == RELAX) && inside) {
    a.out[p.at(0, 0, -1)] = w.done[0];
    a.out[p.at(1, 0, -1)] = w.done[1];
  }
  return norm;
}

template <purpose WHAT, bool VARIABLE, int N, int X, int Y, int BLOCKS, bool AHEAD>
__global__ void __launch_bounds__(X *Y, BLOCKS) march(const __grid_constant__ pair_args args)
{
  static_assert(X % SLOTS == 0 && Y % ROWS == 0, "whole warps");
  wait_for_predecessors();
  let_successors_start();
  const gsrb_args &a = args.base;
  const int z = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z, b = z / a.slabs;
  const hymgi_geom g = box_at(a.boxes, b);
  const int first = (int)blockIdx.x * X, row = (int)blockIdx.y * Y, from = z % a.slabs * a.slab;
  const int to = from + a.slab < g.n[2] ? from + a.slab : g.n[2];
  const int id = (int)threadIdx.x, warp = __shfl_sync(~0u, id / (SLOTS * ROWS), 0);
  const int t0 = first + warp % (X / SLOTS) * SLOTS, t = t0 + id % SLOTS;
  const int j = row + warp / (X / SLOTS) * ROWS + id / SLOTS % ROWS;
  hymgi_geom patch = {};
  if (WHAT == RESTRICT) patch = box_at(args.patches, b);
  unsigned long long norm = 0;
  if (from >= to)
    norm = 0;
  else if (args.across && t0 == 0)
    norm = march_slot<WHAT, VARIABLE, N, AHEAD, WEST_END>(args, g, patch, t, j, from, to);
  else if (args.across && t0 + SLOTS >= g.n[0] / 2)
    norm = march_slot<WHAT, VARIABLE, N, AHEAD, EAST_END>(args, g, patch, t, j, from, to);
  else
    norm = march_slot<WHAT, VARIABLE, N, AHEAD, NO_END>(args, g, patch, t, j, from, to);
  if (WHAT == NORM) reduce_max(a.reduction, norm);
}

template <purpose WHAT, bool VARIABLE, int N, int X, int Y, int BLOCKS, bool AHEAD>
void launch(const hymgi_level *level, pair_args a, int slab)
{
  gsrb_args *const base = &a.base;
  base->slab = slab;
  base->slabs = (base->extent[2] + slab - 1) / slab;
  const dim3 grid(blocks_for(base->extent[0] / 2, X), blocks_for(base->extent[1], Y),
                  (unsigned)(base->slabs * base->boxes.count));
  hymgi_launch(level->context, march<WHAT, VARIABLE, N, X, Y, BLOCKS, AHEAD>, grid, dim3(X * Y), a);
}

/* Cubes, and what ranks often have of one: each of these takes long to compile. */
template <bool VARIABLE> constexpr int shape_of_its_own(int of)
{
  return of == shape(128, 128) || of == shape(256, 256) || of == shape(512, 512) ||
                 (VARIABLE && of == shape(512, 256))
             ? of
             : 0;
}

template <purpose WHAT, bool VARIABLE>
void launch_march(const hymgi_level *level, const pair_args &a)
{
  const int *const n = a.base.extent, slab = n[0] >= 384 && n[1] >= 384 ? 64 : 16;
  with_shape(level, [&](auto of) {
    constexpr int N = shape_of_its_own<VARIABLE>(decltype(of)::value);
    launch<WHAT, VARIABLE, N, 32, 8, 1, true>(level, a, slab);
  });
}

template <purpose WHAT> void run(const hymgi_level *level, const pair_args &a)
{
  if (level->method->variable_beta)
    launch_march<WHAT, true>(level, a);
  else
    launch_march<WHAT, false>(level, a);
}

pair_args args_of(const hymgi_level *level, const double *f, const double *x, double *r)
{
  const hymgi_gsrb_half both = {0, x, x, r, false};
  pair_args a = {};
  a.base = gsrb_args_of(level, &both);
  a.base.f = f;
  a.across = hymgi_cuda_fv4_across(level);
  return a;
}

} /* namespace */

extern "C" bool hymgi_cuda_fv4_marches(const hymgi_level *level)
{
  int n[3];
  box_extent(level->box, level->num_boxes, n);
  return level->method->stencil == HYMG_FV4 && level->num_boxes > 0 && level->box[0].split &&
         (int64_t)n[0] * n[1] * n[2] >= level->context->gpu->choice.fv4_march_from;
}

extern "C" bool hymgi_cuda_splits(const hymgi_level *level)
{
  int n[3];
  box_extent(level->box, level->num_boxes, n);
  return level->method->stencil == HYMG_FV4 && level->method->smoother != HYMG_SYMGS &&
         (int64_t)n[0] * n[1] * n[2] >= level->context->gpu->choice.fv4_march_from;
}

/* Rows of whole warps, two at least, so that the cells near an end are those of one warp. */
extern "C" bool hymgi_cuda_fv4_across(const hymgi_level *level)
{
  const hymgi_geom *g = level->box;
  if (!hymgi_cuda_fv4_marches(level) || level->num_boxes != 1 || (g->walls & 3) != 3) return false;
  for (int face = 0; face < 2; face++)
    if (hymgi_host_wall(level, face, HYMGI_GHOSTS_V4) != HYMGI_WALL_V4) return false;
  return g->n[0] % 64 == 0 && g->n[0] >= 128;
}

extern "C" bool hymgi_cuda_fv4_residual(const hymgi_level *level, const double *f, const double *x,
                                        double *r)
{
  if (!hymgi_cuda_fv4_marches(level)) return false;
  const pair_args a = args_of(level, f, x, r);
  if (r)
    run<RESIDUAL>(level, a);
  else
    run<NORM>(level, a);
  return true;
}

extern "C" bool hymgi_cuda_fv4_restrict(const hymgi_level *level, const double *f, const double *x,
                                        double *coarse, double *zero)
{
  if (!hymgi_cuda_fv4_marches(level)) return false;
  pair_args a = args_of(level, f, x, NULL);
  a.patches = box_set_of(level->patch, level->num_boxes); /* the coarsest level has none */
  a.coarse = coarse;
  a.zero = zero;
  run<RESTRICT>(level, a);
  return true;
}

extern "C" bool hymgi_cuda_fv4_relax(const hymgi_level *level, const hymgi_relaxation *relaxation)
{
  if (!hymgi_cuda_fv4_marches(level)) return false;
  pair_args a = args_of(level, relaxation->f, relaxation->x, relaxation->out);
  a.base.falling = relaxation->x < relaxation->out; /* buffers swap from sweep to sweep */
  a.prev = relaxation->prev;
  a.scale = relaxation->scale ? relaxation->scale : a.base.v.dinv;
  a.factor = relaxation->residual;
  a.momentum = relaxation->momentum;
  run<RELAX>(level, a);
  return true;
}
