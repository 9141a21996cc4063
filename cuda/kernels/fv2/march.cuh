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

/* Planes of a block: fewer on small levels, for which blocks would else be too few; only the sum has
 * those. */
template <typename JOB> int planes_of(const hymgi_level *level, const march_args<JOB> &a)
{
  const int *const n = a.extent;
  if (!std::is_same_v<JOB, apply_sum>) return n[2] >= 256 ? 32 : 16;
  const int64_t cells = (int64_t)n[0] * n[1] * n[2];
  const int64_t fit = cells / (GSRB_THREADS * 8 * level->context->gpu->multiprocessors);
  const int64_t least = (int64_t)n[2] * level->num_boxes / GRID_LIMIT + 1;
  return (int)(fit >= 16 ? (n[2] >= 256 ? 32 : 16) : fit > least ? fit : least);
}

} /* namespace */

#endif
