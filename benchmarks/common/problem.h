/* The benchmark problems fv, p6, sine, modes and waves on the unit cube: right-hand side, face coefficient and
 * exact solution as the cell and face averages that the protocol asks for. Pure functions on the
 * caller's arrays; the tests link them too. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

/* fv: f = prod sin^7(2 pi .), no exact solution. p6: u = prod of sextics. sine:
 * u = prod sin^13(2 pi .) + prod sin^13(6 pi .). modes: u = prod cos(wave . + phase), which fits any
 * homogeneous boundaries. waves: the same with other waves and phases, which needs boundary data. */
typedef enum problem_kind {
  PROBLEM_FV = 0,
  PROBLEM_P6 = 1,
  PROBLEM_SINE = 2,
  PROBLEM_MODES = 3,
  PROBLEM_WAVES = 4
} problem_kind;

typedef struct problem {
  problem_kind kind;
  bool variable; /* beta of the problem, else beta = 1 */
  double a, b;   /* of a u - b div(beta grad u); alpha = 1 */
  /* p6: adds 1/21 to this axis's factor, whose mean is then zero. For axes without a Dirichlet
   * boundary: the factor has slope 0 at both ends, so it also fits Neumann boundaries, and a
   * singular system has exactly this solution. waves: subtracts the mean of this axis's factor, for the
   * same reason. */
  bool shift[3];
  double wave[3], phase[3]; /* of modes and waves */
  /* waves: the data of a face are condition[face][0] u + condition[face][1] du/dn. */
  double condition[6][2];
} problem;

/* Sets wave and phase of an axis so that alpha u + beta du/dn = 0, with the outward derivative, at both
 * ends; alpha and beta >= 0, not both 0. On a periodic axis they are 2 pi and 0 without this. */
void problem_set_mode(problem *p, int axis, const double alpha[2], const double beta[2]);

/* The same for waves, whatever the boundaries are. */
void problem_set_wave(problem *p, int axis, bool periodic);

/* Entries (i, j, k) = low ... low + count - 1 of a grid with this spacing whose first cell begins
 * at 0; entry (i, j, k) goes to data[(i - low[0]) * stride[0] + ...]. Cell i is [i h, (i + 1) h];
 * face i lies at i h. */
typedef struct problem_range {
  double spacing[3];
  int low[3];
  int count[3];
  ptrdiff_t stride[3];
} problem_range;

bool problem_has_exact(const problem *p);
/* Has the problem boundary data? */
bool problem_has_data(const problem *p);

/* f and u as averages of cells, u 0 for fv, which has none; beta as averages of the faces normal to an axis; boundary data,
 * of problems that have any, as averages over the cells of a face, x-, x+, ..., z+ = 0 ... 5: then the range has one layer
 * along the face's axis, with the boundary at its low end. */
typedef enum problem_part {
  PROBLEM_RHS,
  PROBLEM_EXACT,
  PROBLEM_BETA,
  PROBLEM_BOUNDARY
} problem_part;

/* side: the axis of beta, the face of boundary data. False: out of memory. */
bool problem_fill(const problem *p, problem_part part, int side, const problem_range *range,
                  double *data);

#endif
