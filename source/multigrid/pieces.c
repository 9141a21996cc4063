/* Sums and means over the floating pieces: exact sums at one scale for all, so that they have the same bits in any
 * order of the cells. */
#include "multigrid/pieces.h"

#include <float.h>
#include <math.h>

#include "base/exact_sum.h"
#include "multigrid/accounting.h"
#include "multigrid/level_ops.h"
#include "multigrid/profile.h"

/* f is a constant in a piece, up to rounding. */
#define ONLY_ROUNDING (8 * DBL_EPSILON)

static bool none(const hymgi_level *level, const hymgi_pieces *p)
{
  return p->floating == 0 || level->num_boxes == 0;
}

/* A number a piece; three such arrays are in use at most. */
static double *numbers(const hymgi_pieces *p, int which)
{
  return p->host + (ptrdiff_t)(HYMGI_SUM_RESULT + which) * p->floating;
}

/* ---- reductions over the ranks of the level ---- */

static void take_maxima(const hymgi_level *level, const hymgi_pieces *p, const double *x,
                        double *most)
{
  const size_t count = (size_t)p->floating;
  level->backend->zero(level->context, p->scratch, count);
  level->backend->robust->piece_maxima(level, x, p->scratch);
  level->backend->copy(level->context, p->scratch, most, count);
  hymgi_note_failure(level, hymgi_comm_max_double(level->context, level->comm, most, p->floating));
}

static void maxima(const hymgi_level *level, const hymgi_pieces *p, const double *x, double *most)
{
  HYMGI_OPERATION(level, HYMGI_OP_REDUCE, 2, take_maxima(level, p, x, most));
}

static double largest_of(const hymgi_pieces *p, const double *most)
{
  double largest = 0;
  for (int m = 0; m < p->floating; m++)
    largest = most[m] > largest || isnan(most[m]) ? most[m] : largest;
  return largest;
}

static void take_sums(const hymgi_level *level, const hymgi_pieces *p, const double *x,
                      double largest, double *sum)
{
  const int bits = hymgi_sum_bits(level->cells), exponent = hymgi_sum_exponent(largest, bits);
  const size_t count = HYMGI_SUM_RESULT * (size_t)p->floating;
  int64_t *const words = (int64_t *)(void *)p->host;
  level->backend->zero(level->context, p->scratch, count);
  level->backend->robust->piece_sums(level, x, exponent, bits, (int64_t *)(void *)p->scratch);
  level->backend->copy(level->context, p->scratch, p->host, count);
  hymgi_note_failure(level, hymgi_comm_sum_int64(level->context, level->comm, words,
                                                 HYMGI_SUM_RESULT * p->floating));
  for (int m = 0; m < p->floating; m++)
    sum[m] = hymgi_sum_value(words + (ptrdiff_t)HYMGI_SUM_RESULT * m, exponent, bits);
}

/* largest: max |x| */
static void sums(const hymgi_level *level, const hymgi_pieces *p, const double *x, double largest,
                 double *sum)
{
  for (int m = 0; m < p->floating; m++)
    sum[m] = isfinite(largest) ? 0 : (double)NAN;
  if (isfinite(largest) && largest > 0)
    HYMGI_OPERATION(level, HYMGI_OP_REDUCE, 2, take_sums(level, p, x, largest, sum));
}

static void copy_and_add(const hymgi_level *level, const hymgi_pieces *p, const double *value,
                         const double *with, double *x)
{
  level->backend->copy(level->context, value, p->scratch, (size_t)p->floating);
  level->backend->robust->piece_add(level, p->scratch, with, x);
}

static void add(const hymgi_level *level, const hymgi_pieces *p, const double *value,
                const double *with, double *x)
{
  HYMGI_OPERATION(level, HYMGI_OP_VECTOR, with ? 4 : 3, copy_and_add(level, p, value, with, x));
}

/* NULL: they are all 1 */
static const double *volumes(const hymgi_level *level)
{
  if (!level->method->stretched) return NULL;
  hymgi_fill(level, 1, level->y);
  level->backend->robust->scale_volumes(level, false, level->y);
  return level->y;
}

/* ---- what they are for ---- */

static void compare(const hymgi_pieces *p, const double *most, const double *sum, double limit,
                    hymgi_projection *found)
{
  *found = (hymgi_projection){.excess = -1};
  for (int m = 0; m < p->floating; m++) {
    p->mean[m] = sum[m] / p->volume[m];
    if (p->hold[m] > 0) {
      found->kept = fmax(found->kept, most[m]);
      found->root = hypot(found->root, sqrt((double)p->cells[m]) * p->mean[m]);
      continue;
    }
    const double excess = most[m] > 0 ? fabs(sum[m]) / ((double)p->cells[m] * most[m]) : 0;
    found->incompatible += excess > limit;
    if (!(excess > found->excess)) continue;
    found->excess = excess, found->mean = p->mean[m], found->largest = most[m];
    found->label = p->label[m], found->cells = p->cells[m];
  }
}

/* In pieces where no more than rounding is left of f. */
static void clear_rounding(const hymgi_level *level, const hymgi_pieces *p, const double *most,
                           double *f)
{
  double *const factor = numbers(p, 2);
  bool any = false;
  maxima(level, p, f, factor);
  for (int m = 0; m < p->floating; m++) {
    const bool only = factor[m] > 0 && factor[m] <= ONLY_ROUNDING * most[m];
    factor[m] = only ? -1 : 0;
    any = any || only;
  }
  if (any) add(level, p, factor, f, f);
}

void hymgi_pieces_project(const hymgi_level *level, const hymgi_pieces *p, double limit, double *f,
                          hymgi_projection *found)
{
  if (none(level, p)) return;
  double *const most = numbers(p, 0), *const sum = numbers(p, 1);
  maxima(level, p, f, most);
  sums(level, p, f, largest_of(p, most), sum);
  if (found) compare(p, most, sum, limit, found);
  for (int m = 0; m < p->floating; m++)
    sum[m] /= -p->volume[m];
  add(level, p, sum, volumes(level), f);
  clear_rounding(level, p, most, f);
}

void hymgi_pieces_center(const hymgi_level *level, const hymgi_pieces *p, bool by_volume, double *u)
{
  if (none(level, p)) return;
  double *const most = numbers(p, 0), *const sum = numbers(p, 1);
  double *x = u;
  if (by_volume && level->method->stretched) {
    hymgi_copy_vector(level, u, level->y);
    level->backend->robust->scale_volumes(level, false, level->y);
    x = level->y;
  }
  maxima(level, p, x, most);
  sums(level, p, x, largest_of(p, most), sum);
  for (int m = 0; m < p->floating; m++)
    sum[m] /= -(by_volume ? p->volume[m] : (double)p->cells[m]);
  add(level, p, sum, NULL, u);
}

void hymgi_pieces_add_means(const hymgi_level *level, const hymgi_pieces *p, double *u)
{
  if (none(level, p) || p->floating == p->singular) return;
  double *const value = numbers(p, 0);
  for (int m = 0; m < p->floating; m++)
    value[m] = p->hold[m] > 0 ? p->mean[m] / p->hold[m] : 0;
  add(level, p, value, NULL, u);
}

void hymgi_pieces_holds(const hymgi_level *level, const hymgi_pieces *p, double *most,
                        double *distance)
{
  if (none(level, p)) return;
  double *const negative = numbers(p, 2);
  hymgi_copy_vector(level, level->c.alpha, level->y);
  if (level->method->stretched) level->backend->robust->scale_volumes(level, true, level->y);
  maxima(level, p, level->y, most);
  for (int m = 0; m < p->floating; m++)
    negative[m] = -most[m];
  add(level, p, negative, NULL, level->y);
  maxima(level, p, level->y, distance);
  for (int m = 0; m < p->floating; m++)
    if (distance[m] <= ONLY_ROUNDING * most[m]) distance[m] = 0;
}

void hymgi_pieces_measure(const hymgi_level *level, const hymgi_pieces *p)
{
  for (int m = 0; m < p->floating; m++)
    p->volume[m] = (double)p->cells[m];
  if (none(level, p) || !level->method->stretched) return;
  double *const most = numbers(p, 0), *const sum = numbers(p, 1);
  const double *const volume = volumes(level);
  maxima(level, p, volume, most);
  sums(level, p, volume, largest_of(p, most), sum);
  for (int m = 0; m < p->floating; m++)
    p->volume[m] = sum[m];
}
