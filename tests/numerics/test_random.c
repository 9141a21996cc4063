/* Random small systems of all kinds against a direct solver. What is called converged is right: the largest
 * error is at most 1e3 rtol max(|A^-1| |g|), where g is the right-hand side with the boundary data. That is
 * what changes of g by a factor of 1 + 1e3 rtol in every cell may do, and 1e3 rtol max |x| where all
 * sources have one sign: the condition of A is not in it. Most keep to the stricter
 * 1e3 rtol (max |x| + max |g / D|) with the solution x and the diagonal D, those that do not are counted
 * as sensitive. Added to both is what double precision allows: 4e-15 |A^-1| (|A| |x| + |f|).
 *
 * An F-cycle that is called converged is as good as the discretisation as far as can be told: within 0.3 max |x|, but for
 * one in 500, and on the path that AUTO chooses never beyond 0.7 max |x|.
 *
 * HYMG_RANDOM_PROBLEMS=100000 takes so many, HYMG_RANDOM_SEED=7 others, HYMG_RANDOM_NUMBER=123 that one
 * alone; HYMG_RANDOM_SAY=1 prints all problems in words. */
#include "oracle/direct.h"
#include "oracle/sample.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 1000, SMALL = 20, REPEATED = 10, FMG_FAR_ONE_IN = 500 };
#define FMG_NEAR 0.3 /* errors, over max |x| */
#define FMG_MOST 0.7

typedef enum verdict {
  RIGHT,
  SENSITIVE,   /* right, but beyond the stricter bound */
  UNREACHABLE, /* not converged, and rtol or all of u is below what rounding allows */
  GAVE_UP,     /* not converged though it could be */
  REFUSED,     /* not possible with these options */
  FMG_RIGHT,   /* called converged */
  FMG_FAR,     /* called converged, with an error of more than FMG_NEAR */
  FMG_NOT,     /* not called so */
  WRONG,
  FALSE_RESIDUAL, /* the result's residual is not that of u */
  NOT_FINITE,
  OTHER_BITS, /* with other boxes and threads, or refused with these boxes */
  VERDICTS
} verdict;

static const char *const verdict_names[VERDICTS] = {"right",   "sensitive", "rounding",   "gave up",
                                                    "refused", "fmg",       "fmg far",    "fmg not",
                                                    "WRONG",   "RESIDUAL",  "NOT FINITE", "BITS"};

typedef struct trial_run {
  hymg_result result;
  char note[400];
  double *u;
  bool refused;
  double size, error, strict, bound, rounding, claimed, residual, floor, rhs;
} trial_run;

static long setting(const char *name, long otherwise)
{
  const char *value = getenv(name);
  return value && *value ? atol(value) : otherwise;
}

/* ---- the library ---- */

/* One for all problems; threads 1 or 2. */
static hymg_context *context_of(int threads)
{
  static hymg_context *all[3];
  hymg_context_options o = hymg_context_options_default();
  o.threads = threads;
  if (threads == 0)
    for (int n = 1; n < 3; n++)
      hymg_context_destroy(&all[n]);
  else if (!all[threads])
    ck_assert_int_eq(hymg_context_create(&o, &all[threads]), HYMG_OK);
  return all[threads];
}

static hymg_field *cell_field(support_kit *k, const double *values)
{
  static const int low[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {1, k->n[0], (ptrdiff_t)k->n[0] * k->n[1]};
  hymg_field *f = NULL;
  OK(k->context, hymg_field_create(k->grid, k->solver, HYMG_CELL, HYMG_DOUBLE, &f));
  OK(k->context, hymg_field_write_own(f, low, k->n, stride, values, HYMG_HOST));
  return f;
}

static trial_run solve(const sample *s, int threads, const int boxes[3])
{
  trial_run run = {.u = NULL};
  support_kit k;
  support_layout layout = {.context = context_of(threads)};
  for (int d = 0; d < 3; d++)
    layout.widths[d] = s->widths[d], layout.boxes[d] = boxes ? boxes[d] : 1;
  hymg_options o = s->o;
  o.backend = o.smoother == HYMG_SYMGS ? HYMG_BACKEND_HOST : support_backend();
  run.refused = !support_open_as(&s->c.spec, &layout, &o, &k);
  if (run.refused) {
    snprintf(run.note, sizeof run.note, "%s", hymg_context_error(k.context));
  } else {
    double *zero = sample_array(s->cells);
    hymg_field *f = cell_field(&k, s->f), *u = cell_field(&k, s->guess ? s->guess : zero);
    OK(k.context, hymg_solve(k.solver, f, u, &run.result));
    snprintf(run.note, sizeof run.note, "%s", run.result.note);
    run.u = support_read(&k, 0, u);
    hymg_field_destroy(&f);
    hymg_field_destroy(&u);
    free(zero);
  }
  support_close(&k);
  return run;
}

/* ---- the judge ---- */

/* As result.residual_max: on a grid with widths cells count by their volumes. */
static double norm_of(const sample *s, const direct *d, const double *x)
{
  double largest = support_max(s->cells, x), sum = 0, most = 0;
  for (size_t i = 0; i < s->cells; i++) {
    const double v = (s->widths[0] ? d->volume[i] : 1) * (largest > 0 ? x[i] / largest : 0);
    most = fmax(most, fabs(v));
    sum += v * v;
  }
  return largest * (s->o.norm == HYMG_NORM_2 ? sqrt(sum) : most);
}

/* |A| |u| + |f| + the terms of boundary data: what the sums of a residual round. In a singular system the mean of what
 * they round is taken off in all cells, also where there is little else. */
static void magnitude(const direct *d, double mean, const double *g, const double *u, double *y)
{
  direct_magnitude(d, u, y);
  for (int i = 0; i < d->cells; i++)
    y[i] += fabs(g[i]) + mean + d->terms[i];
  const double spread = d->singular ? direct_mean(d, y) : 0;
  for (int i = 0; i < d->cells; i++)
    y[i] += spread;
}

static void compare(const sample *s, const direct *d, trial_run *run)
{
  const size_t n = s->cells;
  double *g = sample_array(n), *x = sample_array(n), *y = sample_array(n), *z = sample_array(n);
  const double mean = fabs(direct_rhs(d, s->f, g));
  direct_solve(d, g, x);
  magnitude(d, mean, g, x, y);
  direct_response(d, y, z);
  run->rounding = 4e-15 * support_max(n, z);
  for (size_t i = 0; i < n; i++)
    z[i] = g[i] / d->entries[i * n + i];
  run->size = support_max(n, x);
  run->strict = 1e3 * s->o.rtol * (run->size + support_max(n, z));
  for (size_t i = 0; i < n; i++)
    y[i] = fabs(g[i]);
  direct_response(d, y, z);
  run->bound = fmax(run->strict, 1e3 * s->o.rtol * support_max(n, z));
  const double shift = d->singular ? direct_mean(d, run->u) : 0;
  for (size_t i = 0; i < n; i++)
    run->error = fmax(run->error, fabs(run->u[i] - shift - x[i]));
  direct_residual(d, g, run->u, z);
  run->residual = norm_of(s, d, z);
  run->rhs = norm_of(s, d, g);
  magnitude(d, mean, g, run->u, y);
  run->floor = 4e-16 * norm_of(s, d, y);
  run->claimed = run->result.residual_max;
  free(g);
  free(x);
  free(y);
  free(z);
}

static bool is_finite(size_t n, const double *u)
{
  for (size_t i = 0; i < n; i++)
    if (!isfinite(u[i])) return false;
  return true;
}

/* FV4's operator has limiters on the robust path alone. */
static direct *reference(const sample *s, hymg_path path)
{
  oracle_spec spec = s->c.spec;
  if (spec.stencil == HYMG_FV4 && path == HYMG_PATH_ROBUST)
    spec.limiter = 8, spec.alpha_limiter = 4;
  return direct_create(&spec, s->widths[0] ? s->widths : NULL);
}

/* An F-cycle whose residual is that of u. */
static verdict judge_fmg(const sample *s, const trial_run *run)
{
  const double error = run->error - run->rounding;
  if (!run->result.converged) return FMG_NOT;
  if (error > FMG_MOST * run->size && s->o.path == HYMG_PATH_AUTO) return WRONG;
  return error > FMG_NEAR * run->size ? FMG_FAR : FMG_RIGHT;
}

static verdict judge(const sample *s, trial_run *run)
{
  if (run->refused) return REFUSED;
  if (!is_finite(s->cells, run->u)) return NOT_FINITE;
  direct *d = reference(s, run->result.path);
  compare(s, d, run);
  direct_destroy(d);
  const bool recurrence =
      s->o.method == HYMG_MGPCG && run->result.path == HYMG_PATH_STANDARD && run->result.converged;
  const bool same =
      recurrence || fabs(run->claimed - run->residual) <= 1e-6 * run->residual + 4 * run->floor;
  if (s->o.method == HYMG_FMG) return same ? judge_fmg(s, run) : FALSE_RESIDUAL;
  /* where the result says that rounding ended it, that of all u before counts, too */
  const bool told = strstr(run->note, "where rounding ends");
  const bool small = run->residual <= 1.6 * s->o.rtol * run->rhs + (told ? 16 : 4) * run->floor;
  if (run->result.converged && run->error > run->bound + run->rounding) return WRONG;
  if (run->result.cycles > 0 && (!same || (run->result.converged && !small))) return FALSE_RESIDUAL;
  if (run->result.converged) return run->error > run->strict + run->rounding ? SENSITIVE : RIGHT;
  const bool rounded = s->o.rtol * run->rhs < 4 * run->floor || run->rounding > run->size;
  return rounded ? UNREACHABLE : GAVE_UP;
}

static bool has_same_bits(sample *s, const trial_run *run)
{
  trial_run other = solve(s, 2, s->boxes);
  const bool same = other.refused == run->refused &&
                    (run->refused || support_same_bits(s->cells, run->u, other.u));
  if (!same)
    sample_say(s, "; with 2 threads and %d x %d x %d boxes %s", s->boxes[0], s->boxes[1],
               s->boxes[2], other.refused ? other.note : "other bits");
  free(other.u);
  return same;
}

/* ---- the report ---- */

typedef struct row {
  const char *kind;
  int count[VERDICTS], defaults, gave_up;
} row;

typedef struct table {
  row rows[SAMPLE_ASPECTS][16];
  row total;
} table;

static void add(row *r, const sample *s, verdict v)
{
  r->count[v]++;
  r->defaults += s->defaults;
  r->gave_up += s->defaults && v == GAVE_UP;
}

static void count(table *t, const sample *s, verdict v)
{
  add(&t->total, s, v);
  for (int a = 0; a < SAMPLE_ASPECTS; a++) {
    row *r = t->rows[a];
    while (r->kind && strcmp(r->kind, s->kind[a]) != 0)
      r++;
    r->kind = s->kind[a];
    add(r, s, v);
  }
}

static void print_row(const row *r)
{
  printf("%-17s", r->kind);
  for (int v = 0; v < VERDICTS; v++)
    printf(" %8d", r->count[v]);
  printf(" %8d of %d\n", r->gave_up, r->defaults);
}

static void print_table(table *t)
{
  static const char *const aspects[] = {"boundaries", "scheme", "alpha", "beta", "f"};
  t->total.kind = "all";
  printf("%-17s", "");
  for (int v = 0; v < VERDICTS; v++)
    printf(" %8s", verdict_names[v]);
  printf("  gave up with defaults\n");
  print_row(&t->total);
  for (int a = 0; a < SAMPLE_ASPECTS; a++) {
    printf("-- %s\n", aspects[a]);
    for (const row *r = t->rows[a]; r->kind; r++)
      print_row(r);
  }
  fflush(stdout);
}

static void report(const sample *s, const trial_run *r, verdict v)
{
  printf("%s: %s", verdict_names[v], s->words);
  if (!r->refused)
    printf(" => %s path, %s, %s after %d, error %.1e, allowed %.1e (strictly "
           "%.1e) + rounding %.1e, residual %.2e, "
           "true %.2e, |g| %.2e",
           hymg_path_name(r->result.path), r->result.converged ? "converged" : "not converged",
           hymg_reason_name(r->result.reason), r->result.cycles, r->error, r->bound, r->strict,
           r->rounding, r->claimed, r->residual, r->rhs);
  printf(" [%s]\n", r->note);
}

static verdict try_problem(uint64_t seed, int number, bool say, table *t)
{
  sample s = sample_of(seed, number);
  trial_run run = solve(&s, 1, NULL);
  verdict v = judge(&s, &run);
  const bool repeated = number % REPEATED == 0 || s.c.spec.stencil == HYMG_FV4;
  if (repeated && v < WRONG && !has_same_bits(&s, &run)) v = OTHER_BITS;
  count(t, &s, v);
  if (say || v >= WRONG || v == FMG_FAR || (v == GAVE_UP && s.defaults)) report(&s, &run, v);
  free(run.u);
  sample_free(&s);
  return v;
}

START_TEST(what_is_called_converged_is_right_and_defaults_converge)
{
  const uint64_t seed = (uint64_t)setting("HYMG_RANDOM_SEED", 1);
  const int one = (int)setting("HYMG_RANDOM_NUMBER", -1);
  const int problems = (int)setting("HYMG_RANDOM_PROBLEMS", support_small() ? SMALL : PROBLEMS);
  const bool say = one >= 0 || setting("HYMG_RANDOM_SAY", 0);
  table t = {.total.kind = "all"};
  int bad = 0;
  for (int number = one >= 0 ? one : 0; number < (one >= 0 ? one + 1 : problems); number++)
    bad += try_problem(seed, number, say, &t) >= WRONG;
  print_table(&t);
  context_of(0);
  const int far = t.total.count[FMG_FAR], claims = far + t.total.count[FMG_RIGHT];
  ck_assert_msg(FMG_FAR_ONE_IN * far <= claims, "%d of %d F-cycles called converged are far off",
                far, claims);
  ck_assert_msg(bad == 0, "%d problems are wrong", bad);
  ck_assert_msg(t.total.gave_up == 0, "%d problems do not converge with defaults", t.total.gave_up);
}
END_TEST

/* Called converged once, with errors as large as u: an initial guess of 1e5 whose rounding is more than a face of 1e-12
 * carries; a step that still changed u by 12 % when the residual had not gained for a while; pieces behind such faces
 * beside cells with alpha of 1e11; pieces behind such faces that the weighted transfer joins to others; a V-cycle that sees
 * errors 1000 times too small beside a pinned cell; an axis of faces of 1e-12, across which rounding alone decides the mean of u; cells of
 * high beta between walls whose axis has one cell, solved by cycles that looked at residuals alone; islands beside which the second
 * half step of BiCGStab was short twice, the first one long. Not converged once, or to rounding alone: a mean of the residual
 * that rounding had left in singular systems. Not finite once: boundary data of 1e200 in an F-cycle. */
START_TEST(what_was_wrong_once_is_right)
{
  static const struct {
    uint64_t seed;
    int number;
  } once[] = {{4242, 1993}, {4242, 3534}, {4242, 4794}, {77, 2947},  {1234, 6001}, {3, 2612},
              {3, 9370},    {9, 4301},    {48, 2516},   {48, 9595},  {504, 7825},  {504, 7944},
              {601, 1061},  {603, 5992},  {602, 3163},  {701, 1649}, {504, 5662}};
  table t = {.total.kind = "all"};
  for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
    const verdict v = try_problem(once[i].seed, once[i].number, false, &t);
    ck_assert_msg(v == RIGHT || v == SENSITIVE, "seed %d number %d: %s", (int)once[i].seed,
                  once[i].number, verdict_names[v]);
  }
  context_of(0);
}
END_TEST

/* Once called converged, with path=standard on systems that it does not suit: an error of a third of u; one of 5e-5 that
 * cycles reduce by 1 % each, after they have reduced others a million times; a quarter of u, of planes that are coupled by 1e-12;
 * errors beside pinned cells, where u changed less and less while the residual was down to rounding; F-cycles with more than half
 * of u, where a Robin condition holds the mean of u weakly, and where an axis has faces of 1e-6. On the robust path: with
 * transfer=constant, a tenth of u behind faces of 1e-12; beside pinned cells, errors that BiCGStab did not reduce any more. */
START_TEST(what_cycles_do_not_see_has_not_converged)
{
  table t = {.total.kind = "all"};
  ck_assert_int_eq(try_problem(501, 9421, false, &t), GAVE_UP);
  ck_assert_int_eq(try_problem(503, 7750, false, &t), GAVE_UP);
  ck_assert_int_eq(try_problem(706, 6873, false, &t), GAVE_UP);
  ck_assert_int_eq(try_problem(702, 7581, false, &t), GAVE_UP);
  ck_assert_int_eq(try_problem(703, 2677, false, &t), GAVE_UP);
  ck_assert_int_eq(try_problem(705, 4440, false, &t), GAVE_UP);
  ck_assert_int_eq(try_problem(502, 7962, false, &t), FMG_NOT);
  ck_assert_int_eq(try_problem(502, 374, false, &t), FMG_NOT);
  context_of(0);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("random");
  TCase *tests = tcase_create("random");
  tcase_set_timeout(tests, 0);
  tcase_add_test(tests, what_is_called_converged_is_right_and_defaults_converge);
  tcase_add_test(tests, what_was_wrong_once_is_right);
  tcase_add_test(tests, what_cycles_do_not_see_has_not_converged);
  suite_add_tcase(suite, tests);
  return support_run(suite);
}
