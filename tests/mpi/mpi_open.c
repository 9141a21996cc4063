/* Open boundaries on several ranks: the bits of one rank, also where some ranks hold nothing. */
#include "support/mpi.h"
#include "support/space.h"

#include <stdlib.h>

/* Rank 0 gets no box if there are others. */
static int but_the_first(const int box[3], void *user)
{
  const int place = box[0] + 2 * box[1] + 4 * box[2], ranks = *(const int *)user;
  return ranks > 1 ? 1 + place % (ranks - 1) : 0;
}

static void compare(hymg_boundary kind, const int n[3], support_layout layout,
                    const hymg_options *o, unsigned seed)
{
  const size_t cells = (size_t)n[0] * (size_t)(n[1] * n[2]);
  const support_layout alone = {.threads = 1, .boxes = {1, 1, 1}};
  support_case c = support_space_case(n);
  support_space_kind(&c, kind);
  double *f = support_random(cells, seed % 2 ? 0 : -1, 1, seed);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  double *got = support_space_solve(&c, &layout, o, f, NULL),
         *want = support_rank(MPI_COMM_WORLD) == 0 ? support_space_solve(&c, &alone, o, f, NULL)
                                                   : support_poison(cells);
  support_from_first(want, cells * sizeof *want);
  size_t wrong = 0;
  for (size_t m = 0; m < cells; m++)
    wrong += got[m] == got[m] && !support_same_bits(1, got + m, want + m);
  support_all_agree(wrong ? "cells differ" : NULL, c.name);
  hymg_context_destroy(&layout.context);
  support_case_free(&c);
  free(f), free(got), free(want);
}

START_TEST(any_ranks_have_the_bits_of_one)
{
  static const hymg_method methods[] = {HYMG_FMG, HYMG_MG, HYMG_MGPCG, HYMG_MG};
  static const int n[3] = {16, 32, 16};
  int ranks = support_ranks(MPI_COMM_WORLD);
  const hymg_boundary kind = _i < 4 ? HYMG_OPEN : HYMG_OPEN_JAMES;
  const int m = _i < 4 ? _i : 3 * (_i - 4); /* of both paths */
  hymg_options o = hymg_options_default();
  o.method = methods[m], o.path = m == 3 ? HYMG_PATH_ROBUST : HYMG_PATH_STANDARD;
  compare(kind, n, (support_layout){.boxes = {2, 2, 2}}, &o, 1);
  compare(kind, n, (support_layout){.boxes = {1, 4, 1}}, &o, 2);
  compare(kind, n, (support_layout){.boxes = {1, 1, 1}}, &o, 3);
  compare(kind, n,
          (support_layout){.boxes = {2, 2, 2}, .owner = but_the_first, .owner_user = &ranks}, &o,
          4);
}
END_TEST

/* residual is a call of its own. */
START_TEST(residuals_have_the_bits_of_one)
{
  const int n[3] = {8, 8, 8}, cells = 512;
  support_case c = support_space_case(n);
  double *values = support_random((size_t)cells, -1, 1, 8), *got[2];
  const support_layout spread = {.context = support_context(MPI_COMM_WORLD, 1), .boxes = {2, 2, 2}},
                       alone = {.threads = 1, .boxes = {1, 1, 1}};
  for (int m = 0; m < 2; m++) {
    support_kit k = support_open(&c.spec, m ? &alone : &spread, NULL);
    hymg_field *f = support_field(&k, 0, values), *r = support_field(&k, 0, values);
    OK(k.context, hymg_residual(k.solver, 0, f, f, r));
    got[m] = support_read(&k, 0, r);
    hymg_field_destroy(&f);
    hymg_field_destroy(&r);
    support_close(&k);
  }
  int wrong = 0;
  for (int m = 0; m < cells; m++)
    wrong += got[0][m] == got[0][m] && !support_same_bits(1, got[0] + m, got[1] + m);
  support_all_agree(wrong ? "cells differ" : NULL, "residual");
  hymg_context *context = spread.context;
  hymg_context_destroy(&context);
  support_case_free(&c);
  free(values), free(got[0]), free(got[1]);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("open boundaries on ranks");
  TCase *t = tcase_create("open boundaries on ranks");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, any_ranks_have_the_bits_of_one, 0, 6);
  tcase_add_test(t, residuals_have_the_bits_of_one);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
