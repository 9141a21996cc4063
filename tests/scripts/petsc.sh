#!/bin/sh
# shellcheck disable=SC2046,SC2086  # flags are words
# examples/petsc, loaded by tests/petsc/problem.c, which does not know it: solutions against LU on small odd grids, the
# same iterations on 1 and 3 ranks and few of them at 66^3, what is refused. Needs PETSc (its pkg-config file) and MPI.
# Environment: BUILD, SRCDIR, CC, MPICC, MPIRUN, MPIRUN_FLAGS, SANITIZE. Ends with the totals.
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the source folder}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0
export LD_LIBRARY_PATH="$BUILD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" OMP_NUM_THREADS=1
export OMPI_CC="$CC" MPICH_CC="$CC"
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # PETSc's libraries leak
hymg="-dll_append $work/libhymg_pc.so -pc_type hymg -ksp_rtol 1e-10"
lu='-ref_ksp_type preonly -ref_pc_type redundant -ref_redundant_pc_factor_shift_type nonzero'

pass() { passed=$((passed + 1)); }

fail()
{
  failed=$((failed + 1))
  echo "petsc: FAILED: $*"
}

skip()
{
  echo "skipped: $*"
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
}

compile()
{
  $MPICC -std=c11 -O2 -Wall -Wextra -Wshadow -Werror ${SANITIZE-} "$@" $(pkg-config --libs "$petsc") -lm
}

# solve RANKS OPTION...: the output, without PETSc's long error reports
solve()
{
  ranks=$1
  shift
  "$MPIRUN" ${MPIRUN_FLAGS-} -n "$ranks" "$work/problem" "$@" >"$work/output" 2>"$work/errors" </dev/null
}

# agrees RANKS LIMIT TOLERANCE OPTION...: two solves with at most LIMIT iterations each, as many as on the ranks
# before, and differences from the reference of at most TOLERANCE
agrees()
{
  ranks=$1 limit=$2 tolerance=$3
  shift 3
  if ! solve "$ranks" "$@"; then
    fail "$* on $ranks: $(grep -A 2 'Error Message' "$work/errors" | head -n 3)"
  elif ! awk -v limit="$limit" -v tolerance="$tolerance" '
    $1 == "iterations" && $2 >= 2 && $2 <= limit && $4 <= tolerance { n++ }
    END { exit n != 2 }' "$work/output"; then
    fail "$* on $ranks: more than $limit iterations or $tolerance: $(cat "$work/output")"
  else pass; fi
  awk '{ print $2 }' "$work/output" >"$work/iterations.$ranks"
}

# on_ranks "RANKS..." LIMIT TOLERANCE OPTION...
on_ranks()
{
  list=$1
  shift
  for n in $list; do
    agrees "$n" "$@"
    if cmp -s "$work/iterations.1" "$work/iterations.$n"; then pass; else fail "$*: other iterations on $n ranks"; fi
  done
}

# refused TEXT OPTION...
refused()
{
  text=$1
  shift
  if solve 1 "$@"; then fail "$*: not refused"
  elif grep -qF "$text" "$work/errors"; then pass
  else fail "$*: no '$text'"; fi
}

[ -z "${HYMG_TEST_SMALL-}" ] || skip 'examples/petsc: small tests only'
if [ -z "${MPICC-}" ] || [ -z "${MPIRUN-}" ]; then skip 'examples/petsc: MPI or mpirun is missing'; fi
petsc=
for name in PETSc petsc; do pkg-config --exists $name 2>/dev/null && petsc=$name && break; done
[ -n "$petsc" ] || skip 'examples/petsc: no PETSc (petsc-dev)'
headers=$(pkg-config --cflags-only-I "$petsc" | sed 's/-I/-isystem /g')
compile $headers "$SRCDIR/tests/petsc/problem.c" -o "$work/problem" || skip 'examples/petsc: PETSc does not work'
if compile -shared -fPIC $headers -I"$SRCDIR/include" "$SRCDIR"/examples/petsc/*.c -o "$work/libhymg_pc.so" \
  -L"$BUILD/lib" -lhymg; then
  for kind in cells nodes singular plane land; do on_ranks '1 3' 12 1e-8 -kind $kind $hymg $lu; done
  on_ranks '1 2' 12 1e-8 -ksp_type cg -kind singular -da_grid_z 2 $hymg $lu
  on_ranks 1 12 1e-8 -da_grid_x 1 $hymg $lu
  on_ranks '1 3' 16 1e-6 -ksp_type cg -da_grid_x 66 -da_grid_y 66 -da_grid_z 66 $hymg -ref_ksp_type cg \
    -ref_pc_type bjacobi -ref_sub_pc_type icc -ref_ksp_rtol 1e-10
  agrees 1 30 1e-8 -kind nodes -pc_hymg_options 'smoother=gsrb sweeps=2' $hymg $lu
  refused 'hymg: 1 unknown per cell' -kind vector $hymg $lu
  refused 'hymg: row 2, column 1: ' -kind wrong $hymg $lu
  refused 'gauss' -pc_hymg_options smoother=gauss $hymg $lu
else
  fail 'examples/petsc does not compile'
fi
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
