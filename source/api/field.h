/* What grids, fields and solvers share. */
#ifndef HYMGI_API_FIELD_H
#define HYMGI_API_FIELD_H

#include "hierarchy/build.h"

/* "x-", ...; "cells", "x faces", "x- wall", ...; "unknown" if out of range. */
const char *hymgi_face_name(int face);
const char *hymgi_centering_name(hymg_centering centering);
/* Global extent of the entries of a field. */
void hymgi_field_extent(const hymg_field *field, int extent[3]);
bool hymgi_same_layout(int num_boxes, const hymgi_geom *a, const hymgi_geom *b);

#endif
