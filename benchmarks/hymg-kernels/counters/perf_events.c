/* Instructions by the kernel's performance events. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu/cpu.h"
#include "hymg-kernels/kernels.h"

/* Counts what the calling thread does in user mode from now on; -1: errno says why not. */
static int open_counter(void)
{
  struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
                              .size = sizeof a,
                              .config = PERF_COUNT_HW_INSTRUCTIONS,
                              .exclude_kernel = 1,
                              .exclude_hv = 1};
  return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
}

static double close_counter(int counter)
{
  uint64_t count = 0;
  const bool good = read(counter, &count, sizeof count) == (ssize_t)sizeof count;
  close(counter);
  return good ? (double)count : NAN;
}

double kernels_count_instructions(int threads, void (*work)(void *), void *argument,
                                  const char **why)
{
  int *const counter = malloc((size_t)threads * sizeof *counter), failed = counter ? 0 : ENOMEM;
  double sum = 0;
  for (int t = 0; counter && t < threads; t++)
    counter[t] = -1;
#pragma omp parallel num_threads(threads)
  if (counter) {
    const int opened = open_counter(), reason = errno;
    counter[omp_get_thread_num()] = opened;
    if (opened < 0) {
#pragma omp critical
      failed = reason;
    }
  }
  if (!failed) work(argument);
  for (int t = 0; counter && t < threads; t++)
    sum += counter[t] >= 0 ? close_counter(counter[t]) : 0;
  free(counter);
  *why = failed ? strerror(failed) : "the count cannot be read";
  return failed ? NAN : sum;
}
