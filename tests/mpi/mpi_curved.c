/* Curved grids on several ranks: the bits of one rank, also with boxes cut anywhere. */
#include "support/curved.h"
#include "support/mpi.h"

/* What rank 0 has of a case alone. */
static curved_answer alone(const curved_grid *g, const support_case *c, const support_layout *one,
                           const hymg_options *o)
{
  const bool first = support_rank(MPI_COMM_WORLD) == 0;
  curved_answer a;
  if (first) a = curved_run(g, c, one, o);
  support_from_first(a.size, sizeof a.size);
  for (int m = 0; m < CURVED_ARRAYS; m++) {
    if (!first) a.array[m] = support_poison(a.size[m]);
    support_from_first(a.array[m], a.size[m] * sizeof *a.array[m]);
  }
  return a;
}

/* Slabs along an axis, one for each rank, of unequal size. */
static void cut(int n, int boxes, int *cells)
{
  for (int i = 0; i < boxes; i++)
    cells[i] = i == 0 ? n - (boxes - 1) : 1;
}

START_TEST(any_ranks_have_the_bits_of_one)
{
  const int ranks = support_ranks(MPI_COMM_WORLD);
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  double *widths[3];
  curved_grid g;
  support_case c = curved_some(_i % CURVED_SOME, &g, widths);
  const int axis = _i < CURVED_SOME || g.n[1] < ranks ? 2 : 1;
  support_layout one = curved_layout(&g, widths), spread = one;
  int cells[64];
  cut(g.n[axis], ranks, cells);
  one.threads = 1, spread.context = context, spread.boxes[axis] = ranks;
  spread.cuts[axis] = cells;
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.path = HYMG_PATH_ROBUST;
  o.precision = _i % CURVED_SOME == CURVED_SOME - 1 ? HYMG_MIXED : HYMG_DOUBLE;
  curved_answer want = alone(&g, &c, &one, &o), got = curved_run(&g, &c, &spread, &o);
  support_all_agree(curved_unlike(&got, &want), g.c->name);
  curved_answer_free(&got);
  curved_answer_free(&want);
  curved_some_free(&c, &g, widths);
  hymg_context_destroy(&context);
}
END_TEST

/* Ranks that mean other coordinates are told so. */
START_TEST(ranks_compare_coordinates)
{
  const int ranks = support_ranks(MPI_COMM_WORLD), rank = support_rank(MPI_COMM_WORLD);
  if (ranks == 1) return;
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  hymg_grid_desc d = hymg_grid_desc_default();
  hymg_grid *grid = NULL;
  static const hymg_coordinate shape[3] = {HYMG_RADIUS, HYMG_AZIMUTH, HYMG_LENGTH};
  for (int axis = 0; axis < 3; axis++)
    d.n[axis] = 8, d.coordinate[axis] = shape[axis], d.origin[axis] = 0.5;
  d.origin[0] += rank == ranks - 1;
  support_assert_error(context, hymg_grid_create(context, &d, &grid), HYMG_EINVAL, "origin[0]",
                       NULL);
  ck_assert_ptr_null(grid);
  hymg_context_destroy(&context);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("curved on ranks");
  TCase *t = tcase_create("curved on ranks");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, any_ranks_have_the_bits_of_one, 0, 2 * CURVED_SOME);
  tcase_add_test(t, ranks_compare_coordinates);
  suite_add_tcase(suite, t);
  const int failed = support_run_mpi(suite);
  support_mpi_finalize();
  return failed;
}
