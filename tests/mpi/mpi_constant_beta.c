/* Fields of beta with one number on all faces of all ranks are that number, and with another one on the last rank they
 * are not: on every rank, and with the bits of one rank. */
#include "support/mpi.h"

#include <string.h>

enum { N = 16, CELLS = N * N * N };

/* u of f = 1 - 2 x, and the bytes a cell; beta is 2, but `other` on one face. */
static double *solve(hymg_context *context, double other, bool fields, double *bytes)
{
  support_case c = support_case_of(HYMG_FV2, (const int[]){N, N, N}, "dd pp nd", 0);
  for (int axis = 0; axis < 3; axis++) {
    c.spec.h[axis] = 1. / N;
    for (int at = 0; at < (N + 1) * N * N; at++)
      c.beta[axis][at] = 2;
    if (!fields) c.spec.beta[axis] = NULL;
  }
  c.spec.beta_constant = 2;
  c.beta[2][(N * N + 3) * (N - 1) + N * N] = other;
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  support_layout layout = {.context = context, .threads = 1, .boxes = {1, 1, 1}};
  if (context)
    layout.boxes[2] = support_ranks(MPI_COMM_WORLD) == 3 ? 4 : support_ranks(MPI_COMM_WORLD);
  support_kit k = support_open(&c.spec, &layout, &o);
  double values[CELLS];
  for (int m = 0; m < CELLS; m++)
    values[m] = 1 - 2 * (m % N + 0.5) / N;
  hymg_field *f = support_field(&k, 0, values), *u = support_field(&k, 0, values);
  hymg_result r;
  OK(k.context, hymg_solve(k.solver, f, u, &r));
  ck_assert_msg(r.converged, "%s", r.note);
  *bytes = hymg_solver_bytes_per_dof(k.solver);
  double *x = support_read(&k, 0, u);
  hymg_field_destroy(&f), hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  return x;
}

static void compare(hymg_context *context, double other, bool fields, double bytes[2],
                    const char *where)
{
  double *want = solve(NULL, other, fields, bytes), *got = solve(context, other, fields, bytes + 1);
  bool same = true;
  for (int m = 0; m < CELLS; m++)
    same = same && (got[m] != got[m] || support_same_bits(1, got + m, want + m));
  support_all_agree(same ? NULL : "other bits", where);
  free(want), free(got);
}

START_TEST(ranks_agree_on_what_is_constant)
{
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  double number[2], fields[2], varied[2];
  compare(context, 2, false, number, "a number");
  compare(context, 2, true, fields, "fields with that number");
  compare(context, 2.5, true, varied, "another one on the last rank");
  support_all_agree(fields[1] == number[1] ? NULL : "other memory", "fields with that number");
  support_all_agree(varied[1] > number[1] ? NULL : "no more memory", "another one");
  hymg_context_destroy(&context);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("constant beta on ranks");
  TCase *t = tcase_create("constant beta on ranks");
  tcase_set_timeout(t, 100);
  tcase_add_test(t, ranks_agree_on_what_is_constant);
  suite_add_tcase(suite, t);
  const int failed = support_run_mpi(suite);
  support_mpi_finalize();
  return failed;
}
