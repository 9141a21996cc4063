/* Threads: how many by default, how many for a level, and what they wait for cores on which other programs run. */
#define _GNU_SOURCE
#include "base/cgroup.h"
#include "cpu/cpu.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The number of threads that OpenMP was given. If that is all cores, its default, this rank takes its part of the
 * node's cores. */
int hymgi_backend_threads(int wanted, int ranks)
{
  if (wanted > 0) return wanted;
  const int most = omp_get_max_threads();
  if (most != omp_get_num_procs()) return most;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const int limit = hymgi_cgroup_cores(""), all = cores > 0 && cores < limit ? (int)cores : limit;
  const int share = all / ranks > 1 ? all / ranks : 1;
  return share < most ? share : most;
}

void hymgi_run_side_by_side(int threads, int count, void (*run)(int m, void *user), void *user)
{
  (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int m = 0; m < count; m++)
    run(m, user);
}

int hymgi_cpu_most_threads(const hymgi_level *level)
{
  return hymgi_team_worth(hymgi_cells_here(level), level->context->threads);
}

int hymgi_cpu_threads(const hymgi_level *level)
{
  return hymgi_cpu_most_threads(level) == 1 ? 1 : level->context->team.size;
}

void hymgi_cpu_share_out(hymg_context *context, int threads, void (*part)(void *user), void *user)
{
  const bool before = context->alone; /* a part may share out again */
  context->alone = threads == 1;
  if (threads == 1) {
    part(user);
  } else {
#pragma omp parallel num_threads(threads)
    part(user);
  }
  context->alone = before;
}

/* Nanoseconds for which the calling thread has been ready to run without a core; 0 where the system does not
 * report it. The file has three numbers, of which this is the second. */
static uint64_t waited_by_this_thread(void)
{
  char text[80], *end;
  const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  if (got <= 0) return 0;
  text[got] = 0;
  strtoull(text, &end, 10);
  return strtoull(end, NULL, 10);
}

/* Seconds that the threads of the team have waited since the reading before. */
static double waited_by_team(hymg_context *context)
{
  double sum = 0;
#pragma omp parallel num_threads(context->team.size) reduction(+ : sum)
  {
    uint64_t *const before = context->waited + omp_get_thread_num();
    const uint64_t waited = waited_by_this_thread();
    if (waited > *before) sum += 1e-9 * (double)(waited - *before);
    *before = waited;
  }
  return sum;
}

void hymgi_cpu_watch(hymg_context *context)
{
  hymgi_team *const team = &context->team;
  if (team->threads < 2) return;
  const double now = hymgi_seconds();
  if (!hymgi_team_wants(team, now)) return;
  const int before = team->size;
  hymgi_team_update(team, now, waited_by_team(context));
  if (team->size != before) waited_by_team(context);
}
