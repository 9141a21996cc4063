/* The file of --csv of programs that run on ranks; by rank 0 alone. */
#ifndef RANKS_CSV_H
#define RANKS_CSV_H

#include <stdio.h>

/* Ends all ranks with 2 and a message if the file could not be written; it is left as it is. */
void ranks_csv_check(const char *program, const char *name);
/* The same if it cannot be opened; then lines on machine, commit and command, and the names of the
 * columns. The caller closes it. With the first row, so that a run that fails before leaves an older
 * file alone. */
FILE *ranks_csv_open(const char *program, const char *name, int argc, char **argv,
                     const char *columns);

#endif
