/* What the kernels of red-black Gauss-Seidel share. */
#ifndef HYMGI_GSRB_ARGS_CUH
#define HYMGI_GSRB_ARGS_CUH

#include "cell.cuh"
#include "gsrb.h"

namespace
{

enum { GSRB_THREADS = 256 };

/* Doubles from row to row and from plane to plane of split rows in a cube of n cells, as
 * hymgi_geom_layout has them: where they are literals, addresses cost no registers. */
__host__ __device__ constexpr int cube_pitch(int n)
{
  return (n / 2 + 2 + HYMGI_GPU_LINE - 1) / HYMGI_GPU_LINE * HYMGI_GPU_LINE;
}

__host__ __device__ constexpr int cube_plane(int n, int ghost)
{
  const int plane = cube_pitch(n) * (n + 2 * ghost);
  return plane % 512 ? plane : plane + HYMGI_GPU_LINE;
}

inline bool is_cube(const hymgi_level *level, int n)
{
  const hymgi_geom *g = level->box;
  return level->num_boxes == 1 && g->pitch == cube_pitch(n) && g->plane == cube_plane(n, g->ghost);
}

struct gsrb_args {
  box_set boxes;
  operator_view v;
  const double *f, *own, *other;
  double *out;
  int colour;
  bool falling;  /* the last planes first: they are what the sweep before left in the cache */
  bool f_is_old; /* no kernel that may still run wrote f */
  int extent[3]; /* of the largest box */
  int planes;    /* extent[2] */
  int slab, slabs;
  hymgi_reduction reduction;
};

inline gsrb_args gsrb_args_of(const hymgi_level *level, const hymgi_gsrb_half *half)
{
  gsrb_args a = {};
  a.boxes = box_set_of(level->box, level->num_boxes);
  a.v = view_of(level);
  a.f = level->f;
  a.own = half->own;
  a.other = half->other;
  a.out = half->out;
  a.colour = half->colour;
  a.falling = half->colour == 1;
  a.f_is_old = half->f_is_old;
  box_extent(level->box, level->num_boxes, a.extent);
  a.planes = a.extent[2];
  a.reduction = level->context->gpu->reduction;
  return a;
}

} /* namespace */

#endif
