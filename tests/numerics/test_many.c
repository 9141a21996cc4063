/* hymg_solve_many and hymg_solve_batch: the bits, histories and notes of as many calls of hymg_solve in the same order, on every
 * path and by any number of threads; one that fails or does not converge takes nothing from the others. */
#include "api/solve/solve.h"
#include "support/twin.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 5 };

typedef struct kind {
  hymg_stencil stencil;
  int n[3];
  const char *boundary;
  double a;
  hymg_method method;
  hymg_cycle cycle;
  hymg_smoother smoother;
  hymg_path path;
  hymg_transfer transfer;
  hymg_norm norm;
  bool guess;
  double jump; /* every third beta is so large */
} kind;

#define MG .method = HYMG_MG, .cycle = HYMG_CYCLE_DEFAULT
static const kind kinds[] = {
    {HYMG_FV2, {16, 16, 16}, "dd dd dd", 0, .method = HYMG_FMG, .cycle = HYMG_CYCLE_F},
    {HYMG_FV2, {24, 16, 8}, "dd pp nd", 0.5, MG},
    {HYMG_FV2, {24, 24, 24}, "dd dd dd", 0, MG, .smoother = HYMG_CHEBYSHEV},
    {HYMG_FV2, {16, 12, 8}, "dd dd dd", 0, MG, .smoother = HYMG_SYMGS},
    {HYMG_FV4, {12, 8, 16}, "dd pp dd", 0, MG},
    {HYMG_FV2,
     {16, 8, 8},
     "dd dn dd",
     0,
     .method = HYMG_MGPCG,
     .cycle = HYMG_CYCLE_V,
     .norm = HYMG_NORM_2,
     .guess = true},
    {HYMG_FV2, {16, 8, 12}, "nn pp nn", 0, MG},
    {HYMG_FV2, {28, 27, 29}, "dd nn pp", 0, MG, .path = HYMG_PATH_ROBUST},
    {HYMG_FV2, {17, 12, 15}, "dd nn dd", 0, MG, .path = HYMG_PATH_ROBUST, .jump = 1e4},
    {HYMG_FV2,
     {11, 14, 9},
     "dd dd dd",
     0,
     MG,
     .path = HYMG_PATH_ROBUST,
     .transfer = HYMG_TRANSFER_PAIRS,
     .jump = 1e3},
    {HYMG_FV4, {11, 9, 10}, "dd nn dd", 0.2, MG, .path = HYMG_PATH_ROBUST},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A solver of its own context, or of a given one. */
static support_kit open_system(const kind *q, hymg_context *context, int threads)
{
  support_case c = support_case_of(q->stencil, q->n, q->boundary, q->a);
  hymg_options o = hymg_options_default();
  const size_t faces = (size_t)(q->n[0] + 1) * (size_t)q->n[1] * (size_t)q->n[2];
  for (size_t m = 0; q->jump > 0 && m < faces; m += 3)
    c.beta[0][m] *= q->jump;
  c.spec.smoother = q->smoother, c.spec.sweeps = -1;
  o.method = q->method, o.cycle = q->cycle, o.path = q->path, o.transfer = q->transfer;
  o.norm = q->norm, o.initial_guess = q->guess, o.rtol = 1e-8;
  const support_layout layout = {.context = context, .threads = threads};
  support_kit k = support_open(&c.spec, &layout, &o);
  support_case_free(&c);
  return k;
}

static size_t cells_of(const support_kit *k)
{
  return (size_t)hymg_grid_cells(k->grid);
}

typedef struct pair {
  hymg_field *f, *u;
} pair;

/* Right-hand sides of very different sizes, of which one is 0. */
static pair make_pair(support_kit *k, int m)
{
  double *f = support_random(cells_of(k), -1, 1, 3 + (unsigned)m);
  double *u = support_random(cells_of(k), -1, 1, 90 + (unsigned)m);
  for (size_t i = 0; i < cells_of(k); i++)
    f[i] *= m == 1 ? 0 : ldexp(1, 300 * (m % 3 - 1));
  const pair p = {support_field(k, 0, f), support_field(k, 0, u)};
  free(f), free(u);
  return p;
}

static void free_pair(pair *p)
{
  hymg_field_destroy(&p->f);
  hymg_field_destroy(&p->u);
}

static void check_same_u(support_kit *k, const hymg_field *u, support_kit *other,
                         const hymg_field *v)
{
  double *const got = support_read(k, 0, u), *const want = support_read(other, 0, v);
  ck_assert(support_same_bits(cells_of(k), got, want));
  free(got), free(want);
}

/* A result with its history and note, to compare with after further solves. */
typedef struct kept {
  hymg_result r;
  hymg_cycle_record *history;
  char note[512];
} kept;

static kept keep(const hymg_result *r)
{
  kept k = {.r = *r, .history = malloc(((size_t)r->cycles + 1) * sizeof *k.history)};
  memcpy(k.history, r->history, (size_t)r->cycles * sizeof *k.history);
  strcpy(k.note, r->note);
  return k;
}

static void check_same_result(const hymg_result *got, const kept *want)
{
  ck_assert_int_eq(got->status, HYMG_OK);
  ck_assert_int_eq(got->cycles, want->r.cycles);
  ck_assert(got->reason == want->r.reason && got->converged == want->r.converged);
  ck_assert(support_same_bits(1, &got->residual_max, &want->r.residual_max));
  ck_assert(support_same_bits(1, &got->rhs_max, &want->r.rhs_max));
  ck_assert(support_same_bits(1, &got->mean_removed, &want->r.mean_removed));
  for (int m = 0; m < got->cycles; m++)
    ck_assert(got->history[m].kind == want->history[m].kind &&
              support_same_bits(1, &got->history[m].residual_max, &want->history[m].residual_max));
  ck_assert_str_eq(got->note, want->note);
}

START_TEST(many_are_as_many_single_solves)
{
  if (twin_least() && _i % 3 != 1) return; /* a batch has all kinds */
  const kind *q = kinds + _i;
  support_kit k = open_system(q, NULL, 2), other = open_system(q, NULL, 1);
  pair p[COUNT], s[COUNT];
  kept want[COUNT];
  hymg_result got[COUNT];
  for (int m = 0; m < COUNT; m++) {
    p[m] = make_pair(&k, m), s[m] = make_pair(&other, m);
    hymg_result r;
    OK(other.context, hymg_solve(other.solver, s[m].f, s[m].u, &r));
    want[m] = keep(&r);
  }
  const hymg_field *f[COUNT];
  hymg_field *u[COUNT];
  for (int m = 0; m < COUNT; m++)
    f[m] = p[m].f, u[m] = p[m].u;
  memset(got, 0xff, sizeof got);
  OK(k.context, hymg_solve_many(k.solver, COUNT, f, u, got));
  for (int m = 0; m < COUNT; m++) {
    check_same_result(got + m, want + m);
    check_same_u(&k, u[m], &other, s[m].u);
  }
  OK(k.context, hymg_solve_many(k.solver, 0, f, u, NULL));
  for (int m = 0; m < COUNT; m++)
    free_pair(p + m), free_pair(s + m), free(want[m].history);
  support_close(&k), support_close(&other);
}
END_TEST

/* ---- failures ---- */

enum { NAN_IN_F, NO_F, OTHER_GRID, MEAN, SAME, WAYS };

/* Number 2 of 5 cannot be solved; the others are. */
START_TEST(one_that_fails_takes_nothing_from_the_others)
{
  static const hymg_status status[WAYS] = {HYMG_OK, HYMG_EINVAL, HYMG_EINVAL, HYMG_EINVAL,
                                           HYMG_EINVAL};
  static const char *const text[WAYS] = {"", "f is NULL", "f is a field of another grid", "mean",
                                         "the same field"};
  kind q = kinds[_i == MEAN ? 6 : 1];
  support_kit k = open_system(&q, NULL, 1), other = open_system(&q, NULL, 1);
  pair p[COUNT], s[COUNT], foreign = make_pair(&other, 0);
  const hymg_field *f[COUNT];
  hymg_field *u[COUNT];
  hymg_result got[COUNT];
  const int at[3] = {1, 2, 3}, one[3] = {1, 1, 1};
  const ptrdiff_t stride[3] = {1, 1, 1};
  hymg_options o = support_options(hymg_options_default());
  o.method = HYMG_MG, o.rtol = 1e-8, o.rhs_mean = HYMG_MEAN_ERROR;
  hymg_solver *solver[2] = {NULL};
  OK(k.context, hymg_solver_create(k.op, &o, solver));
  OK(other.context, hymg_solver_create(other.op, &o, solver + 1));
  for (int m = 0; m < COUNT; m++) {
    p[m] = make_pair(&k, m), s[m] = make_pair(&other, m);
    if (_i == MEAN) {
      OK(k.context, hymg_field_remove_mean(p[m].f));
      OK(other.context, hymg_field_remove_mean(s[m].f));
    }
    f[m] = p[m].f, u[m] = p[m].u;
  }
  if (_i == NAN_IN_F)
    OK(k.context, hymg_field_write(p[2].f, at, one, stride, &(double){NAN}, HYMG_HOST));
  if (_i == NO_F) f[2] = NULL;
  if (_i == OTHER_GRID) f[2] = foreign.f;
  if (_i == MEAN) OK(k.context, hymg_field_fill(p[2].f, 1));
  if (_i == SAME) f[2] = u[2];
  const hymg_status ended = hymg_solve_many(solver[0], COUNT, f, u, got);
  ck_assert_int_eq(ended, status[_i]);
  ck_assert_int_eq(got[2].status, status[_i]);
  ck_assert(!got[2].converged);
  if (_i == NAN_IN_F)
    ck_assert(got[2].reason == HYMG_REASON_NOT_FINITE);
  else
    support_assert_error(k.context, ended, HYMG_EINVAL, "right-hand side 2", text[_i], NULL);
  if (_i != NAN_IN_F) ck_assert(got[2].cycles == 0 && !got[2].history && !got[2].note);
  for (int m = 0; m < COUNT; m++) {
    if (m == 2) continue;
    ck_assert(got[m].status == HYMG_OK && got[m].converged);
    OK(other.context, hymg_solve(solver[1], s[m].f, s[m].u, NULL));
    check_same_u(&k, u[m], &other, s[m].u);
  }
  hymg_solver_destroy(solver), hymg_solver_destroy(solver + 1);
  for (int m = 0; m < COUNT; m++)
    free_pair(p + m), free_pair(s + m);
  free_pair(&foreign);
  support_close(&k), support_close(&other);
}
END_TEST

static bool stop_third(const hymg_cycle_record *record, int cycle, void *user)
{
  (void)record;
  int *const begun = user;
  *begun += cycle == 0;
  return *begun < 3;
}

/* By the monitor, or by hymg_solver_stop before the call. */
START_TEST(a_stop_ends_the_call)
{
  kind q = kinds[1];
  support_kit k = open_system(&q, NULL, 1);
  int begun = 0;
  hymg_options o = support_options(hymg_options_default());
  o.method = HYMG_MG;
  if (_i == 0) o.monitor = stop_third, o.monitor_user = &begun;
  hymg_solver *solver = NULL;
  OK(k.context, hymg_solver_create(k.op, &o, &solver));
  pair p[COUNT];
  const hymg_field *f[COUNT];
  hymg_field *u[COUNT];
  hymg_result got[COUNT];
  for (int m = 0; m < COUNT; m++) {
    p[m] = make_pair(&k, m == 1 ? 7 : m);
    f[m] = p[m].f, u[m] = p[m].u;
  }
  double *before = support_read(&k, 0, u[4]);
  if (_i == 1) hymg_solver_stop(solver);
  OK(k.context, hymg_solve_many(solver, COUNT, f, u, got));
  const int last = _i == 0 ? 2 : 0;
  for (int m = 0; m < COUNT; m++) {
    ck_assert_int_eq(got[m].status, HYMG_OK);
    ck_assert_int_eq(got[m].reason == HYMG_REASON_STOPPED, m >= last);
    ck_assert_int_eq(got[m].cycles > 0, m <= last);
  }
  double *after = support_read(&k, 0, u[4]);
  ck_assert(support_same_bits(cells_of(&k), before, after));
  begun = -100;
  OK(k.context, hymg_solve_many(solver, 2, f + 3, u + 3, got)); /* the next call is as usual */
  ck_assert(got[0].converged && got[1].converged);
  free(before), free(after);
  hymg_solver_destroy(&solver);
  for (int m = 0; m < COUNT; m++)
    free_pair(p + m);
  support_close(&k);
}
END_TEST

START_TEST(bad_arguments_of_many_are_refused)
{
  support_kit k = open_system(kinds + 1, NULL, 1);
  const hymg_field *f[1] = {NULL};
  hymg_field *u[1] = {NULL};
  hymg_result r;
  support_assert_error(k.context, hymg_solve_many(k.solver, -3, f, u, &r), HYMG_EINVAL,
                       "-3 right-hand sides", NULL);
  support_assert_error(k.context, hymg_solve_many(k.solver, 1, NULL, u, &r), HYMG_EINVAL, "NULL",
                       NULL);
  support_assert_error(k.context, hymg_solve_many(k.solver, 1, f, u, NULL), HYMG_EINVAL,
                       "right-hand side 0: f is NULL", NULL);
  ck_assert_int_eq(hymg_solve_many(NULL, 1, f, u, &r), HYMG_EINVAL);
  ck_assert_int_eq(hymg_solve_batch(-1, &k.solver, f, u, &r), HYMG_EINVAL);
  ck_assert_int_eq(hymg_solve_batch(1, NULL, f, u, &r), HYMG_EINVAL);
  ck_assert_int_eq(hymg_solve_batch(0, &k.solver, f, u, NULL), HYMG_OK);
  support_close(&k);
}
END_TEST

/* ---- batches ---- */

enum { SYSTEMS = 14 };

/* Systems of all kinds, some in one context, one solver twice, contexts with several threads; number 5 has no solver, number 8
 * is not finite. */
START_TEST(a_batch_has_the_bits_of_single_solves)
{
  static const int workers[] = {3, 0, 1, 2, 7};
  support_kit k[SYSTEMS], other[SYSTEMS];
  pair p[SYSTEMS], s[SYSTEMS];
  kept want[SYSTEMS];
  hymg_solver *solver[SYSTEMS];
  const hymg_field *f[SYSTEMS];
  hymg_field *u[SYSTEMS];
  hymg_result got[SYSTEMS];
  for (int m = 0; m < SYSTEMS; m++) {
    const kind *q = kinds + (m == SYSTEMS - 1 ? 1 : m % KINDS);
    const bool again = m == SYSTEMS - 1, shares = m % 4 == 3;
    k[m] = again ? k[1] : open_system(q, shares ? k[m - 1].context : NULL, 1 + m % 3);
    other[m] = again ? other[1] : open_system(q, shares ? other[m - 1].context : NULL, 1);
    p[m] = make_pair(k + m, m), s[m] = make_pair(other + m, m);
    if (m == 8) OK(k[m].context, hymg_field_fill(p[m].f, INFINITY));
    if (m == 8) OK(other[m].context, hymg_field_fill(s[m].f, INFINITY));
    hymg_result r;
    OK(other[m].context, hymg_solve(other[m].solver, s[m].f, s[m].u, &r));
    want[m] = keep(&r);
    solver[m] = m == 5 ? NULL : k[m].solver, f[m] = p[m].f, u[m] = p[m].u;
  }
  memset(got, 0xff, sizeof got);
  const hymg_status status = hymgi_solve_batch_by(workers[_i], SYSTEMS, solver, f, u, got);
  for (int m = 0; m < SYSTEMS; m++) {
    if (m == 5) {
      ck_assert_int_eq(got[m].status, HYMG_EINVAL);
      continue;
    }
    ck_assert_msg(got[m].status == HYMG_OK, "system %d: %s", m, hymg_context_error(k[m].context));
    check_same_result(got + m, want + m);
    check_same_u(k + m, u[m], other + m, s[m].u);
  }
  ck_assert_int_eq(status, HYMG_EINVAL);
  ck_assert(got[8].reason == HYMG_REASON_NOT_FINITE && !got[8].converged);
  for (int m = 0; m < SYSTEMS; m++)
    free_pair(p + m), free_pair(s + m), free(want[m].history);
  for (int m = SYSTEMS - 2; m >= 0; m--)
    support_close(k + m), support_close(other + m);
}
END_TEST

/* Statuses and texts of failures, in their contexts. */
START_TEST(failures_in_a_batch_are_told_by_their_contexts)
{
  enum { FEW = 4 };
  support_kit k[FEW];
  pair p[FEW];
  hymg_solver *solver[FEW];
  const hymg_field *f[FEW];
  hymg_field *u[FEW];
  hymg_result got[FEW];
  for (int m = 0; m < FEW; m++) {
    k[m] = open_system(kinds + 1, NULL, 1 + m % 2);
    p[m] = make_pair(k + m, m);
    solver[m] = k[m].solver, f[m] = p[m].f, u[m] = p[m].u;
  }
  f[1] = NULL, f[3] = u[3];
  ck_assert_int_eq(hymgi_solve_batch_by(_i, FEW, solver, f, u, _i % 2 ? NULL : got), HYMG_EINVAL);
  support_assert_error(k[1].context, HYMG_EINVAL, HYMG_EINVAL, "system 1: f is NULL", NULL);
  support_assert_error(k[3].context, HYMG_EINVAL, HYMG_EINVAL, "system 3: f and u are the same",
                       NULL);
  for (int m = 0; m < FEW && _i % 2 == 0; m++)
    ck_assert(got[m].status == (m % 2 ? HYMG_EINVAL : HYMG_OK) && got[m].converged == !(m % 2));
  ck_assert_str_eq(hymg_context_error(k[0].context), "");
  for (int m = 0; m < FEW; m++)
    ck_assert_int_eq(hymg_context_threads(k[m].context), 1 + m % 2);
  for (int m = 0; m < FEW; m++)
    free_pair(p + m), support_close(k + m);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("many");
  TCase *t = tcase_create("many");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, many_are_as_many_single_solves, 0, KINDS);
  tcase_add_loop_test(t, one_that_fails_takes_nothing_from_the_others, 0, WAYS);
  tcase_add_loop_test(t, a_stop_ends_the_call, 0, 2);
  tcase_add_test(t, bad_arguments_of_many_are_refused);
  tcase_add_loop_test(t, a_batch_has_the_bits_of_single_solves, 0,
                      twin_least()      ? 1
                      : support_small() ? 2
                                        : 5);
  tcase_add_loop_test(t, failures_in_a_batch_are_told_by_their_contexts, 0, 3);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
