/* Vector operations on the host, without ghosts; reductions do not depend on the order of terms. */
#include <math.h>

#include "base/exact_sum.h"
#include "cpu/cpu.h"

/* Its place and its cells, which follow from g and cjk. */
static void enter_row(host_row *r)
{
  const hymgi_geom *g = r->g;
  r->at = hymgi_row(g, r->cjk[0], r->cjk[1], r->cjk[2]);
  r->n = host_cells(g, r->cjk[0], r->cjk[1], r->cjk[2]);
}

/* Advances from box r->g to the first box in which this thread has rows. */
static void enter_box(host_row *r)
{
  for (; r->g < r->end; r->g++) {
    int64_t from, to;
    host_share((int64_t)r->g->n[1] * r->g->n[2], &from, &to);
    if (from == to) continue;
    r->left = to - from;
    r->cjk[0] = 0, r->cjk[1] = (int)(from % r->g->n[1]), r->cjk[2] = (int)(from / r->g->n[1]);
    enter_row(r);
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
    enter_row(r);
  } else if (--r->left == 0) {
    r->g++;
    enter_box(r);
  } else {
    r->cjk[0] = 0;
    if (++r->cjk[1] == g->n[1]) r->cjk[1] = 0, r->cjk[2]++;
    enter_row(r);
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

void hymgi_cpu_fill(const hymgi_level *level, double value, hymgi_real *x)
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = first(level); s.g; hymgi_cpu_next(&s))
    for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
      x[t] = (hymgi_real)value;
}

void hymgi_cpu_clear_black(const hymgi_geom *g, int j, int k, hymgi_real *r)
{
  hymgi_real *const row = r + hymgi_at(g, hymgi_first(g, 1, j, k), j, k);
  const int step = g->split ? 1 : 2, count = hymgi_count(g, 1, j, k);
#pragma omp simd
  for (int t = 0; t < count; t++)
    row[t * step] = 0;
}

void hymgi_cpu_axpby(const hymgi_level *level, double a, const hymgi_real *x, double b,
                     const hymgi_real *y, hymgi_real *z)
{
  const bool copies = b == 0 && a == 1;
  const hymgi_real ax = (hymgi_real)a, by = (hymgi_real)b;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = first(level); s.g; hymgi_cpu_next(&s))
    if (copies)
      for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
        z[t] = x[t];
    else
      for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
        z[t] = hymgi_fma(ax, x[t], by * y[t]);
}

void hymgi_cpu_shift(const hymgi_level *level, double c, hymgi_real *x)
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = first(level); s.g; hymgi_cpu_next(&s))
    for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
      x[t] += (hymgi_real)c;
}

void hymgi_cpu_precondition(const hymgi_level *level, const hymgi_real *r, hymgi_real *z)
{
  const hymgi_real *const dinv = level->c.dinv;
  const relax_weights none = {.residual = 0};
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = first(level); s.g; hymgi_cpu_next(&s)) {
    if (dinv) {
      for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
        z[t] = dinv[t] * r[t];
      continue;
    }
    hymgi_real *const d = host_scratch(level, 0);
    const fv2_row row = hymgi_fv2_row_of(level, s.g, NULL, NULL, s.cjk);
    hymgi_fv2_run(HOST_DIAGONAL, &row, &none, 0, s.n, d);
    for (int t = 0; t < s.n; t++)
      z[s.at + t] = r[s.at + t] / d[t];
  }
}

double hymgi_cpu_max(const hymgi_level *level, const hymgi_real *x, const hymgi_real *y)
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

void hymgi_cpu_sum(const hymgi_level *level, const hymgi_real *x, const hymgi_real *y, int exponent,
                   int bits, int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, bits);
  for (int m = 0; m < HYMGI_SUM_RESULT; m++)
    words[m] = 0;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    host_sum mine = {.terms = 0};
    for (host_row s = first(level); s.g; hymgi_cpu_next(&s))
      if (y)
        host_add_row(true, x + s.at, y + s.at, s.n, &scale, &mine);
      else
        host_add_row(false, x + s.at, x + s.at, s.n, &scale, &mine);
#pragma omp critical
    host_add_words(&mine, words);
  }
}

double hymgi_cpu_advance(const hymgi_level *level, double a, const hymgi_real *p,
                         const hymgi_real *w, hymgi_real *u, hymgi_real *r, int exponent, int bits,
                         int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(words ? exponent : 0, bits);
  const hymgi_real step = (hymgi_real)a;
  int64_t sum[HYMGI_SUM_RESULT] = {0};
  double max = 0;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    host_sum mine = {.terms = 0};
    double largest = 0;
    for (host_row s = first(level); s.g; hymgi_cpu_next(&s)) {
      for (ptrdiff_t t = s.at; t < s.at + s.n; t++)
        u[t] = hymgi_fma(step, p[t], u[t]), r[t] = hymgi_fma(-step, w[t], r[t]);
      if (words)
        host_add_row(true, r + s.at, r + s.at, s.n, &scale, &mine);
      else
        largest = host_larger(largest, host_largest(r + s.at, s.n));
    }
#pragma omp critical
    {
      max = host_larger(max, largest);
      host_add_words(&mine, sum);
    }
  }
  for (int m = 0; words && m < HYMGI_SUM_RESULT; m++)
    words[m] = sum[m];
  return max;
}
