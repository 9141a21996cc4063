/* Masks and bodies on several ranks: the bits of one rank, also with boxes dealt out and ranks without any. */
#include "support/body.h"
#include "support/mpi.h"

#include <stdlib.h>

static int dealt(const int box[3], void *user)
{
  const int ranks = *(const int *)user;
  return (box[0] * 7 + box[1] * 3 + box[2] * 5) % ranks;
}

static size_t unlike(size_t n, const double *got, const double *want)
{
  size_t wrong = 0;
  for (size_t m = 0; m < n && got; m++)
    wrong += got[m] == got[m] && !support_same_bits(1, got + m, want + m);
  return wrong;
}

static bool is_same(const support_body_answer *got, const support_body_answer *want)
{
  size_t wrong = unlike(got->cells, got->alpha, want->alpha) +
                 unlike(got->cells, got->weight, want->weight) +
                 unlike(got->cells, got->source, want->source);
  for (int axis = 0; axis < 3; axis++)
    wrong += unlike(got->faces[axis], got->beta[axis], want->beta[axis]) +
             unlike(got->faces[axis], got->area[axis], want->area[axis]);
  return wrong == 0;
}

START_TEST(any_ranks_have_the_bits_of_one)
{
  const unsigned cases = support_small() ? 12 : 120;
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  int ranks = support_ranks(MPI_COMM_WORLD);
  for (unsigned seed = 0; seed < cases; seed++) {
    support_body_case c = support_body_random(seed);
    support_layout spread = {.context = context}, one = {.threads = 1};
    for (int axis = 0; axis < 3; axis++)
      spread.boxes[axis] = (int)(seed >> axis) % 2 ? c.n[axis] : 1;
    if (seed % 5) spread.owner = dealt, spread.owner_user = &ranks;
    support_body_answer got = support_body_run(&c, &spread, seed % 2),
                        want = support_body_run(&c, &one, 0);
    char name[32];
    snprintf(name, sizeof name, "seed %u", seed);
    support_all_agree(is_same(&got, &want) ? NULL : "other bits", name);
    support_body_answer_free(&got);
    support_body_answer_free(&want);
    support_body_free(&c);
  }
  hymg_context_destroy(&context);
}
END_TEST

/* A fraction of 2 on the last rank alone fails on all of them. */
START_TEST(a_bad_fraction_on_one_rank_fails_on_all)
{
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  const int ranks = support_ranks(MPI_COMM_WORLD);
  hymg_grid_desc desc = hymg_grid_desc_default();
  hymg_grid *grid = NULL;
  hymg_field *volume = NULL, *area[3], *beta[3];
  desc.n[0] = 4 * ranks, desc.n[1] = desc.n[2] = 4;
  desc.boxes[0] = ranks, desc.boxes[1] = desc.boxes[2] = 1;
  OK(context, hymg_grid_create(context, &desc, &grid));
  OK(context, hymg_field_create(grid, NULL, HYMG_CELL, HYMG_DOUBLE, &volume));
  hymg_body body = hymg_body_default();
  body.volume = volume;
  const bool last = support_rank(MPI_COMM_WORLD) == ranks - 1;
  OK(context, hymg_field_fill(volume, last ? 2 : 1));
  for (int axis = 0; axis < 3; axis++) {
    OK(context,
       hymg_field_create(grid, NULL, (hymg_centering)(1 + axis), HYMG_DOUBLE, &area[axis]));
    OK(context,
       hymg_field_create(grid, NULL, (hymg_centering)(1 + axis), HYMG_DOUBLE, &beta[axis]));
    OK(context, hymg_field_fill(area[axis], 1));
    body.area[axis] = area[axis];
  }
  const hymg_status got = hymg_body_coefficients(&body, 0, 1, NULL, beta, NULL, NULL);
  support_all_agree(got == HYMG_EINVAL ? NULL : hymg_status_name(got), "refused on all");
  OK(context, hymg_field_fill(volume, 1));
  const hymg_status again = hymg_body_coefficients(&body, 0, support_rank(MPI_COMM_WORLD) ? 2 : 1,
                                                   NULL, beta, NULL, NULL);
  support_all_agree(again == (ranks > 1 ? HYMG_EINVAL : HYMG_OK) ? NULL : hymg_status_name(again),
                    "another b on some");
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&area[axis]), hymg_field_destroy(&beta[axis]);
  hymg_field_destroy(&volume);
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("bodies");
  TCase *t = tcase_create("bodies");
  tcase_set_timeout(t, 100);
  tcase_add_test(t, any_ranks_have_the_bits_of_one);
  tcase_add_test(t, a_bad_fraction_on_one_rank_fails_on_all);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
