/* Fields of a problem. */
#ifndef PROBLEM_FIELDS_H
#define PROBLEM_FIELDS_H

#include "common/problem.h"
#include "hymg.h"

/* The entries of a range, of which a rank writes its own. side: as of problem_fill. */
hymg_status problem_write(const problem *p, problem_part what, int side, problem_range range,
                          hymg_field *field);
/* This rank's part of a field of a grid; one of faces has one more layer along its axis. */
hymg_status problem_write_local(const problem *p, problem_part what, int axis,
                                const double spacing[3], const hymg_grid *grid, hymg_field *field);

#endif
