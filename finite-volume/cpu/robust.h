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

#endif
