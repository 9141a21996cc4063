/* The robust path: a hierarchy for any size, spacing and coefficient (docs/numerics.md). Each level
 * is in integrated form, C x + sum over faces T_f (x - x_nb) = V f, and halves the axes along which
 * its cells are strongly coupled, n to ceil(n / 2), down to a single cell: there is no bottom solve.
 * The cycle is symmetric: red before black on the way down, black before red on the way up, and
 * restriction is the transpose of interpolation. Volumes and distances are in units of the mean
 * width, so that level 0 of a grid without widths has the coefficients of the standard path. */
#ifndef HYMGI_ROBUST_ROBUST_H
#define HYMGI_ROBUST_ROBUST_H

#include "hierarchy/build.h"

enum { HYMGI_WHY = 256, HYMGI_OBJECTIONS = 3 };

/* Which path a solver takes, and why, one line. */
typedef struct hymgi_path_choice {
  hymg_path path;
  char why[HYMGI_WHY];
} hymgi_path_choice;

/* path.c: by what is known without the coefficients. path AUTO in the answer: the coefficients
 * decide. Errors: EUNSUPPORTED (a path that does not suit the stencil, grid or method), naming the
 * reason. */
hymg_status hymgi_path_choose(const hymgi_hierarchy *h, hymgi_path_choice *choice);
/* Does it matter for the path whether alpha varies: FV4, alpha a field, and another method than FMG? */
bool hymgi_path_heeds_alpha(const hymgi_hierarchy *h);
/* Collective: by the coefficients of level 0, which are loaded. */
hymg_status hymgi_path_judge(hymgi_hierarchy *h, hymgi_path_choice *choice);
/* Collective: all that the coefficients of a complete hierarchy say against the path that it has, "" for less. */
hymg_status hymgi_path_objections(const hymgi_hierarchy *h, char why[HYMGI_OBJECTIONS][HYMGI_WHY]);
/* Are these few enough cells for the coarsest level, even if it is the only one? */
bool hymgi_suits_alone(double cells);
/* Collective: the largest ratio of neighbouring alphas on level 0, each with the coupling of the two cells. */
hymg_status hymgi_alpha_step_of(const hymgi_hierarchy *h, double *step);
/* Is FMG asked for on the robust path? EUNSUPPORTED, naming the reason and MG. */
hymg_status hymgi_path_check(const hymgi_hierarchy *h, const hymgi_path_choice *choice);

/* limiter.c, collective: marks the betas of level 0 that FV4's limiter takes; *limited: are there any,
 * on any rank? After the path has been judged by them. */
hymg_status hymgi_limiter_set(hymgi_hierarchy *h, bool *limited);

/* limiter.c, collective: where alpha varies, FV4's operator on level 0 has the mean of alpha u. */
hymg_status hymgi_alpha_set(hymgi_hierarchy *h);

/* fv4_boundaries.c, collective, after the other two: what boundary data add to f with FV4, and no flux but
 * that of the data through Neumann boundaries. */
hymg_status hymgi_fv4_boundaries_set(hymgi_hierarchy *h);

/* fixed.c. load, collective: cells with given values, once the coefficients of level 0 are in integrated
 * form and before they are finished; nothing without method.fixed. empty_rows_set: what stands for C in
 * the rows of a level that are 0, whose coefficients are there. */
hymg_status hymgi_fixed_load(hymgi_hierarchy *h);
void hymgi_empty_rows_set(const hymgi_hierarchy *h, hymgi_level *level);

/* levels.c, collective. build: a hierarchy that has been initialised, h->placement set, with the
 * coefficients, first level 0 alone. update: reads the coefficients again; false in `kept` if other
 * axes would have to be coarsened: the hierarchy must then be built anew. */
void hymgi_robust_init(hymgi_hierarchy *h);
hymg_status hymgi_robust_build_finest(hymgi_hierarchy *h, const hymgi_backend *backend);
hymg_status hymgi_robust_build_coarser(hymgi_hierarchy *h);
hymg_status hymgi_robust_update(hymgi_hierarchy *h, bool *kept);
/* Collective: other coefficients and weights of the same levels, for the tensor or the weighted
 * transfer. Recorded cycles are void afterwards. Needs the memory that an update needs. */
hymg_status hymgi_robust_change(hymgi_hierarchy *h, bool tensor);
/* The levels as far as a memory estimate needs them, with the axes that constant coefficients would
 * choose: without plans and vectors. */
hymg_status hymgi_robust_estimate(hymgi_hierarchy *h, const hymgi_backend *backend);
void hymgi_robust_destroy(hymgi_hierarchy *h);

#endif
