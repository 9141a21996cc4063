/* hymg_fields_save on several ranks: the bytes of the file are those of one rank, whatever the cuts;
 * a failure of the one rank that writes is an error on all, and nothing is left behind. */
#define _XOPEN_SOURCE 700
#include "support/mpi.h"
#include "support/save.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static hymg_context *context;
static char folder[64], path[128];
static int rank;

static void begin(void)
{
  context = support_context(MPI_COMM_WORLD, 1);
  rank = support_rank(MPI_COMM_WORLD);
  strcpy(folder, "/tmp/hymg-save-XXXXXX");
  if (rank == 0) ck_assert_ptr_nonnull(mkdtemp(folder));
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void end(void)
{
  if (rank == 0) unlink(path);
  support_all_agree(rank == 0 && rmdir(folder) ? "something is left" : NULL, folder);
  hymg_context_destroy(&context);
}

/* Writes the same by this rank alone. */
static const char *compare_with_one_rank(const save_case *c)
{
  char alone[140];
  hymg_context *own = NULL;
  snprintf(alone, sizeof alone, "%s/alone-%s", folder, c->file);
  ck_assert_int_eq(hymg_context_create(NULL, &own), HYMG_OK);
  OK(own, save_write(own, c, alone));
  hymg_context_destroy(&own);
  saved_file got = save_read(path), want = save_read(alone);
  const bool same = got.size == want.size && memcmp(got.bytes, want.bytes, got.size) == 0;
  unlink(alone);
  free(got.bytes);
  free(want.bytes);
  return same ? NULL : "the bytes differ from those of one rank";
}

START_TEST(any_number_of_ranks_writes_the_same_bytes)
{
  const save_case *c = &save_cases[_i];
  if (c->large && (support_small() || support_ranks(MPI_COMM_WORLD) > 3)) return;
  snprintf(path, sizeof path, "%s/%s", folder, c->file);
  OK(context, save_write(context, c, path));
  support_all_agree(rank == 0 ? compare_with_one_rank(c) : NULL, c->file);
}
END_TEST

static void all_fail(hymg_status got, hymg_status want, const char *text)
{
  const char *said = hymg_context_error(context);
  support_all_agree(got != want ? hymg_status_name(got) : strstr(said, text) ? NULL : said, text);
}

START_TEST(a_failure_is_one_on_every_rank)
{
  const save_case *c = &save_cases[3]; /* with widths */
  snprintf(path, sizeof path, "%s/none/u.vtr", folder);
  all_fail(save_write(context, c, path), HYMG_EIO, "/none/u.vtr: not written: No such file");
  snprintf(path, sizeof path, "%s/u.vti", folder);
  all_fail(save_write(context, c, path), HYMG_EINVAL, "widths along x");
  /* a full disk, of the rank that writes, at the header and among the values */
  struct rlimit old, small;
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
  snprintf(path, sizeof path, "%s/u.vtr", folder);
  void (*action)(int) = signal(SIGXFSZ, SIG_IGN);
  for (int size = 100; size < 4000; size += 1700) {
    small = old;
    small.rlim_cur = (rlim_t)size;
    /* no file of Check's may be written within the limit: its buffer is empty then and stays so */
    fflush(NULL);
    const int limited = rank == 0 ? setrlimit(RLIMIT_FSIZE, &small) : 0;
    const hymg_status status = save_write(context, c, path);
    const int restored = setrlimit(RLIMIT_FSIZE, &old);
    ck_assert(limited == 0 && restored == 0);
    all_fail(status, HYMG_EIO, "/u.vtr: not written: File too large");
  }
  signal(SIGXFSZ, action);
  OK(context, save_write(context, c, path));
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("save on several ranks");
  TCase *tcase = tcase_create("save");
  tcase_add_checked_fixture(tcase, begin, end);
  tcase_add_loop_test(tcase, any_number_of_ranks_writes_the_same_bytes, 0, SAVE_CASES);
  tcase_add_test(tcase, a_failure_is_one_on_every_rank);
  suite_add_tcase(suite, tcase);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
