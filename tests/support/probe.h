/* What messages of two ranks show, kept in a file (for sources with _GNU_SOURCE). */
#ifndef SUPPORT_PROBE_H
#define SUPPORT_PROBE_H

#include "support/mpi.h"

#include <stdlib.h>
#include <unistd.h>

static inline void name_file(char file[64])
{
  snprintf(file, 64, "/tmp/hymg-probe-XXXXXX");
  if (support_rank(MPI_COMM_WORLD) == 0) close(mkstemp(file));
  MPI_Bcast(file, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* What the probe file says. */
typedef hymg_status trial(hymg_context *context, const char *file, bool *works);

/* By two of the ranks. */
static inline void probe(trial *try, const char *file)
{
  const int rank = support_rank(MPI_COMM_WORLD);
  bool works = false;
  MPI_Comm two;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &two);
  if (rank < 2) {
    hymg_context *context = support_context(two, 1);
    OK(context, try(context, file, &works));
    ck_assert(works);
    hymg_context_destroy(&context);
  }
  MPI_Comm_free(&two);
  MPI_Barrier(MPI_COMM_WORLD);
}

#endif
