/* The exchange of FV4 with peers, joined with the filling of boundary ghosts (fv4_halo.cu). */
#ifndef HYMGI_EXCHANGE_FV4_HALO_H
#define HYMGI_EXCHANGE_FV4_HALO_H

#include "kernels/level_kernels.h"

extern "C" {
/* Can this rank's part of the level exchange one colour alone? All of a plan must: source/transport/agree.c
 * asks them. */
bool hymgi_cuda_fv4_could_halve(const hymgi_level *level, const hymgi_plan *halo);
/* The ghosts of x that neighbours have, and those of boundaries. colours: bits of those whose cells
 * have changed since the last exchange; all go where the plan is not in_sweeps. sent: the kernel before
 * has put them into the messages. False: not for this plan, and nothing done. */
bool hymgi_cuda_fv4_halo_exchange(const hymgi_level *level, const hymgi_plan *plan,
                                  const hymgi_geom *box, double *x, int colours,
                                  hymgi_fv4_ghosts boundaries, bool sent);
}

#endif
