/* The user's arrays on the host: copies to and from them, and checks of values. */
#include <math.h>

#include "cpu/cpu.h"
#include "cpu/setup.h"

/* Entries of the user's array, doubles or floats. */
HYMGI_INLINE double entry(const void *user, bool is_float, ptrdiff_t at)
{
  return is_float ? (double)((const float *)user)[at] : ((const double *)user)[at];
}
HYMGI_INLINE void set_entry(void *user, bool is_float, ptrdiff_t at, double value)
{
  if (is_float)
    ((float *)user)[at] = (float)value;
  else
    ((double *)user)[at] = value;
}

/* `count` numbers of a row that are one after the other in the box, and `next` apart in the array from
 * entry `at` on. */
HYMGI_INLINE void copy_numbers(int count, bool write, void *restrict user, bool is_float,
                               ptrdiff_t at, ptrdiff_t next, double *restrict row)
{
  if (write)
    for (int t = 0; t < count; t++)
      row[t] = entry(user, is_float, at + t * next);
  else
    for (int t = 0; t < count; t++)
      set_entry(user, is_float, at + t * next, row[t]);
}

/* Row (j, k) of a brick of a box, one colour after the other where it is split. */
static void copy_user_row(const hymgi_geom *g, const hymgi_user_brick *b, int j, int k, bool write,
                          void *user, double *data)
{
  const int step = g->split ? 2 : 1, from = b->from[0], to = b->to[0];
  for (int c = 0; c < step && from + c < to; c++) {
    double *const row = data + hymgi_at(g, from + c, j, k);
    const ptrdiff_t at = (from + c) * b->stride[0] + j * b->stride[1] + k * b->stride[2];
    const int count = (to - from - c + step - 1) / step;
    if (b->is_float) /* a loop for each type */
      copy_numbers(count, write, user, true, at, step * b->stride[0], row);
    else
      copy_numbers(count, write, user, false, at, step * b->stride[0], row);
  }
}

/* One for few. */
static int threads_for(const hymg_context *context, int64_t cells)
{
  return cells > 16384 ? context->threads : 1;
}

static int brick_threads(const hymg_context *context, const hymgi_user_brick *b)
{
  return threads_for(context, (int64_t)(b->to[0] - b->from[0]) * (b->to[1] - b->from[1]) *
                                  (b->to[2] - b->from[2]));
}

void hymgi_cpu_brick(const hymgi_level *view, const hymgi_geom *box, const hymgi_user_brick *brick,
                     bool write, void *user, double *data)
{
  const int threads = brick_threads(view->context, brick);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (int k = brick->from[2]; k < brick->to[2]; k++)
    for (int j = brick->from[1]; j < brick->to[1]; j++)
      copy_user_row(box, brick, j, k, write, user, data);
}

void hymgi_cpu_gather(hymg_context *context, const hymgi_user_brick *from,
                      const hymgi_user_brick *to, const void *source, void *target)
{
  const int threads = brick_threads(context, from);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (int k = from->from[2]; k < from->to[2]; k++)
    for (int j = from->from[1]; j < from->to[1]; j++)
      for (int i = from->from[0]; i < from->to[0]; i++)
        set_entry(target, to->is_float, i * to->stride[0] + j * to->stride[1] + k * to->stride[2],
                  entry(source, from->is_float,
                        i * from->stride[0] + j * from->stride[1] + k * from->stride[2]));
}

/* Are n values valid? If they are, extends the finding by them. A product with 0 is NaN where a value is no number or
 * infinite, and so is the sum then. */
static bool all_valid(const double *x, int n, hymgi_valid valid, hymgi_finding *finding)
{
  if (valid == HYMGI_VALID_GIVEN) return false;
  double max = finding->largest, min = finding->least, none = 0;
#pragma omp simd reduction(+ : none) reduction(max : max) reduction(min : min)
  for (int t = 0; t < n; t++) {
    none += 0 * x[t];
    max = x[t] > max ? x[t] : max;
    min = x[t] < min ? x[t] : min;
  }
  if (!(none == 0) || !(valid == HYMGI_VALID_POSITIVE ? min > 0 : min >= 0)) return false;
  finding->largest = max, finding->least = min;
  return true;
}

/* Row (j, k) up to its first invalid value. */
static void examine_row(const hymgi_geom *box, int n, int j, int k, hymgi_valid valid,
                        const double *data, hymgi_finding *finding)
{
  for (int i = 0; i < n; i++) {
    const double v = data[hymgi_at(box, i, j, k)];
    finding->bad = !hymgi_is_valid(valid, v);
    if (finding->bad) {
      finding->at[0] = i, finding->at[1] = j, finding->at[2] = k;
      finding->value = v;
      return;
    }
    finding->largest = v > finding->largest ? v : finding->largest;
    finding->least = v < finding->least ? v : finding->least;
  }
}

/* Extends the finding by plane k, up to its first invalid value. */
static void examine_plane(const hymgi_geom *box, const int n[3], int k, hymgi_valid valid,
                          const double *data, hymgi_finding *finding)
{
  for (int j = 0; j < n[1] && !finding->bad; j++) {
    const bool whole =
        !box->split && all_valid(data + hymgi_row(box, 0, j, k), n[0], valid, finding);
    if (!whole) examine_row(box, n[0], j, k, valid, data, finding);
  }
}

void hymgi_cpu_examine(const hymgi_level *view, const hymgi_geom *box, const int n[3],
                       hymgi_valid valid, const double *data, hymgi_finding *finding)
{
  const int threads = threads_for(view->context, (int64_t)n[0] * n[1] * n[2]);
  const hymgi_finding none = {.least = INFINITY};
  double largest = 0, below = -INFINITY; /* minus the least */
  int bad = 0;
#pragma omp parallel for num_threads(threads) if (threads > 1) reduction(max : largest, below, bad)
  for (int k = 0; k < n[2]; k++) {
    hymgi_finding found = none;
    examine_plane(box, n, k, valid, data, &found);
    largest = found.largest > largest ? found.largest : largest;
    below = -found.least > below ? -found.least : below;
    bad = found.bad > bad ? found.bad : bad;
  }
  *finding = (hymgi_finding){.largest = largest, .least = -below};
  if (!bad) return;
  *finding = none;
  for (int k = 0; !finding->bad; k++)
    examine_plane(box, n, k, valid, data, finding);
}
