#define _GNU_SOURCE
/* A rank that stops at a random moment, in programs on the host; see support/hang.h. HYMG_FAULTS=all:
 * 100 times, else a few. HYMG_FAULT_CASES=FIRST:LAST: these variants alone. */
#include "support/fault_choice.h"
#include "support/hang.h"

START_TEST(a_rank_that_stops_is_named_by_all_others)
{
  const program model = {.variant = _i, .backend = HYMG_BACKEND_HOST};
  if (!faults_case(_i)) return;
  hang_often(&model, getenv("HYMG_FAULTS") ? 25 : 1);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  if (support_skips_ranks(2, 3)) return 0;
  Suite *suite = suite_create("a rank that stops");
  TCase *t = tcase_create("host");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, a_rank_that_stops_is_named_by_all_others, 0,
                      getenv("HYMG_FAULTS") ? 4
                      : support_small()     ? 1
                                            : 2);
  tcase_add_loop_test(t, a_rank_that_stops_is_named_by_all_others, FAULT_WIDE, FAULT_PAIRS + 1);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
