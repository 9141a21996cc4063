/* What launchers leave in the environment. */
#define _POSIX_C_SOURCE 200809L
#include "common/kit/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Open MPI, MVAPICH, MPICH and Intel MPI, srun: its steps start the others, so it comes last */
static const struct {
  const char *size, *rank;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                 {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                 {"PMI_SIZE", "PMI_RANK"},
                 {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* The innermost launcher that says how many processes were started together, or LAUNCHERS. */
static int launcher(void)
{
  int l = 0;
  /* a shell that srun --pty opened keeps srun's variables, while what it starts is one process */
  while (l < LAUNCHERS &&
         (!getenv(launchers[l].size) || (launchers[l].size[0] == 'S' && isatty(STDIN_FILENO))))
    l++;
  return l;
}

/* How many these are; 0: none says it. */
static int processes(const char **variable)
{
  const int l = launcher();
  if (l == LAUNCHERS) return 0;
  *variable = launchers[l].size;
  return atoi(getenv(*variable));
}

int fv_launched_rank(void)
{
  const int l = launcher();
  const char *const rank = l < LAUNCHERS ? getenv(launchers[l].rank) : NULL;
  return rank ? atoi(rank) : 0;
}

bool fv_launched_as_one(const char *program, int ranks, const char *mpi)
{
  const char *variable = "";
  const int started = processes(&variable);
  if (started <= 1 || ranks > 1) return true;
  if (fv_launched_rank() > 0) return false; /* the first one says it */
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
