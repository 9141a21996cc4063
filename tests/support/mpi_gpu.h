/* The beginning and end of the programs on several ranks with GPUs. */
#ifndef SUPPORT_MPI_GPU_H
#define SUPPORT_MPI_GPU_H

#include "support/mpi.h"
#include "support/twin.h"

#include <limits.h>

/* lacks: what this build lacks for the suite, or NULL; most: so many emulated GPUs at once. Skipped where there are no
 * GPUs. Returns the exit status. */
static inline int support_main_gpus(int argc, char **argv, const char *lacks, int most,
                                    Suite *(*make)(void))
{
  int status = 77;
  support_mpi_init(&argc, &argv);
  const char *why = lacks ? lacks : twin_no_gpu();
  if (!why && twin_emulated() && support_ranks(MPI_COMM_WORLD) > most)
    why = "so many emulated GPUs at a time are slow"; /* they wait for each other by spinning */
  if (!why)
    status = support_run_mpi(make());
  else if (support_rank(MPI_COMM_WORLD) == 0)
    printf("skipped: %s\n", why);
  support_mpi_finalize();
  return status;
}

#endif
