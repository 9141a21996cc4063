/* FV2 red-black Gauss-Seidel whose half sweeps exchange with other GPUs themselves. */
#ifndef HYMGI_FV2_JOINED_H
#define HYMGI_FV2_JOINED_H

#include "device.h"

extern "C" {
/* Is this rank's part of the level for it? All of a plan must be: source/connect.c asks them. */
bool hymgi_cuda_fv2_could_join(const hymgi_level *level, const hymgi_plan *halo);
/* All half sweeps of a smoother call; with_ghosts: x has all its ghosts then. False: not for this
 * level. */
bool hymgi_cuda_fv2_joined(const hymgi_level *level, bool with_ghosts);
/* Are neighbours of a cell of the other colour, also across periodic axes? */
bool hymgi_cuda_colours_apart(const hymgi_level *level);
}

#endif
