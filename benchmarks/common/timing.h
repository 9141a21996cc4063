/* The clock, and times of a job that is repeated until there are enough of them. */
#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>

/* Seconds of a clock that only rises. */
double fv_clock(void);

typedef struct times {
  double *value; /* seconds of a call */
  int count, room;
  double total; /* of all calls */
} times;

/* Still fewer than `least` of them, or than fill these seconds, of those `most` at most? */
bool times_wanted(const times *t, int least, double seconds, int most);
/* What so many calls took together; one value. False: no memory. */
bool times_add(times *t, double seconds, int calls);
/* NaN without any. Both sort the values. */
double times_median(times *t);
double times_min(times *t);
void times_free(times *t);

#endif
