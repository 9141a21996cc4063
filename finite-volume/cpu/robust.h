/* The robust path on the host. */
#ifndef HYMGI_CPU_ROBUST_H
#define HYMGI_CPU_ROBUST_H

#include "multigrid/backend.h"

extern const hymgi_robust_ops hymgi_cpu_robust; /* conductance.c */

/* weighted.c */
void hymgi_cpu_restrict_weighted(const hymgi_level *level, const double *r, hymgi_after after,
                                 double *coarse);
void hymgi_cpu_interpolate_weighted(const hymgi_level *fine, const double *source, bool smoothed,
                                    double *x);
/* Coarse row JK of box b. */
void hymgi_cpu_restrict_weighted_row(const hymgi_level *level, int b, const int JK[2],
                                     const double *r, double *coarse);
/* Fine rows (j, k) from <= jk < to, children of one coarse row. colour: of the cells to interpolate
 * to, if rows are split; or -1 for all. */
void hymgi_cpu_interpolate_weighted_rows(const hymgi_level *level, int b, const int from[2],
                                         const int to[2], int colour, const double *source,
                                         double *x);

/* robust_wave in wavefront.c */
bool hymgi_cpu_robust_smooth_restrict(hymgi_level *level, bool from_zero, hymgi_after after,
                                      double *coarse);
bool hymgi_cpu_robust_interpolate_smooth(hymgi_level *fine, const double *source);

#endif
