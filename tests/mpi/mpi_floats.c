/* Fields of floats on several ranks: problems and calls have the bits that they have with doubles, also with boxes that the
 * solver has to cut anew and on ranks without cells. */
#include "support/floats.h"
#include "support/mpi.h"

static hymg_context *context;

static void open_context(void)
{
  context = support_context(MPI_COMM_WORLD, 1);
}

static void close_context(void)
{
  hymg_context_destroy(&context);
}

static int last_rank(const int box[3], void *user)
{
  (void)box;
  return *(const int *)user - 1;
}

/* With even numbers of ranks half of the problems are all on the last rank, with odd ones the others. */
START_TEST(problems_have_the_same_bits)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  const int m = _i % FLOATS_CASES, way = _i / FLOATS_CASES;
  if ((m + ranks) % 2 != way) return;
  floats_where w = {.layout = {.context = context}, .variant = _i};
  if (m == FLOATS_CASES - 1 && support_small()) return;
  if (way == 1) w.layout.owner = last_rank, w.layout.owner_user = &ranks;
  floats_check_solves(&w, m);
  floats_check_operations(&w, m);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("floats on several ranks");
  TCase *t = tcase_create("floats");
  tcase_add_checked_fixture(t, open_context, close_context);
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, problems_have_the_same_bits, 0, 2 * FLOATS_CASES);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
