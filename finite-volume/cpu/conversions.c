/* Between levels in double and in single precision on the host: the same boxes and colours, with other
 * distances between rows. */
#include "cpu/cpu.h"
#include "cpu/setup.h"

/* Scratch rows 0 to 2 belong to the kernels; rows of a vector are at most as long as those, so there is
 * room for as many behind them. */
enum { FIRST_ROW = 3, ROWS = 16 };

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
    host_share(level->context, (int64_t)rows * (g->n[2] + 2 * g->ghost), &from, &to);
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
  for (host_row r = hymgi_cpu_rows(level, level->box, level->num_boxes, true); r.g;
       hymgi_cpu_next(&r)) {
    const hymgi_geom *s = single->box + (r.g - level->box);
    const float *const restrict from = vector + hymgi_row(s, r.cjk[0], r.cjk[1], r.cjk[2]);
    double *const restrict to = out + r.at;
#pragma omp simd
    for (int t = 0; t < r.n; t++)
      to[t] = add ? hymgi_fma_double(factor, (double)from[t], to[t]) : factor * (double)from[t];
  }
}

/* The residual of rows j[0] <= j < j[1] of one colour in plane k goes through scratch rows. */
static double narrow_residual_rows(const host_pass *pass, const hymgi_geom *g,
                                   const hymgi_geom *single, int colour, const int j[2], int k,
                                   double factor, float *out)
{
  double *const rows = host_scratch(pass->level, FIRST_ROW);
  double max = 0;
  hymgi_cpu_run_rows(pass, g, colour, j, k, rows);
  for (int at = j[0]; at < j[1]; at++) {
    const int n = host_cells(g, colour, at, k);
    double *const row = rows + (at - j[0]) * g->pitch;
    max = host_larger(max, host_largest(row, n));
    narrow_row(row, factor, 0, n, out + hymgi_row(single, colour, at, k));
  }
  return max;
}

static void narrow_residual(const hymgi_level *single, const hymgi_level *level, double factor,
                            const double *f, double *x, void *out, int slot)
{
  const host_pass residual = {.kind = HOST_RESIDUAL, .level = level, .f = f, .own = x, .other = x};
  double max = 0;
  hymgi_cpu_update_ghosts(level, x);
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    double mine = 0;
    for (host_row r = hymgi_cpu_rows(level, level->box, level->num_boxes, false); r.g;
         hymgi_cpu_next_plane(&r)) {
      const int end = r.cjk[1] + hymgi_cpu_rows_of_plane(&r);
      for (int from = r.cjk[1]; from < end; from += ROWS)
        for (int c = 0; c <= r.g->split; c++) {
          const int j[2] = {from, from + ROWS < end ? from + ROWS : end};
          mine = host_larger(mine,
                             narrow_residual_rows(&residual, r.g, single->box + (r.g - level->box),
                                                  c, j, r.cjk[2], factor, out));
        }
    }
#pragma omp critical
    max = host_larger(max, mine);
  }
  level->context->later[slot] = max;
}

const hymgi_single_ops hymgi_cpu_conversions = {
    .narrow = narrow, .widen = widen, .narrow_residual = narrow_residual};
