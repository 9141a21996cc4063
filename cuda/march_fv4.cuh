/* FV4's march over plain rows. It waits for loads, not for memory: what counts is that all loads of
 * a step are in flight at once, which 12 warps have the registers for and 16 have not. */
#ifndef HYMGI_MARCH_FV4_CUH
#define HYMGI_MARCH_FV4_CUH

#include "march_plain.cuh"

namespace
{

/* What the march keeps of x: the column two planes around, its four neighbours in this plane and
 * the one below; and the faces between those. Of the low z-face's neighbours only differences are
 * asked for. */
struct window {
  column_window<double, 2, 2> c;
  column_window<double, 1, 1> w, e, s, n, face_w, face_e, face_s, face_n;
  double face_d, across_x, across_y;
};

/* What a step loads. */
struct arrivals {
  double cuu, wu, eu, su, nu;                /* x above */
  double ww, ee, ss, nn, sw, se, nw, ne;     /* x around */
  double face_wu, face_eu, face_su, face_nu; /* of the plane above */
  double face_u, up_w, up_e, up_s, up_n;     /* z-faces between */
  double w_south, w_north, e_south, e_north; /* x-faces of the rows beside */
  double s_west, s_east, n_west, n_east;     /* y-faces of the columns beside */
  double f, prev, scale, alpha;
};

template <purpose WHAT, bool VARIABLE>
__device__ __forceinline__ arrivals arrive(const march_args &a, const place &p)
{
  const ptrdiff_t P = p.pitch, L = p.plane;
  const double *const x = a.x + p.own;
  arrivals t = {};
  t.cuu = x[2 * L], t.f = a.f[p.own];
  if (WHAT == RELAX) {
    t.prev = a.prev ? a.prev[p.own] : 0;
    t.scale = __ldg(a.scale + p.own);
  }
  if (VARIABLE) {
    const double *const bk = a.v.beta[2] + p.own + L;
    t.face_u = __ldg(bk);
    t.up_w = __ldg(bk - 1), t.up_e = __ldg(bk + 1), t.up_s = __ldg(bk - P), t.up_n = __ldg(bk + P);
    const double *const bi = a.v.beta[0] + p.own, *const bj = a.v.beta[1] + p.own;
    t.face_wu = __ldg(bi + L), t.face_eu = __ldg(bi + L + 1);
    t.face_su = __ldg(bj + L), t.face_nu = __ldg(bj + L + P);
    t.w_south = __ldg(bi - P), t.w_north = __ldg(bi + P);
    t.e_south = __ldg(bi + 1 - P), t.e_north = __ldg(bi + 1 + P);
    t.s_west = __ldg(bj - 1), t.s_east = __ldg(bj + 1);
    t.n_west = __ldg(bj + P - 1), t.n_east = __ldg(bj + P + 1);
    t.sw = x[-P - 1], t.se = x[1 - P], t.nw = x[P - 1], t.ne = x[P + 1];
  }
  t.wu = x[L - 1], t.eu = x[L + 1], t.su = x[L - P], t.nu = x[L + P];
  t.ww = x[-2], t.ee = x[2], t.ss = x[-2 * P], t.nn = x[2 * P];
  t.alpha = a.v.has_alpha ? coefficient(a.v.alpha, p.own, a.v.alpha_constant) : 0;
  return t;
}

__device__ __forceinline__ double x_seen(const window &w, const arrivals &t, int di, int dj, int dk)
{
  if (di == 0 && dj == 0) return w.c.at(dk, t.cuu);
  if (di == 0 && dj * dj == 1) return dj < 0 ? w.s.at(dk, t.su) : w.n.at(dk, t.nu);
  if (dj == 0 && di * di == 1) return di < 0 ? w.w.at(dk, t.wu) : w.e.at(dk, t.eu);
  if (dj == 0) return di < 0 ? t.ww : t.ee;
  if (di == 0) return dj < 0 ? t.ss : t.nn;
  return dj < 0 ? (di < 0 ? t.sw : t.se) : (di < 0 ? t.nw : t.ne);
}

__device__ __forceinline__ double x_face(const window &w, const arrivals &t, int di, int dj, int dk)
{
  if (dj != 0) return di ? (dj < 0 ? t.e_south : t.e_north) : (dj < 0 ? t.w_south : t.w_north);
  return di ? w.face_e.at(dk, t.face_eu) : w.face_w.at(dk, t.face_wu);
}

__device__ __forceinline__ double y_face(const window &w, const arrivals &t, int di, int dj, int dk)
{
  if (di != 0) return dj ? (di < 0 ? t.n_west : t.n_east) : (di < 0 ? t.s_west : t.s_east);
  return dj ? w.face_n.at(dk, t.face_nu) : w.face_s.at(dk, t.face_su);
}

/* Below, one neighbour passes for the difference to the other one, and that for 0. */
__device__ __forceinline__ double z_face(const window &w, const arrivals &t, int di, int dj, int dk)
{
  if (dk == 0) return di > 0 ? w.across_x : dj > 0 ? w.across_y : di == dj ? w.face_d : 0;
  if (di != 0) return di < 0 ? t.up_w : t.up_e;
  return dj == 0 ? t.face_u : dj < 0 ? t.up_s : t.up_n;
}

template <bool VARIABLE> __device__ __forceinline__ void shift(window *w, const arrivals &t)
{
  w->c.shift(t.cuu);
  w->w.shift(t.wu), w->e.shift(t.eu), w->s.shift(t.su), w->n.shift(t.nu);
  if (!VARIABLE) return;
  w->face_w.shift(t.face_wu), w->face_e.shift(t.face_eu);
  w->face_s.shift(t.face_su), w->face_n.shift(t.face_nu);
  w->face_d = t.face_u, w->across_x = t.up_e - t.up_w, w->across_y = t.up_n - t.up_s;
}

template <bool VARIABLE>
__device__ __forceinline__ window window_at(const march_args &a, const place &p)
{
  const ptrdiff_t P = p.pitch, L = p.plane;
  const double *const x = a.x + p.own;
  window w = {};
  w.c.fill([&](int dk) { return x[dk * L]; });
  w.w.fill([&](int dk) { return x[dk * L - 1]; }), w.e.fill([&](int dk) { return x[dk * L + 1]; });
  w.s.fill([&](int dk) { return x[dk * L - P]; }), w.n.fill([&](int dk) { return x[dk * L + P]; });
  if (!VARIABLE) return w;
  const double *const bi = a.v.beta[0] + p.own, *const bj = a.v.beta[1] + p.own;
  w.face_w.fill([&](int dk) { return __ldg(bi + dk * L); });
  w.face_e.fill([&](int dk) { return __ldg(bi + dk * L + 1); });
  w.face_s.fill([&](int dk) { return __ldg(bj + dk * L); });
  w.face_n.fill([&](int dk) { return __ldg(bj + dk * L + P); });
  const double *const bk = a.v.beta[2] + p.own;
  w.face_d = __ldg(bk);
  w.across_x = __ldg(bk + 1) - __ldg(bk - 1), w.across_y = __ldg(bk + P) - __ldg(bk - P);
  return w;
}

template <purpose WHAT, bool VARIABLE>
__device__ __forceinline__ double fv4_value(const march_args &a, const window &w, const arrivals &t)
{
  const auto x = [&](int di, int dj, int dk) { return x_seen(w, t, di, dj, dk); };
  const auto beta = [&](int axis, int di, int dj, int dk) {
    if (!VARIABLE) return a.v.beta_constant[axis];
    return axis == 0   ? x_face(w, t, di, dj, dk)
           : axis == 1 ? y_face(w, t, di, dj, dk)
                       : z_face(w, t, di, dj, dk);
  };
  const double ax = fv4_with_alpha(a.v, fv4_apply_with<VARIABLE>(x, beta), w.c.at(0), t.alpha);
  const double r = t.f - ax;
  return WHAT == RELAX ? relaxed(a, w.c.at(0), t.prev, a.residual * t.scale, r) : r;
}

/* Calls into L2 what the next step is the first to read, a line by one thread. */
template <purpose WHAT, bool VARIABLE>
__device__ __forceinline__ void call_next(const march_args &a, const place &p)
{
  const ptrdiff_t next = p.own + p.plane;
  prefetch(a.x + next + 2 * p.plane);
  if (VARIABLE) {
    prefetch(a.v.beta[0] + next + p.plane);
    prefetch(a.v.beta[1] + next + p.plane);
    prefetch(a.v.beta[2] + next + p.plane);
  }
  prefetch(a.f + next);
  if (a.v.alpha) prefetch(a.v.alpha + next);
  if (WHAT != RELAX) return;
  prefetch(a.scale + next);
  if (a.prev) prefetch(a.prev + next);
}

template <purpose WHAT, bool VARIABLE, bool AHEAD>
__device__ __forceinline__ unsigned long long fv4_column(const march_args &a, place p, int to)
{
  const bool caller = AHEAD && threadIdx.x % HYMGI_GPU_LINE == 0;
  window w = window_at<VARIABLE>(a, p);
  unsigned long long norm = 0;
  march(
      p.k, to,
      [&] {
        if (caller && p.k + 1 < to) call_next<WHAT, VARIABLE>(a, p);
        return arrive<WHAT, VARIABLE>(a, p);
      },
      [&](const arrivals &t) {
        const double done = fv4_value<WHAT, VARIABLE>(a, w, t);
        if (WHAT == NORM) norm = larger(norm, bits_of(done));
        return done;
      },
      [&](const arrivals &t) {
        shift<VARIABLE>(&w, t);
        go_up(&p);
      },
      [&](double done) {
        if (WHAT != NORM) a.out[p.own - p.plane] = done;
      });
  return norm;
}

template <purpose WHAT, bool VARIABLE, int N, int X, int Y, int BLOCKS, bool AHEAD>
__global__ void __launch_bounds__(X *Y, BLOCKS) fv4_march(const __grid_constant__ march_args a)
{
  static_assert(X % HYMGI_GPU_LINE == 0, "every line has a thread that calls it");
  wait_for_predecessors();
  let_successors_start();
  const int t = (int)threadIdx.x;
  const column c =
      column_at<N, FV4_GHOST>(a, (int)(blockIdx.x * X) + t % X, (int)(blockIdx.y * Y) + t / X);
  unsigned long long norm = 0;
  if (c.inside) norm = fv4_column<WHAT, VARIABLE, AHEAD>(a, c.p, c.to);
  if (WHAT == NORM) reduce_max(a.reduction, norm);
}

} /* namespace */

#endif
