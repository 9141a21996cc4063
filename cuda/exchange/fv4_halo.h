/* The exchange of FV4 with peers, joined with the closing of walls (fv4_halo.cu). */
#ifndef HYMGI_FV4_EXCHANGE_H
#define HYMGI_FV4_EXCHANGE_H

#include "runtime/device.h"

/* Which ghosts beyond walls are wanted in memory. */
typedef enum hymgi_fv4_walls {
  HYMGI_FV4_NONE,
  HYMGI_FV4_BUT_X, /* those across x are worked out as they are asked for */
  HYMGI_FV4_ALL
} hymgi_fv4_walls;

extern "C" {
/* Can this rank's part of the level exchange one colour alone? All of a plan must: source/transport/agree.c
 * asks them. */
bool hymgi_cuda_fv4_could_halve(const hymgi_level *level, const hymgi_plan *halo);
/* The ghosts of x that neighbours have, and those of walls. colours: bits of those whose cells
 * have changed since the last exchange; all go where the plan is not in_sweeps. sent: the kernel before
 * has put them into the messages. False: not for this plan, and nothing done. */
bool hymgi_cuda_fv4_exchange(const hymgi_level *level, const hymgi_plan *plan,
                             const hymgi_geom *box, double *x, int colours, hymgi_fv4_walls walls,
                             bool sent);
}

#endif
