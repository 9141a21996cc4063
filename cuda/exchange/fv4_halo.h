/* The FV4 exchange with peers, fused with the filling of boundary ghosts (fv4_halo.cu). */
#ifndef HYMGI_EXCHANGE_FV4_HALO_H
#define HYMGI_EXCHANGE_FV4_HALO_H

#include "kernels/level_kernels.h"

extern "C" {
/* Can this rank exchange a single colour on this level? All ranks of the plan must be able to:
 * source/transport/agree.c asks them. */
bool hymgi_cuda_fv4_could_halve(const hymgi_level *level, const hymgi_plan *halo);
/* Fills the ghosts of x at neighbours and at boundaries. colours: bits of the colours that have
 * changed since the last exchange; both are sent unless the plan is in_sweeps. sent: the preceding
 * kernel has stored them into the messages. False: the plan does not allow it, and nothing was
 * done. */
bool hymgi_cuda_fv4_halo_exchange(const hymgi_level *level, const hymgi_plan *plan,
                                  const hymgi_geom *box, double *x, int colours,
                                  hymgi_fv4_ghosts boundaries, bool sent);
}

#endif
