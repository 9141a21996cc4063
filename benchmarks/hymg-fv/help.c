/* --help, made from the list of options, and --version. */
#include "hymg-fv/options.h"

#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 32 };

static void print_option(const char *name, const char *argument, const char *help)
{
  char head[64];
  const char *letter = strcmp(name, "quiet") == 0     ? "-q, "
                       : strcmp(name, "verbose") == 0 ? "-v, "
                       : strcmp(name, "version") == 0 ? "-V, "
                       : strcmp(name, "help") == 0    ? "-h, "
                                                      : "";
  snprintf(head, sizeof head, "  %s--%s%s%s", letter, name, argument ? " " : "",
           argument ? argument : "");
  printf("%-*s", HELP_COLUMN, head);
  if (strlen(head) >= HELP_COLUMN) printf("\n%*s", HELP_COLUMN, "");
  for (; *help; help++) {
    putchar(*help);
    if (*help == '\n') printf("%*s", HELP_COLUMN, "");
  }
  putchar('\n');
}

void fv_print_help(void)
{
  puts(
      "usage: hymg-fv [options] LOG2_BOX_DIM BOXES_PER_RANK\n"
      "       hymg-fv [options] --grid NX,NY,NZ\n"
      "       mpirun -n RANKS hymg-fv ...\n"
      "\n"
      "Solves a u - b div(beta grad u) = f on the unit cube by geometric multigrid, on three "
      "sizes\n"
      "(cells of width h, 2h, 4h), and prints the degrees of freedom solved per second of each "
      "size\n"
      "and the order of convergence (Richardson). Follows the protocol of the HPGMG-FV benchmark.\n"
      "\n"
      "  LOG2_BOX_DIM    boxes of 2^LOG2_BOX_DIM cells per side, 4 ... 9\n"
      "  BOXES_PER_RANK  boxes per rank at most, 1 ... 1000000: the grid is the largest cube of\n"
      "                  boxes that the ranks may hold and that halves to at most 11 cells per "
      "side\n"
      "\n"
      "Without sizes: 7 1, which on one rank is 128 x 128 x 128 cells, a few seconds. Threads per\n"
      "rank: the environment variable OMP_NUM_THREADS.\n"
      "\n"
      "options (an option that would have no effect is an error):");
#define FV_OPTION_PRINT(id, name, argument, help) print_option(name, argument, help);
  FV_OPTION_LIST(FV_OPTION_PRINT)
#undef FV_OPTION_PRINT
  puts("\n"
       "The order must be at least 1.8 (fv2) or 3.5 (fv4); judged with gsrb and chebyshev for "
       "problem\n"
       "fv from 128 and p6 from 64 cells per axis, else there is no verdict.\n"
       "\n"
       "exit status: 0 done; 1 failed verdict, not converged or not finite; 2 bad input; 3 failure "
       "at\n"
       "run time");
}

void fv_print_version(void)
{
  const hymg_build build = hymg_build_info();
  printf("hymg-fv %s%s%s%s\n", build.version, *build.commit ? " (commit " : "", build.commit,
         *build.commit ? ")" : "");
  printf("compiler  %s\n", *build.compiler ? build.compiler : "unknown");
  printf("flags     %s\n", *build.flags ? build.flags : "unknown");
  printf("MPI       %s\n", *build.mpi ? build.mpi : "none");
  printf("OpenMP    %s\n", *build.openmp ? build.openmp : "none");
  printf("CUDA      %s\n", *build.cuda ? build.cuda : "none");
  printf("NCCL      %s\n", *build.nccl ? build.nccl : "none");
}
