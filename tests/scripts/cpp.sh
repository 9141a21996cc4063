#!/bin/sh
# shellcheck disable=SC2046,SC2086  # flags are words
# tests/cpp/test_hpp.cpp, without MPI and on 1 and 3 ranks, linked with lib/libhymg.so. Environment: BUILD, SRCDIR, CXX,
# SANITIZE; MPIRUN, MPIRUN_FLAGS, MPI_CFLAGS, MPI_LIBS where there are any. Ends with the totals.
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the source folder}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
export LD_LIBRARY_PATH="$BUILD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" OMP_NUM_THREADS=1

# build NAME FLAGS...: compiles the test program and names it
build()
{
  program=$work/$1
  shift
  if ! $CXX -std=c++17 -O1 -Wall -Wextra -Wshadow -pedantic -Werror ${SANITIZE-} -I"$SRCDIR/include" \
    "$SRCDIR/tests/cpp/test_hpp.cpp" -o "$program" -L"$BUILD/lib" -lhymg "$@"; then
    failed=$((failed + 1))
    echo "cpp: FAILED: test_hpp.cpp does not compile"
    return 1
  fi
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
  echo "cpp: FAILED: $1, exit status $code"
  cat "$work/output"
}

if [ -z "${CXX-}" ]; then
  echo 'skipped: no C++ compiler'
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
fi
build serial && run "$program"
if [ -z "${MPIRUN-}" ]; then
  echo 'skipped: hymg_mpi.hpp: MPI or mpirun is missing'
  skipped=1
elif build mpi -DTEST_MPI -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX $MPI_CFLAGS $MPI_LIBS; then
  for ranks in 1 3; do run "$MPIRUN" ${MPIRUN_FLAGS-} -n $ranks "$program"; done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
