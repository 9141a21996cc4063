/* Words of options that several programs take, in the order of the library's enums with NULL at the
 * end, and readers of grids and boundaries for their option tables. */
#ifndef WORDS_H
#define WORDS_H

#include "common/kit/options.h"
#include "hymg.h"

enum { MAX_CELLS_PER_AXIS = 1 << 20 }; /* so that totals fit 64 bits */

extern const char *const fv_boundary_words[], *const fv_smoother_words[];
extern const char *const fv_backend_words[], *const fv_tuning_words[];

/* "dirichlet", or six words separated by commas. */
typedef struct fv_boundary_text {
  char text[80];
} fv_boundary_text;
fv_boundary_text fv_boundary_string(const hymg_boundary boundary[6]);

/* int[3]: NX,NY,NZ, each 1 ... MAX_CELLS_PER_AXIS. */
option_reader options_read_triple;
/* hymg_boundary[6]: one word for all faces, or six; a first letter will do. */
option_reader options_read_boundary;
/* double[2]: ALPHA,BETA of Robin boundaries. */
option_reader options_read_robin;
/* Is any of the boundaries a Robin boundary? */
bool fv_has_robin(const hymg_boundary boundary[6]);

#endif
