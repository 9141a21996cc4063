/* One open solver with a right-hand side of mean zero and a solution field, for suites about what a
 * solve reports. */
#ifndef SUPPORT_BENCH_H
#define SUPPORT_BENCH_H

#include "support/support.h"

typedef struct support_bench {
  support_case c;
  support_kit k;
  size_t cells;
  double *f;
  hymg_field *ff, *u;
} support_bench;

/* Options of a multigrid solve to a tolerance. */
hymg_options support_mg(hymg_cycle cycle, double rtol, int max_cycles);
/* Takes the case over. */
support_bench support_bench_open(support_case c, const hymg_options *o);
support_bench support_bench_cube(hymg_stencil stencil, const char *boundary, double a,
                                 const hymg_options *o);
void support_bench_close(support_bench *b);
hymg_result support_bench_solve(support_bench *b);

#endif
