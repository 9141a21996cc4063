/* The robust path on the host. */
#ifndef HYMGI_CPU_ROBUST_H
#define HYMGI_CPU_ROBUST_H

#include "cpu/cpu.h"

/* For every cell (i, j, k) of nx x ny x nz; needs braces around it, as it begins with a pragma. */
#define FOR_CELLS(level, nx, ny, nz)                                                               \
  _Pragma("omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))") for (         \
      int k = 0; k < (nz); k++) for (int j = 0; j < (ny); j++) for (int i = 0; i < (nx); i++)

/* Rows in parts with contiguous cells: the even and the odd cells of a split row, or a whole plain
 * row. */
typedef struct host_parts {
  int count, n[2]; /* n: cells of each part */
} host_parts;

static inline host_parts host_parts_of(const hymgi_geom *g)
{
  const int n = g->n[0];
  return g->split ? (host_parts){2, {(n + 1) / 2, n / 2}} : (host_parts){1, {n, 0}};
}

static inline bool host_halved(const hymgi_level *level, int axis)
{
  return level->coarsened >> axis & 1;
}

static inline int host_children(const hymgi_level *level, int axis)
{
  return host_halved(level, axis) ? 2 : 1;
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

/* uneven.c; add_row: a row of cells is added to row (j, k) of x */
void hymgi_cpu_add_row(const hymgi_geom *g, const hymgi_real *e, int j, int k, hymgi_real *x);
void hymgi_cpu_interpolate_uneven(const hymgi_level *fine, const hymgi_real *source,
                                  hymgi_ghosts order, bool add, hymgi_real *x);
/* as hymgi_cpu_interpolate_rows */
void hymgi_cpu_interpolate_uneven_rows(const hymgi_level *fine, int b,
                                       const hymgi_interpolation *what, bool black, const int J[2],
                                       int K, hymgi_real *x);

/* sums of cells or, along an axis that is not -1, of faces */
void hymgi_cpu_sum_row(const hymgi_level *level, const hymgi_geom *g, int axis,
                       const hymgi_real *fine, const int JK[2], int n, hymgi_real *out);
void hymgi_cpu_sum_children(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse);
/* of the residual of level->x, which has its ghosts, for coarse row JK of box b */
void hymgi_cpu_sum_residual_row(const hymgi_level *level, int b, const int JK[2],
                                hymgi_real *coarse);
bool hymgi_cpu_smooth_sum_residual(hymgi_level *level, bool from_zero, hymgi_real *coarse,
                                   hymgi_real *zero);

/* sweep/lines.c */
void hymgi_cpu_solve_lines(const hymgi_level *level, int colour);

/* tensor.c */
void hymgi_cpu_restrict_tensor(const hymgi_level *level, const hymgi_real *r, hymgi_real *coarse);
void hymgi_cpu_interpolate_tensor(const hymgi_level *fine, const hymgi_real *source, hymgi_real *x);

/* weighted.c */
void hymgi_cpu_restrict_weighted(const hymgi_level *level, const hymgi_real *r, hymgi_after after,
                                 hymgi_real *coarse);
void hymgi_cpu_interpolate_weighted(const hymgi_level *fine, const hymgi_real *source,
                                    bool smoothed, hymgi_real *x);
/* Coarse rows J[0] ... J[1] - 1 of plane K of box b. ring: 0, or the number of planes that r holds in
 * turn, plane k in place of plane k % ring; even. */
void hymgi_cpu_restrict_weighted_rows(const hymgi_level *level, int b, const int J[2], int K,
                                      const hymgi_real *r, hymgi_after after, int ring,
                                      hymgi_real *coarse);
/* The coarse rows of the only box that a wavefront has left out: `left` fine layers of each face. */
void hymgi_cpu_restrict_weighted_shell(const hymgi_level *level, const int left[6],
                                       const hymgi_real *r, hymgi_after after, hymgi_real *coarse);
/* Fine rows (j, k) from <= jk < to, children of one coarse row. colour: of the cells to interpolate
 * to, if rows are split; or -1 for all. */
void hymgi_cpu_interpolate_weighted_rows(const hymgi_level *level, int b, const int from[2],
                                         const int to[2], int colour, const hymgi_real *source,
                                         hymgi_real *x);

/* sweep.c; a smoother call where x is taken as 0. If it starts from f, its first half sweep is f over the
 * diagonal, without an exchange; with split rows x need not be 0. */
bool hymgi_cpu_starts_from_f(const hymgi_level *level);
bool hymgi_cpu_smooth_from_zero(hymgi_level *level);

/* wave_robust.c; fuses: do the two functions below take the level? */
bool hymgi_cpu_robust_fuses(const hymgi_level *level);
bool hymgi_cpu_robust_smooth_restrict(hymgi_level *level, bool from_zero, hymgi_after after,
                                      hymgi_real *coarse);
bool hymgi_cpu_robust_interpolate_smooth(hymgi_level *fine, const hymgi_real *source);

#endif
