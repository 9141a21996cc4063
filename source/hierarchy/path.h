/* Which path a solver takes: by stencil, grid and method, then by the coefficients (choose_path.c). */
#ifndef HYMGI_HIERARCHY_PATH_H
#define HYMGI_HIERARCHY_PATH_H

#include "hierarchy/build.h"

enum { HYMGI_WHY = 256, HYMGI_OBJECTIONS = 3 };

/* Which path a solver takes, and why, one line. */
typedef struct hymgi_path_choice {
  hymg_path path;
  char why[HYMGI_WHY];
} hymgi_path_choice;

/* By what is known without the coefficients. path AUTO in the answer: the coefficients decide. Errors:
 * EUNSUPPORTED (a path that does not suit the stencil, grid or method), naming the reason. */
hymg_status hymgi_path_choose(const hymgi_hierarchy *h, hymgi_path_choice *choice);
/* Does it matter for the path whether alpha varies: FV4, alpha a field, and another method than FMG? */
bool hymgi_path_heeds_alpha(const hymgi_hierarchy *h);
/* Where the coefficients decide: which path they will probably choose, by their ranges. */
hymg_path hymgi_path_guess(const hymgi_hierarchy *h);
/* Collective: by the coefficients of level 0, which are loaded, of either path. */
hymg_status hymgi_path_judge(hymgi_hierarchy *h, hymgi_path_choice *choice);
/* Collective: all that the coefficients of a complete hierarchy say against the path that it has, "" for less. */
hymg_status hymgi_path_objections(const hymgi_hierarchy *h, char why[HYMGI_OBJECTIONS][HYMGI_WHY]);
/* Are these few enough cells for the coarsest level, even if it is the only one? */
bool hymgi_suits_alone(double cells);
/* Collective: the largest ratio of neighbouring alphas on level 0, each with the coupling of the two cells. */
hymg_status hymgi_alpha_step_of(const hymgi_hierarchy *h, double *step);
/* Is FMG asked for on the robust path? EUNSUPPORTED, naming the reason and MG. */
hymg_status hymgi_path_check(const hymgi_hierarchy *h, const hymgi_path_choice *choice);

#endif
