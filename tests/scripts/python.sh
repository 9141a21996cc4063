#!/bin/sh
# The Python package around the library of this build: compiles its module, then tests/python with pytest, and on three
# ranks if the library and Python have MPI. Environment: BUILD, SRCDIR; CC, SANITIZE, MPIRUN, MPIRUN_FLAGS where there are
# any. Ends with the totals.
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the sources}"
MPIRUN=${MPIRUN-} MPIRUN_FLAGS=${MPIRUN_FLAGS-}
passed=0 failed=0 skipped=0

none()
{
  echo "skipped: $1"
  exit 77
}

[ -z "${SANITIZE-}" ] || none 'a Python without sanitizers cannot load a library with them'
python=$("$SRCDIR/tools/find-python" numpy cffi setuptools pytest 2>&1) || none "$python"
# by its path: mpirun, called by its own, puts its folder first in PATH
python=$(command -v "$python")

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
export PYTHONPATH="$work/lib" PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
# what setup.py takes for an installed library
mkdir "$work/prefix" && ln -s "$SRCDIR/include" "$BUILD/lib" "$work/prefix" || exit 1

# Adds up what pytest's last line says ("2 failed, 5 passed, 1 skipped in 3 s").
tests()
{
  "$@" >"$work/out" 2>&1
  status=$?
  grep -E '^(FAILED|ERROR|E  )' "$work/out"
  [ $status = 0 ] || tail -n 60 "$work/out"
  sed -n 's/^SKIPPED.*\.py:[0-9]*: /skipped: /p; s/^SKIPPED.*\.py: /skipped: /p' "$work/out"
  last=$(grep -E '(passed|failed|skipped|error).* in [0-9.]+s' "$work/out" | tail -n 1)
  count() { printf '%s\n' "$last" | sed -n "s/.*[^0-9]*\b\([0-9][0-9]*\) $1.*/\1/p"; }
  p=$(count passed) f=$(count failed) e=$(count error) s=$(count skipped)
  passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0} + ${e:-0})) skipped=$((skipped + ${s:-0}))
  [ $status = 0 ] || [ -n "$f$e" ] || failed=$((failed + 1))
}

if ! (cd "$SRCDIR" && HYMG_PREFIX="$work/prefix" "$python" -W ignore setup.py -q build --build-base "$work/build" \
  --build-lib "$work/lib") >"$work/out" 2>&1; then
  cat "$work/out"
  echo '0 passed, 1 failed, 0 skipped'
  exit 1
fi
export LD_LIBRARY_PATH="$BUILD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
cd "$work" || exit 1
tests "$python" -m pytest -q -rs -p no:cacheprovider -c "$SRCDIR/pyproject.toml" "$SRCDIR/tests/python"
if [ -z "$MPIRUN" ] || ! "$python" -c 'import mpi4py' 2>/dev/null; then
  echo 'skipped: communicators of mpi4py: mpirun or mpi4py is missing'
  skipped=$((skipped + 1))
else
  # shellcheck disable=SC2086
  tests "$MPIRUN" $MPIRUN_FLAGS -n 3 "$python" "$SRCDIR/tests/python/ranks.py"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
