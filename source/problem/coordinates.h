/* Curved orthogonal axes. The scale factor of every axis, its length per unit of its coordinate, is a product of
 * factors that other axes contribute, each a function of its own coordinate. So volumes, areas and distances are
 * products of numbers of the axes. */
#ifndef HYMGI_PROBLEM_COORDINATES_H
#define HYMGI_PROBLEM_COORDINATES_H

#include "base/error.h"
#include "multigrid/metric.h"

/* Is an axis other than a length? */
bool hymgi_is_curved(const hymg_grid_desc *d);
/* Has a grid cells that are not all alike: with widths, or curved? */
bool hymgi_is_stretched(const hymg_grid_desc *d);

/* Checks kinds of axes, ranges of coordinates and the boundaries at the axis and the poles. Errors: EINVAL, naming value
 * and limit. */
hymg_status hymgi_coordinates_check(hymg_context *context, const hymg_grid_desc *d);
/* Has a face of the domain no area? */
bool hymgi_vanishes(const hymg_grid_desc *d, int face);
/* Do lengths along an axis depend on where they are? */
bool hymgi_is_scaled(const hymg_grid_desc *d, int axis);

/* The mean over the grid of the length per unit of an axis' coordinate; 1 on straight axes. */
double hymgi_mean_pitch(const hymg_grid_desc *d, int axis);

/* HYMGI_MEASURES lists of n + 1 numbers of an axis, one after the other (multigrid/metric.h), in the user's units but that
 * HYMGI_GAP is in units of `unit`. */
void hymgi_measure(const hymg_grid_desc *d, int axis, double unit, double *lists);

/* The axis, as a bit, along which some lines of cells are coupled much more strongly than across (multigrid/lines.h): an
 * azimuth near its axis or poles. 0: none. */
unsigned hymgi_strong_lines(const hymg_grid_desc *d);

#endif
