#!/bin/sh
# benchmarks/scripts/simulate.sh: on eight simulated ranks hymg-fv and hymg-messages give the bits of eight real ones, and
# send as many messages. Needs SimGrid's smpicc and smpirun, python3 and a build with MPI, else it is skipped. Environment:
# BUILD, SRCDIR, MPIRUN, MPIRUN_FLAGS. Ends with the totals.
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the sources}"
MPIRUN=${MPIRUN-} MPIRUN_FLAGS=${MPIRUN_FLAGS-}
skip()
{
  echo "skipped: $1"
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
}
[ -n "$MPIRUN" ] || skip 'this build has no MPI'
for tool in smpicc smpirun python3; do
  command -v $tool >/dev/null || skip "there is no $tool (Debian: libsimgrid-dev, python3)"
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
export OMP_NUM_THREADS=1
passed=0 failed=0

# check WHAT FILE COMMAND...: shows the file if the command fails
check()
{
  what=$1 file=$2
  shift 2
  if "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "simulate: FAILED: $what"
    sed 's/^/    /' "$file" | tail -n 40
  fi
}

simulated() { OPTIMIZE=-O0 MAKEFLAGS=-j2 "$SRCDIR/benchmarks/scripts/simulate.sh" 8 fattree "$@" >"$out" 2>&1; }

# numbers FILE: sizes, residuals and the error, in all digits that are printed
numbers()
{
  awk '/^[0-9]+ x [0-9]+ x [0-9]+ / { print $1, $6, $10; rows++ }
    /^Richardson: error/ { print $3; rows++ } END { if (rows < 4) print "only " rows + 0 " rows" }' "$1"
}

# counts FILE: rows of levels and the numbers of the solution, without times
counts()
{
  awk '/^ +[0-9]+ +[0-9]+\^3 / || /^max\|r\|/ || /^one rank:/ { print; rows++ }
    END { if (rows < 10) print "only " rows + 0 " rows" }' "$1"
}

same() { [ "$("$1" simulated.txt)" = "$("$1" real.txt)" ] && ! "$1" real.txt | grep -q only; }

out=simulated.txt
options='--operator fv2 --grid 32,32,32'
# shellcheck disable=SC2086  # words
{
  check 'hymg-fv, the bits of one rank' simulated.txt simulated $options
  $MPIRUN $MPIRUN_FLAGS -n 8 "$BUILD/bin/hymg-fv" $options --warmup 0 --min-solves 1 --min-seconds 0 --backend host \
    >real.txt 2>&1
}
check 'hymg-fv, the digits of real ranks' simulated.txt same numbers
# some 60 exchanges of two to four links of 0.5 us each
check 'hymg-fv, the simulated clock' simulated.txt awk '/^32 x 32 x 32 / { t = $8 } END { exit !(t > 1e-5 && t < 1e-3) }' simulated.txt
PROGRAM=hymg-messages
export PROGRAM
check 'hymg-messages, the bits and the counts' simulated.txt simulated --size 32 --halo-layers 0 --gather all
# shellcheck disable=SC2086  # words
$MPIRUN $MPIRUN_FLAGS -n 8 "$BUILD/bin/hymg-messages" --size 32 --halo-layers 0 --gather all >real.txt 2>&1
check 'hymg-messages, the rows of real ranks' simulated.txt same counts
echo "simulate: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
