/* The records of levels: which transfer a level has follows from its shape and the options alone, and
 * stays the same in single precision. */
#include "api/solver.h"
#include "multigrid/transfer.h"
#include "support/support.h"
#include <string.h>

static support_kit open(const int n[3], const hymg_options *options)
{
  support_case c = support_case_of(HYMG_FV2, n, "dd dd dd", 0.0);
  support_kit k = support_open(&c.spec, NULL, options);
  support_case_free(&c);
  return k;
}

/* 24: even sides down to 3. 18, 9, 5, 3, 2: an odd side, whose coarse cells are summed, and below it even
 * or odd ones with a narrower last cell. */
START_TEST(the_standard_path_s_transfers_follow_the_sides)
{
  const int n = _i ? 36 : 24;
  hymg_options o = hymg_options_default();
  o.path = HYMG_PATH_STANDARD;
  support_kit k = open((const int[3]){n, n, n}, &o);
  int even = 0, odd = 0, narrow = 0;
  for (int l = 0; l + 1 < k.solver->h.num_levels; l++) {
    const hymgi_level *level = k.solver->h.level + l;
    const hymgi_transfer *t = level->transfer;
    const bool is_odd = level->n[0] % 2, is_narrow = level->shortened;
    ck_assert_ptr_nonnull(t);
    ck_assert_double_eq(t->part_of_sum, 0.125);
    ck_assert(t->one_operation == !is_odd && t->through_y == is_odd);
    ck_assert(!t->takes_zero && !t->to_cells && !t->ghosts && t->weights == 0);
    if (is_odd) ck_assert_str_eq(t->kernel, "sum_children");
    if (!is_odd) ck_assert_ptr_null(t->kernel);
    if (!is_odd && !is_narrow)
      ck_assert(t->restrict_faces != hymgi_robust_transfer(HYMG_TRANSFER_WEIGHTED)->restrict_faces);
    else
      ck_assert(t->restrict_faces == hymgi_robust_transfer(HYMG_TRANSFER_WEIGHTED)->restrict_faces);
    ck_assert(level->c.boundary_weight[0] != 1); /* Dirichlet, discretised on every level */
    even += !is_odd && !is_narrow, odd += is_odd, narrow += !is_odd && is_narrow;
  }
  ck_assert_int_gt(even, 0);
  ck_assert(_i ? odd > 0 : odd == 0 && narrow == 0);
  support_close(&k);
}
END_TEST

START_TEST(all_levels_of_the_robust_path_have_the_chosen_transfer)
{
  static const hymg_transfer wanted[] = {HYMG_TRANSFER_AUTO, HYMG_TRANSFER_CONSTANT,
                                         HYMG_TRANSFER_WEIGHTED, HYMG_TRANSFER_TENSOR};
  static const char *const kernel[] = {"restrict_weighted", "restrict_weighted",
                                       "restrict_weighted", "restrict_tensor"};
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  o.path = HYMG_PATH_ROBUST;
  o.transfer = wanted[_i];
  o.precision = HYMG_MIXED;
  support_kit k = open((const int[3]){40, 33, 36}, &o);
  const hymgi_hierarchy *h = &k.solver->h;
  const hymgi_transfer *t = hymgi_robust_transfer(wanted[_i]);
  ck_assert_str_eq(t->kernel, kernel[_i]);
  ck_assert(t->takes_zero && t->to_cells && t->part_of_sum == 1);
  ck_assert_int_eq(t->weights, wanted[_i] == HYMG_TRANSFER_CONSTANT ? 0 : 3);
  ck_assert(t->series == (wanted[_i] == HYMG_TRANSFER_TENSOR));
  for (int l = 0; l < h->num_levels; l++)
    ck_assert_ptr_eq(h->level[l].transfer, t);
  ck_assert(h->level[0].c.boundary_weight[0] != 1);
  for (int l = 1; l < h->num_levels; l++) /* it is in the conductances of level 0 */
    ck_assert_double_eq(h->level[l].c.boundary_weight[0], 1);
  ck_assert_int_gt(h->singles.count, 0);
  for (int l = 0; l < h->singles.count; l++)
    ck_assert_ptr_eq(h->singles.level[l].transfer, t);
  support_close(&k);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("transfers");
  TCase *t = tcase_create("transfers");
  tcase_add_loop_test(t, the_standard_path_s_transfers_follow_the_sides, 0, 2);
  tcase_add_loop_test(t, all_levels_of_the_robust_path_have_the_chosen_transfer, 0, 4);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
