/* What the marches over plain rows share: a thread's column of cells and the way up. */
#ifndef HYMGI_KERNELS_FV2_RELAX_MARCH_CUH
#define HYMGI_KERNELS_FV2_RELAX_MARCH_CUH

#include "device/reduce.cuh"
#include "device/stencil_access.cuh"
#include "device/zmarch.cuh"

namespace
{

enum relax_job { RELAX, RESIDUAL, NORM };

struct relax_march_args {
  box_set boxes;
  operator_view v;
  const double *f, *x, *prev, *scale;
  double *out;
  double residual, momentum;
  bool old;      /* no kernel that may still run wrote f and prev */
  bool falling;  /* the last planes first: they are what the sweep before left in the cache */
  int extent[3]; /* of the largest box */
  int slab, slabs;
  hymgi_reduction reduction;
};

enum { FV2_GHOST = 1 };

/* Doubles from row to row and from plane to plane of plain rows in a cube of n cells, as
 * hymgi_geom_layout has them: where they are literals, addresses cost no registers. */
__host__ __device__ constexpr int cube_pitch(int n)
{
  return (n + 2 * FV2_GHOST + HYMGI_GPU_LINE - 1) / HYMGI_GPU_LINE * HYMGI_GPU_LINE;
}

__host__ __device__ constexpr int cube_plane(int n)
{
  const int plane = cube_pitch(n) * (n + 2 * FV2_GHOST);
  return plane % 512 ? plane : plane + HYMGI_GPU_LINE;
}

inline bool is_cube(const hymgi_level *level, int n)
{
  const hymgi_geom *g = level->box;
  return level->num_boxes == 1 && g->pitch == cube_pitch(n) && g->plane == cube_plane(n);
}

/* The column of a thread: its first cell, and where it ends. */
struct column {
  hymgi_geom g;
  place p;
  int to;
  bool inside;
};

template <int N>
__device__ __forceinline__ column column_at(const relax_march_args &a, int i, int j)
{
  const int z = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  column c;
  c.g = box_at(a.boxes, z / a.slabs);
  c.g.split = 0;
  if (N) c.g.pitch = cube_pitch(N), c.g.plane = cube_plane(N);
  const int from = z % a.slabs * a.slab;
  c.to = from + a.slab < c.g.n[2] ? from + a.slab : c.g.n[2];
  c.inside = i < c.g.n[0] && j < c.g.n[1] && from < c.to;
  c.p = place_of(c.g, 0, i, j, from);
  return c;
}

__device__ __forceinline__ void go_up(place *p)
{
  p->k++;
  p->own += p->plane;
  forget_addresses(&p->own);
  p->other = p->own;
}

__device__ __forceinline__ double coefficient(const double *array, ptrdiff_t own, double constant)
{
  return array ? __ldg(array + own) : constant;
}

__device__ __forceinline__ double relaxed(const relax_march_args &a, double c, double prev,
                                          double factor, double step)
{
  const double x = hymgi_relax(c, factor, step);
  return a.prev ? hymgi_add_momentum(x, a.momentum, c, prev) : x;
}

} /* namespace */

#endif
