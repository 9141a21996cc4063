/* Which closure a wall gets: decided in one place for every machine (ghosts.c). */
#ifndef HYMGI_WALL_KIND_H
#define HYMGI_WALL_KIND_H

#include "multigrid/backend.h"
#include "formulas/boundary.h"

/* The closure of a face: its kind with the drop of order where the closure dimension is small. */
hymgi_wall hymgi_host_wall(const hymgi_level *level, int face, hymgi_ghosts ghosts);

#endif
