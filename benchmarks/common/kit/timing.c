/* See timing.h. */
#define _POSIX_C_SOURCE 200809L
#include "common/kit/timing.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double fv_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool times_wanted(const times *t, int least, double seconds, int most)
{
  return t->count < least || (t->total < seconds && t->count < most);
}

bool times_add(times *t, double seconds, int calls)
{
  if (t->count == t->room) {
    const int room = t->room > 0 ? 2 * t->room : 64;
    double *more = realloc(t->value, (size_t)room * sizeof *more);
    if (!more) return false;
    t->value = more;
    t->room = room;
  }
  t->value[t->count++] = seconds / calls;
  t->total += seconds;
  return true;
}

static int compare(const void *left, const void *right)
{
  const double l = *(const double *)left, r = *(const double *)right;
  return (l > r) - (l < r);
}

double times_median(times *t)
{
  if (t->count == 0) return NAN;
  qsort(t->value, (size_t)t->count, sizeof *t->value, compare);
  return 0.5 * (t->value[(t->count - 1) / 2] + t->value[t->count / 2]);
}

double times_min(times *t)
{
  times_median(t);
  return t->count > 0 ? t->value[0] : NAN;
}

void times_free(times *t)
{
  free(t->value);
  *t = (times){0};
}
