/* Where a thread's cell lies and what its stencil reads: the accessors through which the formulas
 * of finite-volume/ read on the device. */
#ifndef HYMGI_DEVICE_STENCIL_ACCESS_CUH
#define HYMGI_DEVICE_STENCIL_ACCESS_CUH

#include "device/real.cuh"
#include "runtime/device.h"

extern "C" {
#include "formulas/fv2.h"
#include "formulas/fv4.h"
#include "formulas/relax.h"
#include "formulas/transfer.h"
}

namespace
{

/* ---- order of kernels ---- */

/* Lets the next kernel of the stream start its blocks as this one's leave. */
__device__ __forceinline__ void let_successors_start()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#elif defined(HYMGI_EMULATION)
  emulation_lets_successors_start();
#endif
}

/* Waits until what earlier kernels wrote is visible. Called by all threads of every kernel; only
 * what no kernel of a solve writes (coefficients, box lists) may be read before, or through the
 * read-only cache. Set-up, which writes that, does not let kernels start early (hymg_context.in_setup)
 * and ends with a wait (attach.cu). */
__device__ __forceinline__ void wait_for_predecessors()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Prefetches a cache line into L2. */
__device__ __forceinline__ void prefetch(const hymgi_real *line)
{
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(line));
#else
  (void)line;
#endif
}

/* ---- boxes ---- */

/* The boxes of a level: a single one is passed with the kernel's arguments. */
struct box_set {
  hymgi_geom one;
  const hymgi_geom *many;
  int count;
};

inline box_set box_set_of(const hymgi_geom *box, int count)
{
  box_set s = {};
  if (count == 1) s.one = box[0];
  s.many = box;
  s.count = count;
  return s;
}

__device__ __forceinline__ hymgi_geom box_at(const box_set &s, int b)
{
  if (s.count == 1) return s.one;
  return s.many[b];
}

/* Is the level a box that wraps? A template argument of kernels that read around it. */
inline bool goes_around(const hymgi_level *level)
{
  return level->num_boxes == 1 && level->box->wraps;
}

/* The largest extents of the boxes. */
inline void box_extent(const hymgi_geom *box, int count, int n[3])
{
  n[0] = n[1] = n[2] = 0;
  for (int b = 0; b < count; b++)
    for (int axis = 0; axis < 3; axis++)
      if (box[b].n[axis] > n[axis]) n[axis] = box[b].n[axis];
}

inline unsigned blocks_for(int64_t things, int per_block)
{
  return (unsigned)((things + per_block - 1) / per_block);
}

/* ---- a cell ---- */

/* One cell (of either layout): its place in a vector, and the offsets of its neighbours. Cells an
 * even number of steps away have its own colour, the rest the other one; with plain rows both are
 * the same. */
struct place {
  ptrdiff_t own, other; /* slot of this row in each colour */
  ptrdiff_t pitch, plane;
  int west, east, east2; /* slots to the cells at -1, +1, +2 along x */
  int i, j, k;
};

/* The place at offset (di, dj, dk), literals. */
__device__ __forceinline__ ptrdiff_t at(const place &p, int di, int dj, int dk)
{
  const int slot = di == 0    ? 0
                   : di == 1  ? p.east
                   : di == -1 ? p.west
                   : di == 2  ? p.east2
                              : -p.east2;
  return ((di + dj + dk) & 1 ? p.other : p.own) + slot + dj * p.pitch + dk * p.plane;
}

/* Slot t of row (j, k); colour 0 with plain rows. */
__device__ __forceinline__ place place_of(const hymgi_geom &g, int colour, int t, int j, int k)
{
  place p;
  p.own = hymgi_row(&g, colour, j, k) + t;
  p.pitch = g.pitch;
  p.plane = g.plane;
  p.j = j;
  p.k = k;
  if (g.split) {
    const int first = hymgi_first(&g, colour, j, k);
    p.other = hymgi_row(&g, 1 - colour, j, k) + t;
    p.west = first - 1;
    p.east = first;
    p.east2 = 1;
    p.i = 2 * t + first;
  } else {
    p.other = p.own;
    p.west = -1;
    p.east = 1;
    p.east2 = 2;
    p.i = t;
  }
  return p;
}

/* ---- coefficients ---- */

/* A level's operator, by value. */
struct operator_view {
  const hymgi_real *beta[3], *alpha, *dinv, *l1inv;
  hymgi_real beta_constant[3], alpha_constant;
  /* in single precision boundary_weight is multiplied by the constant beta, as products are rounded once */
  hymgi_real boundary_weight[6], boundary_ghost[6];
  bool has_alpha;
};

inline operator_view view_of(const hymgi_level *level)
{
  const hymgi_coefficients *c = &level->c;
  operator_view v = {};
  for (int axis = 0; axis < 3; axis++) {
    v.beta[axis] = c->beta[axis];
    v.beta_constant[axis] = c->beta_constant[axis];
  }
  for (int face = 0; face < 6; face++) {
    v.boundary_weight[face] =
        (hymgi_real)((SINGLE ? c->beta_constant[face / 2] : 1) * c->boundary_weight[face]);
    v.boundary_ghost[face] = c->boundary_ghost[face];
  }
  v.alpha = c->alpha;
  v.dinv = c->dinv;
  v.l1inv = c->l1inv;
  v.alpha_constant = c->alpha_constant;
  v.has_alpha = level->method->has_alpha;
  return v;
}

__device__ __forceinline__ hymgi_real alpha_at(const operator_view &v, ptrdiff_t own)
{
  return v.alpha ? v.alpha[own] : v.alpha_constant;
}

__device__ __forceinline__ bool at_boundary(const hymgi_geom &g, int face, int index)
{
  return (g.boundaries >> face & 1) && index == (face & 1 ? g.n[face / 2] - 1 : 0);
}

/* Bit per face of a cell that is a boundary of the domain. */
__device__ __forceinline__ unsigned walls_of(const hymgi_geom &g, int i, int j, int k)
{
  const int at[3] = {i, j, k};
  unsigned boundaries = 0;
#pragma unroll
  for (int face = 0; face < 6; face++)
    if (at_boundary(g, face, at[face / 2])) boundaries |= 1u << face;
  return boundaries;
}

/* ---- FV2 ---- */

struct fv2_betas {
  hymgi_real w, e, s, n, d, u;
};

struct fv2_values {
  hymgi_real c, w, e, s, n, d, u;
};

/* A constant beta at a boundary. */
__device__ __forceinline__ hymgi_real beta_at_boundary(const operator_view &v, int face)
{
  return SINGLE ? v.boundary_weight[face] : v.beta_constant[face / 2] * v.boundary_weight[face];
}

/* Through the read-only cache: no kernel that may still run writes betas. */
template <bool VARIABLE>
__device__ __forceinline__ fv2_betas fv2_load_betas(const operator_view &v, const hymgi_geom &g,
                                                    const place &p)
{
  fv2_betas b;
  if (VARIABLE) {
    b.w = __ldg(v.beta[0] + p.own);
    b.e = __ldg(v.beta[0] + at(p, 1, 0, 0));
    b.s = __ldg(v.beta[1] + p.own);
    b.n = __ldg(v.beta[1] + at(p, 0, 1, 0));
    b.d = __ldg(v.beta[2] + p.own);
    b.u = __ldg(v.beta[2] + at(p, 0, 0, 1));
  } else {
    const hymgi_real *const c = v.beta_constant;
    b.w = at_boundary(g, 0, p.i) ? beta_at_boundary(v, 0) : c[0];
    b.e = at_boundary(g, 1, p.i) ? beta_at_boundary(v, 1) : c[0];
    b.s = at_boundary(g, 2, p.j) ? beta_at_boundary(v, 2) : c[1];
    b.n = at_boundary(g, 3, p.j) ? beta_at_boundary(v, 3) : c[1];
    b.d = at_boundary(g, 4, p.k) ? beta_at_boundary(v, 4) : c[2];
    b.u = at_boundary(g, 5, p.k) ? beta_at_boundary(v, 5) : c[2];
  }
  return b;
}

/* Replaces neighbours beyond boundaries by their extrapolation from the neighbour inside. */
__device__ __forceinline__ void fv2_extrapolate(const operator_view &v, const hymgi_geom &g,
                                                const place &p, fv2_values *x)
{
  if (!g.boundaries) return;
  const fv2_values raw = *x;
  if (at_boundary(g, 0, p.i)) x->w = hymgi_fv2_ghost(v.boundary_ghost[0], raw.e);
  if (at_boundary(g, 1, p.i)) x->e = hymgi_fv2_ghost(v.boundary_ghost[1], raw.w);
  if (at_boundary(g, 2, p.j)) x->s = hymgi_fv2_ghost(v.boundary_ghost[2], raw.n);
  if (at_boundary(g, 3, p.j)) x->n = hymgi_fv2_ghost(v.boundary_ghost[3], raw.s);
  if (at_boundary(g, 4, p.k)) x->d = hymgi_fv2_ghost(v.boundary_ghost[4], raw.u);
  if (at_boundary(g, 5, p.k)) x->u = hymgi_fv2_ghost(v.boundary_ghost[5], raw.d);
}

/* From memory, without extrapolation. x.c is not loaded: GSRB does not use it. */
__device__ __forceinline__ fv2_values fv2_read_neighbours(const place &p, const hymgi_real *x)
{
  return {0,
          x[at(p, -1, 0, 0)],
          x[at(p, 1, 0, 0)],
          x[at(p, 0, -1, 0)],
          x[at(p, 0, 1, 0)],
          x[at(p, 0, 0, -1)],
          x[at(p, 0, 0, 1)]};
}

/* An index of an axis on which the box wraps, at most n - 1 outside. */
__device__ __forceinline__ int index_around(int index, int n)
{
  return index < 0 ? index + n : index >= n ? index - n : index;
}

/* The same where the box wraps: beyond its faces its own cells. */
__device__ __forceinline__ fv2_values fv2_read_around(const hymgi_geom &g, const place &p,
                                                      const hymgi_real *x)
{
  const int i = p.i, j = p.j, k = p.k;
  const ptrdiff_t turn[3] = {g.wraps & 1 ? (g.split ? g.n[0] / 2 : g.n[0]) : 0,
                             g.wraps & 2 ? g.n[1] * p.pitch : 0,
                             g.wraps & 4 ? g.n[2] * p.plane : 0};
  return {0,
          x[at(p, -1, 0, 0) + (i == 0 ? turn[0] : 0)],
          x[at(p, 1, 0, 0) - (i == g.n[0] - 1 ? turn[0] : 0)],
          x[at(p, 0, -1, 0) + (j == 0 ? turn[1] : 0)],
          x[at(p, 0, 1, 0) - (j == g.n[1] - 1 ? turn[1] : 0)],
          x[at(p, 0, 0, -1) + (k == 0 ? turn[2] : 0)],
          x[at(p, 0, 0, 1) - (k == g.n[2] - 1 ? turn[2] : 0)]};
}

template <bool AROUND = false>
__device__ __forceinline__ fv2_values fv2_load_neighbours(const operator_view &v,
                                                          const hymgi_geom &g, const place &p,
                                                          const hymgi_real *x)
{
  fv2_values a = AROUND ? fv2_read_around(g, p, x) : fv2_read_neighbours(p, x);
  fv2_extrapolate(v, g, p, &a);
  return a;
}

#define FV2_X(di, dj, dk)                                                                          \
  ((di) < 0   ? x.w                                                                                \
   : (di) > 0 ? x.e                                                                                \
   : (dj) < 0 ? x.s                                                                                \
   : (dj) > 0 ? x.n                                                                                \
   : (dk) < 0 ? x.d                                                                                \
   : (dk) > 0 ? x.u                                                                                \
              : x.c)
#define FV2_BI(di, dj, dk) ((di) ? b.e : b.w)
#define FV2_BJ(di, dj, dk) ((dj) ? b.n : b.s)
#define FV2_BK(di, dj, dk) ((dk) ? b.u : b.d)

__device__ __forceinline__ hymgi_real fv2_diagonal(const operator_view &v, const fv2_betas &b,
                                                   hymgi_real alpha)
{
  const hymgi_real weight = HYMGI_FV2_WEIGHT(FV2_BI, FV2_BJ, FV2_BK);
  return v.has_alpha ? weight + alpha : weight;
}

/* With the exact diagonal the cell's own value cancels: x = (f + sum beta_f x_f) / diagonal. */
__device__ __forceinline__ hymgi_real fv2_gsrb_sum(const fv2_betas &b, const fv2_values &x,
                                                   hymgi_real f)
{
  return f + HYMGI_FV2_NEIGHBOURS(FV2_X, FV2_BI, FV2_BJ, FV2_BK);
}

__device__ __forceinline__ hymgi_real fv2_gsrb_weight(const fv2_betas &b)
{
  return HYMGI_FV2_WEIGHT(FV2_BI, FV2_BJ, FV2_BK);
}

__device__ __forceinline__ hymgi_real fv2_gsrb_plain(const fv2_betas &b, const fv2_values &x,
                                                     hymgi_real f)
{
  return fv2_gsrb_sum(b, x, f) / HYMGI_FV2_WEIGHT(FV2_BI, FV2_BJ, FV2_BK);
}

__device__ __forceinline__ hymgi_real fv2_gsrb_alpha(const fv2_betas &b, const fv2_values &x,
                                                     hymgi_real f, hymgi_real alpha)
{
  return fv2_gsrb_sum(b, x, f) / (HYMGI_FV2_WEIGHT(FV2_BI, FV2_BJ, FV2_BK) + alpha);
}

__device__ __forceinline__ hymgi_real fv2_gsrb(const operator_view &v, const fv2_betas &b,
                                               const fv2_values &x, hymgi_real f, hymgi_real alpha)
{
  return v.has_alpha ? fv2_gsrb_alpha(b, x, f, alpha) : fv2_gsrb_plain(b, x, f);
}

__device__ __forceinline__ hymgi_real fv2_apply(const operator_view &v, const fv2_betas &b,
                                                const fv2_values &x, hymgi_real alpha)
{
  return (v.has_alpha ? alpha * x.c : 0) - HYMGI_FV2_FLUX(FV2_X, FV2_BI, FV2_BJ, FV2_BK);
}

__device__ __forceinline__ hymgi_real fv2_residual(const operator_view &v, const fv2_betas &b,
                                                   const fv2_values &x, hymgi_real f,
                                                   hymgi_real alpha)
{
  const hymgi_real r = f + HYMGI_FV2_FLUX(FV2_X, FV2_BI, FV2_BJ, FV2_BK);
  return v.has_alpha ? hymgi_fma(-alpha, x.c, r) : r;
}

#undef FV2_X
#undef FV2_BI
#undef FV2_BJ
#undef FV2_BK

/* ---- FV4 ---- */

/* A x without the alpha term; x(di, dj, dk), beta(axis, di, dj, dk): functions of literals, whose values
 * the result is like. */
template <bool VARIABLE, typename X, typename B>
__device__ __forceinline__ auto fv4_apply_with(const X &x, const B &beta)
{
#define FV4_BI(di, dj, dk) beta(0, di, dj, dk)
#define FV4_BJ(di, dj, dk) beta(1, di, dj, dk)
#define FV4_BK(di, dj, dk) beta(2, di, dj, dk)
  return HYMGI_FV4_APPLY(VARIABLE, x, FV4_BI, FV4_BJ, FV4_BK);
#undef FV4_BI
#undef FV4_BJ
#undef FV4_BK
}

/* From memory, where ghosts are up to date. own, other: the vectors that hold each colour. */
template <bool VARIABLE>
__device__ __forceinline__ hymgi_real fv4_apply(const operator_view &v, const place &p,
                                                const hymgi_real *own, const hymgi_real *other)
{
  return fv4_apply_with<VARIABLE>(
      [&](int di, int dj, int dk) { return ((di + dj + dk) & 1 ? other : own)[at(p, di, dj, dk)]; },
      [&](int axis, int di, int dj, int dk) {
        return VARIABLE ? v.beta[axis][at(p, di, dj, dk)] : v.beta_constant[axis];
      });
}

/* Adds the alpha term to A x. */
__device__ __forceinline__ hymgi_real fv4_with_alpha(const operator_view &v, hymgi_real a,
                                                     hymgi_real x, hymgi_real alpha)
{
  return v.has_alpha ? hymgi_fma(alpha, x, a) : a;
}

} /* namespace */

#endif
