/* See floats.h. */
#include "support/floats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

static void extent_of(const support_kit *k, hymg_centering centering, int n[3])
{
  for (int d = 0; d < 3; d++)
    n[d] = k->n[d];
  if (centering >= HYMG_BOUNDARY_X_LOW)
    n[(centering - HYMG_BOUNDARY_X_LOW) / 2] = 1;
  else if (centering != HYMG_CELL)
    n[centering - HYMG_FACE_X]++;
}

size_t floats_count(const floats_field *f)
{
  return (size_t)f->n[0] * (size_t)f->n[1] * (size_t)f->n[2];
}

static ptrdiff_t place(const floats_field *f, size_t m)
{
  const ptrdiff_t i = (ptrdiff_t)m % f->n[0], j = (ptrdiff_t)m / f->n[0] % f->n[1],
                  k = (ptrdiff_t)m / f->n[0] / f->n[1];
  return f->first + i * f->stride[0] + j * f->stride[1] + k * f->stride[2];
}

static void lay_out(floats_field *f, int variant)
{
  static const int order[6][3] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}};
  f->size = 1;
  for (int m = 0; m < 3; m++) {
    const int d = order[variant % 6][m], ghosts = (variant + m) % 3,
              step = m == 0 ? 1 + variant % 2 : 1;
    const bool backwards = variant % 4 == 3 && m == 1;
    f->stride[d] = (ptrdiff_t)f->size * step;
    f->first += (backwards ? f->n[d] - 1 + ghosts : ghosts) * f->stride[d];
    f->size *= (size_t)((f->n[d] + 2 * ghosts) * step);
    if (backwards) f->stride[d] = -f->stride[d];
  }
}

static void to_device(const floats_where *w, const floats_field *f)
{
  if (f->device) w->device->copy(f->device, f->data, f->size);
}

static void from_device(const floats_where *w, const floats_field *f)
{
  if (f->device) w->device->copy(f->data, f->device, f->size);
}

static void make_array(support_kit *k, const floats_where *w, floats_field *f, int variant)
{
  lay_out(f, variant);
  f->data = malloc((f->size + 1) * sizeof *f->data); /* an even number can be copied */
  ck_assert_ptr_nonnull(f->data);
  for (size_t m = 0; m < f->size; m++)
    f->data[m] = NAN;
  if (f->space == HYMG_DEVICE) f->device = w->device->alloc(f->size);
  to_device(w, f);
  OK(k->context,
     hymg_field_wrap(k->grid, f->space, f->centering, HYMG_FLOAT, f->low, f->n, f->stride,
                     (f->device ? f->device : f->data) + f->first, &f->field));
}

floats_field floats_make(support_kit *k, const floats_where *w, hymg_centering centering, int m)
{
  const int way = (w->variant + m) % FLOATS_WAYS;
  floats_field f = {.centering = centering,
                    .space = w->device && way & 1 ? HYMG_DEVICE : HYMG_HOST};
  extent_of(k, centering, f.n);
  if (way >> 1 & 1)
    make_array(k, w, &f, w->variant + m);
  else
    OK(k->context, hymg_field_create_in(k->grid, f.space, centering, HYMG_FLOAT, &f.field));
  return f;
}

void floats_free(const floats_where *w, floats_field *f)
{
  hymg_field_destroy(&f->field);
  if (!f->data) return;
  from_device(w, f);
  for (size_t m = 0; m < floats_count(f); m++)
    f->data[place(f, m)] = NAN;
  for (size_t m = 0; m < f->size; m++)
    ck_assert_msg(isnan(f->data[m]), "number %zu, which is no entry, has been written", m);
  if (f->device) w->device->free(f->device);
  free(f->data);
}

double *floats_values(support_kit *k, const floats_where *w, const floats_field *f)
{
  const ptrdiff_t rows[3] = {1, f->n[0], (ptrdiff_t)f->n[0] * f->n[1]};
  double *const values = support_poison(floats_count(f));
  OK(k->context, hymg_field_read_own(f->field, f->low, f->n, rows, values, HYMG_HOST));
  from_device(w, f);
  for (size_t m = 0; f->data && m < floats_count(f); m++) {
    const double held = f->data[place(f, m)];
    if (isnan(values[m])) continue; /* of another rank, or not a number */
    ck_assert_msg(held == values[m], "entry %zu is %g in the array, but read as %g", m, held,
                  values[m]);
  }
  return values;
}

/* ---- problems ---- */

typedef struct kind {
  hymg_stencil stencil;
  int n[3];
  const char *boundary;
  double a;
  bool data, fixed, guess;
  hymg_method method;
  hymg_cycle cycle;
  hymg_path path;
  hymg_precision precision;
} kind;

static const kind kinds[FLOATS_CASES] = {
    {HYMG_FV2, {16, 12, 8}, "dd pp dn", 0.5, .method = HYMG_FMG, .cycle = HYMG_CYCLE_F},
    {HYMG_FV2,
     {8, 12, 8},
     "dr pp nd",
     0,
     .data = true,
     .method = HYMG_MG,
     .cycle = HYMG_CYCLE_DEFAULT},
    {HYMG_FV2,
     {7, 6, 9},
     "dr pp nd",
     0.7,
     .data = true,
     .guess = true,
     .method = HYMG_MG,
     .cycle = HYMG_CYCLE_V,
     .path = HYMG_PATH_ROBUST},
    {HYMG_FV2,
     {10, 6, 11},
     "dd nn pp",
     0,
     .fixed = true,
     .method = HYMG_MG,
     .cycle = HYMG_CYCLE_V,
     .path = HYMG_PATH_ROBUST},
    {HYMG_FV4, {12, 8, 16}, "dd pp dd", 0.3, .method = HYMG_MG, .cycle = HYMG_CYCLE_DEFAULT},
    {HYMG_FV4,
     {8, 6, 10},
     "dd pp nd",
     0,
     .data = true,
     .method = HYMG_MG,
     .cycle = HYMG_CYCLE_V,
     .path = HYMG_PATH_ROBUST},
    {HYMG_FV2,
     {16, 8, 8},
     "dd dd dd",
     0,
     .guess = true,
     .method = HYMG_MGPCG,
     .cycle = HYMG_CYCLE_V},
    {HYMG_FV2, {8, 16, 12}, "nn pp nn", 0, .method = HYMG_MG, .cycle = HYMG_CYCLE_DEFAULT},
    {HYMG_FV2,
     {1, 9, 13},
     "nn dd dd",
     0.1,
     .guess = true,
     .method = HYMG_MG,
     .cycle = HYMG_CYCLE_V,
     .path = HYMG_PATH_ROBUST},
    {HYMG_FV2,
     {48, 32, 32},
     "dd dd pp",
     0,
     .method = HYMG_MG,
     .cycle = HYMG_CYCLE_DEFAULT,
     .precision = HYMG_MIXED},
};

static void round_values(double *values, size_t count)
{
  for (size_t m = 0; values && m < count; m++)
    values[m] = (float)values[m];
}

static support_case make_case(const kind *p)
{
  support_case c = support_case_of(p->stencil, p->n, p->boundary, p->a);
  const size_t n[3] = {(size_t)p->n[0], (size_t)p->n[1], (size_t)p->n[2]};
  const size_t cells = n[0] * n[1] * n[2];
  if (p->data) support_case_add_boundaries(&c), support_case_add_robin(&c);
  if (p->fixed) support_case_fix(&c);
  round_values(c.alpha, cells), round_values(c.fixed, cells);
  for (int d = 0; d < 3; d++)
    round_values(c.beta[d], cells / n[d] * (n[d] + 1));
  for (int w = 0; w < 6; w++) {
    round_values(c.boundary_data[w], cells / n[w / 2]);
    round_values(c.robin_alpha[w], cells / n[w / 2]);
    round_values(c.robin_beta[w], cells / n[w / 2]);
  }
  return c;
}

enum { COEFFICIENTS = 23 };

typedef struct pair {
  const kind *kind;
  const floats_where *where;
  support_case c;
  support_kit k; /* of doubles */
  floats_field given[COEFFICIENTS];
  int count;
  hymg_operator *op;
  hymg_solver *solver; /* of floats */
  size_t cells;
} pair;

static floats_field filled(pair *p, hymg_centering centering, const hymg_field *values, int m)
{
  floats_field f = floats_make(&p->k, p->where, centering, m);
  OK(p->k.context, hymg_field_copy(values, f.field));
  return f;
}

static const hymg_field *coefficient(pair *p, hymg_centering centering, const hymg_field *values)
{
  if (!values) return NULL;
  p->given[p->count] = filled(p, centering, values, p->count);
  return p->given[p->count++].field;
}

static pair open_pair(const floats_where *where, int m)
{
  const kind *const q = kinds + m;
  pair p = {.kind = q, .where = where, .c = make_case(q)};
  p.c.spec.sweeps = -1;
  hymg_options o = hymg_options_default();
  o.method = q->method, o.cycle = q->cycle, o.path = q->path;
  o.initial_guess = q->guess, o.precision = q->precision;
  if (where->host) o.backend = HYMG_BACKEND_HOST;
  p.k = support_open(&p.c.spec, &where->layout, &o);
  hymg_operator_desc d = p.k.desc;
  d.alpha = coefficient(&p, HYMG_CELL, d.alpha);
  d.fixed = coefficient(&p, HYMG_CELL, d.fixed);
  for (int axis = 0; axis < 3; axis++)
    d.beta[axis] = coefficient(&p, (hymg_centering)(HYMG_FACE_X + axis), d.beta[axis]);
  for (int w = 0; w < 6; w++) {
    const hymg_centering wall = (hymg_centering)(HYMG_BOUNDARY_X_LOW + w);
    d.boundary_data[w] = coefficient(&p, wall, d.boundary_data[w]);
    d.robin_alpha[w] = coefficient(&p, wall, d.robin_alpha[w]);
    d.robin_beta[w] = coefficient(&p, wall, d.robin_beta[w]);
  }
  o.sweeps = p.c.spec.sweeps;
  o = support_options(o);
  OK(p.k.context, hymg_operator_create(p.k.grid, &d, &p.op));
  OK(p.k.context, hymg_solver_create(p.op, &o, &p.solver));
  p.cells = (size_t)hymg_grid_cells(p.k.grid);
  return p;
}

static void close_pair(pair *p)
{
  hymg_solver_destroy(&p->solver);
  hymg_operator_destroy(&p->op);
  for (int m = 0; m < p->count; m++)
    floats_free(p->where, p->given + m);
  support_close(&p->k);
  support_case_free(&p->c);
}

/* A field of random numbers that are floats, and the same in floats. */
typedef struct twins {
  hymg_field *plain;
  floats_field f;
} twins;

static twins random_twins(pair *p, int m)
{
  double *values = support_random(p->cells, -1, 1, 40 + (unsigned)m);
  round_values(values, p->cells);
  twins t = {.plain = support_field(&p->k, 0, values)};
  t.f = filled(p, HYMG_CELL, t.plain, COEFFICIENTS + m);
  free(values);
  return t;
}

static void free_twins(pair *p, twins *t)
{
  hymg_field_destroy(&t->plain);
  floats_free(p->where, &t->f);
}

static void check_rounded(pair *p, const char *what, const hymg_field *plain, const floats_field *f)
{
  const ptrdiff_t rows[3] = {1, f->n[0], (ptrdiff_t)f->n[0] * f->n[1]};
  double *const want = support_poison(floats_count(f)), *const got =
                                                            floats_values(&p->k, p->where, f);
  OK(p->k.context, hymg_field_read_own(plain, f->low, f->n, rows, want, HYMG_HOST));
  round_values(want, floats_count(f));
  for (size_t m = 0; m < floats_count(f); m++)
    ck_assert_msg(got[m] == want[m] || (isnan(got[m]) && isnan(want[m])),
                  "%s, %s, entry %zu: %.17g, not %.17g", p->c.name, what, m, got[m], want[m]);
  free(got), free(want);
}

static void check_results(const pair *p, const hymg_result *got, const hymg_result *want)
{
  ck_assert_msg(got->cycles == want->cycles && got->reason == want->reason &&
                    got->converged == want->converged && got->precision == want->precision,
                "%s: %d cycles, not %d", p->c.name, got->cycles, want->cycles);
  for (int m = 0; m < got->cycles; m++)
    ck_assert(support_same_bits(1, &got->history[m].residual_max, &want->history[m].residual_max));
  ck_assert(support_same_bits(1, &got->rhs_max, &want->rhs_max));
  ck_assert(support_same_bits(1, &got->residual_max, &want->residual_max));
  ck_assert(support_same_bits(1, &got->mean_removed, &want->mean_removed));
}

void floats_check_solves(const floats_where *where, int m)
{
  pair p = open_pair(where, m);
  twins f = random_twins(&p, 0), u = random_twins(&p, 1);
  for (int time = 0; time < 2; time++) {
    hymg_result got, want;
    OK(p.k.context, hymg_solve(p.solver, f.f.field, u.f.field, &got));
    OK(p.k.context, hymg_solve(p.k.solver, f.plain, u.plain, &want));
    check_results(&p, &got, &want);
    check_rounded(&p, "u", u.plain, &u.f);
    check_rounded(&p, "f after the solve", f.plain, &f.f);
    OK(p.k.context, hymg_solver_update(p.solver)); /* reads the coefficients again */
    OK(p.k.context, hymg_solver_update(p.k.solver));
    OK(p.k.context, hymg_field_copy(u.f.field, u.plain)); /* the same guess */
  }
  free_twins(&p, &f), free_twins(&p, &u);
  close_pair(&p);
}

/* ---- other calls ---- */

static void check_fluxes(pair *p, const twins *u)
{
  hymg_field *plain[3] = {NULL}, *flux[3];
  floats_field f[3];
  if (p->kind->stencil != HYMG_FV2) return;
  for (int axis = 0; axis < 3; axis++) {
    const hymg_centering faces = (hymg_centering)(HYMG_FACE_X + axis);
    OK(p->k.context, hymg_field_create(p->k.grid, NULL, faces, HYMG_DOUBLE, plain + axis));
    f[axis] = floats_make(&p->k, p->where, faces, axis);
    flux[axis] = f[axis].field;
  }
  OK(p->k.context, hymg_fluxes(p->solver, u->f.field, flux));
  OK(p->k.context, hymg_fluxes(p->k.solver, u->plain, plain));
  for (int axis = 0; axis < 3; axis++) {
    check_rounded(p, "flux", plain[axis], f + axis);
    hymg_field_destroy(plain + axis);
    floats_free(p->where, f + axis);
  }
}

static void check_restriction(pair *p, const twins *x)
{
  hymg_field *coarse[2] = {NULL};
  if (hymg_solver_num_levels(p->solver) < 2) return;
  hymg_solver *const solver[2] = {p->solver, p->k.solver};
  double *values[2];
  hymg_status status[2];
  for (int m = 0; m < 2; m++) {
    OK(p->k.context, hymg_field_create_on_level(solver[m], 1, coarse + m));
    status[m] = hymg_restrict(solver[m], 0, m ? x->plain : x->f.field, coarse[m]);
    values[m] = support_read(&p->k, 1, coarse[m]);
    hymg_field_destroy(coarse + m);
  }
  int n[3];
  size_t count;
  support_cells(&p->k, 1, n, &count);
  ck_assert_int_eq(status[0], status[1]);
  ck_assert(support_same_bits(count, values[0], values[1]));
  free(values[0]), free(values[1]);
}

static void check_sums(pair *p, twins *x, twins *y)
{
  hymg_context *c = p->k.context;
  double got[5], want[5];
  OK(c, hymg_field_max(x->f.field, got));
  OK(c, hymg_field_max(x->plain, want));
  OK(c, hymg_field_rms(x->f.field, got + 1));
  OK(c, hymg_field_rms(x->plain, want + 1));
  OK(c, hymg_field_mean(x->f.field, got + 2));
  OK(c, hymg_field_mean(x->plain, want + 2));
  OK(c, hymg_field_dot(x->f.field, y->f.field, got + 3));
  OK(c, hymg_field_dot(x->f.field, y->plain, got + 4));
  OK(c, hymg_field_dot(x->plain, y->plain, want + 3));
  want[4] = want[3];
  ck_assert(support_same_bits(5, got, want));
  OK(c, hymg_field_axpy(0.3, x->f.field, y->f.field));
  OK(c, hymg_field_axpy(0.3, x->plain, y->plain));
  check_rounded(p, "axpy", y->plain, &y->f);
  OK(c, hymg_field_scale(1 / 3., x->f.field));
  OK(c, hymg_field_scale(1 / 3., x->plain));
  check_rounded(p, "scale", x->plain, &x->f);
  OK(c, hymg_field_copy(x->f.field, x->plain)); /* both the rounded ones */
  OK(c, hymg_field_remove_mean(x->f.field));
  OK(c, hymg_field_remove_mean(x->plain));
  check_rounded(p, "remove_mean", x->plain, &x->f);
  OK(c, hymg_field_copy(x->f.field, y->f.field)); /* floats to floats */
  check_rounded(p, "copy", x->plain, &y->f);
  OK(c, hymg_field_fill(y->f.field, 0.1));
  OK(c, hymg_field_fill(y->plain, 0.1));
  const int cell[2][3] = {{0, 0, 0}, {p->k.n[0] - 1, p->k.n[1] / 2, p->k.n[2] - 1}};
  const double value[2] = {1 / 7., 1e-3};
  OK(c, hymg_field_put(y->f.field, 2, cell, value));
  OK(c, hymg_field_put(y->plain, 2, cell, value));
  check_rounded(p, "fill and put", y->plain, &y->f);
}

void floats_check_operations(const floats_where *where, int m)
{
  pair p = open_pair(where, m);
  hymg_context *c = p.k.context;
  twins x = random_twins(&p, 0), f = random_twins(&p, 1), y = random_twins(&p, 2);
  OK(c, hymg_apply(p.solver, 0, x.f.field, y.f.field));
  OK(c, hymg_apply(p.k.solver, 0, x.plain, y.plain));
  check_rounded(&p, "A x", y.plain, &y.f);
  OK(c, hymg_residual(p.solver, 0, f.f.field, x.f.field, y.f.field));
  OK(c, hymg_residual(p.k.solver, 0, f.plain, x.plain, y.plain));
  check_rounded(&p, "f - A x", y.plain, &y.f);
  for (int from = 0; from < 2; from++) {
    OK(c, hymg_field_copy(x.f.field, y.f.field));
    OK(c, hymg_field_copy(x.plain, y.plain));
    OK(c, hymg_solver_cycle(p.solver, HYMG_CYCLE_V, from, f.f.field, y.f.field));
    OK(c, hymg_solver_cycle(p.k.solver, HYMG_CYCLE_V, from, f.plain, y.plain));
    check_rounded(&p, "a cycle", y.plain, &y.f);
  }
  check_fluxes(&p, &x);
  check_restriction(&p, &x);
  OK(c, hymg_field_copy(y.f.field, y.plain));
  check_sums(&p, &x, &y);
  free_twins(&p, &x), free_twins(&p, &f), free_twins(&p, &y);
  close_pair(&p);
}
