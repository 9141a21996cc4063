/* Start and end under MPI: the only file of the programs that needs mpi.h. */
#define _POSIX_C_SOURCE 200809L
#include "common/start.h"

#include "hymg_mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool start_begin(int *argc, char ***argv)
{
  int provided = MPI_THREAD_SINGLE;
  /* Sends and receives do not use NVLink multicast, so NCCL need not set it up, which on shared
   * machines can disturb other programs; a setting of the user's is kept. */
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  /* only the main thread calls MPI, between parallel regions */
  return MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) == MPI_SUCCESS;
}

int start_rank(void)
{
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int start_ranks(void)
{
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

hymg_status start_context(const hymg_context_options *options, hymg_context **context)
{
  return hymg_context_create_mpi(MPI_COMM_WORLD, options, context);
}

const char *start_name(void)
{
  return "mpi";
}

/* Libraries add who built them, where and how, after a comma or in further lines. */
void start_library(char text[256])
{
  char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length, used = 0;
  MPI_Get_library_version(all, &length);
  all[strcspn(all, ",\n\r")] = '\0';
  *text = '\0';
  for (char *word = strtok(all, " \t"); word && used < 255; word = strtok(NULL, " \t"))
    used += snprintf(text + used, 256 - (size_t)used, "%s%s", used > 0 ? " " : "", word);
}

bool start_gather(const void *mine, int bytes, void *all)
{
  return MPI_Gather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
}

bool start_is_first(const char name[START_NAME])
{
  const int rank = start_rank();
  int before = 0;
  char *all = malloc((size_t)start_ranks() * START_NAME);
  if (!all || MPI_Allgather(name, START_NAME, MPI_CHAR, all, START_NAME, MPI_CHAR,
                            MPI_COMM_WORLD) != MPI_SUCCESS) {
    fputs("the ranks' names could not be exchanged\n", stderr);
    start_abort(3); /* the other ranks cannot detect it */
  }
  while (before < rank && strncmp(all + (size_t)before * START_NAME, name, START_NAME) != 0)
    before++;
  free(all);
  return before == rank;
}

_Noreturn void start_abort(int code)
{
  MPI_Abort(MPI_COMM_WORLD, code);
  exit(code);
}

void start_end(void)
{
  MPI_Finalize();
}
