/* Open boundaries: cases, and their values by plain loops in long double, moment after moment about a centre that is
 * known before. */
#ifndef SUPPORT_SPACE_H
#define SUPPORT_SPACE_H

#include "support/support.h"

/* Open on all faces, with numbers for b and beta that are not 1 and unequal spacings. */
support_case support_space_case(const int n[3]);
/* Of which kind they are open. */
void support_space_kind(support_case *c, hymg_boundary kind);
/* The same with Dirichlet boundaries that have these values; widths[axis] may be NULL. */
support_case support_space_given(const oracle_spec *open, const double *const widths[3],
                                 const double *f);
/* The potential at the centre of each face of the boundary, x fastest; the caller frees. */
double *support_space_values(const oracle_spec *open, const double *const widths[3],
                             const double *f, int face);
/* u of a solve for f, by rank cells that it lacks are NaN; the caller frees. result may be NULL. */
double *support_space_solve(const support_case *c, const support_layout *layout,
                            const hymg_options *options, const double *f, hymg_result *result);

#endif
