/* The robust path on the host. */
#ifndef HYMGI_CPU_ROBUST_H
#define HYMGI_CPU_ROBUST_H

#include "multigrid/backend.h"

extern const hymgi_robust_ops hymgi_cpu_robust; /* conductance.c */

/* uneven.c; add_row: a row of cells is added to row (j, k) of x */
void hymgi_cpu_add_row(const hymgi_geom *g, const double *e, int j, int k, double *x);
void hymgi_cpu_interpolate_uneven(const hymgi_level *fine, const double *source, hymgi_ghosts order,
                                  bool add, double *x);

/* tensor.c */
void hymgi_cpu_restrict_tensor(const hymgi_level *level, const double *r, double *coarse);
void hymgi_cpu_interpolate_tensor(const hymgi_level *fine, const double *source, double *x);

/* weighted.c */
void hymgi_cpu_restrict_weighted(const hymgi_level *level, const double *r, double *coarse);
void hymgi_cpu_interpolate_weighted(const hymgi_level *fine, const double *source, bool smoothed,
                                    double *x);

#endif
