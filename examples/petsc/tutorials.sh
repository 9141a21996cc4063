#!/bin/sh
# shellcheck disable=SC2046,SC2086  # flags are words
# Runs PETSc's own tutorials, unchanged, with hymg and with PETSc's preconditioners, and prints a table of iterations
# in Markdown: the one of docs/petsc.md.
#
#   sh tutorials.sh src/ksp/ksp/tutorials      # of PETSc's sources; in the folder of hymg_pc.c, hymg installed
#
# PC_RANKS="1 2 3 4", PC_SIZES="65 66", MPICC, MPIRUN: as here unless set.
set -eu
tutorials=${1:?the folder of ex45.c, ex34.c, ex29.c and ex50.c}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mpirun=${MPIRUN:-mpirun}
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

for name in PETSc petsc; do pkg-config --exists $name && petsc=$(pkg-config --cflags --libs $name) && break; done
${MPICC:-mpicc} -O2 -shared -fPIC "$here"/*.c -o "$work/libhymg_pc.so" $petsc $(pkg-config --cflags --libs hymg) -lm
for example in ex45 ex34 ex29 ex50; do
  ${MPICC:-mpicc} -O2 -w "$tutorials/$example.c" -o "$work/$example" $petsc -lm
done

# iterations RANKS PROGRAM OPTION...: their number, or - if it does not solve
iterations()
{
  ranks=$1 program=$2
  shift 2
  timeout 300 "$mpirun" -n "$ranks" "$work/$program" -ksp_rtol 1e-8 -ksp_converged_reason "$@" \
    >"$work/output" 2>&1 </dev/null || :
  found=$(sed -n 's/.*Linear solve converged due to .* iterations \([0-9]*\).*/\1/p' "$work/output")
  printf ' %s |' "${found:--}"
}

# The multigrid of PETSc with as many levels as the size lets it have, at least 3.
iterations_of_mg()
{
  for levels in 6 5 4 3; do
    cell=$(iterations "$@" -pc_type mg -pc_mg_levels $levels -mg_coarse_pc_factor_shift_type nonzero)
    case $cell in
    *[0-9]*) printf '%s (%d levels) |' "${cell% |}" $levels; return ;;
    esac
  done
  printf ' - |'
}

row()
{
  printf '| %s | %s |' "$1" "$2"
  ranks=$2
  shift 2
  iterations $ranks "$@" -dll_append "$work/libhymg_pc.so" -pc_type hymg
  iterations_of_mg $ranks "$@"
  iterations $ranks "$@" -pc_type gamg
  iterations $ranks "$@" -pc_type hypre
  iterations $ranks "$@" -pc_type pfmg -dm_mat_type hyprestruct
  echo
}

echo '| problem | ranks | hymg | mg | gamg | hypre (BoomerAMG) | pfmg |'
echo '|---|---|---|---|---|---|---|'
for size in ${PC_SIZES:-65 66}; do
  for program in ex45 ex34; do
    for ranks in ${PC_RANKS:-1 2 3 4}; do
      row "$program, $size^3" $ranks $program -da_grid_x $size -da_grid_y $size -da_grid_z $size
    done
  done
done
for ranks in 1 3; do
  row 'ex50, 129^2' $ranks ex50 -da_grid_x 129 -da_grid_y 129
  row 'ex29, 129^2' $ranks ex29 -da_grid_x 129 -da_grid_y 129
  row 'ex29, 129^2, -rho 100' $ranks ex29 -da_grid_x 129 -da_grid_y 129 -rho 100
done
