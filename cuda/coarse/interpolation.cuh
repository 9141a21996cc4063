/* Interpolation in the coarse end by threads that each own a cell of the finer level. */
#ifndef HYMGI_COARSE_INTERPOLATION_CUH
#define HYMGI_COARSE_INTERPOLATION_CUH

#include "coarse/coarse.cuh"

namespace
{

/* ---- ghosts of quadratic interpolation ---- */

/* A ghost from the two cells next to the boundary; kind 0: no boundary along this axis. */
__device__ __forceinline__ double extrapolated(unsigned kind, double x1, double x2)
{
  const double quadratic = hymgi_ghost_v2(x1, x2);
  return kind == HYMGI_QUADRATIC_GHOST                  ? quadratic
         : kind == ((unsigned)HYMGI_LINEAR_GHOST & 15u) ? -x1
                                                        : x1;
}

__device__ __forceinline__ double product_of(const coarse_product &g, const coarse_level &t,
                                             const double *x)
{
  const unsigned kind[3] = {g.what & 15, g.what >> 4 & 15, g.what >> 8 & 15};
  const int stride[3] = {1, t.row, t.plane};
  int step[3];
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    const int in = g.what >> (12 + axis) & 1 ? -stride[axis] : stride[axis];
    step[axis] = kind[axis] == HYMGI_QUADRATIC_GHOST ? in : 0;
  }
  double along_x[2];
#pragma unroll
  for (int i = 0; i < 2; i++) {
    double along_y[2];
#pragma unroll
    for (int j = 0; j < 2; j++) {
      const double *const from = x + g.from + i * step[0] + j * step[1];
      along_y[j] = extrapolated(kind[2], from[0], from[step[2]]);
    }
    along_x[i] = extrapolated(kind[1], along_y[0], along_y[1]);
  }
  return extrapolated(kind[0], along_x[0], along_x[1]);
}

/* ---- children ---- */

/* The indices of the cell at `at`, a position in a vector of the level. */
__device__ __forceinline__ void index_of(const coarse_level &t, int at, int ijk[3])
{
  const int height = t.plane / t.row, g = t.ghost;
  ijk[0] = at % t.row - g, ijk[1] = at / t.row % height - g, ijk[2] = at / t.plane - g;
}

/* Position of the parent of the cell at `at`, a position in a vector of the finer level, in x of the
 * coarser one; *odd: bit per axis on which the cell is the odd child. */
__device__ __forceinline__ int parent_of(const coarse_level &t, const coarse_level &coarse, int at,
                                         unsigned *odd)
{
  const int g = t.ghost;
  int ijk[3];
  index_of(t, at, ijk);
  *odd = (ijk[0] & 1u) | (ijk[1] & 1u) << 1 | (ijk[2] & 1u) << 2;
  return coarse.x_at + (ijk[0] / 2 + g) + (ijk[1] / 2 + g) * coarse.row +
         (ijk[2] / 2 + g) * coarse.plane;
}

/* Values of a row of coarse cells, of which *x is the middle one, at a child's y and z: along z, then y.
 * row: width 2 * reach + 1; along x it gives the children. */
template <hymgi_ghosts ORDER>
__device__ __forceinline__ void interpolate_row(const double *x, const coarse_level &coarse,
                                                double sign_y, double sign_z, double *row)
{
  constexpr int r = HYMGI_INTERPOLATION_REACH(ORDER), width = 2 * r + 1;
#pragma unroll
  for (int i = -r; i <= r; i++) {
    double column[width];
#pragma unroll
    for (int j = -r; j <= r; j++) {
      double v[width];
#pragma unroll
      for (int k = -r; k <= r; k++)
        v[k + r] = x[i + j * coarse.row + k * coarse.plane];
      column[j + r] = hymgi_child(ORDER, sign_z, v + r);
    }
    row[i + r] = hymgi_child(ORDER, sign_y, column + r);
  }
}

/* The value at a child. */
template <hymgi_ghosts ORDER>
__device__ __forceinline__ double interpolated(const coarse_level &coarse, int parent, unsigned odd)
{
  constexpr int r = HYMGI_INTERPOLATION_REACH(ORDER);
  double row[2 * r + 1];
  interpolate_row<ORDER>(coarse_arena() + parent, coarse, odd & 2 ? -1. : 1., odd & 4 ? -1. : 1.,
                         row);
  return hymgi_child(ORDER, odd & 1 ? -1. : 1., row + r);
}

} /* namespace */

#endif
