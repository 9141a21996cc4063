/* What the smoother and residual kernels share: job tags, launch shapes, arguments. */
#ifndef HYMGI_KERNELS_GSRB_ARGS_CUH
#define HYMGI_KERNELS_GSRB_ARGS_CUH

#include "device/stencil_access.cuh"
#include "kernels/kernels.h"

namespace
{

enum { GSRB_THREADS = 256 };

/* Jobs as template arguments. gsrb: one colour of split rows; the others: all cells. */
struct gsrb;
struct relax;
struct residual;
struct residual_norm;
struct residual_mean; /* restricted */

/* Cells along x and y of a level's only box as a template argument, ordered by x; 0: any. A literal
 * pitch and plane of split rows (as hymgi_geom_layout sets them) take no registers. */
__host__ __device__ constexpr int shape(int x, int y)
{
  return x << 16 | y;
}

__host__ __device__ constexpr int shape_pitch(int of)
{
  return ((of >> 16) / 2 + 2 + HYMGI_GPU_LINE - 1) / HYMGI_GPU_LINE * HYMGI_GPU_LINE;
}

__host__ __device__ constexpr int shape_plane(int of, int ghost)
{
  const int plane = shape_pitch(of) * ((of & 0xffff) + 2 * ghost);
  return plane % 512 ? plane : plane + HYMGI_GPU_LINE;
}

template <int SHAPE> struct literal {
  static constexpr int value = SHAPE;
};

template <int SHAPE> inline bool has_shape(const hymgi_level *level)
{
  const hymgi_geom *g = level->box;
  return level->num_boxes == 1 && g->pitch == shape_pitch(SHAPE) &&
         g->plane == shape_plane(SHAPE, g->ghost);
}

template <int... SHAPES, typename Call> void with_one_of(const hymgi_level *level, const Call &call)
{
  const bool found = ((has_shape<SHAPES>(level) && (call(literal<SHAPES>()), true)) || ...);
  if (!found) call(literal<0>());
}

/* call(literal<the level's shape>()): cubes, and halves and quarters of them on ranks. */
template <typename Call> void with_shape(const hymgi_level *level, const Call &call)
{
  with_one_of<shape(1024, 1024), shape(1024, 512), shape(512, 512), shape(512, 256),
              shape(256, 256), shape(256, 128), shape(128, 128)>(level, call);
}

/* Planes that a block marches over, chosen so that all blocks end at about the same time and few
 * planes are loaded twice. layer: blocks per slab; resident: blocks that run at once. */
inline int slab_for(unsigned layer, int resident, int planes)
{
  enum { LARGEST = 64, LEAST = 8, BEGUN = 2 };
  int best = LARGEST;
  int64_t least = INT64_MAX;
  for (int slab = LARGEST; slab >= LEAST; slab /= 2) {
    const int64_t blocks = (int64_t)layer * ((planes + slab - 1) / slab);
    const int64_t time = (blocks + resident - 1) / resident * (slab + BEGUN);
    if (time < least) least = time, best = slab;
  }
  return best;
}

struct gsrb_args {
  box_set boxes;
  operator_view v;
  const double *f, *own, *other;
  double *out;
  int colour;
  bool falling;       /* last planes first: the previous sweep left them in the cache */
  bool f_is_old;      /* no kernel that may still run wrote f (and prev) */
  bool fills_along_x; /* FV4's marches: as in hymgi_level_kernels */
  int extent[3];      /* of the largest box */
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
  a.reduction = level->context->gpu->reduction;
  return a;
}

/* The same for the other smoothers; prev, scale: NULL as in hymgi_relaxation. */
struct relax_args : gsrb_args {
  const double *prev = NULL, *scale = NULL;
  double residual = 0, momentum = 0;
};

inline relax_args relax_args_of(const hymgi_level *level, const hymgi_relaxation *relaxation)
{
  const hymgi_gsrb_half all = {0, relaxation->x, relaxation->x, relaxation->out, relaxation->old};
  relax_args a = {gsrb_args_of(level, &all)};
  a.f = relaxation->f;
  a.prev = relaxation->prev, a.scale = relaxation->scale;
  a.residual = relaxation->residual, a.momentum = relaxation->momentum;
  a.falling = relaxation->x < relaxation->out; /* buffers swap from sweep to sweep */
  return a;
}

inline relax_args residual_args_of(const hymgi_level *level, const hymgi_residual_of *residual)
{
  const hymgi_gsrb_half all = {0, residual->x, residual->x, residual->r, false};
  relax_args a = {gsrb_args_of(level, &all)};
  a.f = residual->f;
  return a;
}

} /* namespace */

#endif
