/* What the smoother and residual kernels share: job tags, launch shapes, arguments. */
#ifndef HYMGI_KERNELS_GSRB_ARGS_CUH
#define HYMGI_KERNELS_GSRB_ARGS_CUH

#include "device/loops.cuh"
#include "kernels/kernels.h"
#include "runtime/launch.cuh"

namespace
{

enum { GSRB_THREADS = 256 };

/* Jobs as template arguments. gsrb: one colour of split rows; the others: all cells. */
template <hymgi_job JOB> using job = std::integral_constant<hymgi_job, JOB>;
struct gsrb : job<HYMGI_HALF_SWEEP> {
};
struct relax : job<HYMGI_RELAX> {
};
struct residual : job<HYMGI_RESIDUAL> {
};
struct residual_norm : job<HYMGI_NORM> {
};
struct residual_narrow : job<HYMGI_NARROW> {
};
struct residual_mean : job<HYMGI_RESTRICT> {
};
struct apply : job<HYMGI_APPLY> {
};

template <typename JOB> constexpr bool NARROWS = JOB::value == HYMGI_NARROW;
template <typename JOB> constexpr bool HAS_NORM = JOB::value == HYMGI_NORM || NARROWS<JOB>;

/* Norms and the operator by itself are computed in double precision only. */
template <typename JOB>
constexpr bool EXISTS = !SINGLE || (!HAS_NORM<JOB> && JOB::value != HYMGI_APPLY);

/* call(the one of JOBS that the sweep does) */
template <typename... JOBS, typename Call> void with_job(const hymgi_sweep *sweep, const Call &call)
{
  const auto one = [&](auto job) {
    if constexpr (EXISTS<decltype(job)>)
      if (sweep->job == decltype(job)::value) call(job);
  };
  (one(JOBS()), ...);
}

/* Cells along x and y of a level's only box as a template argument, ordered by x; 0: any. A literal
 * pitch and plane (as hymgi_geom_layout sets them) take no registers. */
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

template <int SHAPE> using literal = std::integral_constant<int, SHAPE>;

/* Each takes a compiler long, and only the smallest level is one that the emulation's tests have. */
#ifdef HYMGI_EMULATION
constexpr bool is_compiled(int of)
{
  return of == shape(128, 128);
}
#else
constexpr bool is_compiled(int)
{
  return true;
}
#endif

/* call(literal<the level's shape>()) where it is one of these, of split rows with so many layers of ghosts; else
 * call(literal<0>()). */
template <int GHOST, int... SHAPES, typename Call>
void with_one_of(const hymgi_level *level, const Call &call)
{
  const hymgi_geom *g = level->box;
  const auto has = [&](int of) {
    return hymgi_has_variant(level, HYMGI_LITERAL_SHAPES) && level->num_boxes == 1 &&
           g->ghost == GHOST && g->pitch == shape_pitch(of) && g->plane == shape_plane(of, GHOST);
  };
  const auto calls = [&](auto of) {
    if constexpr (is_compiled(of))
      if (has(of)) return call(of), true;
    return false;
  };
  if (!(calls(literal<SHAPES>()) || ...)) call(literal<0>());
}

/* Planes that a block marches over, chosen so that all blocks end at about the same time and few
 * planes are loaded twice. layer: blocks per slab of a box; resident: blocks that run at once; begun: a
 * block takes the time of so many planes before the first one; least: so many planes, or all; step: the
 * number is a multiple of it. */
inline int slab_for(const box_set &boxes, unsigned layer, int resident, int planes, int begun,
                    int least, int step = 1)
{
  enum { LARGEST = 64 };
  int best = LARGEST;
  int64_t shortest = INT64_MAX;
  for (int slab = LARGEST; slab >= least; slab -= step) {
    const int64_t slabs = (int64_t)boxes.count * ((planes + slab - 1) / slab);
    const int64_t time = (layer * slabs + resident - 1) / resident * (slab + begun);
    if (time < shortest && slabs <= GRID_LIMIT) shortest = time, best = slab;
  }
  return best;
}

struct gsrb_args : hymgi_sweep {
  box_set boxes = {}, patches = {}; /* patches: of restrictions */
  operator_view v = {};
  bool falling = false;       /* last planes first: the previous sweep left them in the cache */
  bool fills_along_x = false; /* FV4's marches: HYMGI_FV4_GHOSTS_ALONG_X */
  int extent[3] = {};         /* of the largest box */
  int slab = 0, slabs = 0;
  hymgi_reduction reduction = {};
};

inline gsrb_args gsrb_args_of(const hymgi_level *level, const hymgi_sweep *sweep)
{
  gsrb_args a = {*sweep};
  a.boxes = box_set_of(level->box, level->num_boxes);
  if (a.job == HYMGI_RESTRICT) a.patches = box_set_of(level->patch, level->num_boxes);
  a.v = view_of(level);
  /* buffers swap from sweep to sweep */
  a.falling = a.job == HYMGI_RELAX ? a.own < a.out : a.colour == 1;
  a.fills_along_x = hymgi_has_variant(level, HYMGI_FV4_GHOSTS_ALONG_X);
  box_extent(level->box, level->num_boxes, a.extent);
  a.reduction = level->context->gpu->reduction;
  return a;
}

/* A relaxed value; prev: of the previous iterate, where there is one. */
__device__ __forceinline__ hymgi_real relaxed(const gsrb_args &a, hymgi_real x, hymgi_real weight,
                                              hymgi_real r, hymgi_real prev)
{
  const hymgi_real next = hymgi_relax(x, weight, r);
  return a.prev ? hymgi_add_momentum(next, a.momentum, x, prev) : next;
}

/* Stores a result of a job at its place. */
template <typename JOB>
__device__ __forceinline__ void store_result(const gsrb_args &a, ptrdiff_t at, hymgi_real value)
{
  if (NARROWS<JOB>)
    a.narrowed[at] = (float)(a.factor * (double)value);
  else
    a.out[at] = value;
}

/* Sets the slabs; a grid of blocks of x slots and y rows. */
inline dim3 slabs_grid(gsrb_args *a, int slots, int x, int y, int slab)
{
  a->slab = slab;
  a->slabs = (a->extent[2] + slab - 1) / slab;
  return dim3(blocks_for(slots, x), blocks_for(a->extent[1], y),
              (unsigned)(a->slabs * a->boxes.count));
}

/* A block's slab: its first plane, and the box. */
__device__ __forceinline__ int slab_begin(const gsrb_args &a, int *box)
{
  const int z = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  *box = z / a.slabs;
  return z % a.slabs * a.slab;
}

/* Does a launch do anything now? Asked before arguments are made that are costly. */
inline bool may_launch(const hymg_context *context)
{
  return context->gpu->mode != HYMGI_REPLAY && context->status == HYMG_OK;
}

} /* namespace */

#endif
