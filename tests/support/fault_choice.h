/* What the environment asks of the sweeps of failures. */
#ifndef SUPPORT_FAULT_CHOICE_H
#define SUPPORT_FAULT_CHOICE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct faults_range {
  long first, last, step;
} faults_range;

/* Does the environment ask for a whole sweep? HYMG_FAULTS=all; FIRST:LAST or FIRST:LAST:STEP for a part
 * of its calls. */
static inline bool faults_sweep(long calls, faults_range *range)
{
  const char *which = getenv("HYMG_FAULTS");
  *range = (faults_range){1, calls, 1};
  if (which) sscanf(which, "%ld:%ld:%ld", &range->first, &range->last, &range->step);
  if (range->last > calls) range->last = calls;
  if (range->step < 1) range->step = 1;
  return which != NULL;
}

/* Is this one of the cases (variant, or variant and transport) that HYMG_FAULT_CASES=FIRST:LAST leaves? */
static inline bool faults_case(int index)
{
  const char *which = getenv("HYMG_FAULT_CASES");
  int first = 0, last = index;
  if (which) sscanf(which, "%d:%d", &first, &last);
  return first <= index && index <= last;
}

#endif
