/* FV4's limiter. Across a jump of beta, FV4's flux contains a part of a neighbour's gradient as large as
 * the jump, and the operator is no longer elliptic; near one it is wrong by a part of the gradient. There
 * a face takes the flux of FV2 instead: 12 beta (x_0 - x_-1) in units of fv4.h, with the linear
 * extrapolation at a Dirichlet boundary. Such a face is stored as -beta, -0 where beta is 0
 * (formulas/fv4.h does not know these; all other betas inside are positive).
 *
 * Faces are marked in two steps: first those at a jump, whose beta differs too much from that of their
 * neighbours, and those whose flux would read a cell with a closed face, one of beta 0; then those next to a
 * marked face along the axis. So a face is marked if there is a jump between two of the four cells along the
 * axis from which its flux is computed, and no flux is read across a closed face. */
#ifndef HYMGI_FORMULAS_LIMITER_H
#define HYMGI_FORMULAS_LIMITER_H

#include <math.h>
#include <stdbool.h>

#include "base/geometry.h"
#include "formulas/fma.h"

/* ---- which faces ---- */

/* Cells next to a boundary that the ghost extrapolation reads. */
enum { HYMGI_EXTRAPOLATION_REACH = 4 };

/* The smallest and largest beta so far. */
typedef struct hymgi_range {
  double least, largest;
} hymgi_range;

HYMGI_INLINE void hymgi_extend(hymgi_range *r, double beta)
{
  if (!(beta >= r->least)) r->least = beta;
  if (!(beta <= r->largest)) r->largest = beta;
}

/* The first (side 0) or last face along the axis among a face's neighbours; faces whose flux contains
 * ghosts look as far as the extrapolation reads. Faces beyond a boundary do not exist. */
HYMGI_INLINE int hymgi_limiter_end(const hymgi_geom *g, int axis, int side, int face)
{
  const int n = g->n[axis], reach = HYMGI_EXTRAPOLATION_REACH - 1;
  const bool low = g->boundaries >> (2 * axis) & 1, high = g->boundaries >> (2 * axis + 1) & 1;
  int end = side ? face + 1 : face - 1;
  if (side && low && face <= 1) end = reach < n ? reach : n;
  if (!side && high && face >= n - 1) end = reach < n ? n - reach : 0;
  return low && end < 0 ? 0 : high && end > n ? n : end;
}

/* Is there a jump at the face: does beta, among the face at `at` and its neighbours of the same direction,
 * vary by more than the factor `limit`? beta has its ghosts along the face. */
HYMGI_INLINE bool hymgi_is_at_jump(const hymgi_geom *g, int axis, const int at[3], double limit,
                                   const double *beta)
{
  const double own = beta[hymgi_at(g, at[0], at[1], at[2])];
  hymgi_range r = {own, own};
  const int from = hymgi_limiter_end(g, axis, 0, at[axis]),
            to = hymgi_limiter_end(g, axis, 1, at[axis]);
  int next[3] = {at[0], at[1], at[2]};
  for (next[axis] = from; next[axis] <= to; next[axis]++)
    hymgi_extend(&r, beta[hymgi_at(g, next[0], next[1], next[2])]);
  next[axis] = at[axis];
  for (int t = 0; t < 3; t++) {
    if (t == axis) continue;
    for (int step = -1; step < 2; step += 2) {
      next[t] = at[t] + step;
      hymgi_extend(&r, beta[hymgi_at(g, next[0], next[1], next[2])]);
    }
    next[t] = at[t];
  }
  return !(r.largest <= limit * r.least);
}

/* Is the face at `at` or one of its neighbours along the axis marked? */
HYMGI_INLINE bool hymgi_is_near_mark(const hymgi_geom *g, int axis, const int at[3],
                                     const double *beta)
{
  const int from = hymgi_limiter_end(g, axis, 0, at[axis]),
            to = hymgi_limiter_end(g, axis, 1, at[axis]);
  int next[3] = {at[0], at[1], at[2]};
  for (next[axis] = from; next[axis] <= to; next[axis]++)
    if (signbit(beta[hymgi_at(g, next[0], next[1], next[2])])) return true;
  return false;
}

/* Is no face of the cell closed? */
HYMGI_INLINE bool hymgi_is_open(const hymgi_geom *g, double *const beta[3], int i, int j, int k)
{
  const ptrdiff_t at = hymgi_at(g, i, j, k);
  return beta[0][at] != 0 && beta[0][hymgi_at(g, i + 1, j, k)] != 0 && beta[1][at] != 0 &&
         beta[1][hymgi_at(g, i, j + 1, k)] != 0 && beta[2][at] != 0 &&
         beta[2][hymgi_at(g, i, j, k + 1)] != 0;
}

/* Is `closed` not 0 in a cell or, beyond boundaries, in one from which its ghost is extrapolated? */
HYMGI_INLINE bool hymgi_reads_closed(const hymgi_geom *g, const int cell[3], const double *closed)
{
  int from[3], to[3], at[3];
  for (int axis = 0; axis < 3; axis++) {
    const int n = g->n[axis], reach = HYMGI_EXTRAPOLATION_REACH < n ? HYMGI_EXTRAPOLATION_REACH : n;
    from[axis] = to[axis] = cell[axis];
    if (cell[axis] < 0 && g->boundaries >> (2 * axis) & 1) from[axis] = 0, to[axis] = reach - 1;
    if (cell[axis] >= n && g->boundaries >> (2 * axis + 1) & 1)
      from[axis] = n - reach, to[axis] = n - 1;
  }
  for (at[2] = from[2]; at[2] <= to[2]; at[2]++)
    for (at[1] = from[1]; at[1] <= to[1]; at[1]++)
      for (at[0] = from[0]; at[0] <= to[0]; at[0]++)
        if (closed[hymgi_at(g, at[0], at[1], at[2])] != 0) return true;
  return false;
}

/* Does FV4's flux through the low face of the cell `at` read a cell where `closed`, which has ghosts, is not
 * 0? */
HYMGI_INLINE bool hymgi_is_near_closed(const hymgi_geom *g, int axis, const int at[3],
                                       const double *closed)
{
  for (int n = -2; n < 2; n++) {
    int cell[3] = {at[0], at[1], at[2]};
    cell[axis] += n;
    if (hymgi_reads_closed(g, cell, closed)) return true;
    for (int t = 0; t < 3 && (n == -1 || n == 0); t++)
      for (int step = -1; t != axis && step < 2; step += 2) {
        int beside[3] = {cell[0], cell[1], cell[2]};
        beside[t] += step;
        if (hymgi_reads_closed(g, beside, closed)) return true;
      }
  }
  return false;
}

/* ---- fluxes ---- */

/* The factor of beta in the flux through a face, and its tangential part. */
typedef struct hymgi_fv4_part {
  hymgi_real beta, step, tangent;
} hymgi_fv4_part;

/* a, b, c, d: the cells from two below the face to one above; db, dx: the differences of beta and
 * of x, above minus below the face, along both tangential axes. outside: the cell above (high) or
 * below the face is beyond a boundary. */
HYMGI_INLINE hymgi_fv4_part hymgi_fv4_part_of(hymgi_real beta, hymgi_real a, hymgi_real b,
                                              hymgi_real c, hymgi_real d, hymgi_real db1,
                                              hymgi_real dx1, hymgi_real db2, hymgi_real dx2,
                                              bool outside, bool high)
{
  const bool limited = signbit(beta);
  const hymgi_real across = outside ? (high ? -2 * b : 2 * c) : c - b,
                   step = hymgi_fma(15, c - b, a - d), tangent = hymgi_fma(db1, dx1, db2 * dx2);
  const hymgi_fv4_part part = {hymgi_abs(beta), limited ? 12 * across : step,
                               limited ? 0 : tangent};
  return part;
}

/* Cell or face (n, u, v) counted from a face: n along its axis, u and v along the others. */
#define HYMGI_AT_I(X, n, u, v) X(n, u, v)
#define HYMGI_AT_J(X, n, u, v) X(u, n, v)
#define HYMGI_AT_K(X, n, u, v) X(u, v, n)
#define HYMGI_FV4_PART(AT, X, B, n, outside, high)                                                 \
  hymgi_fv4_part_of(                                                                               \
      AT(B, n, 0, 0), AT(X, n - 2, 0, 0), AT(X, n - 1, 0, 0), AT(X, n, 0, 0), AT(X, n + 1, 0, 0),  \
      hymgi_abs(AT(B, n, 1, 0)) - hymgi_abs(AT(B, n, -1, 0)),                                      \
      (AT(X, n, 1, 0) - AT(X, n, -1, 0)) - (AT(X, n - 1, 1, 0) - AT(X, n - 1, -1, 0)),             \
      hymgi_abs(AT(B, n, 0, 1)) - hymgi_abs(AT(B, n, 0, -1)),                                      \
      (AT(X, n, 0, 1) - AT(X, n, 0, -1)) - (AT(X, n - 1, 0, 1) - AT(X, n - 1, 0, -1)), outside,    \
      high)

/* A x without the alpha term from the low and high face along each axis, in the order of fv4.h, so that
 * a cell without limited faces has the same bits. */
HYMGI_INLINE hymgi_real hymgi_fv4_sum(const hymgi_fv4_part low[3], const hymgi_fv4_part high[3])
{
  hymgi_real normal[3], tangent[3];
  for (int axis = 0; axis < 3; axis++) {
    normal[axis] = hymgi_fma(low[axis].beta, low[axis].step, -(high[axis].beta * high[axis].step));
    tangent[axis] = low[axis].tangent - high[axis].tangent;
  }
  return hymgi_fma((hymgi_real)0.25, (tangent[0] + tangent[1]) + tangent[2],
                   (normal[0] + normal[1]) + normal[2]);
}

/* boundaries: bit per face of the cell that is a boundary of the domain. X, BI, BJ, BK: accessors as in
 * fv4.h; result: a variable. */
#define HYMGI_FV4_LIMITED(X, BI, BJ, BK, boundaries, result)                                       \
  do {                                                                                             \
    const hymgi_fv4_part part_low[3] = {                                                           \
        HYMGI_FV4_PART(HYMGI_AT_I, X, BI, 0, (boundaries)&1, false),                               \
        HYMGI_FV4_PART(HYMGI_AT_J, X, BJ, 0, (boundaries) >> 2 & 1, false),                        \
        HYMGI_FV4_PART(HYMGI_AT_K, X, BK, 0, (boundaries) >> 4 & 1, false)};                       \
    const hymgi_fv4_part part_high[3] = {                                                          \
        HYMGI_FV4_PART(HYMGI_AT_I, X, BI, 1, (boundaries) >> 1 & 1, true),                         \
        HYMGI_FV4_PART(HYMGI_AT_J, X, BJ, 1, (boundaries) >> 3 & 1, true),                         \
        HYMGI_FV4_PART(HYMGI_AT_K, X, BK, 1, (boundaries) >> 5 & 1, true)};                        \
    (result) = hymgi_fv4_sum(part_low, part_high);                                                 \
  } while (0)

#endif
