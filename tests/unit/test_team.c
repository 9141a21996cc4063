/* Threads: how many control groups allow, how a team adapts to what other programs leave of the cores, and that results do
 * not depend on it. */
#define _DEFAULT_SOURCE
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/team.h"
#include "comm/context.h"
#include "support/support.h"

/* ---- control groups ---- */

/* A tree of files below a folder of its own: path and contents in turn, up to NULL. */
static int cores_of(const char *const *files)
{
  char root[] = "/tmp/hymg-team-XXXXXX", command[64];
  ck_assert(mkdtemp(root));
  for (; *files; files += 2) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", root, files[0]);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
      *slash = 0;
      mkdir(path, 0755);
      *slash = '/';
    }
    FILE *const file = fopen(path, "w");
    ck_assert(file);
    fputs(files[1], file);
    fclose(file);
  }
  const int cores = hymgi_cgroup_cores(root);
  snprintf(command, sizeof command, "rm -r %s", root);
  ck_assert_int_eq(system(command), 0);
  return cores;
}

#define CORES(...) cores_of((const char *const[]){__VA_ARGS__, NULL})

START_TEST(limits_of_version_2)
{
  ck_assert_int_eq(
      CORES("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max", "200000 100000\n"), 2);
  ck_assert_int_eq(CORES("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max",
                         "max 100000\n", "sys/fs/cgroup/a/cpu.max", "350000 100000\n"),
                   4); /* of a group above; 3.5 */
  ck_assert_int_eq(CORES("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/cpu.max", "120000 100000\n"),
                   1);
  ck_assert_int_eq(CORES("proc/self/cgroup", "0::/../../elsewhere\n", "sys/fs/cgroup/cpu.max",
                         "300000 100000\n"),
                   3);
  ck_assert_int_eq(CORES("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/cpu.max", "5000 100000\n"),
                   1);
  ck_assert_int_eq(CORES("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/cpu.max", "max 100000\n"),
                   INT_MAX);
}
END_TEST

START_TEST(limits_of_version_1)
{
  ck_assert_int_eq(CORES("proc/self/cgroup", "3:cpuset:/x\n4:cpu,cpuacct:/d/e\n0::/\n",
                         "sys/fs/cgroup/cpu/d/e/cpu.cfs_quota_us", "600000\n",
                         "sys/fs/cgroup/cpu/d/e/cpu.cfs_period_us", "100000\n"),
                   6);
  ck_assert_int_eq(CORES("proc/self/cgroup", "4:cpu,cpuacct:/d\n",
                         "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n",
                         "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "20000\n"),
                   3); /* 2.5; the path is one of the host */
  ck_assert_int_eq(CORES("proc/self/cgroup", "4:cpu:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                         "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
                   INT_MAX);
  ck_assert_int_eq(CORES("proc/self/cgroup", "4:cpuset:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                         "100000\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
                   INT_MAX); /* a group of another controller */
}
END_TEST

START_TEST(no_limits_where_there_is_nothing_to_read)
{
  ck_assert_int_eq(CORES("proc/self/cgroup", "0::/a\n"), INT_MAX);
  ck_assert_int_eq(CORES("proc/self/other", ""), INT_MAX);
  ck_assert_int_eq(
      CORES("proc/self/cgroup", "nonsense\n\n:\n0::\n", "sys/fs/cgroup/cpu.max", "x y\n"), INT_MAX);
  ck_assert_int_ge(hymgi_cgroup_cores(""), 1);
}
END_TEST

/* ---- the size of a team, in a time of our own ---- */

typedef struct world {
  double now;
  int cores; /* that other programs leave free */
} world;

/* Threads beyond the free cores wait half of the time. */
static void live(world *w, hymgi_team *team, double seconds)
{
  const double step = 0.001, end = w->now + seconds;
  double waited = 0;
  hymgi_team_begin(team, w->now);
  for (; w->now < end; w->now += step) {
    if (team->size > w->cores) waited += 0.5 * step * (team->size - w->cores);
    if (!hymgi_team_wants(team, w->now)) continue;
    hymgi_team_update(team, w->now, waited);
    waited = 0;
  }
  hymgi_team_end(team, w->now);
}

START_TEST(an_idle_machine_keeps_all_threads)
{
  world w = {1, 16};
  hymgi_team team = hymgi_team_of(16);
  live(&w, &team, 10);
  ck_assert_int_eq(team.size, 16);
  ck_assert(hymgi_team_reduced(&team, w.now) == 0);
}
END_TEST

START_TEST(one_interruption_changes_nothing)
{
  world w = {1000, 4};
  hymgi_team team = hymgi_team_of(4);
  for (int m = 0; m < 50; m++) {
    live(&w, &team, 0.05);
    w.cores = 3; /* a daemon */
    live(&w, &team, 0.004);
    w.cores = 4;
    ck_assert_int_eq(team.size, 4);
  }
}
END_TEST

START_TEST(a_loaded_machine_leaves_one_thread_and_gets_all_back)
{
  static const int threads[3] = {2, 16, 5};
  world w = {2000 + 1000 * _i, 0};
  hymgi_team team = hymgi_team_of(threads[_i]);
  live(&w, &team, 0.1);
  ck_assert_int_eq(team.size, 1);
  const double before = hymgi_team_reduced(&team, w.now);
  live(&w, &team, 20);
  ck_assert(hymgi_team_reduced(&team, w.now) - before > 0.97 * 20);
  w.cores = 16;
  live(&w, &team, 4); /* after the longest pause */
  ck_assert_int_eq(team.size, threads[_i]);
}
END_TEST

START_TEST(free_cores_are_used)
{
  world w = {6000, 8};
  hymgi_team team = hymgi_team_of(16);
  live(&w, &team, 1);
  double with_eight = 0;
  for (int m = 0; m < 1000; m++) {
    live(&w, &team, 0.02);
    with_eight += team.size == 8;
  }
  ck_assert_double_ge(with_eight, 970);
}
END_TEST

START_TEST(a_pause_is_not_taken_for_calm)
{
  world w = {9000, 0};
  hymgi_team team = hymgi_team_of(2);
  for (int m = 0; m < 8 && team.size == 2; m++) {
    live(&w, &team, 0.02);
    w.now += 1; /* the program does something else */
  }
  ck_assert_int_eq(team.size, 1);
}
END_TEST

/* ---- solves ---- */

/* user: where the context will be */
static bool other_team(const hymg_cycle_record *record, int cycle, void *user)
{
  (void)record;
  static const int sizes[5] = {3, 1, 4, 2, 1};
  (*(hymg_context **)user)->team.size = sizes[cycle % 5];
  return true;
}

static double *solution(support_case *c, hymg_options o, bool changes)
{
  const size_t cells = (size_t)c->spec.n[0] * c->spec.n[1] * c->spec.n[2];
  double *f = support_random(cells, -1, 1, 3);
  support_layout layout = {.threads = 4, .boxes = {1, 1, 1}};
  hymg_context *context = NULL;
  if (changes) o.monitor = other_team, o.monitor_user = &context;
  support_kit k = support_open(&c->spec, &layout, &o);
  context = k.context;
  hymg_field *ff = support_field(&k, 0, f), *uf = support_field(&k, 0, f);
  OK(k.context, hymg_solve(k.solver, ff, uf, NULL));
  double *u = support_read(&k, 0, uf);
  hymg_field_destroy(&ff), hymg_field_destroy(&uf);
  support_close(&k);
  free(f);
  return u;
}

/* Wavefronts (from 96^3), rows and the robust path; in both precisions. */
START_TEST(results_do_not_depend_on_the_team)
{
  static const struct {
    hymg_stencil stencil;
    int n[3];
    hymg_path path;
    hymg_precision precision;
  } all[6] = {{HYMG_FV2, {40, 32, 48}, HYMG_PATH_STANDARD, HYMG_DOUBLE},
              {HYMG_FV2, {96, 96, 96}, HYMG_PATH_STANDARD, HYMG_DOUBLE},
              {HYMG_FV4, {96, 96, 96}, HYMG_PATH_STANDARD, HYMG_DOUBLE},
              {HYMG_FV2, {45, 61, 33}, HYMG_PATH_ROBUST, HYMG_DOUBLE},
              {HYMG_FV2, {96, 96, 96}, HYMG_PATH_ROBUST, HYMG_MIXED},
              {HYMG_FV4, {40, 48, 40}, HYMG_PATH_ROBUST, HYMG_DOUBLE}};
  if (support_small() && _i != 0 && _i != 3) return;
  support_case c =
      support_case_of(all[_i].stencil, all[_i].n, _i == 2 ? "dd dd pp" : "dd nd pp", 0.5);
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.rtol = 1e-8, o.backend = HYMG_BACKEND_HOST;
  o.path = all[_i].path, o.precision = all[_i].precision;
  double *want = solution(&c, o, false), *got = solution(&c, o, true);
  ck_assert(support_same_bits((size_t)c.spec.n[0] * c.spec.n[1] * c.spec.n[2], want, got));
  free(want), free(got);
  support_case_free(&c);
}
END_TEST

enum { MOST_BURNERS = 256 };

static int burn(pid_t *child)
{
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const int count = cores < MOST_BURNERS / 2 ? 2 * (int)cores : MOST_BURNERS;
  for (int m = 0; m < count; m++) {
    child[m] = fork();
    ck_assert_int_ge(child[m], 0);
    if (child[m]) continue;
    alarm((unsigned)support_seconds(120));
    for (volatile unsigned long n = 0;; n++)
      ;
  }
  return count;
}

/* With two busy programs on every core the team shrinks, and the advice says why. */
START_TEST(beside_other_programs_there_are_fewer_threads)
{
  if (access("/proc/thread-self/schedstat", R_OK) != 0 || support_small()) return;
  support_case c = support_case_of(HYMG_FV2, (const int[3]){48, 48, 48}, "dd dd dd", 0);
  double *f = support_random(48 * 48 * 48, -1, 1, 3);
  support_layout layout = {.threads = 4, .boxes = {1, 1, 1}};
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.backend = HYMG_BACKEND_HOST;
  support_kit k = support_open(&c.spec, &layout, &o);
  hymg_field *ff = support_field(&k, 0, f), *uf = support_field(&k, 0, f);
  pid_t child[MOST_BURNERS];
  const int count = burn(child);
  char text[HYMG_ADVICE] = "";
  hymg_result r;
  for (double start = hymgi_seconds();
       hymgi_seconds() < start + support_seconds(60) && !strstr(text, "other programs");) {
    OK(k.context, hymg_solve(k.solver, ff, uf, &r));
    OK(k.context, hymg_solver_advice(k.solver, &r, text, sizeof text));
  }
  for (int m = 0; m < count; m++) {
    kill(child[m], SIGKILL);
    waitpid(child[m], NULL, 0);
  }
  ck_assert_msg(strstr(text, "other programs ran on these cores: in "), "%s", text);
  ck_assert(strstr(text, "fewer than the 4 threads asked for"));
  ck_assert_int_lt(k.context->team.size, 4);
  hymg_field_destroy(&ff), hymg_field_destroy(&uf);
  support_close(&k);
  support_case_free(&c);
  free(f);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("team");
  TCase *t = tcase_create("team");
  tcase_set_timeout(t, 0);
  tcase_add_test(t, limits_of_version_2);
  tcase_add_test(t, limits_of_version_1);
  tcase_add_test(t, no_limits_where_there_is_nothing_to_read);
  tcase_add_test(t, an_idle_machine_keeps_all_threads);
  tcase_add_test(t, one_interruption_changes_nothing);
  tcase_add_loop_test(t, a_loaded_machine_leaves_one_thread_and_gets_all_back, 0, 3);
  tcase_add_test(t, free_cores_are_used);
  tcase_add_test(t, a_pause_is_not_taken_for_calm);
  tcase_add_loop_test(t, results_do_not_depend_on_the_team, 0, 6);
  tcase_add_test(t, beside_other_programs_there_are_fewer_threads);
  suite_add_tcase(s, t);
  return support_run(s);
}
