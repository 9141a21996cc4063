/* Between levels in double and in single precision on the host: the same boxes and colours, with other
 * distances between rows. */
#include "cpu/cpu.h"

/* Slots before and after a row's own, of the ghosts that it has. */
static int beyond(const hymgi_geom *g)
{
  return g->split ? (g->ghost + 1) / 2 : g->ghost;
}

static void narrow_row(const double *restrict x, double factor, int from, int to,
                       float *restrict out)
{
#pragma omp simd
  for (int t = from; t < to; t++)
    out[t] = (float)(factor * x[t]);
}

static void narrow(const hymgi_level *single, const hymgi_level *level, double factor,
                   const double *x, void *out)
{
  float *const vector = out;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b, *s = single->box + b;
    const int rows = g->n[1] + 2 * g->ghost;
    int64_t from, to;
    host_share((int64_t)rows * (g->n[2] + 2 * g->ghost), &from, &to);
    for (int64_t m = from; m < to; m++)
      for (int c = 0; c <= g->split; c++) {
        const int j = (int)(m % rows) - g->ghost, k = (int)(m / rows) - g->ghost;
        narrow_row(x + hymgi_row(g, c, j, k), factor, -beyond(g), host_slots(g) + beyond(g),
                   vector + hymgi_row(s, c, j, k));
      }
  }
}

static void widen(const hymgi_level *single, const hymgi_level *level, double factor, const void *x,
                  bool add, double *out)
{
  const float *const vector = x;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row r = hymgi_cpu_rows(level->box, level->num_boxes, true); r.g; hymgi_cpu_next(&r)) {
    const hymgi_geom *s = single->box + (r.g - level->box);
    const float *const restrict from = vector + hymgi_row(s, r.cjk[0], r.cjk[1], r.cjk[2]);
    double *const restrict to = out + r.at;
#pragma omp simd
    for (int t = 0; t < r.n; t++)
      to[t] = add ? hymgi_fma_double(factor, (double)from[t], to[t]) : factor * (double)from[t];
  }
}

static void narrow_residual(const hymgi_level *single, const hymgi_level *level, double factor,
                            const double *f, double *x, void *out, int slot)
{
  const host_pass residual = {.kind = HOST_RESIDUAL, .level = level, .f = f, .own = x, .other = x};
  float *const vector = out;
  double max = 0;
  hymgi_cpu_update_ghosts(level, x);
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    double *const row = host_scratch(level, 2);
    double mine = 0;
    for (host_row r = hymgi_cpu_rows(level->box, level->num_boxes, true); r.g; hymgi_cpu_next(&r)) {
      const hymgi_geom *s = single->box + (r.g - level->box);
      hymgi_cpu_run_slots(&residual, r.g, r.cjk, 0, r.n, row);
      mine = host_larger(mine, host_largest(row, r.n));
      narrow_row(row, factor, 0, r.n, vector + hymgi_row(s, r.cjk[0], r.cjk[1], r.cjk[2]));
    }
#pragma omp critical
    max = host_larger(max, mine);
  }
  level->context->later[slot] = max;
}

const hymgi_single_ops hymgi_cpu_conversions = {
    .narrow = narrow, .widen = widen, .narrow_residual = narrow_residual};
