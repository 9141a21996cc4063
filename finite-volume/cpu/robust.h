/* The robust path on the host. */
#ifndef HYMGI_CPU_ROBUST_H
#define HYMGI_CPU_ROBUST_H

#include "multigrid/backend.h"

/* Rows in parts with contiguous cells: the even and the odd cells of a split row, or a whole plain
 * row. */
typedef struct host_parts {
  int count, n; /* n: cells of a part */
} host_parts;

static inline host_parts host_parts_of(const hymgi_geom *g)
{
  return g->split ? (host_parts){2, g->n[0] / 2} : (host_parts){1, g->n[0]};
}

static inline bool host_halved(const hymgi_level *level, int axis)
{
  return level->coarsened >> axis & 1;
}

/* The first cell of a part of row (j, k) in a vector. */
static inline ptrdiff_t host_part(const hymgi_geom *g, int part, int j, int k)
{
  return hymgi_row(g, g->split ? hymgi_first(g, part, j, k) : 0, j, k);
}

/* The cell before (side 0) or after (1) it along x. */
static inline ptrdiff_t host_beside(const hymgi_geom *g, int part, int side, int j, int k)
{
  if (!g->split) return host_part(g, 0, j, k) + (side ? 1 : -1);
  return host_part(g, 1 - part, j, k) + (side ? part : part - 1);
}

extern const hymgi_robust_ops hymgi_cpu_robust; /* conductance.c */

/* uneven.c; add_row: a row of cells is added to row (j, k) of x */
void hymgi_cpu_add_row(const hymgi_geom *g, const double *e, int j, int k, double *x);
void hymgi_cpu_interpolate_uneven(const hymgi_level *fine, const double *source, hymgi_ghosts order,
                                  bool add, double *x);

/* tensor.c */
void hymgi_cpu_restrict_tensor(const hymgi_level *level, const double *r, double *coarse);
void hymgi_cpu_interpolate_tensor(const hymgi_level *fine, const double *source, double *x);

/* weighted.c */
void hymgi_cpu_restrict_weighted(const hymgi_level *level, const double *r, hymgi_after after,
                                 double *coarse);
void hymgi_cpu_interpolate_weighted(const hymgi_level *fine, const double *source, bool smoothed,
                                    double *x);
/* Coarse row JK of box b. ring: 0, or the number of planes that r holds in turn, plane k in place of
 * plane k % ring; even. */
void hymgi_cpu_restrict_weighted_row(const hymgi_level *level, int b, const int JK[2],
                                     const double *r, hymgi_after after, int ring, double *coarse);
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
