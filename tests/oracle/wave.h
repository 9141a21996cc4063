/* A smooth solution on a box of any sides: the product of cos(k x + p) over the axes, with beta = 1.2 +
 * 0.4 sin(q . x), and data on all boundaries that are not periodic. */
#ifndef ORACLE_WAVE_H
#define ORACLE_WAVE_H

#include "support/support.h"

typedef struct wave {
  support_case c; /* a = 0, b = 1 */
  double k[3], p[3], q[3], shift;
  size_t cells;
  bool means;
  double *f, *exact; /* owned; at the centres of cells, or means over cells */
} wave;

/* h: spacings, NULL: all 1 / n[0]; shift: added to f, which changes nothing in a singular system. */
wave wave_of(const int n[3], const double h[3], const char *boundary, double shift);
/* Makes f, beta, the solution and all data anew as means over cells and faces, which is what the scheme's
 * unknowns are; values at the centres differ from them by terms of order h^2. */
void wave_take_means(wave *w);
/* Makes the data of a face anew, after a change of w->c.spec.extrapolation. */
void wave_set_boundary(wave *w, int face);
void wave_free(wave *w);
/* Solves with the options given, on the standard path unless they have another, and returns max |u - exact|, of a singular system
 * without the means. */
double wave_solve(wave *w, hymg_options options, hymg_result *result);

#endif
