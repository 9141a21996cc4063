/* Names of the options' values, and --version. */
#include "hymg-fv/options.h"

#include <stdio.h>
#include <string.h>

const char *const fv_operator_words[] = {"fv2", "fv4", NULL};
const char *const fv_equation_words[] = {"poisson", "helmholtz", NULL};
const char *const fv_boundary_words[] = {"dirichlet", "periodic", "neumann", NULL};
const char *const fv_coefficient_words[] = {"constant", "variable", NULL};
const char *const fv_problem_words[] = {"fv", "p6", "sine", NULL};
const char *const fv_solver_words[] = {"fmg", "mg", "mgpcg", NULL};
const char *const fv_cycle_words[] = {"v", "w", "f", NULL};
const char *const fv_smoother_words[] = {"gsrb", "chebyshev", "jacobi", "l1jacobi", "symgs", NULL};
const char *const fv_bottom_words[] = {"bicgstab", "cg", "cabicgstab", "cacg", "smoother", NULL};
const char *const fv_backend_words[] = {"auto", "host", "cuda", NULL};
const char *const fv_memory_words[] = {"device", "managed", NULL};
const char *const fv_tuning_words[] = {"measure", "estimate", NULL};
const char *const fv_path_words[] = {"auto", "standard", "robust", NULL};
const char *const fv_comm_words[] = {"auto", "device", "staged", "peer", "nccl", NULL};
const char *const fv_kind_words[] = {"f", "v", "w", "cg", "bicgstab", NULL};

fv_boundary_text fv_boundary_string(const hymg_boundary boundary[6])
{
  fv_boundary_text out = {""};
  bool same = true;
  for (int face = 1; face < 6; face++)
    same = same && boundary[face] == boundary[0];
  for (int face = 0; face < (same ? 1 : 6); face++) {
    if (face > 0) strcat(out.text, ",");
    strcat(out.text, fv_boundary_words[boundary[face]]);
  }
  return out;
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
