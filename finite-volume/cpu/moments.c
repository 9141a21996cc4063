/* The moments of f for open boundaries, in one pass over its rows. */
#include "formulas/moments.h"

#include <math.h>

#include "cpu/cpu.h"
#include "cpu/setup.h"
#include "multigrid/boundary_data.h"

enum { PART = 128 }; /* cells of a row at a time */

/* The factors of some cells of a row: places, mean squares and products, each along x, y and z; and |f|. */
typedef struct row_part {
  int count;
  double factor[9][PART], size[PART];
} row_part;

/* One of x, y and z, or of their mean squares, in some cells of a row. */
static void take_places(const double *place, int step, int count, double *factor)
{
  for (int t = 0; t < count; t++)
    factor[t] = place[t * step];
}

/* From slot `from` on. */
static void weigh(const hymgi_level *level, const host_row *s, int from, row_part *p)
{
  const hymgi_geom *g = s->g;
  const int parity = g->split ? hymgi_first(g, s->cjk[0], s->cjk[1], s->cjk[2]) : 0;
  const int stride = g->split ? 2 : 1;
  for (int axis = 0; axis < 3; axis++) {
    const int at = g->low[axis] + (axis == 0 ? parity + from * stride : s->cjk[axis]);
    const double *const place = level->boundaries->open.place[axis] + at;
    const int step = axis == 0 ? stride : 0;
    take_places(place, step, p->count, p->factor[axis]);
    take_places(place + level->n[axis], step, p->count, p->factor[3 + axis]);
  }
  for (int axis = 0; axis < 3; axis++) {
    const double *const a = p->factor[hymgi_moment_axis(axis, 0)],
                        *const b = p->factor[hymgi_moment_axis(axis, 1)];
    double *const product = p->factor[6 + axis];
#pragma omp simd
    for (int t = 0; t < p->count; t++)
      product[t] = a[t] * b[t];
  }
}

static void add_part(const double *f, row_part *p, const hymgi_sum_scale *scale, host_sum *sums)
{
#pragma omp simd
  for (int t = 0; t < p->count; t++)
    p->size[t] = fabs(f[t]);
  for (int m = 0; m < 3; m++)
    host_add_row(true, p->size, p->factor[m], p->count, scale, sums + 3 * HYMGI_MOMENT_SIZE + m);
  for (int m = 0; m < 9; m++)
    host_add_row(true, f, p->factor[m], p->count, scale, sums + 3 * HYMGI_MOMENT_FIRST + m);
  host_add_row(false, f, f, p->count, scale, sums + 3 * HYMGI_MOMENT_TOTAL);
  host_add_row(false, p->size, p->size, p->count, scale, sums + 3 * HYMGI_MOMENT_TOTAL + 1);
}

void hymgi_cpu_moment_sums(const hymgi_level *level, const double *f, int exponent, int bits,
                           int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, bits);
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    host_sum mine[HYMGI_MOMENTS] = {{.terms = 0}};
    for (host_row s = hymgi_cpu_rows(level, level->box, level->num_boxes, true); s.g;
         hymgi_cpu_next(&s))
      for (int t = 0; t < s.n; t += PART) {
        row_part p;
        p.count = s.n - t < PART ? s.n - t : PART;
        weigh(level, &s, t, &p);
        add_part(f + s.at + t, &p, &scale, mine);
      }
#pragma omp critical
    for (int m = 0; m < HYMGI_MOMENTS; m++)
      host_add_words(mine + m, words + m * HYMGI_SUM_RESULT);
  }
}
