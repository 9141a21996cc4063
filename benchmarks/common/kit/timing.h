/* The clock, and times of a job that is repeated until there are enough of them. */
#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>

/* Seconds of a monotonic clock. */
double fv_clock(void);

typedef struct times {
  double *value; /* seconds per call */
  int count, room;
  double total; /* of all calls */
} times;

/* Are more needed? There should be `least` values and this many seconds in total, but not more than
 * `most` values. */
bool times_wanted(const times *t, int least, double seconds, int most);
/* Adds one value: the time of this many calls together. False: out of memory. */
bool times_add(times *t, double seconds, int calls);
/* NaN if there are no values. Both sort the values. */
double times_median(times *t);
double times_min(times *t);
void times_free(times *t);

#endif
