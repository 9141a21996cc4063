/* A program of the library's calls in which the n-th allocation, or the n-th call about a file, fails on
 * the last rank (files: on rank 0, which writes them), for n = 1, 2, ... Each failure must reach every
 * rank of a collective call with the same status and a text; the call made again succeeds, and the
 * program ends with the bits of a run without failures and with no memory left. HYMG_FAULTS=all: every
 * n, else some. */
#include "support/mpi.h"

#include "base/error.h"
#include "support/faults.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, CELLS = SIDE * SIDE * SIDE, STEP = 41, MOST_RANKS = 3 };

typedef struct program {
  int variant;
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *beta[3], *f, *u, *v;
  double norm;
} program;

/* ---- the calls ---- */

static hymg_status make_context(program *p)
{
  return hymg_context_create_mpi(MPI_COMM_WORLD, NULL, &p->context);
}

/* Variants: standard path, FV4 with conjugate gradients, unequal boxes, robust path with widths. */
static hymg_status make_grid(program *p)
{
  static const double width[SIDE] = {1, 1, 2, 3, 3, 2, 1, 1};
  static const int cuts[2] = {3, 5};
  hymg_grid_desc d = {.n = {SIDE, SIDE, SIDE}, .spacing = {0.1, 0.1, 0.1}};
  if (p->variant == 2) {
    d.boxes[0] = 2, d.boxes[1] = d.boxes[2] = 1;
    d.cuts[0] = cuts;
  }
  if (p->variant == 3) d.widths[2] = width;
  return hymg_grid_create(p->context, &d, &p->grid);
}

static hymg_status make_fields(program *p)
{
  for (int axis = 0; axis < 3; axis++)
    if (!p->beta[axis])
      TRY(hymg_field_create(p->grid, NULL, HYMG_FACE_X + axis, HYMG_DOUBLE, &p->beta[axis]));
  if (!p->f) TRY(hymg_field_create(p->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &p->f));
  if (!p->v) TRY(hymg_field_create(p->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &p->v));
  for (int axis = 0; axis < 3; axis++)
    TRY(hymg_field_fill(p->beta[axis], 1 + 0.125 * axis));
  return hymg_field_fill(p->f, 1);
}

static hymg_operator_desc description(const program *p, double b)
{
  hymg_operator_desc d = hymg_operator_desc_default();
  d.stencil = p->variant == 1 ? HYMG_FV4 : HYMG_FV2;
  d.a = 0.5, d.b = b;
  for (int axis = 0; axis < 3; axis++)
    d.beta[axis] = p->beta[axis];
  return d;
}

static hymg_status make_operator(program *p)
{
  const hymg_operator_desc d = description(p, 1);
  return hymg_operator_create(p->grid, &d, &p->op);
}

static hymg_options options(const program *p)
{
  hymg_options o = hymg_options_default();
  o.method = p->variant == 1 ? HYMG_MGPCG : HYMG_MG;
  o.norm = p->variant == 1 ? HYMG_NORM_2 : HYMG_NORM_MAX;
  o.backend = HYMG_BACKEND_HOST;
  o.rtol = 1e-6;
  return o;
}

static hymg_status need(program *p)
{
  const hymg_options o = options(p);
  const hymg_operator_desc d = {
      .stencil = p->variant == 1 ? HYMG_FV4 : HYMG_FV2, .b = 1, .beta_constant = 1};
  hymg_need n;
  return hymg_solver_need(p->grid, &d, HYMG_VARIABLE_BETA, &o, &n);
}

static hymg_status make_solver(program *p)
{
  const hymg_options o = options(p);
  return hymg_solver_create(p->op, &o, &p->solver);
}

static hymg_status make_solution(program *p)
{
  return hymg_field_create(p->grid, p->solver, HYMG_CELL, HYMG_DOUBLE, &p->u);
}

static hymg_status solve(program *p)
{
  return hymg_solve(p->solver, p->f, p->u, NULL);
}

static hymg_status solve_converted(program *p)
{
  return hymg_solve(p->solver, p->f, p->v, NULL);
}

/* With several ranks the cycle's failure is reported by the next collective call. */
static hymg_status cycle(program *p)
{
  TRY(hymg_solver_cycle(p->solver, HYMG_CYCLE_V, false, p->f, p->v));
  return hymg_field_max(p->v, &p->norm);
}

static hymg_status set(program *p)
{
  const hymg_operator_desc d = description(p, 2);
  return hymg_operator_set(p->op, &d);
}

static hymg_status update(program *p)
{
  return hymg_solver_update(p->solver);
}

static hymg_status residual(program *p)
{
  return hymg_residual(p->solver, 0, p->f, p->u, p->v);
}

static hymg_status fluxes(program *p)
{
  if (p->variant == 1) return HYMG_OK;
  return hymg_fluxes(p->solver, p->u, p->beta);
}

static hymg_status reduce(program *p)
{
  double dot;
  TRY(hymg_field_dot(p->u, p->v, &dot));
  TRY(hymg_field_rms(p->v, &dot));
  return hymg_field_remove_mean(p->v);
}

static hymg_status advise(program *p)
{
  char text[HYMG_ADVICE];
  return hymg_solver_advice(p->solver, NULL, text, sizeof text);
}

static hymg_status save(program *p)
{
  const char *folder = getenv("TMPDIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/hymg_faults_%d.vtr", folder ? folder : "/tmp",
           hymg_context_ranks(p->context));
  return hymg_field_save(p->u, path);
}

static const struct {
  const char *name;
  hymg_status (*call)(program *);
  bool local; /* may fail on one rank alone */
} steps[] = {{"context", make_context, false},
             {"grid", make_grid, false},
             {"need", need, false},
             {"fields", make_fields, true},
             {"operator", make_operator, true},
             {"solver", make_solver, false},
             {"u", make_solution, true},
             {"solve", solve, false},
             {"solve, converted", solve_converted, false},
             {"cycle", cycle, false},
             {"set", set, true},
             {"update", update, false},
             {"solve again", solve, false},
             {"solve again, converted", solve_converted, false},
             {"residual", residual, false},
             {"reductions", reduce, false},
             {"advice", advise, false},
             {"fluxes", fluxes, false},
             {"save", save, false}};
enum { STEPS = sizeof steps / sizeof *steps };

static void end(program *p)
{
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&p->beta[axis]);
  hymg_field_destroy(&p->f);
  hymg_field_destroy(&p->u);
  hymg_field_destroy(&p->v);
  hymg_solver_destroy(&p->solver);
  hymg_operator_destroy(&p->op);
  hymg_grid_destroy(&p->grid);
  hymg_context_destroy(&p->context);
}

/* ---- one run ---- */

/* This rank's values of u and v, else 0. */
static void take(const program *p, double values[2 * CELLS])
{
  const int low[3] = {0, 0, 0}, count[3] = {SIDE, SIDE, SIDE};
  const ptrdiff_t stride[3] = {1, SIDE, SIDE * SIDE};
  memset(values, 0, 2 * CELLS * sizeof *values);
  OK(p->context, hymg_field_read_own(p->u, low, count, stride, values, HYMG_HOST));
  OK(p->context, hymg_field_read_own(p->v, low, count, stride, values + CELLS, HYMG_HOST));
}

/* Why the failure of a step, if any, is not as it should be; NULL: all is well. */
static const char *judge(const program *p, int step, faults_kind kind, hymg_status status)
{
  const hymg_status want = kind == FAULTS_FILE ? HYMG_EIO : HYMG_ENOMEM;
  int worst = (int)status;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (worst == HYMG_OK) return NULL;
  if (worst != (int)want) return hymg_status_name(status);
  if (!steps[step].local && worst != (int)status) return "another status on another rank";
  if (status != HYMG_OK && p->context && !*hymg_context_error(p->context)) return "no text";
  return NULL;
}

/* The program, in which call number nth of this kind fails on this rank (0: none); true if it was
 * reached on any rank. calls: how many there are. */
static bool run(int variant, faults_kind kind, long nth, double values[2 * CELLS], long *calls)
{
  program p = {.variant = variant};
  char where[80];
  int failed = 0;
  long done = 0;
  const long alive = faults.alive;
  for (int s = 0; s < STEPS; s++) {
    faults_set(kind, nth > done ? nth - done : 0);
    const hymg_status status = steps[s].call(&p);
    done += faults.calls;
    faults_end();
    snprintf(where, sizeof where, "variant %d, %s, call %ld of kind %d", variant, steps[s].name,
             nth, (int)kind);
    support_all_agree(judge(&p, s, kind, status), where);
    int again = status != HYMG_OK;
    MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    failed |= again;
    if (!again || (steps[s].local && status == HYMG_OK)) continue;
    faults_set(kind, 0);
    const hymg_status second = steps[s].call(&p);
    faults_end();
    if (second != HYMG_OK) fprintf(stderr, "%s, again: %s\n", where, hymg_context_error(p.context));
    ck_assert_int_eq(second, HYMG_OK);
  }
  take(&p, values);
  faults_set(kind, 0);
  end(&p);
  faults_end();
  support_all_agree(faults.alive == alive ? NULL : "memory was not released", where);
  if (calls) *calls = done;
  return failed;
}

/* ---- all of them ---- */

static void sweep(int variant, faults_kind kind)
{
  const bool all = getenv("HYMG_FAULTS") != NULL;
  const int rank = support_rank(MPI_COMM_WORLD), last = support_ranks(MPI_COMM_WORLD) - 1;
  const bool fails = rank == (kind == FAULTS_FILE ? 0 : last);
  double want[2 * CELLS], got[2 * CELLS];
  long calls, failures = 0;
  run(variant, kind, 0, want, &calls);
  MPI_Bcast(&calls, 1, MPI_LONG, kind == FAULTS_FILE ? 0 : last, MPI_COMM_WORLD);
  ck_assert_int_gt(calls, kind == FAULTS_FILE ? 5 : 100);
  const int step = all || kind == FAULTS_FILE ? 1 : STEP;
  for (long nth = 1 + (step > 1 ? variant : 0); nth <= calls; nth += step) {
    failures += run(variant, kind, fails ? nth : 0, got, NULL);
    support_all_agree(support_same_bits(2 * CELLS, got, want) ? NULL : "other bits", "the end");
  }
  ck_assert_int_gt(failures, calls / step / 2);
  if (all && rank == 0)
    printf("variant %d, kind %d: %ld of %ld calls failed a step\n", variant, (int)kind, failures,
           calls);
}

START_TEST(a_failing_allocation_is_survived)
{
  sweep(_i, FAULTS_MEMORY);
}
END_TEST

START_TEST(a_failing_file_is_survived)
{
  sweep(_i, FAULTS_FILE);
}
END_TEST

int main(int argc, char **argv)
{
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (support_ranks(MPI_COMM_WORLD) > MOST_RANKS) { /* they take long and tell no more */
    if (support_rank(MPI_COMM_WORLD) == 0)
      printf("skipped: more than %d ranks\n0 passed, 0 failed, 1 skipped\n", MOST_RANKS);
    MPI_Finalize();
    return 0;
  }
  Suite *suite = suite_create("faults");
  TCase *t = tcase_create("memory");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, a_failing_allocation_is_survived, 0, support_small() ? 1 : 4);
  suite_add_tcase(suite, t);
  t = tcase_create("files");
  tcase_add_loop_test(t, a_failing_file_is_survived, 0, 1);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  MPI_Finalize();
  return status;
}
