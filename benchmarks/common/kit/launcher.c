/* What launchers leave in the environment. */
#define _POSIX_C_SOURCE 200809L
#include "common/kit/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How many processes were started together, by the innermost launcher that says so; 0: none does. */
static int processes(const char **variable)
{
  /* Open MPI, MVAPICH, MPICH and Intel MPI, srun: its steps start the others, so it comes last */
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE",
                                      "SLURM_STEP_NUM_TASKS"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *const text = getenv(names[i]);
    /* a shell that srun --pty opened keeps srun's variables, while what it starts is one process */
    if (!text || (names[i][0] == 'S' && isatty(STDIN_FILENO))) continue;
    *variable = names[i];
    return atoi(text);
  }
  return 0;
}

bool fv_launched_as_one(const char *program, int ranks, const char *mpi)
{
  const char *variable = "";
  const int started = processes(&variable);
  if (started <= 1 || ranks > 1) return true;
  fprintf(stderr, "%s: started %d times (%s=%d), each time alone: ", program, started, variable,
          started);
  if (!mpi)
    fprintf(stderr, "it runs as one process; start it without mpirun or srun\n");
  else if (!*mpi)
    fprintf(stderr, "it was built without MPI; start it once, or build it with MPI\n");
  else
    fprintf(stderr, "it was built with %s and needs the launcher of that\n", mpi);
  return false;
}
