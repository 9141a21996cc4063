/* What FV2's marches along z share: what they do and add up, and how many planes a block takes. */
#ifndef HYMGI_KERNELS_FV2_MARCH_CUH
#define HYMGI_KERNELS_FV2_MARCH_CUH

#include "device/loops.cuh"
#include "device/zmarch.cuh"
#include "kernels/gsrb_args.cuh"

extern "C" {
#include "base/exact_sum.h"
}

namespace
{

/* The operator, and the sum of its result times `with`. */
struct apply_sum : job<HYMGI_APPLY> {
};

template <typename JOB> struct march_args : gsrb_args {
};
template <> struct march_args<apply_sum> : gsrb_args {
  const hymgi_real *with;
  hymgi_sum_scale sum;
};

inline march_args<apply_sum> apply_args_of(const hymgi_level *level, const hymgi_apply_sum *apply)
{
  const hymgi_sweep sweep = {HYMGI_APPLY, NULL, apply->x, apply->x, apply->out};
  return {gsrb_args_of(level, &sweep), apply->with,
          hymgi_sum_scale_of(apply->exponent, apply->bits)};
}

/* What a column adds to the result of a reduction. */
struct march_result {
  unsigned long long norm;
  int64_t words[HYMGI_SUM_RESULT];
};

/* The grid of a march in blocks of x slots and y rows, `held` of which run on a multiprocessor at once. */
inline dim3 march_grid(const hymgi_level *level, gsrb_args *a, int slots, int x, int y, int held)
{
  const unsigned layer = blocks_for(slots, x) * blocks_for(a->extent[1], y);
  return slabs_grid(
      a, slots, x, y,
      slab_for(a->boxes, layer, held * level->context->gpu->multiprocessors, a->extent[2], 2, 1));
}

} /* namespace */

#endif
