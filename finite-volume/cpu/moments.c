/* The moments of f for open boundaries, in one pass over its rows. */
#include "formulas/moments.h"

#include "cpu/cpu.h"
#include "cpu/setup.h"
#include "multigrid/boundary_data.h"

enum { PART = 128 }; /* cells of a row at a time */

/* Of up to PART cells from slot `from` of a row on. */
static void add_part(const hymgi_level *level, const host_row *s, int from, int count,
                     const double *f, const hymgi_sum_scale *scale, host_sum *sums)
{
  const hymgi_geom *g = s->g;
  double *const *const place = level->boundaries->open.place;
  const int step = g->split ? 2 : 1, *const n = level->n;
  const int first = g->low[0] + (g->split ? hymgi_first(g, s->cjk[0], s->cjk[1], s->cjk[2]) : 0);
  const int j = g->low[1] + s->cjk[1], k = g->low[2] + s->cjk[2];
  const double y = place[1][j], z = place[2][k], yy = place[1][n[1] + j], zz = place[2][n[2] + k];
  double term[3][PART];
  for (int group = 0; group < HYMGI_MOMENT_GROUPS; group++) {
    for (int t = 0; t < count; t++) {
      const double *const at = place[0] + first + (from + t) * step;
      const double x[3] = {at[0], y, z}, square[3] = {at[n[0]], yy, zz};
      for (int m = 0; m < 3; m++)
        term[m][t] = hymgi_moment_term(group, m, f[t], x, square);
    }
    for (int m = 0; m < 3; m++)
      host_add_row(false, term[m], term[m], count, scale, sums + 3 * group + m);
  }
}

void hymgi_cpu_moment_sums(const hymgi_level *level, const double *f, int exponent, int bits,
                           int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, bits);
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    host_sum mine[HYMGI_MOMENTS] = {{.terms = 0}};
    for (host_row s = hymgi_cpu_rows(level->box, level->num_boxes, true); s.g; hymgi_cpu_next(&s))
      for (int t = 0; t < s.n; t += PART)
        add_part(level, &s, t, s.n - t < PART ? s.n - t : PART, f + s.at + t, &scale, mine);
#pragma omp critical
    for (int m = 0; m < HYMGI_MOMENTS; m++)
      host_add_words(mine + m, words + m * HYMGI_SUM_RESULT);
  }
}
