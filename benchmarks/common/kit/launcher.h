/* Whether a program runs as often as mpirun was told, each time alone. */
#ifndef FV_LAUNCHER_H
#define FV_LAUNCHER_H

#include <stdbool.h>

/* Called once the ranks are known, 1 without MPI. False after a message if a launcher started several processes and this
 * one has no others: each would do the whole work, beside and over the others. `mpi`: name and version of the MPI
 * library, "" for a build without, NULL for a program that has one process in any case. */
bool fv_launched_as_one(const char *program, int ranks, const char *mpi);

/* This process among those that the launcher started, by its word alone; 0 without a launcher. */
int fv_launched_rank(void);

#endif
