/* hymg_field_save and hymg_fields_save on one rank: every value and coordinate, in any layout; what is
 * refused; files that cannot be written, with nothing left behind. */
#define _XOPEN_SOURCE 700
#include "support/save.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static hymg_context *context;
static hymg_grid *grid, *wide;
static hymg_field *u, *stretched, *face;
static char folder[64], path[128];

static void begin(void)
{
  static const double widths[4] = {1, 2, 3, 4};
  hymg_grid_desc desc = hymg_grid_desc_default();
  OK(NULL, hymg_context_create(NULL, &context));
  desc.n[0] = 4, desc.n[1] = 3, desc.n[2] = 5;
  OK(context, hymg_grid_create(context, &desc, &grid));
  desc.widths[0] = widths;
  OK(context, hymg_grid_create(context, &desc, &wide));
  OK(context, hymg_field_create(grid, NULL, HYMG_CELL, HYMG_DOUBLE, &u));
  OK(context, hymg_field_create(wide, NULL, HYMG_CELL, HYMG_DOUBLE, &stretched));
  OK(context, hymg_field_create(grid, NULL, HYMG_FACE_Y, HYMG_DOUBLE, &face));
  OK(context, hymg_field_fill(u, 0.1));
  strcpy(folder, "/tmp/hymg-save-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/u.vti", folder);
}

static void end(void)
{
  unlink(path);
  ck_assert_msg(rmdir(folder) == 0, "something is left in %s", folder);
  hymg_field_destroy(&u);
  hymg_field_destroy(&stretched);
  hymg_field_destroy(&face);
  hymg_grid_destroy(&grid);
  hymg_grid_destroy(&wide);
  hymg_context_destroy(&context);
}

/* ---- what is in the file ---- */

static void check_coordinates(const saved_file *file, const save_case *c)
{
  static const char *const name[] = {"x", "y", "z"};
  char want[200];
  snprintf(want, sizeof want, "WholeExtent=\"0 %d 0 %d 0 %d\"", c->n[0], c->n[1], c->n[2]);
  ck_assert_ptr_nonnull(strstr(file->bytes, want));
  if (strstr(c->file, ".vti")) {
    double h[3] = {0, 0, 0};
    const char *spacing = strstr(file->bytes, " Origin=\"0 0 0\" Spacing=\"");
    ck_assert_ptr_nonnull(spacing);
    ck_assert_int_eq(sscanf(spacing, " Origin=\"0 0 0\" Spacing=\"%lf %lf %lf\"", h, h + 1, h + 2),
                     3);
    ck_assert(support_same_bits(3, h, save_spacing));
    return;
  }
  for (int d = 0; d < 3; d++) {
    const size_t n = (size_t)c->n[d];
    double *x = support_poison(n + 1), *widths = save_widths(c, d), sum = 0;
    save_array(file, name[d], false, n + 1, x);
    for (size_t i = 0; i <= n; i++) {
      ck_assert_double_eq(x[i], widths ? sum : (double)i * save_spacing[d]);
      if (widths && i < n) sum += widths[i];
    }
    free(x);
    free(widths);
  }
}

START_TEST(every_value_and_coordinate_is_in_the_file)
{
  static const char *const name[] = {"u", "f, right side"};
  const save_case *c = &save_cases[_i];
  if (c->large && support_small()) return;
  snprintf(path, sizeof path, "%s/%s", folder, c->file);
  OK(context, save_write(context, c, path));
  saved_file file = save_read(path);
  double *got = support_poison(save_cells(c));
  for (int m = 0; m < 2; m++) {
    double *want = save_values(c, m);
    save_array(&file, name[m], c->floats && m == 0, save_cells(c), got);
    ck_assert_msg(memcmp(got, want, save_cells(c) * sizeof *got) == 0, "%s: %s differs", c->file,
                  name[m]);
    free(want);
  }
  check_coordinates(&file, c);
  free(got);
  free(file.bytes);
}
END_TEST

START_TEST(one_field_is_named_after_the_file)
{
  double got[60];
  snprintf(path, sizeof path, "%s/a <b> \"c\".x.vtr", folder);
  OK(context, hymg_field_save(u, path));
  saved_file file = save_read(path);
  save_array(&file, "a _b_ _c_.x", false, 60, got);
  for (int m = 0; m < 60; m++)
    ck_assert_double_eq(got[m], 0.1);
  free(file.bytes);
}
END_TEST

/* ---- refusals ---- */

static void refused(hymg_status want, const char *text, int count, const hymg_field *second,
                    const char *name, const char *file)
{
  const hymg_field *const field[] = {u, second};
  const hymg_status got = hymg_fields_save(count, field, (const char *const[]){"u", name}, file);
  support_assert_error(context, got, want, text, NULL);
}

START_TEST(what_cannot_be_saved_is_refused)
{
  char longest[80];
  refused(HYMG_EINVAL, "'u' must end in .vti or .vtr", 1, NULL, NULL, "u");
  refused(HYMG_EINVAL, "'u.vtk' must end", 1, NULL, NULL, "u.vtk");
  refused(HYMG_EINVAL, "'.vti' must end", 1, NULL, NULL, ".vti");
  refused(HYMG_EINVAL, "1 to 256", 257, NULL, NULL, path);
  refused(HYMG_EINVAL, "with names and a file", 1, NULL, NULL, NULL);
  refused(HYMG_EINVAL, "field 1 (v) is NULL", 2, NULL, "v", path);
  refused(HYMG_EINVAL, "field 1 (v) is of another grid", 2, stretched, "v", path);
  refused(HYMG_EUNSUPPORTED, "field 1 (v) is one of y faces on level 0", 2, face, "v", path);
  refused(HYMG_EINVAL, "name 1 is NULL", 2, u, NULL, path);
  refused(HYMG_EINVAL, "the name '' of field 1", 2, u, "", path);
  refused(HYMG_EINVAL, "the name 'a<b' of field 1", 2, u, "a<b", path);
  refused(HYMG_EINVAL, "the fields 0 and 1 are both named 'u'", 2, u, "u", path);
  memset(longest, 'x', sizeof longest);
  longest[64] = '\0';
  refused(HYMG_EINVAL, "1 to 63 characters", 2, u, longest, path);
  support_assert_error(context, hymg_field_save(stretched, path), HYMG_EINVAL, path,
                       "the grid has widths along x", ".vtr", NULL);
  ck_assert_int_eq(hymg_field_save(NULL, path), HYMG_EINVAL);
  ck_assert_int_eq(hymg_field_save(u, NULL), HYMG_EINVAL);
}
END_TEST

START_TEST(fields_of_coarser_levels_are_refused)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "dd dd dd", 0);
  support_kit kit = support_open(&c.spec, NULL, NULL);
  hymg_field *coarse = NULL;
  OK(kit.context, hymg_field_create_on_level(kit.solver, 1, &coarse));
  support_assert_error(kit.context, hymg_field_save(coarse, path), HYMG_EUNSUPPORTED, "level 1",
                       NULL);
  hymg_field_destroy(&coarse);
  support_close(&kit);
  support_case_free(&c);
}
END_TEST

/* ---- failures ---- */

static void fails(const char *file, const char *why)
{
  support_assert_error(context, hymg_field_save(u, file), HYMG_EIO, file, "not written", why, NULL);
}

static void write_old(void)
{
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs("old", file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

static void assert_old(void)
{
  saved_file file = save_read(path);
  ck_assert_str_eq(file.bytes, "old");
  free(file.bytes);
}

START_TEST(a_file_that_cannot_be_made_is_an_error)
{
  char other[140], name[400];
  fails("/none/u.vti", "No such file or directory");
  snprintf(other, sizeof other, "%s/d.vti", folder);
  ck_assert_int_eq(mkdir(other, 0777), 0);
  fails(other, "Is a directory");
  ck_assert_int_eq(rmdir(other), 0);
  memset(name, 'x', sizeof name);
  strcpy(name + 280, ".vti");
  fails(name, "File name too long");
  if (geteuid() == 0) return; /* who may write everywhere */
  write_old();
  ck_assert_int_eq(chmod(path, 0444), 0);
  fails(path, "Permission denied");
  assert_old();
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(chmod(folder, 0555), 0);
  fails(path, "Permission denied");
  ck_assert_int_eq(chmod(folder, 0777), 0);
}
END_TEST

/* A limit on the size of files stands for a full disk. end() looks for left-overs. */
START_TEST(a_full_disk_leaves_the_old_file)
{
  struct rlimit old, small;
  write_old();
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
  small = old;
  void (*action)(int) = signal(SIGXFSZ, SIG_IGN);
  for (small.rlim_cur = 0; small.rlim_cur < 1200; small.rlim_cur += 400) {
    /* no assertion within the limit: Check writes where it is to a file of its own */
    const int limited = setrlimit(RLIMIT_FSIZE, &small);
    const hymg_status status = hymg_field_save(u, path);
    const int restored = setrlimit(RLIMIT_FSIZE, &old);
    ck_assert(limited == 0 && restored == 0);
    support_assert_error(context, status, HYMG_EIO, path, "File too large", NULL);
    assert_old();
  }
  signal(SIGXFSZ, action);
}
END_TEST

START_TEST(devices_are_left_alone)
{
  struct stat info;
  ck_assert_int_eq(symlink("/dev/full", path), 0);
  fails(path, "not a regular file");
  ck_assert_int_eq(lstat(path, &info), 0);
  ck_assert(S_ISLNK(info.st_mode));
  ck_assert_int_eq(stat("/dev/full", &info), 0);
  ck_assert(S_ISCHR(info.st_mode));
}
END_TEST

START_TEST(rights_and_links_are_kept)
{
  char target[140];
  struct stat info;
  const mode_t mask = umask(027);
  OK(context, hymg_field_save(u, path));
  umask(mask);
  ck_assert_int_eq(stat(path, &info), 0);
  ck_assert_int_eq(info.st_mode & 0777, 0640);
  snprintf(target, sizeof target, "%s/target.vti", folder);
  ck_assert_int_eq(rename(path, target), 0);
  ck_assert_int_eq(chmod(target, 0600), 0);
  ck_assert_int_eq(symlink(target, path), 0);
  OK(context, hymg_field_save(u, path));
  ck_assert_int_eq(stat(target, &info), 0);
  ck_assert_int_eq(info.st_mode & 0777, 0600);
  ck_assert_int_eq(lstat(path, &info), 0);
  ck_assert(S_ISLNK(info.st_mode));
  unlink(target);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("save");
  TCase *tcase = tcase_create("save");
  tcase_add_checked_fixture(tcase, begin, end);
  tcase_add_loop_test(tcase, every_value_and_coordinate_is_in_the_file, 0, SAVE_CASES);
  tcase_add_test(tcase, one_field_is_named_after_the_file);
  tcase_add_test(tcase, what_cannot_be_saved_is_refused);
  tcase_add_test(tcase, fields_of_coarser_levels_are_refused);
  tcase_add_test(tcase, a_file_that_cannot_be_made_is_an_error);
  tcase_add_test(tcase, a_full_disk_leaves_the_old_file);
  tcase_add_test(tcase, devices_are_left_alone);
  tcase_add_test(tcase, rights_and_links_are_kept);
  suite_add_tcase(suite, tcase);
  return support_run(suite);
}
