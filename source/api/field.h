/* What grids, fields and solvers share. */
#ifndef HYMGI_API_FIELD_H
#define HYMGI_API_FIELD_H

#include "hierarchy/build.h"

/* "x-", ...; "cells", "x faces", "x- wall", ...; "unknown" if out of range. */
const char *hymgi_face_name(int face);
const char *hymgi_centering_name(hymg_centering centering);
/* Can the data of a field be used as a vector of the level? */
bool hymgi_in_place(const hymgi_level *level, const hymg_field *field);

#endif
