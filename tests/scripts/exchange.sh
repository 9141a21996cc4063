#!/bin/sh
# hymg-exchange: the figures of a row belong together, every kind of bad input has its message and exit status. It,
# hymg-messages, hymg-kernels and the scripts of benchmarks/ say what could not be written, and keep an older table until
# they have another. Environment: BUILD, SRCDIR; MPIRUN, MPIRUN_FLAGS where there are any. Ends with the totals.
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

# ends STATUS TEXT COMMAND...: that exit status, and the text in what it prints
ends()
{
  status=$1 text=$2
  shift 2
  "$@" >"$out" 2>&1
  [ $? -eq "$status" ] && grep -qF -- "$text" "$out"
}

bad()
{
  check "refuses $2: $1" ends 2 "$@"
}

# no_output COMMAND...: it fails if standard output is full, and if it is closed, and says so
no_output()
{
  "$@" >/dev/full 2>"$out"
  [ $? -eq 3 ] && grep -q 'standard output' "$out" || return 1
  "$@" >&- 2>"$out"
  [ $? -eq 3 ] && grep -q 'standard output' "$out"
}

# keeps FILE COMMAND...: the command succeeds, and the file is as it was, without a new one beside it
keeps()
{
  kept=$1
  shift
  echo old >"$kept"
  "$@" && [ "$(cat "$kept")" = old ] && [ ! -e "$kept.new" ]
}

program=$BUILD/bin/hymg-exchange
bad "up to 16 even numbers from 8 to 1024" "$program" --size 7
bad "up to 16 even numbers from 8 to 1024" "$program" --size 16,
bad "fv2 or fv4" "$program" --operator fv3
bad "of auto, device, staged, peer and nccl" "$program" --comm mpi
bad "gsrb, chebyshev or jacobi" "$program" --smoother symgs
bad "auto, host or cuda" "$program" --backend gpu
bad "must be an option" "$program" 16
bad "cannot write there" "$program" --size 8 --csv "$work/no/file"
bad "a number from 1 on" "$SRCDIR/benchmarks/scripts/scaling.sh" "$BUILD" "$work" many
bad "a number from 16 on" "$SRCDIR/benchmarks/scripts/ranks.sh" "$BUILD" "$work" 5
bad "a number from 8 on" "$SRCDIR/benchmarks/scripts/ranks-threads.sh" "$BUILD" "$work" 5
bad "without --levels" "$program" --levels --csv "$work/none"

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

# ---- what cannot be written, and what must not be lost ----

messages=$BUILD/bin/hymg-messages kernels=$BUILD/bin/hymg-kernels
one_row() { "$kernels" --only 16 --triad-mb 1 --repeat 1 --seconds 0 --operator fv2 --operation dot --csv "$1"; }
if [ -c /dev/full ]; then
  for name in fv kernels exchange messages; do check "$name: no output" no_output "$BUILD/bin/hymg-$name" --help; done
  check 'exchange: no output' no_output "$program" --size 8 --backend host
  check 'messages: no output' no_output "$messages" --size 16
  check 'exchange: no CSV' ends 3 '/dev/full: could not be written' "$program" --size 8 --backend host --csv /dev/full
  check 'messages: no CSV' ends 3 '/dev/full: could not be written' "$messages" --size 16 --csv /dev/full
else
  skipped=$((skipped + 8))
fi

# without_gpu COMMAND...
without_gpu() { (export CUDA_VISIBLE_DEVICES='' HYMG_EMULATION_DEVICES=0 && "$@"); }

check 'messages: keeps the CSV' keeps "$csv" ends 2 boxes "$messages" --size 16 --boxes 16,16,16 --csv "$csv"
check 'exchange: keeps the CSV' keeps "$csv" without_gpu ends 3 CUDA "$program" --size 8 --backend cuda --csv "$csv"
check 'kernels: keeps the CSV' keeps "$csv" without_gpu ends 3 CUDA "$kernels" --backend cuda --csv "$csv"
check 'kernels: no such row' keeps "$csv" ends 2 '--list shows them' "$kernels" --operation nosuch --csv "$csv"
bad '--list shows them' "$kernels" --ladder --operation dot
bad '--list shows them' "$kernels" --without tiles
bad 'multiples of 16' "$kernels" --kernels 63
bad 'must be an option' "$kernels" 64
bad '--list shows them' "$kernels" --operator fv2 --operation 'interpolate v4'
bad "--csv $work/no/file: cannot write there: No such file" one_row "$work/no/file"
check 'kernels: one row' ends 0 'dot ' one_row "$csv"
check 'kernels: one row' grep -q '^dot,fv2,' "$csv"
check 'kernels: a name of each row' sh -c "$kernels --list >$out && grep -qx dot $out && grep -q 'wavefront of 2' $out"

# ---- the scripts, with programs that print what is wanted of them ----

scripts=$SRCDIR/benchmarks/scripts fake=$work/fake
mkdir -p "$fake/bin"

# imitate NAME: a program of the folder `fake`, from the lines on standard input
imitate()
{
  { echo '#!/bin/sh'; cat; } >"$fake/$1"
  chmod +x "$fake/$1"
}

# One process, whatever -n says.
imitate bin/mpirun <<'END'
[ "$1" = --version ] && exit 0
shift 2
exec "$@"
END

# as_faked COMMAND...: with that mpirun
as_faked() { PATH=$fake/bin:$PATH "$@"; }

# The real program's words, from a small and quick triad.
imitate bin/hymg-kernels <<END
exec "$kernels" --triad-mb 8 "\$@"
END

# STOP=stop: the first run in FV4 stops the script that waits for it. REAL: the program that takes its place, on the host.
imitate bin/hymg-fv <<'END'
case $1 in
--devices) [ -z "$NO_GPU" ] && echo '0  a GPU' && exit 0; echo 'no CUDA device: none'; exit 1 ;;
--version) echo 'hymg-fv 0 (commit none)'; exit 0 ;;
esac
[ -z "$FAIL" ] || { echo 'hymg-fv: it failed' >&2; exit 3; }
case "$STOP$*" in
stop*fv4*) kill -TERM $PPID; exit 3 ;;
esac
if [ -n "$REAL" ]; then
  for pair in $(seq $(($# / 2))); do
    case $1 in
    --backend | --host-cells | --device | --comm) ;;
    *) set -- "$@" "$1" "$2" ;;
    esac
    shift 2
  done
  exec "$REAL" --backend host "$@"
fi
echo '64 x 64 x 64                     262144      95  1.0574e-02  2.4791e+07  7.171756e-05             -'
echo '    seconds mean 1.057400e-02, median 1.050000e-02, min 1.000000e-02'
echo '2.4791e+07 DOF/s'
END

scaling() { as_faked env SIZES=strong:64:peer COUNTS=2 "$@" "$scripts/scaling.sh" "$fake" "$work"; }

# stopped FILE TEXT: the new rows are where the message says, the old file is as it was
stopped()
{
  grep -q "the rows so far are in $1.new" "$out" && grep -q "$2" "$1.new" && [ "$(cat "$1")" = old ]
}

table=$work/scaling.csv
check 'scaling.sh without a GPU' keeps "$table" ends 3 'no CUDA device: none' scaling NO_GPU=1
check 'scaling.sh without a row' keeps "$table" ends 3 'nothing was measured' scaling FAIL=1
check 'scaling.sh is stopped' ends 3 'scaling.csv is as it was' scaling STOP=stop
check 'scaling.sh is stopped' stopped "$table" '^strong,64,fv2,peer,2,262144'
check 'scaling.sh' ends 0 'strong,64,fv4,peer,2,262144' scaling
check 'scaling.sh' sh -c "[ \$(grep -c '^[a-z]*,64,' $table) -eq 6 ] && [ ! -e $table.new ]"
check 'scaling.sh: hymg-fv takes weak grids' ends 0 'weak,16,fv2,peer,2,8192' \
  scaling REAL="$BUILD/bin/hymg-fv" SIZES=weak:16 OPERATORS=fv2 PROTOCOL='--warmup 0 --min-solves 1 --min-seconds 0'

# Rank 0's counts are the model's, those of all ranks are not. STOP=stop: stopped by the first run of 32^3.
imitate bin/hymg-messages <<'END'
case "$STOP$*" in
stop*'--size 32'*) kill -TERM $PPID; exit 3 ;;
esac
[ -z "$FAIL" ] || exit "$FAIL"
echo 'fv2,16,0,16,2,5,5,40,40,10,8,80,64' >"$4"
echo 'one rank: the same bits'
exit 1
END

ranks() { as_faked env RANKS=2 "$@"; }

table=$work/ranks.csv
check 'ranks.sh without mpirun' keeps "$table" ends 3 'failed with status 1' ranks FAIL=1 "$scripts/ranks.sh" "$fake" "$work" 16
check 'ranks.sh is stopped' ends 3 'ranks.csv is as it was' ranks STOP=stop "$scripts/ranks.sh" "$fake" "$work" 16 32
check 'ranks.sh is stopped' stopped "$table" '^fv2,16,2,'
check 'ranks.sh cannot write' ends 3 "$out: could not be written" ranks "$scripts/ranks.sh" "$fake" "$out" 16
check 'ranks.sh: counts disagree' ends 1 'fv2,16,2,10,8,80,64,5,40,1,no,yes' ranks "$scripts/ranks.sh" "$fake" "$work" 16
check 'ranks.sh: counts disagree' grep -q '^fv2,16,2,' "$table"

table=$work/ranks-threads.csv
beside() { as_faked env ROUNDS=1 "$@" "$scripts/ranks-threads.sh" "$fake" "$work" 64 65; }
check 'ranks-threads.sh' ends 0 'fv4         64      10.0000      10.0000     1.00' beside
check 'ranks-threads.sh' sh -c "[ \$(grep -c '^fv[24],6[45],10.0000,10.0000,1.000$' $table) -eq 3 ] && [ ! -e $table.new ]"
check 'ranks-threads.sh: below the goal' ends 1 'fv4         64' beside GOAL=1.1
check 'ranks-threads.sh without a run' keeps "$table" ends 3 'fv2, 64^3 by threads failed with status 3' beside FAIL=1
check 'ranks-threads.sh is stopped' ends 3 'ranks-threads.csv is as it was' beside STOP=stop
check 'ranks-threads.sh is stopped' stopped "$table" '^fv2,65,'

bad "no part 'nosuch'" "$scripts/gpu.sh" "$BUILD" "$work/gpu" threshold nosuch
check 'gpu.sh starts nothing then' [ ! -e "$work/gpu" ]
check 'gpu.sh without a GPU' keeps "$work/gpu-kernels.csv" without_gpu ends 3 CUDA \
  "$scripts/gpu.sh" "$BUILD" "$work" kernels

# The model beside every measured row; a row that it does not explain, and messages that it does not count, are named.
model() { "$scripts/scaling-model.sh" "$@"; }

all_rows()
{
  model "$SRCDIR/benchmarks/results" >"$out" 2>&1 &&
    [ "$(grep -c '^scaling[^,]*,\(weak\|strong\),.*[0-9]$' "$out")" -eq "$(cat "$SRCDIR"/benchmarks/results/scaling*.csv | grep -c '^\(weak\|strong\),')" ] &&
    [ "$(grep -c '^fv2,nccl,auto' "$out")" -eq 8 ]
}

# other_row FROM TO TEXT: in the place of FROM
other_row()
{
  mkdir -p "$work/other" && sed "s/^$1/$2/" "$SRCDIR/benchmarks/results/scaling-2.csv" >"$work/other/scaling-2.csv" &&
    ends 1 "$3" model "$work/other"
}

if command -v python3 >/dev/null; then
  check 'scaling-model.sh: every row' all_rows
  check 'scaling-model.sh: a slower row' other_row 'weak,128,fv4,nccl,2,4194304,2.0' 'weak,128,fv4,nccl,2,4194304,2.9' \
    'scaling-2.csv,weak,128,fv4,nccl,2,0: -'
  check 'scaling-model.sh: a message more' other_row '\(weak,512,fv2,nccl,2,.*,\)88,' '\189,' 'rank 0 sends 89 messages, of the model 88'
  check 'scaling-model.sh: no rows' ends 2 'scaling.sh writes them' model "$work/fake"
else
  skipped=$((skipped + 4))
fi

imitate reference <<'END'
echo 'DOF=262144 DOF/s=1e6'
END

# versus COMMAND...: in the folder of the programs
versus() { (cd "$fake" && "$scripts/versus.sh" --rounds 1 --csv "$work/versus.csv" "$@"); }

check 'versus.sh' ends 0 '64^3  1.000e+06  2.479e+07   24.79' versus reference 64
check 'versus.sh: the triad' awk -F, '/^fv4/ { found = $9 > 0 && $10 > 0 } END { exit !found }' "$work/versus.csv"
check 'versus.sh: boxes' keeps "$work/versus.csv" ends 2 'boxes larger than 64^3' versus --box 8 reference 512 64
imitate bin/hymg-kernels <<'END'
echo 'fast enough'
END
check 'versus.sh without a triad' keeps "$work/versus.csv" ends 3 'no triad' versus reference 64

# ---- one rank of many ----

plans=$BUILD/check/hymg-plans
bad 'ranks are 0 to 63' "$plans" --ranks 64 --rank 64
bad 'must be a whole number from 1 to 1048576' "$plans" --ranks 0

# grows_little: with eight times the ranks there is a level more on the first rank, and nothing more on the last one. 46^3
# ranks: 46 and 23 have no steps of equal boxes.
grows_little()
{
  "$plans" --ranks 64,512,4096,97336 --csv "$csv" >"$out" 2>&1 &&
    awk -F, '/^fv/ { rows++; name = $1; end = $4 == 0 ? "first" : $4 == $3 - 1 ? "last" : "middle"
        peak[name, end, $3] = $10; if ($7 > 512 || $10 < 1e5) bad = 1 }
      END {
        for (i = 1; i <= 2; i++) {
          o = i == 1 ? "fv2" : "fv4"; one = peak[o, "first", 64]
          step = peak[o, "first", 512] - one
          if (peak[o, "first", 4096] > one + 2.1 * step || step > 0.2 * one) bad = 1
          if (peak[o, "last", 4096] > 1.01 * peak[o, "last", 64]) bad = 1
          if (peak[o, "middle", 4096] > 1.5 * peak[o, "middle", 64]) bad = 1
          if (peak[o, "first", 97336] > 2.5 * one || peak[o, "last", 97336] > 1.25 * peak[o, "last", 64]) bad = 1
        }
        exit bad || rows != 24
      }' "$csv"
}

check 'set-up of one rank of many' grows_little

# ---- several ranks ----

if [ -n "$MPIRUN" ]; then
  # shellcheck disable=SC2086  # words
  check 'rows on two ranks' adds_up $MPIRUN $MPIRUN_FLAGS -n 2 "$program"
  # shellcheck disable=SC2086  # words
  check 'a level a line' sh -c "$MPIRUN $MPIRUN_FLAGS -n 2 $program --size 16 --backend host --levels >$out 2>&1 &&
    [ \$(grep -c '^fv[24]' $out) -ge 4 ]"
  # shellcheck disable=SC2086  # words
  check 'a grid that ranks share' sh -c "$MPIRUN $MPIRUN_FLAGS -n 2 $program --size 8 --backend host --levels --together >$out 2>&1 &&
    grep -q '^fv2  *0 *8x8x8 ' $out"
  # shellcheck disable=SC2086  # words
  check 'refuses a grid that they cannot' sh -c "$MPIRUN $MPIRUN_FLAGS -n 2 $program --size 10 --together >$out 2>&1
    [ \$? -eq 2 ] && grep -q 'multiples of 4' $out"
  check 'messages as modelled, and without a model' ends 0 fv2,16,3, \
    env RANKS='1 2 3' "$scripts/ranks.sh" "$BUILD" "$work" 16
  check 'the model that there is' grep -Eq '^fv4,16,2,([1-9][0-9]*),\1,([1-9][0-9]*),\2,.*,yes,yes$' "$work/ranks.csv"
  check 'no model' grep -Eq '^fv4,16,3,[1-9][0-9]*,,[1-9][0-9]*,,.*,-,yes$' "$work/ranks.csv"
  for layers in 2 6; do
    # shellcheck disable=SC2086  # words
    check "messages with $layers layers of neighbours' cells, as modelled" sh -c "$MPIRUN $MPIRUN_FLAGS -n 8 $messages --size 32 \
      --halo-layers $layers >$out 2>&1"
  done
  # on a GPU, if there is one, also on level 0
  for layers in 2 8 12; do
    # shellcheck disable=SC2086  # words
    check "messages of 3 ranks with $layers layers, as modelled" sh -c "$MPIRUN $MPIRUN_FLAGS -n 3 $messages --size 48 \
      --gather-cells 64 --no-check --halo-layers $layers >$out 2>&1"
  done
  for ranks in 3 8; do
    # shellcheck disable=SC2086  # words
    check "plans of $ranks ranks made alone" ends 0 'fv4, '$ranks' ranks, up to 7 plans a rank: the same made alone' \
      $MPIRUN $MPIRUN_FLAGS -n $ranks "$plans" --compare --halo-layers 4
  done
  # shellcheck disable=SC2086  # words
  check 'boxes that are gathered in groups' sh -c "$MPIRUN $MPIRUN_FLAGS -n 3 $messages --size 44 --boxes 11,11,11 >$out 2>&1 &&
    [ \$(grep -c 'the same bits' $out) -eq 2 ] && grep -q '^ *1 *22^3 *27 ' $out"
  for cells in 100 600 5000; do
    # shellcheck disable=SC2086  # words
    check "messages with levels below $cells cells on all ranks, as modelled" sh -c "$MPIRUN $MPIRUN_FLAGS -n 12 $messages --size 24 \
      --boxes 2,2,3 --gather all --gather-cells $cells >$out 2>&1 && grep -Eq ' 1 +12 \|' $out"
  done
else
  skipped=$((skipped + 12))
fi
echo "exchange: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
