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
    host_share(r->context, (int64_t)r->g->n[1] * r->g->n[2], &from, &to);
    if (from == to) continue;
    r->left = to - from;
    r->cjk[0] = 0, r->cjk[1] = (int)(from % r->g->n[1]), r->cjk[2] = (int)(from / r->g->n[1]);
    enter_row(r);
    return;
  }
  r->g = NULL;
}

host_row hymgi_cpu_rows(const hymgi_level *level, const hymgi_geom *box, int num_boxes,
                        bool colours)
{
  host_row r = {level->context, .g = box, .end = box + num_boxes, .colours = colours};
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

typedef struct found {
  double max;
  host_sum sum;
} found;

/* A pass over rows: what `row` does in row s, with its numbers and vectors. What is found is combined. */
typedef struct job {
  void (*row)(const struct job *w, const host_row *s, found *mine);
  const hymgi_level *level;
  hymgi_real a, b;
  const hymgi_real *x, *y;
  hymgi_real *z, *r;
  bool finds; /* a maximum or, if words is not NULL, a sum */
  hymgi_sum_scale scale;
  double max;
  int64_t *words;
} job;

static void run_share(void *user)
{
  job *const w = user;
  found mine = {.max = 0};
  for (host_row s = hymgi_cpu_rows(w->level, w->level->box, w->level->num_boxes, true); s.g;
       hymgi_cpu_next(&s))
    w->row(w, &s, &mine);
  if (!w->finds) return;
#pragma omp critical
  {
    w->max = host_larger(w->max, mine.max);
    if (w->words) host_add_words(&mine.sum, w->words);
  }
}

static double run(job w)
{
  hymgi_cpu_share_out(w.level->context, hymgi_cpu_threads(w.level), run_share, &w);
  return w.max;
}

static void fill_row(const job *w, const host_row *s, found *mine)
{
  (void)mine;
  hymgi_real *const z = w->z + s->at;
  for (int t = 0; t < s->n; t++)
    z[t] = w->a;
}

void hymgi_cpu_fill(const hymgi_level *level, double value, hymgi_real *x)
{
  run((job){fill_row, level, .a = (hymgi_real)value, .z = x});
}

void hymgi_cpu_clear_black(const hymgi_geom *g, int j, int k, hymgi_real *r)
{
  hymgi_real *const row = r + hymgi_at(g, hymgi_first(g, 1, j, k), j, k);
  const int step = g->split ? 1 : 2, count = hymgi_count(g, 1, j, k);
#pragma omp simd
  for (int t = 0; t < count; t++)
    row[t * step] = 0;
}

static void copy_row(const job *w, const host_row *s, found *mine)
{
  (void)mine;
  const hymgi_real *const x = w->x + s->at;
  hymgi_real *const z = w->z + s->at;
  for (int t = 0; t < s->n; t++)
    z[t] = x[t];
}

static void axpby_row(const job *w, const host_row *s, found *mine)
{
  (void)mine;
  const hymgi_real a = w->a, b = w->b, *const x = w->x + s->at, *const y = w->y + s->at;
  hymgi_real *const z = w->z + s->at;
  for (int t = 0; t < s->n; t++)
    z[t] = hymgi_fma(a, x[t], b * y[t]);
}

void hymgi_cpu_axpby(const hymgi_level *level, double a, const hymgi_real *x, double b,
                     const hymgi_real *y, hymgi_real *z)
{
  const bool copies = b == 0 && a == 1;
  run((job){copies ? copy_row : axpby_row, level, (hymgi_real)a, (hymgi_real)b, x, y, .z = z});
}

static void shift_row(const job *w, const host_row *s, found *mine)
{
  (void)mine;
  const hymgi_real c = w->a;
  hymgi_real *const z = w->z + s->at;
  for (int t = 0; t < s->n; t++)
    z[t] += c;
}

void hymgi_cpu_shift(const hymgi_level *level, double c, hymgi_real *x)
{
  run((job){shift_row, level, .a = (hymgi_real)c, .z = x});
}

static void precondition_row(const job *w, const host_row *s, found *mine)
{
  (void)mine;
  const hymgi_level *level = w->level;
  const hymgi_real *const dinv = level->c.dinv, *const x = w->x + s->at;
  hymgi_real *const z = w->z + s->at;
  if (dinv) {
    for (int t = 0; t < s->n; t++)
      z[t] = dinv[s->at + t] * x[t];
    return;
  }
  const relax_weights none = {.residual = 0};
  hymgi_real *const d = host_scratch(level, 0);
  const fv2_row row = hymgi_fv2_row_of(level, s->g, NULL, NULL, s->cjk);
  hymgi_fv2_run(HOST_DIAGONAL, &row, &none, 0, s->n, d);
  for (int t = 0; t < s->n; t++)
    z[t] = x[t] / d[t];
}

void hymgi_cpu_precondition(const hymgi_level *level, const hymgi_real *r, hymgi_real *z)
{
  run((job){precondition_row, level, .x = r, .z = z});
}

static void max_row(const job *w, const host_row *s, found *mine)
{
  const hymgi_real *const x = w->x + s->at;
  mine->max = host_larger(mine->max,
                          w->y ? host_row_max(true, x, w->y + s->at, s->n) : host_largest(x, s->n));
}

double hymgi_cpu_max(const hymgi_level *level, const hymgi_real *x, const hymgi_real *y)
{
  return run((job){max_row, level, .x = x, .y = y, .finds = true});
}

static void sum_row(const job *w, const host_row *s, found *mine)
{
  const hymgi_real *const x = w->x + s->at;
  if (w->y)
    host_add_row(true, x, w->y + s->at, s->n, &w->scale, &mine->sum);
  else
    host_add_row(false, x, x, s->n, &w->scale, &mine->sum);
}

void hymgi_cpu_sum(const hymgi_level *level, const hymgi_real *x, const hymgi_real *y, int exponent,
                   int bits, int64_t *words)
{
  for (int m = 0; m < HYMGI_SUM_RESULT; m++)
    words[m] = 0;
  run((job){sum_row, level, .x = x, .y = y, .scale = hymgi_sum_scale_of(exponent, bits),
            .finds = true, .words = words});
}

static void advance_row(const job *w, const host_row *s, found *mine)
{
  const hymgi_real step = w->a, *const p = w->x + s->at, *const q = w->y + s->at;
  hymgi_real *const u = w->z + s->at, *const r = w->r + s->at;
  for (int t = 0; t < s->n; t++)
    u[t] = hymgi_fma(step, p[t], u[t]), r[t] = hymgi_fma(-step, q[t], r[t]);
  if (w->words)
    host_add_row(true, r, r, s->n, &w->scale, &mine->sum);
  else
    mine->max = host_larger(mine->max, host_largest(r, s->n));
}

double hymgi_cpu_advance(const hymgi_level *level, double a, const hymgi_real *p,
                         const hymgi_real *w, hymgi_real *u, hymgi_real *r, int exponent, int bits,
                         int64_t *words)
{
  for (int m = 0; words && m < HYMGI_SUM_RESULT; m++)
    words[m] = 0;
  return run((job){advance_row, level, .a = (hymgi_real)a, .x = p, .y = w, .z = u, .r = r,
                   .scale = hymgi_sum_scale_of(words ? exponent : 0, bits), .finds = true,
                   .words = words});
}
