/* Names of the values of hymg-fv's own options, and --version. */
#include "hymg-fv/options.h"

#include <stdio.h>

const char *const fv_operator_words[] = {"fv2", "fv4", NULL};
const char *const fv_equation_words[] = {"poisson", "helmholtz", NULL};
const char *const fv_coefficient_words[] = {"constant", "variable", NULL};
const char *const fv_problem_words[] = {"fv", "p6", "sine", "modes", "waves", NULL};

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
