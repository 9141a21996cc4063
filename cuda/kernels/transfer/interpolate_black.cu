/* Quadratic interpolation to the black cells of split rows, for FV2's red-black sweeps, which begin
 * with red cells. A thread loads a coarse cell with its 26 neighbours, replaces those beyond
 * boundaries by their extrapolation, and interpolates along z, y and x in the host's order. */
#include "device/ghosts.cuh"
#include "device/loops.cuh"
#include "kernels/transfer/interpolate.h"
#include "runtime/launch.cuh"

namespace
{

enum { BLACK_THREADS = 128 };

struct black_args {
  box_set boxes, patches;
  unsigned kinds; /* extrapolations, as in struct extrapolation; 0: all ghosts are in memory */
  int planes;
  const double *coarse;
  double *fine;
};

/* The boundaries next to a coarse cell, by face; 0 for faces whose ghosts are in memory. */
struct near_boundaries {
  int kind[6]; /* hymgi_extrapolation */

  __device__ __forceinline__ near_boundaries(const black_args &a, const hymgi_geom &g,
                                             const place &p)
  {
    const int ijk[3] = {p.i, p.j, p.k};
#pragma unroll
    for (int face = 0; face < 6; face++)
      kind[face] =
          at_boundary(g, face, ijk[face / 2]) ? (int)(a.kinds << (28 - 4 * face)) >> 28 : 0;
  }

  /* Is the neighbour at -1, 0 or 1 along the axis beyond one? */
  __device__ __forceinline__ bool beyond(int axis, int offset) const
  {
    return (offset < 0 && kind[2 * axis]) || (offset > 0 && kind[2 * axis + 1]);
  }

  /* Extrapolates the neighbours of a cell along the axis that are. */
  __device__ __forceinline__ void fill(int axis, double &low, double middle, double &high) const
  {
    const double before = low, behind = high;
    const int at_low = kind[2 * axis], at_high = kind[2 * axis + 1];
    if (at_low) low = first_ghost((hymgi_extrapolation)at_low, {middle, behind, 0, 0});
    if (at_high) high = first_ghost((hymgi_extrapolation)at_high, {middle, before, 0, 0});
  }
};

struct neighbourhood {
  double x[3][3][3]; /* [k][j][i] */

  __device__ __forceinline__ void load(const double *from, const place &p,
                                       const near_boundaries &near)
  {
#pragma unroll
    for (int k = 0; k < 3; k++)
#pragma unroll
      for (int j = 0; j < 3; j++)
#pragma unroll
        for (int i = 0; i < 3; i++)
          x[k][j][i] = near.beyond(0, i - 1) || near.beyond(1, j - 1) || near.beyond(2, k - 1)
                           ? 0
                           : from[at(p, i - 1, j - 1, k - 1)];
  }

  /* Along z, then along y beside those, then along x, as the host does. */
  __device__ __forceinline__ void fill_ghosts(const near_boundaries &near)
  {
#pragma unroll
    for (int m = 0; m < 9; m++)
      near.fill(2, x[0][m / 3][m % 3], x[1][m / 3][m % 3], x[2][m / 3][m % 3]);
#pragma unroll
    for (int m = 0; m < 9; m++)
      near.fill(1, x[m / 3][0][m % 3], x[m / 3][1][m % 3], x[m / 3][2][m % 3]);
#pragma unroll
    for (int m = 0; m < 9; m++)
      near.fill(0, x[m / 3][m % 3][0], x[m / 3][m % 3][1], x[m / 3][m % 3][2]);
  }

  /* The child in row J of fine plane K of the cell: the even one along x if sign is 1. */
  __device__ __forceinline__ double child(int J, int K, double sign) const
  {
    double row[3];
#pragma unroll
    for (int i = 0; i < 3; i++) {
      double column[3];
#pragma unroll
      for (int j = 0; j < 3; j++) {
        const double v[3] = {x[0][j][i], x[1][j][i], x[2][j][i]};
        column[j] = hymgi_child(HYMGI_GHOSTS_V2, K ? -1. : 1., v + 1);
      }
      row[i] = hymgi_child(HYMGI_GHOSTS_V2, J ? -1. : 1., column + 1);
    }
    return hymgi_child(HYMGI_GHOSTS_V2, sign, row + 1);
  }
};

template <bool ADD>
__global__ void __launch_bounds__(BLACK_THREADS)
    interpolate_black(const __grid_constant__ black_args a)
{
  let_successors_start();
  const int I = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int J = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const int b = (int)blockIdx.z / a.planes, K = (int)blockIdx.z % a.planes;
  const hymgi_geom g = box_at(a.boxes, b), patch = box_at(a.patches, b);
  if (I >= patch.n[0] || J >= patch.n[1] || K >= patch.n[2]) return;
  const int colour = patch.split ? (I + J + K + patch.parity) & 1 : 0;
  const place p = place_of(patch, colour, patch.split ? I / 2 : I, J, K);
  const near_boundaries near(a, patch, p);
  neighbourhood n;
  double old[4] = {};
  double *to[4];
#pragma unroll
  for (int m = 0; m < 4; m++)
    to[m] = a.fine + hymgi_row(&g, 1, 2 * J + (m & 1), 2 * K + (m >> 1)) + I;
  wait_for_predecessors();
  n.load(a.coarse, p, near);
#pragma unroll
  for (int m = 0; m < 4; m++)
    if (ADD) old[m] = *to[m];
  n.fill_ghosts(near);
#pragma unroll
  for (int m = 0; m < 4; m++) {
    const bool odd = hymgi_first(&g, 1, 2 * J + (m & 1), 2 * K + (m >> 1));
    const double value = n.child(m & 1, m >> 1, odd ? -1. : 1.);
    *to[m] = ADD ? old[m] + value : value;
  }
}

} /* namespace */

void hymgi_cuda_interpolate_black(const hymgi_level *fine, const hymgi_level *coarse,
                                  const double *source, bool add, double *x)
{
  black_args a = {};
  int n[3];
  box_extent(fine->patch, fine->num_boxes, n);
  a.boxes = box_set_of(fine->box, fine->num_boxes);
  a.patches = box_set_of(fine->patch, fine->num_boxes);
  if (fine->direct || add) a.kinds = extrapolation_of(coarse, HYMGI_GHOSTS_V2).kinds;
  a.planes = n[2];
  a.coarse = source;
  a.fine = x;
  const int wide = 1 << row_shift(n[0]);
  const dim3 grid(blocks_for(n[0], wide), blocks_for(n[1], BLACK_THREADS / wide),
                  (unsigned)(n[2] * fine->num_boxes));
  with_bools(
      [&](auto adds) {
        hymgi_launch(fine->context, interpolate_black<adds>, grid,
                     dim3((unsigned)wide, (unsigned)(BLACK_THREADS / wide)), a);
      },
      add);
}
