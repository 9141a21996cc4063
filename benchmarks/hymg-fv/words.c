/* Names of the values of hymg-fv's own options. */
#include "hymg-fv/options.h"

const char *const fv_operator_words[] = {"fv2", "fv4", NULL};
const char *const fv_equation_words[] = {"poisson", "helmholtz", NULL};
const char *const fv_coefficient_words[] = {"constant", "variable", NULL};
const char *const fv_problem_words[] = {"fv", "p6", "sine", "modes", "waves", NULL};
