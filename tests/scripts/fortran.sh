#!/bin/sh
# shellcheck disable=SC2046,SC2086  # flags are words
# The modules of fortran/: every constant, size, offset, number of arguments and default value against the header, then
# tests/fortran/test_hymg.f90, without MPI and on 1 and 3 ranks; calls with a handle of another kind, which must not
# compile; and no executable stack in tests and examples. Environment: BUILD, SRCDIR, CC, FC, SANITIZE; MPIFC,
# MPIRUN, MPIRUN_FLAGS where there are any. Ends with the totals.
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the source folder}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
export LD_LIBRARY_PATH="$BUILD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" OMP_NUM_THREADS=1
tests=$SRCDIR/tests/fortran

fail()
{
  failed=$((failed + 1))
  echo "fortran: FAILED: $*"
}

finish()
{
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed = 0 ]
  exit
}

skip()
{
  skipped=$((skipped + 1))
  echo "skipped: $*"
}

compile()
{
  "$@" >"$work/output" 2>&1 && return
  cat "$work/output"
  fail "does not compile: $*"
  return 1
}

# run COMMAND...: adds its totals
run()
{
  "$@" >"$work/output" 2>&1 </dev/null
  code=$?
  set -- "$*" $(grep -E '^ *[0-9]+ passed, [0-9]+ failed' "$work/output" | tail -n 1 | tr -dc '0-9 ')
  passed=$((passed + ${2:-0})) failed=$((failed + ${3:-1}))
  [ $code = 0 ] && return
  [ "${3:-1}" != 0 ] || failed=$((failed + 1))
  echo "fortran: FAILED: $1, exit status $code"
  cat "$work/output"
}

# stack PROGRAM: what compile has just made must not need an executable stack
stack()
{
  if grep -q 'executable stack' "$work/output"; then fail "$1: $(cat "$work/output")"
  elif ! command -v readelf >/dev/null 2>&1; then skip "the stack of $1: no readelf"
  elif readelf -lW "$1" | grep -q 'GNU_STACK.* RW  *0x'; then passed=$((passed + 1))
  else fail "$1 has an executable stack: $(readelf -lW "$1" | grep GNU_STACK)"; fi
}

# program CALL: a program with this call
program()
{
  cat >"$work/handles.f90" <<END
program handles
  use hymg
  implicit none
  type(hymg_context) :: context
  type(hymg_grid) :: grid
  type(hymg_operator) :: op
  type(hymg_solver) :: solver
  type(hymg_field) :: f, u
  type(hymg_grid_desc) :: domain
  type(hymg_operator_desc) :: desc
  type(c_ptr) :: pointer = c_null_ptr
  integer(c_int) :: status = 0
  $1
  print *, status
end program
END
}

# handles RIGHT WRONG...: the first call compiles, the others do not, and the compiler speaks of types
handles()
{
  program "$1"
  compile $FC -c -I"$BUILD/obj/fortran" "$work/handles.f90" -o "$work/handles.o" || return
  passed=$((passed + 1))
  shift
  for wrong; do
    program "$wrong"
    if $FC -c -I"$BUILD/obj/fortran" "$work/handles.f90" -o "$work/handles.o" >"$work/output" 2>&1; then fail "compiles: $wrong"
    elif ! grep -qi 'type' "$work/output"; then fail "$wrong: $(cat "$work/output")"
    else passed=$((passed + 1)); fi
  done
}

compare_with_header()
{
  cat "$SRCDIR/include/hymg.h" >"$work/all.h"
  [ -z "${MPIFC-}" ] || cat "$SRCDIR/include/hymg_mpi.h" >>"$work/all.h"
  awk -f "$tests/header.awk" "$work/all.h" >"$work/header.c"
  compile $CC ${SANITIZE-} -I"$SRCDIR/include" "$work/header.c" -o "$work/header" || return
  types=$(sed -n 's/.*HYMG_API \(hymg_[a-z_]*\) \1_default(void);/\1/p' "$SRCDIR/include/hymg.h")
  # shellcheck disable=SC2116  # one line of them
  awk -v DEFAULTS="$(echo $types)" -f "$tests/module.awk" $modules >"$work/module.f90"
  compile $FC -ffree-line-length-none ${SANITIZE-} -I"$BUILD/obj/fortran" "$work/module.f90" -o "$work/module" $link ||
    return
  # the call with C's own communicator is not for Fortran
  "$work/header" | grep -v '^hymg_context_create_mpi ' | sort >"$work/header.rows"
  "$work/module" | sort >"$work/module.rows"
  if [ "$(wc -l <"$work/header.rows")" -lt 250 ]; then fail 'few rows in the header'
  elif [ "$(echo $types | wc -w)" != 5 ]; then fail "defaults of $types"
  elif ! diff "$work/header.rows" "$work/module.rows" >"$work/output"; then
    cat "$work/output"
    fail 'hymg.h (<) and the modules of fortran/ (>) differ'
  else passed=$((passed + $(wc -l <"$work/header.rows"))); fi
}

if [ -z "${FC-}" ]; then
  skip 'no Fortran compiler'
  finish
fi
modules=
for name in hymg_types hymg_calls hymg_solver_calls hymg; do modules="$modules $SRCDIR/fortran/$name.f90"; done
[ -z "${MPIFC-}" ] || modules="$modules $SRCDIR/fortran/hymg_mpi.f90"
link="-L$BUILD/lib -lhymg_fortran -lhymg"
compare_with_header
case $($FC --version) in # bits are compared on purpose
'GNU Fortran'*) strict='-std=f2018 -fcheck=all -Wall -Wextra -Werror -Wno-compare-reals -Wno-function-elimination' ;;
*) strict= ;;
esac
build="-O1 -g $strict ${SANITIZE-} -I$BUILD/obj/fortran"
cd "$work" || exit 1 # where compilers put the module of the test
compile $FC $build "$tests/serial.f90" "$tests/test_hymg.f90" -o "$work/serial" $link && stack "$work/serial" &&
  run "$work/serial"
handles 'status = hymg_grid_create(context, domain, grid)' 'status = hymg_grid_create(grid, domain, grid)' \
  'status = hymg_grid_create(context, domain, context)' 'status = hymg_grid_create(pointer, domain, grid)'
handles 'status = hymg_operator_create(grid, desc, op)' 'status = hymg_operator_create(context, desc, op)'
handles 'status = hymg_solver_create(op, solver=solver)' 'status = hymg_solver_create(grid, solver=solver)'
handles 'status = hymg_field_create(grid, hymg_solver(), HYMG_CELL, HYMG_DOUBLE, f)' \
  'status = hymg_field_create(grid, c_null_ptr, HYMG_CELL, HYMG_DOUBLE, f)' \
  'status = hymg_field_create(solver, solver, HYMG_CELL, HYMG_DOUBLE, f)'
handles 'status = hymg_solve(solver, f, u)' 'status = hymg_solve(op, f, u)' 'status = hymg_solve(solver, f, grid)'
handles 'desc%fixed = f' 'desc%fixed = grid' 'desc%alpha = pointer'
handles 'status = hymg_fluxes(solver, u, [f, f, hymg_field()])' 'status = hymg_fluxes(solver, u, [solver, solver, solver])'
handles 'call hymg_grid_destroy(grid)' 'call hymg_grid_destroy(context)'
for source in "$SRCDIR"/examples/fortran/*.f90; do
  case $source in
  *_mpi.f90) compiler=${MPIFC-} ;;
  *) compiler=$FC ;;
  esac
  [ -n "$compiler" ] || continue
  compile $compiler -O2 ${SANITIZE-} -I"$BUILD/obj/fortran" "$source" -o "$work/example" $link && stack "$work/example"
done
if [ -z "${MPIFC-}" ] || [ -z "${MPIRUN-}" ]; then
  skip "module hymg_mpi: MPI's compiler wrapper for Fortran or mpirun is missing"
elif compile $MPIFC $build "$tests/parallel.f90" "$tests/test_hymg.f90" -o "$work/parallel" $link; then
  stack "$work/parallel"
  for ranks in 1 3; do run "$MPIRUN" ${MPIRUN_FLAGS-} -n $ranks "$work/parallel"; done
fi
finish
