/* FV2 on rows split by colour, two slots a thread: loads and stores of 16 bytes. The first slot is
 * even, so that they are aligned; with an odd number of slots the last thread's second one lies
 * beyond the row, where memory may be read but not written. In rows of an odd length the last slot of one colour is
 * spare (hymgi_cuda_splits_odd): it is written, but no part of a sum or a norm. */
#ifndef HYMGI_KERNELS_FV2_TWO_SLOTS_CUH
#define HYMGI_KERNELS_FV2_TWO_SLOTS_CUH

#include "device/fast_division.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

/* The place of the other colour at the same slot. */
__device__ __forceinline__ place other_colour(const place &p, int slot)
{
  place q = p;
  q.own = p.other, q.other = p.own;
  q.east = 1 - p.east, q.west = q.east - 1;
  q.i = 2 * slot + q.east;
  return q;
}

__device__ __forceinline__ cells<2> load_faces(const hymgi_real *from)
{
  const real2 v = __ldg(reinterpret_cast<const real2 *>(from));
  return {{v.x, v.y}};
}

/* Stores two cells; both: neither lies beyond the row. */
__device__ __forceinline__ void store_within(hymgi_real *to, const cells<2> &x, bool both)
{
  if (both)
    store_cells<2>(to, x);
  else
    *to = x.at[0];
}

/* The conductances of the cells at two slots. */
struct two_betas {
  cells<2> w, e, s, n, d, u;
  __device__ __forceinline__ fv2_betas of(int m) const
  {
    return {w.at[m], e.at[m], s.at[m], n.at[m], d.at[m], u.at[m]};
  }
};

template <bool VARIABLE>
__device__ __forceinline__ two_betas load_betas(const operator_view &v, const hymgi_geom &g,
                                                const place &p)
{
  two_betas b;
  if (VARIABLE) {
    b.w = load_faces(v.beta[0] + p.own);
    b.e = load_faces(v.beta[0] + p.other);
    if (p.east) b.e = {{b.e.at[1], __ldg(v.beta[0] + p.other + 2)}};
    b.s = load_faces(v.beta[1] + p.own);
    b.n = load_faces(v.beta[1] + p.other + p.pitch);
    b.d = load_faces(v.beta[2] + p.own);
    b.u = load_faces(v.beta[2] + p.other + p.plane);
  } else {
    place q = p;
    const fv2_betas x = fv2_load_betas<false>(v, g, q);
    q.i += 2;
    const fv2_betas y = fv2_load_betas<false>(v, g, q);
    b = {{{x.w, y.w}}, {{x.e, y.e}}, {{x.s, y.s}}, {{x.n, y.n}}, {{x.d, y.d}}, {{x.u, y.u}}};
  }
  return b;
}

/* One colour at two slots, in the planes below, here and above. */
struct two_columns {
  cells<2> below, here, above;

  __device__ __forceinline__ void go_up()
  {
    below = here, here = above;
  }
};

/* The other colour around the cells at two slots. */
struct two_neighbours {
  hymgi_real side; /* the one along x that is not at these slots */
  cells<2> south, north;
};

/* Where they are from these slots: elsewhere than beside them at faces of a box that wraps. */
struct two_ways {
  int west, east, south, north;
};

__device__ __forceinline__ two_ways ways_beside(ptrdiff_t pitch)
{
  return {-1, 2, -(int)pitch, (int)pitch};
}

__device__ __forceinline__ two_ways ways_around(const hymgi_geom &g, int t, int j)
{
  const int slots = g.n[0] / 2, pitch = (int)g.pitch;
  two_ways w = ways_beside(pitch);
  if (g.wraps & 1 && t == 0) w.west += slots;
  if (g.wraps & 1 && t + 2 == slots) w.east -= slots;
  if (g.wraps & 2 && j == 0) w.south += g.n[1] * pitch;
  if (g.wraps & 2 && j + 1 == g.n[1]) w.north -= g.n[1] * pitch;
  return w;
}

/* row: at these slots in this plane */
__device__ __forceinline__ two_neighbours load_neighbours(const place &p, const hymgi_real *row,
                                                          const two_ways &w)
{
  return {row[p.east ? w.east : w.west], load_cells<2>(row + w.south),
          load_cells<2>(row + w.north)};
}

/* Of the cell at slot m (a literal), extrapolated beyond boundaries. */
__device__ __forceinline__ fv2_values values_at(const operator_view &v, const hymgi_geom &g,
                                                const place &p, int m, const two_columns &c,
                                                const two_neighbours &n)
{
  const hymgi_real here = c.here.at[m], beside = m == p.east ? n.side : c.here.at[1 - m];
  fv2_values x = {0,
                  p.east ? here : beside,
                  p.east ? beside : here,
                  n.south.at[m],
                  n.north.at[m],
                  c.below.at[m],
                  c.above.at[m]};
  place q = p;
  q.i += 2 * m;
  fv2_extrapolate(v, g, q, &x);
  return x;
}

} /* namespace */

#endif
