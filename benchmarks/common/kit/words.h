/* What several programs take: grids, boundaries, the solver's options, files. Rows and readers for their option
 * tables. */
#ifndef WORDS_H
#define WORDS_H

#include "common/kit/options.h"
#include "hymg.h"

enum { MAX_CELLS_PER_AXIS = 1 << 20 }; /* so that totals fit 64 bits */

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
/* Is each axis periodic on both walls or none, and --robin given for such boundaries only? False after a message. */
bool fv_check_boundary(const command_line *c, const hymg_boundary boundary[6]);
/* const char *: a name that is not empty. */
option_reader options_read_file;

/* A row for one of the solver's options, which the library reads and describes. Two have other names here: --solver
 * is its method, --comm its transport. */
#define OPTION_OF_SOLVER(key, options)                                                             \
  {                                                                                                \
    key, .kind = OPTION_CUSTOM, .target = (options), .read = options_read_solver                   \
  }
/* hymg_options */
option_reader options_read_solver;
/* Fills in such rows' arguments and texts. */
void options_describe_solver(option_row *row, int count);

#endif
