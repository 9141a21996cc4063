#include "multigrid/moments.h"

#include <math.h>
#include <string.h>

#include "base/exact_sum.h"
#include "multigrid/accounting.h"
#include "multigrid/backend.h"
#include "multigrid/profile.h"

/* No term is larger than the largest |f|, which therefore is the scale of all sums. */
static void take(const hymgi_level *level, const double *f, double moment[HYMGI_MOMENTS])
{
  hymg_context *const c = level->context;
  const int bits = hymgi_sum_bits(level->cells);
  int64_t words[HYMGI_MOMENTS * HYMGI_SUM_RESULT] = {0};
  double largest = level->num_boxes ? level->backend->max(level, f, NULL) : 0;
  hymgi_note_failure(level, hymgi_comm_max_double(c, c->comm, &largest, 1));
  if (!(largest > 0) || !isfinite(largest)) return;
  const int exponent = hymgi_sum_exponent(largest, bits);
  if (level->num_boxes) level->backend->moment_sums(level, f, exponent, bits, words);
  hymgi_note_failure(level,
                     hymgi_comm_sum_int64(c, c->comm, words, HYMGI_MOMENTS * HYMGI_SUM_RESULT));
  for (int m = 0; m < HYMGI_MOMENTS; m++)
    moment[m] = hymgi_sum_value(words + m * HYMGI_SUM_RESULT, exponent, bits);
}

void hymgi_moments(const hymgi_level *level, const double *f, double moment[HYMGI_MOMENTS])
{
  memset(moment, 0, HYMGI_MOMENTS * sizeof *moment);
  HYMGI_OPERATION(level, HYMGI_OP_REDUCE, 1 + HYMGI_MOMENT_GROUPS, take(level, f, moment));
}
