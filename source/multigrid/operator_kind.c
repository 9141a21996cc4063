/* The kinds of operators. */
#include "multigrid/operator_kind.h"

/* Preconditions those that are quadratic at boundaries, and FV4: the fewest iterations are those with 1.6 times the
 * linear conductance there (2 is as good, 1 and 2.5 are worse). */
#define STIFFER 0.6

#define FV2                                                                                        \
  .stencil = HYMG_FV2, .order = 2, .ghost = 1, .halo = HYMGI_HALO_FACES, .scale = 1, .row_sum = 4

static const hymgi_operator_kind stiffer = {FV2, .linear = true, .stiffer = STIFFER};
static const hymgi_operator_kind linear = {FV2, .linear = true};
static const hymgi_operator_kind quadratic = {FV2, .preconditioner = &stiffer};
static const hymgi_operator_kind fv4 = {.stencil = HYMG_FV4,
                                        .order = 4,
                                        .ghost = 2,
                                        .halo = HYMGI_HALO_EDGES,
                                        .scale = 12,
                                        .row_sum = 64,
                                        .keeps_diagonal = true,
                                        .preconditioner = &stiffer};

const hymgi_operator_kind *hymgi_operator_kind_of(hymg_stencil stencil, bool is_linear)
{
  return stencil == HYMG_FV4 ? &fv4 : is_linear ? &linear : &quadratic;
}
