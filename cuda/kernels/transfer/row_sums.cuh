/* Diagonal and sum of the absolute values of the other coefficients of a cell's equation, with
 * ghost extrapolations folded in; for set-up. Away from boundaries the coefficients are the formula
 * applied to unit vectors. Near them the coefficient of a ghost is distributed to the cells that it
 * is extrapolated from, along x first, then y, then z. A moved coefficient keeps the offsets that
 * were zero, so every coefficient has a zero offset. The host works in a map of the cells around;
 * here each coefficient is gathered from the 25 original ones and added in the host's order. */
#ifndef HYMGI_KERNELS_TRANSFER_ROW_SUMS_CUH
#define HYMGI_KERNELS_TRANSFER_ROW_SUMS_CUH

#include "device/loops.cuh"

namespace
{

struct row_sums {
  double diagonal, others;
};

/* ---- FV2 ---- */

template <bool VARIABLE>
__device__ __forceinline__ row_sums fv2_row_sums(const operator_view &v, const hymgi_geom &g,
                                                 const place &p)
{
  const fv2_betas b = fv2_load_betas<VARIABLE>(v, g, p);
  const double *const ghost = v.boundary_ghost;
  const double w = at_boundary(g, 0, p.i) ? ghost[0] : 1, e = at_boundary(g, 1, p.i) ? ghost[1] : 1;
  const double s = at_boundary(g, 2, p.j) ? ghost[2] : 1, n = at_boundary(g, 3, p.j) ? ghost[3] : 1;
  const double d = at_boundary(g, 4, p.k) ? ghost[4] : 1, u = at_boundary(g, 5, p.k) ? ghost[5] : 1;
  return {fv2_diagonal(v, b, alpha_at(v, p.own)),
          w * b.w + e * b.e + s * b.s + n * b.n + d * b.d + u * b.u};
}

/* ---- FV4: coefficients as if no boundary were near ---- */

/* Of the cell at (L, M, N) in the equation of the cell at p, without the alpha term. */
template <bool VARIABLE, int L, int M, int N>
__device__ __forceinline__ double fv4_coefficient(const operator_view &v, const place &p)
{
  return fv4_apply_with<VARIABLE>(
      [](int di, int dj, int dk) { return di == L && dj == M && dk == N ? 1. : 0.; },
      [&](int axis, int di, int dj, int dk) {
        return VARIABLE ? v.beta[axis][at(p, di, dj, dk)] : v.beta_constant[axis];
      });
}

template <bool VARIABLE>
__device__ __forceinline__ double fv4_diagonal(const operator_view &v, const place &p)
{
  const double a = fv4_coefficient<VARIABLE, 0, 0, 0>(v, p);
  return v.has_alpha ? a + alpha_at(v, p.own) : a;
}

template <bool VARIABLE>
__device__ __forceinline__ row_sums fv4_row_sums(const operator_view &v, const place &p)
{
  row_sums s = {fv4_diagonal<VARIABLE>(v, p), 0};
#define ADD(l, m, n) s.others += fabs(fv4_coefficient<VARIABLE, l, m, n>(v, p));
  HYMGI_FV4_OTHERS(ADD)
#undef ADD
  return s;
}

/* ---- FV4: near boundaries ---- */

enum { FV4_POINTS = 25, FV4_REACH = 2, FOLD_REACH = 3, NEAR_THREADS = 128 };

/* What lies beyond the ends of a box. */
struct folding {
  unsigned wraps;         /* bit per axis: periodic and so short that a stencil meets itself */
  double weight[6][2][4]; /* by face, ghost layer, cell off the boundary */
};

__device__ __forceinline__ bool near_end(const folding &f, const hymgi_geom &g, int axis, int at)
{
  if (f.wraps >> axis & 1) return true;
  return (at < FV4_REACH && (g.boundaries >> (2 * axis) & 1)) ||
         (at >= g.n[axis] - FV4_REACH && (g.boundaries >> (2 * axis + 1) & 1));
}

/* How many indices of an axis are near an end, and the m-th of them. */
__device__ __forceinline__ int near_count(const folding &f, const hymgi_geom &g, int axis)
{
  const int n = along(g.n, axis), boundaries = (int)(g.boundaries >> (2 * axis)) & 3;
  const int count = ((boundaries & 1) + (boundaries >> 1)) * FV4_REACH;
  return f.wraps >> axis & 1 || count > n ? n : count;
}
__device__ __forceinline__ int near_index(const hymgi_geom &g, int axis, int count, int m)
{
  const bool low = m < FV4_REACH && (g.boundaries >> (2 * axis) & 1);
  return low ? m : along(g.n, axis) - count + m;
}

/* The points |di| + |dj| + |dk| <= 2, numbered with di fastest. */
__host__ __device__ constexpr int fv4_point(int di, int dj, int dk)
{
  if (dk == -2 || dk == 2) return 12 + 6 * dk;
  if (dk != 0) return 12 + 9 * dk + 2 * dj + di;
  return 12 + (dj == -2 || dj == 2 ? 3 : 4) * dj + di;
}

/* A cell near an end. */
struct near_cell {
  const folding &fold;
  const hymgi_geom &g;
  const double *point; /* its 25 coefficients, NEAR_THREADS apart */
  int ijk[3];
  bool near[3];
};

/* Is the entry at this offset along an axis moved to other cells? */
__device__ __forceinline__ bool moves(const near_cell &c, int axis, int offset)
{
  const int position = c.ijk[axis] + offset;
  if (position >= 0 && position < c.g.n[axis]) return false;
  return c.fold.wraps >> axis & 1 || c.g.boundaries >> (2 * axis + (position >= 0)) & 1;
}

/* The share of a moved entry that goes to offset `to`. */
__device__ __forceinline__ double share_of(const near_cell &c, int axis, int from, int to)
{
  const int n = c.g.n[axis], position = c.ijk[axis] + from, target = c.ijk[axis] + to;
  if (c.fold.wraps >> axis & 1) return (position % n + n) % n == target;
  const bool high = position >= 0;
  const int cell = high ? n - 1 - target : target, layer = high ? position - n : -1 - position;
  return cell >= 0 && cell < 4 ? c.fold.weight[2 * axis + high][layer][cell] : 0;
}

/* The coefficient at an offset after folding along the axes up to AXIS. */
template <int AXIS>
__device__ __forceinline__ double entry_of(const near_cell &c, const int (&offset)[3])
{
  if constexpr (AXIS < 0) {
    const int di = offset[0], dj = offset[1], dk = offset[2];
    if (abs(di) + abs(dj) + abs(dk) > FV4_REACH) return 0;
    return c.point[fv4_point(di, dj, dk) * NEAR_THREADS];
  } else {
    double entry = moves(c, AXIS, offset[AXIS]) ? 0 : entry_of<AXIS - 1>(c, offset);
    if (!c.near[AXIS]) return entry;
    int from[3] = {offset[0], offset[1], offset[2]};
#pragma unroll 1
    for (from[AXIS] = -FV4_REACH; from[AXIS] <= FV4_REACH; from[AXIS]++) {
      if (!moves(c, AXIS, from[AXIS])) continue;
      const double share = share_of(c, AXIS, from[AXIS], offset[AXIS]);
      if (share != 0) entry += entry_of<AXIS - 1>(c, from) * share;
    }
    return entry;
  }
}

__device__ __forceinline__ row_sums folded_sums(const near_cell &c)
{
  row_sums s = {0, 0};
#pragma unroll 1
  for (int dk = -FOLD_REACH; dk <= FOLD_REACH; dk++)
#pragma unroll 1
    for (int dj = -FOLD_REACH; dj <= FOLD_REACH; dj++) {
      const int reach = dj != 0 && dk != 0 ? 0 : FOLD_REACH;
#pragma unroll 1
      for (int di = -reach; di <= reach; di++) {
        const int offset[3] = {di, dj, dk};
        const double entry = entry_of<2>(c, offset);
        if (di == 0 && dj == 0 && dk == 0)
          s.diagonal = entry;
        else
          s.others += fabs(entry);
      }
    }
  return s;
}

/* Called by a block of NEAR_THREADS; point: room for 25 coefficients a thread. */
template <bool VARIABLE>
__device__ __forceinline__ row_sums fv4_near_sums(const operator_view &v, const folding &f,
                                                  const hymgi_geom &g, const place &p,
                                                  double *point)
{
  double *const mine = point + threadIdx.x;
#define STORE(l, m, n)                                                                             \
  mine[fv4_point(l, m, n) * NEAR_THREADS] = fv4_coefficient<VARIABLE, l, m, n>(v, p);
  HYMGI_FV4_OTHERS(STORE)
#undef STORE
  mine[fv4_point(0, 0, 0) * NEAR_THREADS] = fv4_diagonal<VARIABLE>(v, p);
  near_cell c = {f, g, mine, {p.i, p.j, p.k}, {}};
  for (int axis = 0; axis < 3; axis++)
    c.near[axis] = near_end(f, g, axis, c.ijk[axis]);
  return folded_sums(c);
}

} /* namespace */

#endif
