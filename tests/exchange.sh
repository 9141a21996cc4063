#!/bin/sh
# hymg-exchange: the figures of a row belong together, every kind of bad input has its message and exit status; scaling.sh
# and ranks.sh refuse what they cannot do. Environment: BUILD, SRCDIR; MPIRUN, MPIRUN_FLAGS where there are any. Ends with
# the totals.
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the sources}"
MPIRUN=${MPIRUN-} MPIRUN_FLAGS=${MPIRUN_FLAGS-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
out=$work/out csv=$work/rows.csv
export OMP_NUM_THREADS=1

check()
{
  what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "exchange: FAILED: $what"
    sed 's/^/    /' "$out"
  fi
}

# refused TEXT COMMAND...: exit status 2 and the text
refused()
{
  text=$1
  shift
  "$@" >"$out" 2>&1
  [ $? -eq 2 ] && grep -qF -- "$text" "$out"
}

bad()
{
  check "refuses $2" refused "$@"
}

program=$BUILD/bin/hymg-exchange
bad "up to 16 even numbers from 8 to 1024" "$program" --size 7
bad "up to 16 even numbers from 8 to 1024" "$program" --size 16,
bad "fv2 or fv4" "$program" --operator fv3
bad "of auto, device, staged, peer and nccl" "$program" --comm mpi
bad "gsrb, chebyshev or jacobi" "$program" --smoother symgs
bad "auto, host or cuda" "$program" --backend gpu
bad "must be an option" "$program" 16
bad "cannot be written" "$program" --size 8 --csv "$work/no/file"
bad "a number from 1 on" "$SRCDIR/benchmarks/scaling.sh" "$BUILD" "$work" many
bad "a number from 16 on" "$SRCDIR/benchmarks/ranks.sh" "$BUILD" "$work" 5

# What was added is the difference, what was hidden is the rest of the exchange; every row that was asked for.
adds_up()
{
  "$@" --size 8,16 --backend host --csv "$csv" >"$out" 2>&1 &&
    awk -F, '/^fv/ { rows++; d = $7 - $5 - $8; if (d * d > 1e-5 || !($5 > 0) || !($7 > 0)) bad = 1
      if ($6 >= 0.5) { d = 1 - $8 / $6 - $9; if (d * d > 1e-4 + 1e-4 * $9 * $9) bad = 1 }
      if ($6 < 0.499 && $9 != 0) bad = 1 }
      END { exit bad || rows != 4 }' "$csv"
}

check 'rows on one rank' adds_up "$program"
if [ -n "$MPIRUN" ]; then
  # shellcheck disable=SC2086  # words
  check 'rows on two ranks' adds_up $MPIRUN $MPIRUN_FLAGS -n 2 "$program"
  # shellcheck disable=SC2086  # words
  check 'a level a line' sh -c "$MPIRUN $MPIRUN_FLAGS -n 2 $program --size 16 --backend host --levels >$out 2>&1 &&
    [ \$(grep -c '^fv[24]' $out) -ge 4 ]"
  # shellcheck disable=SC2086  # words
  check 'a grid that ranks share' sh -c "$MPIRUN $MPIRUN_FLAGS -n 2 $program --size 16 --backend host --levels --together >$out 2>&1 &&
    grep -q '^fv2  *0 *16x16x16 ' $out"
  # shellcheck disable=SC2086  # words
  check 'refuses a grid that they cannot' sh -c "$MPIRUN $MPIRUN_FLAGS -n 2 $program --size 10 --together >$out 2>&1
    [ \$? -eq 2 ] && grep -q 'multiples of 4' $out"
  check 'messages as modelled' env RANKS='1 2' "$SRCDIR/benchmarks/ranks.sh" "$BUILD" "$work" 16 >"$out" 2>&1
else
  skipped=$((skipped + 5))
fi
echo "exchange: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
