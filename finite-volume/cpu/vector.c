/* Vector operations on the host, without ghosts; reductions do not depend on the order of terms. */
#include <float.h>
#include <math.h>

#include "base/exact_sum.h"
#include "cpu/cpu.h"

/* Advances from box r->g to the first box in which this thread has rows. */
static void enter_box(host_row *r)
{
  for (; r->g < r->end; r->g++) {
    int64_t from, to;
    host_share((int64_t)r->g->n[1] * r->g->n[2], &from, &to);
    if (from == to) continue;
    r->left = to - from;
    r->n = host_slots(r->g);
    r->cjk[0] = 0, r->cjk[1] = (int)(from % r->g->n[1]), r->cjk[2] = (int)(from / r->g->n[1]);
    r->at = hymgi_row(r->g, 0, r->cjk[1], r->cjk[2]);
    return;
  }
  r->g = NULL;
}

host_row hymgi_cpu_rows(const hymgi_geom *box, int num_boxes, bool colours)
{
  host_row r = {.g = box, .end = box + num_boxes, .colours = colours};
  enter_box(&r);
  return r;
}

void hymgi_cpu_next(host_row *r)
{
  const hymgi_geom *g = r->g;
  if (r->colours && r->cjk[0] < g->split) {
    r->cjk[0]++;
    r->at += g->half;
  } else if (--r->left == 0) {
    r->g++;
    enter_box(r);
  } else {
    r->cjk[0] = 0;
    if (++r->cjk[1] == g->n[1]) r->cjk[1] = 0, r->cjk[2]++;
    r->at = hymgi_row(g, 0, r->cjk[1], r->cjk[2]);
  }
}

int hymgi_cpu_rows_of_plane(const host_row *r)
{
  const int rest = r->g->n[1] - r->cjk[1];
  return r->left < rest ? (int)r->left : rest;
}

void hymgi_cpu_next_plane(host_row *r)
{
  r->left -= hymgi_cpu_rows_of_plane(r) - 1;
  r->cjk[1] = r->g->n[1] - 1;
  hymgi_cpu_next(r);
}

static host_row first(const hymgi_level *level)
{
  return hymgi_cpu_rows(level->box, level->num_boxes, true);
}

void hymgi_cpu_fill(const hymgi_level *level, double value, double *x)
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = first(level); s.g; hymgi_cpu_next(&s))
    for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
      x[t] = value;
}

void hymgi_cpu_axpby(const hymgi_level *level, double a, const double *x, double b, const double *y,
                     double *z)
{
  const bool copies = b == 0 && a == 1;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = first(level); s.g; hymgi_cpu_next(&s))
    if (copies)
      for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
        z[t] = x[t];
    else
      for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
        z[t] = hymgi_fma(a, x[t], b * y[t]);
}

void hymgi_cpu_shift(const hymgi_level *level, double c, double *x)
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = first(level); s.g; hymgi_cpu_next(&s))
    for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
      x[t] += c;
}

void hymgi_cpu_precondition(const hymgi_level *level, const double *r, double *z)
{
  const double *const dinv = level->c.dinv;
  const relax_weights none = {.residual = 0};
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = first(level); s.g; hymgi_cpu_next(&s)) {
    if (dinv) {
      for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
        z[t] = dinv[t] * r[t];
      continue;
    }
    double *const d = host_scratch(level, 0);
    const fv2_row row = hymgi_fv2_row_of(level, s.g, NULL, NULL, s.cjk);
    hymgi_fv2_run(HOST_DIAGONAL, &row, &none, 0, s.n, d);
    for (int t = 0; t < s.n; t++)
      z[s.at + t] = r[s.at + t] / d[t];
  }
}

double hymgi_cpu_max(const hymgi_level *level, const double *x, const double *y)
{
  double max = 0;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    double mine = 0;
    for (host_row s = first(level); s.g; hymgi_cpu_next(&s))
      mine = host_larger(mine, y ? host_row_max(true, x + s.at, y + s.at, s.n)
                                 : host_largest(x + s.at, s.n));
#pragma omp critical
    max = host_larger(max, mine);
  }
  return max;
}

void hymgi_cpu_sum(const hymgi_level *level, const double *x, const double *y, int exponent,
                   int bits, int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, bits);
  for (int m = 0; m < HYMGI_SUM_RESULT; m++)
    words[m] = 0;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    int64_t mine[HYMGI_SUM_RESULT] = {0};
    for (host_row s = first(level); s.g; hymgi_cpu_next(&s))
      if (y)
        host_row_sum(true, x + s.at, y + s.at, s.n, &scale, mine);
      else
        host_row_sum(false, x + s.at, x + s.at, s.n, &scale, mine);
#pragma omp critical
    for (int m = 0; m < HYMGI_SUM_RESULT; m++)
      words[m] += mine[m];
  }
}

double hymgi_cpu_advance(const hymgi_level *level, double a, const double *p, const double *w,
                         double *u, double *r, int exponent, int bits, int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(words ? exponent : 0, bits);
  int64_t sum[HYMGI_SUM_RESULT] = {0};
  double max = 0;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    int64_t mine[HYMGI_SUM_RESULT] = {0};
    double largest = 0;
    for (host_row s = first(level); s.g; hymgi_cpu_next(&s)) {
      for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
        u[t] = hymgi_fma(a, p[t], u[t]), r[t] = hymgi_fma(-a, w[t], r[t]);
      if (words)
        host_row_sum(true, r + s.at, r + s.at, s.n, &scale, mine);
      else
        largest = host_larger(largest, host_largest(r + s.at, s.n));
    }
#pragma omp critical
    {
      max = host_larger(max, largest);
      for (int m = 0; m < HYMGI_SUM_RESULT; m++)
        sum[m] += mine[m];
    }
  }
  for (int m = 0; words && m < HYMGI_SUM_RESULT; m++)
    words[m] = sum[m];
  return max;
}

/* Entries [from, to) of row (j, k) of a box, one colour after the other where it is split. */
static void copy_user_row(const hymgi_geom *g, int from, int to, int j, int k, ptrdiff_t stride,
                          bool write, double *restrict user, double *restrict data)
{
  const int step = g->split ? 2 : 1;
  for (int c = 0; c < step && from + c < to; c++) {
    double *const restrict row = data + hymgi_at(g, from + c, j, k);
    double *const restrict theirs = user + (from + c) * stride;
    const int count = (to - from - c + step - 1) / step;
    const ptrdiff_t next = step * stride;
    if (write)
      for (int t = 0; t < count; t++)
        row[t] = theirs[t * next];
    else
      for (int t = 0; t < count; t++)
        theirs[t * next] = row[t];
  }
}

/* Threads for a brick of cells: one for few. */
static int brick_threads(const hymg_context *context, const hymgi_user_brick *b)
{
  const int64_t cells =
      (int64_t)(b->to[0] - b->from[0]) * (b->to[1] - b->from[1]) * (b->to[2] - b->from[2]);
  return cells > 16384 ? context->threads : 1;
}

void hymgi_cpu_brick(const hymgi_level *view, const hymgi_geom *box, const hymgi_user_brick *brick,
                     bool write, double *user, double *data)
{
  const int threads = brick_threads(view->context, brick);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (int k = brick->from[2]; k < brick->to[2]; k++)
    for (int j = brick->from[1]; j < brick->to[1]; j++)
      copy_user_row(box, brick->from[0], brick->to[0], j, k, brick->stride[0], write,
                    user + j * brick->stride[1] + k * brick->stride[2], data);
}

void hymgi_cpu_gather(hymg_context *context, const hymgi_user_brick *from,
                      const hymgi_user_brick *to, const double *source, double *target)
{
  const int threads = brick_threads(context, from);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (int k = from->from[2]; k < from->to[2]; k++)
    for (int j = from->from[1]; j < from->to[1]; j++)
      for (int i = from->from[0]; i < from->to[0]; i++)
        target[i * to->stride[0] + j * to->stride[1] + k * to->stride[2]] =
            source[i * from->stride[0] + j * from->stride[1] + k * from->stride[2]];
}

/* Are n values valid? The largest of them and of *largest if they are. */
static bool all_valid(const double *x, int n, bool positive, double *largest)
{
  double max = *largest;
  int bad = 0;
#pragma omp simd reduction(+ : bad) reduction(max : max)
  for (int t = 0; t < n; t++) {
    bad += x[t] <= DBL_MAX && (positive ? x[t] > 0 : x[t] >= 0) ? 0 : 1;
    max = x[t] > max ? x[t] : max;
  }
  if (bad == 0) *largest = max;
  return bad == 0;
}

/* Row (j, k) up to its first invalid value. */
static void examine_row(const hymgi_geom *box, int n, int j, int k, bool positive,
                        const double *data, hymgi_finding *finding)
{
  for (int i = 0; i < n; i++) {
    const double v = data[hymgi_at(box, i, j, k)];
    finding->bad = !isfinite(v) || !(positive ? v > 0 : v >= 0);
    if (finding->bad) {
      finding->at[0] = i, finding->at[1] = j, finding->at[2] = k;
      finding->value = v;
      return;
    }
    finding->largest = v > finding->largest ? v : finding->largest;
  }
}

void hymgi_cpu_examine(const hymgi_level *view, const hymgi_geom *box, const int n[3],
                       bool positive, const double *data, hymgi_finding *finding)
{
  (void)view;
  *finding = (hymgi_finding){.bad = false};
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++) {
      const bool whole = !box->split && all_valid(data + hymgi_row(box, 0, j, k), n[0], positive,
                                                  &finding->largest);
      if (!whole) examine_row(box, n[0], j, k, positive, data, finding);
      if (finding->bad) return;
    }
}
