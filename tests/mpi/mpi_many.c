/* hymg_solve_many and hymg_solve_batch on several ranks: the bits of single solves; what is wrong on one rank with one right-hand
 * side is a failure of that one on all; batches of solvers with and without a communicator. */
#include "support/mpi.h"
#include <math.h>
#include <string.h>

enum { COUNT = 4 };

static hymg_context *context;
static support_kit kit;
static hymg_solver *other; /* of the same operator, for single solves */
static hymg_field *f[COUNT], *u[COUNT], *v[COUNT];
static int rank, ranks;

static support_kit open_kit(hymg_context *c)
{
  const int n[3] = {16, 12, 24};
  support_case s = support_case_of(HYMG_FV2, n, "dd pp nd", 0.3);
  hymg_options o = hymg_options_default();
  const support_layout layout = {.context = c, .threads = 1};
  o.method = HYMG_MG, s.spec.sweeps = -1;
  support_kit k = support_open(&s.spec, &layout, &o);
  support_case_free(&s);
  return k;
}

static void begin(void)
{
  context = support_context(MPI_COMM_WORLD, 1);
  rank = hymg_context_rank(context), ranks = hymg_context_ranks(context);
  kit = open_kit(context);
  hymg_options o = support_options(hymg_options_default());
  o.method = HYMG_MG;
  OK(context, hymg_solver_create(kit.op, &o, &other));
  for (int m = 0; m < COUNT; m++) {
    double *values = support_random((size_t)hymg_grid_cells(kit.grid), -1, 1, 5 + (unsigned)m);
    f[m] = support_field(&kit, 0, values);
    u[m] = support_field(&kit, 0, values), v[m] = support_field(&kit, 0, values);
    OK(context, hymg_solve(other, f[m], v[m], NULL));
    free(values);
  }
}

static void end(void)
{
  for (int m = 0; m < COUNT; m++)
    hymg_field_destroy(f + m), hymg_field_destroy(u + m), hymg_field_destroy(v + m);
  hymg_solver_destroy(&other);
  support_close(&kit);
  hymg_context_destroy(&context);
}

static void check_same(const hymg_field *x, const hymg_field *y, const char *where)
{
  double *a = support_read(&kit, 0, x), *b = support_read(&kit, 0, y);
  const size_t bytes = (size_t)hymg_grid_cells(kit.grid) * sizeof *a;
  support_all_agree(memcmp(a, b, bytes) ? "other bits" : NULL, where);
  free(a), free(b);
}

START_TEST(many_are_single_solves)
{
  hymg_result r[COUNT];
  OK(context, hymg_solve_many(kit.solver, COUNT, (const hymg_field **)f, u, r));
  for (int m = 0; m < COUNT; m++) {
    check_same(u[m], v[m], "many");
    support_all_agree(r[m].converged && r[m].history[0].residual_max > 0 ? NULL : "a result",
                      "many");
  }
}
END_TEST

START_TEST(other_numbers_on_a_rank_are_refused_everywhere)
{
  const int last = rank == ranks - 1;
  const hymg_status got =
      hymg_solve_many(kit.solver, COUNT - last, (const hymg_field **)f, u, NULL);
  const hymg_status want = ranks > 1 ? HYMG_EINVAL : HYMG_OK;
  support_all_agree(got == want ? NULL : hymg_status_name(got), "counts");
  if (ranks > 1)
    support_all_agree(strstr(hymg_context_error(context), "count") ? NULL : "the text", "counts");
  OK(context, hymg_solve_many(kit.solver, COUNT, (const hymg_field **)f, u, NULL));
  check_same(u[COUNT - 1], v[COUNT - 1], "after it");
}
END_TEST

/* NULL on the last rank. */
START_TEST(one_bad_field_fails_alone_and_everywhere)
{
  hymg_result r[COUNT];
  const hymg_field *given[COUNT];
  for (int m = 0; m < COUNT; m++)
    given[m] = m == 1 && rank == ranks - 1 ? NULL : f[m];
  const hymg_status got = hymg_solve_many(kit.solver, COUNT, given, u, r);
  support_all_agree(got == HYMG_EINVAL ? NULL : hymg_status_name(got), "NULL on a rank");
  const char *text = hymg_context_error(context);
  support_all_agree(strstr(text, "right-hand side 1") && strstr(text, "f is NULL") ? NULL : text,
                    "NULL on a rank");
  for (int m = 0; m < COUNT; m++) {
    const hymg_status want = m == 1 ? HYMG_EINVAL : HYMG_OK;
    support_all_agree(r[m].status == want ? NULL : "a status", "NULL on a rank");
    if (m != 1) check_same(u[m], v[m], "the others");
  }
}
END_TEST

/* Two solves on all ranks, between systems of this rank alone. */
START_TEST(a_batch_may_mix_contexts)
{
  enum { OWN = 3, ALL = 5 };
  support_kit own[OWN];
  hymg_field *g[OWN], *w[OWN];
  hymg_result r[ALL];
  for (int m = 0; m < OWN; m++) {
    own[m] = open_kit(NULL);
    double *values = support_random((size_t)hymg_grid_cells(kit.grid), -1, 1, 5 + (unsigned)m);
    g[m] = support_field(own + m, 0, values), w[m] = support_field(own + m, 0, values);
    free(values);
  }
  hymg_solver *const solver[ALL] = {own[0].solver, kit.solver, own[1].solver, other, own[2].solver};
  const hymg_field *const given[ALL] = {g[0], f[0], g[1], f[2], g[2]};
  hymg_field *const found[ALL] = {w[0], u[0], w[1], u[2], w[2]};
  const hymg_status got = hymg_solve_batch(ALL, solver, given, found, r);
  support_all_agree(got == HYMG_OK ? NULL : hymg_status_name(got), "a batch");
  check_same(u[0], v[0], "with a communicator"), check_same(u[2], v[2], "with a communicator");
  for (int m = 0; m < OWN; m++) {
    double *a = support_read(own + m, 0, w[m]), *b = support_read(&kit, 0, v[m]);
    const char *why = NULL;
    for (size_t i = 0; i < (size_t)hymg_grid_cells(kit.grid); i++)
      if (!isnan(b[i]) && a[i] != b[i]) why = "other bits"; /* NaN: of other ranks */
    support_all_agree(why, "of this rank");
    free(a), free(b);
    hymg_field_destroy(g + m), hymg_field_destroy(w + m);
    support_close(own + m);
  }
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("many on several ranks");
  TCase *t = tcase_create("many");
  tcase_add_checked_fixture(t, begin, end);
  tcase_set_timeout(t, 60);
  tcase_add_test(t, many_are_single_solves);
  tcase_add_test(t, other_numbers_on_a_rank_are_refused_everywhere);
  tcase_add_test(t, one_bad_field_fails_alone_and_everywhere);
  tcase_add_test(t, a_batch_may_mix_contexts);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
