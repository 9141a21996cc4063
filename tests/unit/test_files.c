/* Files that the library reads and writes in folders that others may write into: no link of another
 * user is followed, no name is taken over, and what is no small regular file is not read. */
#define _GNU_SOURCE
#include "base/cache_file.h"
#include "base/new_file.h"
#include "support/support.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANOTHER = 65534 };

static char folder[64], target[96], path[96];

static void set_up(void)
{
  strcpy(folder, "/tmp/hymg-test-files-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(target, sizeof target, "%s/victim", folder);
  snprintf(path, sizeof path, "%s/file", folder);
}

static void tear_down(void)
{
  char command[96];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  ck_assert_int_eq(system(command), 0);
}

static void write_file(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
}

static void assert_file(const char *name, const char *text)
{
  char got[256] = "";
  FILE *file = fopen(name, "r");
  ck_assert_ptr_nonnull(file);
  got[fread(got, 1, sizeof got - 1, file)] = '\0';
  fclose(file);
  ck_assert_str_eq(got, text);
}

static void write_new(const char *text)
{
  hymgi_new_file f;
  const char *why = hymgi_new_file_open(&f, path, 0600);
  ck_assert_msg(!why, "%s", why);
  ck_assert_int_eq(write(f.file, text, strlen(text)), (ssize_t)strlen(text));
  ck_assert(hymgi_new_file_close(&f, true));
}

START_TEST(links_of_this_user_stay_links)
{
  struct stat info;
  write_file(target, "old");
  ck_assert_int_eq(symlink(target, path), 0);
  write_new("new");
  assert_file(target, "new");
  ck_assert(lstat(path, &info) == 0 && S_ISLNK(info.st_mode));
}
END_TEST

/* Only root can make a link of another user. */
START_TEST(links_of_other_users_are_refused)
{
  hymgi_new_file f;
  if (geteuid() != 0) return;
  write_file(target, "old");
  for (int dangling = 0; dangling < 2; dangling++) {
    ck_assert_int_eq(symlink(dangling ? "nowhere" : target, path), 0);
    ck_assert_int_eq(lchown(path, ANOTHER, ANOTHER), 0);
    const char *why = hymgi_new_file_open(&f, path, 0600);
    ck_assert_msg(why && strstr(why, "symbolic link of another user"), "%s", why);
    assert_file(target, "old");
    unlink(path);
  }
}
END_TEST

/* A link to nothing is replaced by the file, and nothing appears where it leads. */
START_TEST(links_to_nothing_are_replaced)
{
  struct stat info;
  ck_assert_int_eq(symlink(target, path), 0);
  write_new("new");
  ck_assert(lstat(path, &info) == 0 && S_ISREG(info.st_mode));
  ck_assert_int_ne(access(target, F_OK), 0);
}
END_TEST

/* The temporary name can be guessed, but is only used if there is no file of that name. */
START_TEST(temporary_names_that_are_taken_are_left_alone)
{
  char name[128];
  struct stat info;
  write_file(target, "old");
  for (int n = 0; n < 3; n++) {
    snprintf(name, sizeof name, "%s.%ld-%d", path, (long)getpid(), n);
    ck_assert_int_eq(symlink(target, name), 0);
  }
  write_new("new");
  assert_file(path, "new");
  assert_file(target, "old");
  ck_assert(lstat(path, &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0777) == 0600);
}
END_TEST

static bool is_value(const char *value)
{
  return strcmp(value, "yes") == 0;
}

static const hymgi_cache_kind kind = {"test", is_value};

static void assert_unread(const char *words)
{
  char value[HYMGI_CACHE_VALUE], note[256] = "";
  ck_assert(!hymgi_cache_find(&kind, path, "key", value, note));
  ck_assert_msg(strstr(note, words), "'%s' does not say '%s'", note, words);
  note[0] = '\0';
  ck_assert(!hymgi_cache_store(&kind, path, "key", "yes", note) && *note);
}

/* A pipe would block whoever opens it, and a large file would fill the memory. */
START_TEST(only_small_regular_files_are_read)
{
  char value[HYMGI_CACHE_VALUE], note[256] = "";
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  assert_unread("no test file");
  unlink(path);
  ck_assert_int_eq(mkdir(path, 0700), 0);
  assert_unread("no test file");
  rmdir(path);
  write_file(path, "hymg test 1\nkey = yes\n");
  ck_assert_int_eq(truncate(path, (1 << 20) + 1), 0);
  assert_unread("no test file");
  ck_assert_int_eq(truncate(path, 1 << 20), 0);
  ck_assert(hymgi_cache_find(&kind, path, "key", value, note));
  ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0); /* sparse */
  assert_unread("no test file");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("files");
  TCase *t = tcase_create("all");
  tcase_add_checked_fixture(t, set_up, tear_down);
  tcase_add_test(t, links_of_this_user_stay_links);
  tcase_add_test(t, links_of_other_users_are_refused);
  tcase_add_test(t, links_to_nothing_are_replaced);
  tcase_add_test(t, temporary_names_that_are_taken_are_left_alone);
  tcase_add_test(t, only_small_regular_files_are_read);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
