/* Contexts and errors: what a serial context says of itself, which options it refuses, and how
 * texts are kept. */
#include "comm/context.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(a_serial_context_is_one_rank_on_one_node)
{
  hymg_context *context = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
  ck_assert_int_eq(hymg_context_rank(context), 0);
  ck_assert_int_eq(hymg_context_ranks(context), 1);
  ck_assert_int_eq(hymg_context_nodes(context), 1);
  ck_assert_int_ge(hymg_context_threads(context), 1);
  ck_assert_str_eq(hymg_context_error(context), "");
  double value = NAN;
  ck_assert_int_eq(hymg_context_max(context, &value), HYMG_OK);
  ck_assert(isnan(value));
  ck_assert_int_eq(hymg_context_barrier(context), HYMG_OK);
  ck_assert_int_eq(hymgi_agree(context, HYMG_EIO), HYMG_EIO);
  hymg_context_destroy(&context);
  ck_assert_ptr_null(context);
  hymg_context_destroy(&context);
  hymg_context_destroy(NULL);
}
END_TEST

START_TEST(options_out_of_range_are_refused_and_touch_nothing)
{
  hymg_context *const before = (hymg_context *)(void *)&before;
  hymg_context *context = before;
  hymg_context_options options = hymg_context_options_default();
  const int bad[] = {-1, 4097, 1 << 30};
  for (int i = 0; i < 3; i++) {
    options.threads = bad[i];
    ck_assert_int_eq(hymg_context_create(&options, &context), HYMG_EINVAL);
  }
  options.threads = 2;
  options.device = HYMG_DEVICE_OWN - 1;
  ck_assert_int_eq(hymg_context_create(&options, &context), HYMG_EINVAL);
  ck_assert_ptr_eq(context, before);
  ck_assert_int_eq(hymg_context_create(NULL, NULL), HYMG_EINVAL);
  options.device = -1;
  ck_assert_int_eq(hymg_context_create(&options, &context), HYMG_OK);
  const int threads = hymg_context_threads(context);
  ck_assert(threads == 2 || threads == 1); /* 1 without OpenMP */
  hymg_context_destroy(&context);
}
END_TEST

START_TEST(a_failure_keeps_its_text_until_the_next)
{
  hymg_context *context = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
  ck_assert_int_eq(hymgi_fail(context, HYMG_ENOMEM, "%d bytes", 12), HYMG_ENOMEM);
  ck_assert_str_eq(hymg_context_error(context), "12 bytes");
  ck_assert_int_eq(hymgi_fail(context, HYMG_EINVAL, "again: %s", context->error), HYMG_EINVAL);
  ck_assert_str_eq(hymg_context_error(context), "again: 12 bytes");
  char longer[2000];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  hymgi_fail(context, HYMG_EIO, "%s", longer);
  ck_assert_uint_eq(strlen(hymg_context_error(context)), sizeof context->error - 1);
  ck_assert_int_eq(hymg_context_max(context, NULL), HYMG_EINVAL);
  ck_assert_ptr_nonnull(strstr(hymg_context_error(context), "value is NULL"));
  hymg_context_destroy(&context);
  ck_assert_int_eq(hymgi_fail(NULL, HYMG_EIO, "nowhere"), HYMG_EIO);
  double value = 1.0;
  ck_assert_int_eq(hymg_context_max(NULL, &value), HYMG_EINVAL);
  ck_assert_int_eq(hymg_context_barrier(NULL), HYMG_EINVAL);
  ck_assert_str_eq(hymg_context_error(NULL), "");
}
END_TEST

START_TEST(every_status_has_a_name_and_a_text)
{
  ck_assert_str_eq(hymg_status_name(HYMG_OK), "HYMG_OK");
  ck_assert_str_eq(hymg_status_name(HYMG_EUNSUPPORTED), "HYMG_EUNSUPPORTED");
  ck_assert_str_eq(hymg_status_text(HYMG_ENOMEM), "out of memory");
  for (int s = HYMG_OK; s <= HYMG_EIO; s++)
    ck_assert_str_ne(hymg_status_name((hymg_status)s), "HYMG_UNKNOWN");
  ck_assert_str_eq(hymg_status_name((hymg_status)99), "HYMG_UNKNOWN");
  ck_assert_str_eq(hymg_status_text((hymg_status)-1), "unknown status");
}
END_TEST

START_TEST(the_build_says_what_it_is)
{
  const hymg_build b = hymg_build_info();
  ck_assert_str_eq(b.version, HYMG_VERSION);
  ck_assert_str_ne(b.compiler, "");
  ck_assert(b.commit && b.flags && b.mpi && b.openmp && b.cuda && b.nccl);
}
END_TEST

START_TEST(the_clock_does_not_run_backwards)
{
  const double start = hymgi_seconds();
  ck_assert(start >= 0.0);
  for (int i = 0; i < 1000; i++)
    ck_assert(hymgi_seconds() >= start);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("context");
  TCase *tests = tcase_create("contexts and errors");
  tcase_add_test(tests, a_serial_context_is_one_rank_on_one_node);
  tcase_add_test(tests, options_out_of_range_are_refused_and_touch_nothing);
  tcase_add_test(tests, a_failure_keeps_its_text_until_the_next);
  tcase_add_test(tests, every_status_has_a_name_and_a_text);
  tcase_add_test(tests, the_build_says_what_it_is);
  tcase_add_test(tests, the_clock_does_not_run_backwards);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
