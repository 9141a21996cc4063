/* Norms, dot products and means. Dot products are exact sums, which have the same bits in any order. */
#include <math.h>

#include "base/exact_sum.h"
#include "multigrid/accounting.h"
#include "multigrid/level_ops.h"
#include "multigrid/profile.h"

double hymgi_norm_product(const hymgi_level *level, const double *x, const double *y)
{
  double norm;
  HYMGI_OPERATION(level, HYMGI_OP_REDUCE, y ? 2 : 1,
                  norm = hymgi_reduce_max(level, level->backend->max(level, x, y)));
  return norm;
}

double hymgi_norm_max(const hymgi_level *level, const double *x)
{
  return hymgi_norm_product(level, x, NULL);
}

static void queue_max(const hymgi_level *level, const double *x, hymgi_slot slot)
{
  if (level->backend->queue_max)
    level->backend->queue_max(level, x, (int)slot);
  else
    level->context->later[slot] = level->backend->max(level, x, NULL);
}

void hymgi_norm_max_later(const hymgi_level *level, const double *x, hymgi_slot slot)
{
  HYMGI_OPERATION(level, HYMGI_OP_REDUCE, 1, queue_max(level, x, slot));
}

static void queue_residual_max(const hymgi_level *level, const double *f, double *x,
                               hymgi_slot slot)
{
  if (level->backend->queue_residual_max)
    level->backend->queue_residual_max(level, f, x, (int)slot);
  else
    level->context->later[slot] = level->backend->residual_max(level, f, x);
}

void hymgi_residual_norm_later(const hymgi_level *level, const double *f, double *x,
                               hymgi_slot slot)
{
  HYMGI_OPERATION(level, HYMGI_OP_RESIDUAL, 1, queue_residual_max(level, f, x, slot));
}

double hymgi_later(const hymgi_level *level, hymgi_slot slot)
{
  hymg_context *c = level->context;
  return hymgi_reduce_max(level, level->backend->queued ? level->backend->queued(c, (int)slot)
                                                        : c->later[slot]);
}

/* The sum whose words are given; largest: its largest term. */
static double sum_of(const int64_t *words, double largest, int bits)
{
  if (!isfinite(largest) || largest <= 0) return largest == 0 ? 0 : NAN;
  return hymgi_sum_value(words, hymgi_sum_exponent(largest, bits), bits);
}

/* One reduction for the largest terms, one for the integers. */
static void take_dots(const hymgi_level *level, int count, const double *const *x,
                      const double *const *y, double *dots, double *largest)
{
  int64_t words[HYMGI_MAX_DOTS * HYMGI_SUM_RESULT] = {0};
  const int bits = hymgi_sum_bits(level->cells);
  for (int m = 0; m < count; m++)
    largest[m] = level->backend->max(level, x[m], y[m]);
  hymgi_note_failure(level, hymgi_comm_max_double(level->context, level->comm, largest, count));
  for (int m = 0; m < count; m++)
    if (isfinite(largest[m]) && largest[m] > 0)
      level->backend->sum(level, x[m], y[m], hymgi_sum_exponent(largest[m], bits), bits,
                          words + m * HYMGI_SUM_RESULT);
  hymgi_note_failure(
      level, hymgi_comm_sum_int64(level->context, level->comm, words, count * HYMGI_SUM_RESULT));
  for (int m = 0; m < count; m++)
    dots[m] = sum_of(words + m * HYMGI_SUM_RESULT, largest[m], bits);
}

static void measured_dots(const hymgi_level *level, int count, const double *const *x,
                          const double *const *y, double *dots, double *largest)
{
  HYMGI_OPERATION(level, HYMGI_OP_REDUCE, 4.0 * count,
                  take_dots(level, count, x, y, dots, largest));
}

void hymgi_dots(const hymgi_level *level, int count, const double *const *x, const double *const *y,
                double *dots)
{
  double largest[HYMGI_MAX_DOTS];
  measured_dots(level, count, x, y, dots, largest);
}

double hymgi_dot(const hymgi_level *level, const double *x, const double *y)
{
  double dot;
  hymgi_dots(level, 1, &x, &y, &dot);
  return dot;
}

/* ---- dot products of which one was taken before ---- */

/* margin: the exponent of the largest term over that of the sum */
static void expect(hymgi_expected *e, double sum, int margin)
{
  const double size = fabs(sum);
  e->known = size > 1e-200 && size < 1e200;
  if (!e->known) return;
  e->margin = margin > 0 ? margin : 0;
  e->exponent = hymgi_exponent_above(size) + e->margin + 1;
}

/* Sums the words over ranks. False if terms were too large, or so small that what was cut off could
 * matter: n cut-off terms of a sum at `bits` bits a word are below 2^(exponent - 4 bits + 61). */
static bool accept(const hymgi_level *level, int bits, int64_t *words, hymgi_expected *e,
                   double *sum)
{
  const int exponent = e->exponent;
  hymgi_note_failure(level,
                     hymgi_comm_sum_int64(level->context, level->comm, words, HYMGI_SUM_RESULT));
  if (words[HYMGI_SUM_BEYOND]) return false;
  *sum = hymgi_sum_value(words, exponent, bits);
  const bool enough = fabs(*sum) > hymgi_power_of_two(exponent - 4 * bits + 116);
  if (enough) expect(e, *sum, e->margin);
  return enough;
}

static double measured_dot(const hymgi_level *level, const double *x, const double *y,
                           hymgi_expected *e)
{
  double sum, largest;
  measured_dots(level, 1, &x, &y, &sum, &largest);
  expect(e, sum,
         largest > 0 && sum != 0 ? hymgi_exponent_above(largest) - hymgi_exponent_above(fabs(sum))
                                 : 0);
  return sum;
}

double hymgi_dot_expected(const hymgi_level *level, const double *x, const double *y,
                          hymgi_expected *e)
{
  int64_t words[HYMGI_SUM_RESULT] = {0};
  const int bits = hymgi_sum_bits(level->cells);
  double sum;
  if (!e->known) return measured_dot(level, x, y, e);
  bool accepted;
  HYMGI_OPERATION(level, HYMGI_OP_REDUCE, 2,
                  level->backend->sum(level, x, y, e->exponent, bits, words);
                  accepted = accept(level, bits, words, e, &sum));
  return accepted ? sum : measured_dot(level, x, y, e);
}

double hymgi_apply_dot(const hymgi_level *level, double *x, double *y, const double *with,
                       hymgi_expected *e)
{
  int64_t words[HYMGI_SUM_RESULT] = {0};
  const int bits = hymgi_sum_bits(level->cells);
  double sum;
  if (!e->known || !level->backend->robust->apply_sum) {
    hymgi_apply(level, x, y);
    return hymgi_dot_expected(level, with, y, e);
  }
  bool accepted;
  HYMGI_OPERATION(level, HYMGI_OP_APPLY, with == x ? 1 : 2,
                  level->backend->robust->apply_sum(level, x, y, with, e->exponent, bits, words);
                  accepted = accept(level, bits, words, e, &sum));
  return accepted ? sum : measured_dot(level, with, y, e);
}

/* All at once; false: the sum was not accepted. */
static bool advance(const hymgi_level *level, double a, const double *p, const double *w, double *u,
                    double *r, hymgi_expected *e, double *value)
{
  int64_t words[HYMGI_SUM_RESULT] = {0};
  const int bits = hymgi_sum_bits(level->cells);
  *value = level->backend->robust->advance(level, a, p, w, u, r, e ? e->exponent : 0, bits,
                                           e ? words : NULL);
  if (e) return accept(level, bits, words, e, value);
  *value = hymgi_reduce_max(level, *value);
  return true;
}

double hymgi_advance(const hymgi_level *level, double a, const double *p, const double *w,
                     double *u, double *r, hymgi_expected *e)
{
  if (!level->backend->robust->advance || (e && !e->known)) {
    hymgi_axpby(level, a, p, 1, u, u);
    hymgi_axpby(level, -a, w, 1, r, r);
    return e ? hymgi_dot_expected(level, r, r, e) : hymgi_norm_max(level, r);
  }
  double value;
  bool accepted;
  HYMGI_OPERATION(level, HYMGI_OP_VECTOR, 6, accepted = advance(level, a, p, w, u, r, e, &value));
  return accepted ? value : measured_dot(level, r, r, e);
}

void hymgi_share_means(const hymgi_level *level, double mean[3])
{
  int64_t words[3 * HYMGI_SUM_RESULT] = {0};
  const int bits = hymgi_sum_bits(level->cells);
  level->backend->robust->share_sums(level, bits, words);
  hymgi_note_failure(
      level, hymgi_comm_sum_int64(level->context, level->comm, words, 3 * HYMGI_SUM_RESULT));
  for (int axis = 0; axis < 3; axis++)
    mean[axis] = level->n[axis] < 2 ? 0
                                    : hymgi_sum_value(words + axis * HYMGI_SUM_RESULT,
                                                      HYMGI_SHARE_EXPONENT, bits) /
                                          (double)level->cells;
}

double hymgi_mean(const hymgi_level *level, const double *x)
{
  const double *const none = NULL;
  double sum;
  hymgi_dots(level, 1, &x, &none, &sum);
  return sum / (double)level->cells;
}

_Static_assert(sizeof(((hymg_context *)0)->later) == HYMGI_SLOTS * sizeof(double),
               "a value for every slot");

/* Of one rank's GPU: nothing waits. */
static bool queue_remove_mean(const hymgi_level *level, double *x, hymgi_slot slot)
{
  if (!level->backend->queue_remove_mean || !hymgi_is_alone(level)) return false;
  HYMGI_OPERATION(level, HYMGI_OP_REDUCE, 4,
                  level->backend->queue_remove_mean(level, x, (int)slot));
  return true;
}

void hymgi_remove_mean(const hymgi_level *level, double *x)
{
  if (queue_remove_mean(level, x, HYMGI_SLOT_NONE)) return;
  hymgi_shift(level, -hymgi_mean(level, x), x);
}

void hymgi_remove_mean_later(const hymgi_level *level, double *x)
{
  if (queue_remove_mean(level, x, HYMGI_SLOT_MEAN)) return;
  const double *const none = NULL, *const one = x;
  double sum, largest;
  measured_dots(level, 1, &one, &none, &sum, &largest);
  level->context->later[HYMGI_SLOT_MEAN] = sum / (double)level->cells;
  level->context->later[HYMGI_SLOT_BEFORE] = largest;
  hymgi_shift(level, -level->context->later[HYMGI_SLOT_MEAN], x);
}
