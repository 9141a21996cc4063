#!/bin/sh
# hymg-stencil: every kernel of every case on odd sizes, which the program itself holds against its plain loops; options;
# every kind of bad input with its message and exit status. Environment: BUILD; HYMG_TEST_BACKEND=cuda for the GPU's
# kernels, else the CPU's; MPIRUN, MPIRUN_FLAGS, HYMG_JANSSON where there are any. Ends with the totals.
set -u
: "${BUILD:?the build folder}"
program=$BUILD/bin/hymg-stencil
backend=${HYMG_TEST_BACKEND:-host}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
out=$work/out err=$work/err csv=$work/rows.csv
export OMP_NUM_THREADS=2

pass() { passed=$((passed + 1)); }

fail()
{
  failed=$((failed + 1))
  echo "stencils: FAILED: $*"
}

skip()
{
  skipped=$((skipped + 1))
  echo "stencils: skipped: $*"
}

run()
{
  "$program" "$@" >"$out" 2>"$err" </dev/null
  code=$?
}

# bad MESSAGE ARGUMENT...: refused, status 2, the message on stderr
bad()
{
  message=$1
  shift
  run "$@"
  if [ $code -ne 2 ]; then fail "$*: status $code, not 2"
  elif ! grep -F -q -e "$message" "$err"; then fail "$*: says '$(head -n 1 "$err")', not '$message'"
  else pass; fi
}

# The CSV's rows, without its head.
rows() { grep '^[abcd],' "$csv"; }

# right CASE ARGUMENT...: status 0, no row with a wrong result, every kernel of the list has a row
right()
{
  run "$@" --backend "$backend" --repeat 1 --quiet --csv "$csv"
  if [ $code -ne 0 ]; then
    fail "$*: status $code: $(head -n 1 "$err")"
  elif rows | awk -F, '$18 != 0 { exit 1 }' && [ "$(rows | wc -l)" -gt 0 ]; then
    pass
  else
    fail "$*: $(rows | head -n 3)"
  fi
}

# every CASE TEXT...: a row whose kernel is named so, in the last run
every()
{
  for name; do
    if rows | cut -d, -f3 | grep -q -e "$name"; then pass; else fail "no row of kernel '$name'"; fi
  done
}

check_cases()
{
  for size in 37x29x23 5x3x2 1 66x17x9 131x7x40; do
    right a --size $size --precision both
    right a --size $size --precision both --wave
  done
  right a --size 37x29x23
  if [ "$backend" = cuda ]; then
    every naive two-pass 'one-pass 16x16' 'one-pass 32x32' '^march$' 'march several points' 'points at once' 'ring of planes' 'ring of other tiles' 'ring with ghosts apart'
  else
    every rows '^tiles$' 'tiles streamed'
  fi
  for size in 133x71 5x3 1 64x200; do right b --size $size --precision both; done
  [ "$backend" != cuda ] || every global '^block$' shared 'block several points'
  for size in 37x29x23 16 3x5x9 64x7x33 1; do right c --size $size --precision both; done
  for axis in x y z; do
    if [ "$backend" = cuda ]; then every "$axis 4 pencils" "$axis 32 pencils" "$axis several points"; else every "$axis rows"; fi
  done
  for size in 37x29x23 16 1 70x5x21; do right d --size $size --precision both; done
  [ "$backend" != cuda ] || every 'x point$' 'z point aligned' 'z window n_w 1$' 'z several points' 'y points at once'
}

check_shapes()
{
  if [ "$backend" = cuda ]; then
    for tile in 1x1 3x5 64x8 4x64; do right a --size 21x13x11 --tile $tile --slab 4 --order 2,12; done
    right d --size 21x13x30 --slab 7 --kernel window
    every 'z window n_w 7'
    right b --size 77x41 --tile 16x4 --slab 3
    run a --size 9 --tile 32x32 --kernel march --backend cuda --quiet
    if [ $code -eq 0 ] && grep -q 'march: left out, --tile 32x32 is 1024 threads, 256 are the most' "$out"; then pass
    else fail "a tile that is too large: status $code"; fi
  else
    for tile in 1x1 3x7 5x64 21x1; do right a --size 21x13x11 --tile $tile --slab 4 --order 2,12; done
  fi
  right b --size 30 --steps 3 --order 4
  # slabs and rows that a search tries, the whole box among them
  right a --size 21x13x11 --tune --order 2,8 --precision both
  right a --size 6x5x9 --tune --order 4 --wave
  right b --size 19x33 --tune
  right d --size 19x33x11 --tune
  if [ "$backend" = cuda ]; then
    run d --size 19x33x11 --tune --kernel several --backend cuda --quiet --csv "$csv"
    if rows | awk -F, '{ slab[substr($3, 1, 1)] = $11 } END { exit !(slab["x"] == 0 && slab["y"] >= 4 && slab["y"] <= 33 &&
      slab["z"] >= 4 && slab["z"] <= 11) }'; then pass
    else fail "--tune: slabs $(rows | cut -d, -f3,11 | tr '\n' ' ')"; fi
    HYMG_EMULATION_ARCH=80 run a --size 9 --order 4 --repeat 1 --backend cuda --quiet
    if ! grep -q 'emulat' "$out"; then skip 'a GPU without tensor copies: none is emulated'
    elif [ $code -eq 0 ] && grep -q 'ring of planes: left out, tensor copies need compute capability 9.0' "$out"; then pass
    else fail "a GPU without tensor copies: status $code: $(tail -n 1 "$out")"; fi
  fi
}

check_refusals()
{
  bad 'which case? a, b, c, d or all'
  bad "case 'e': must be a, b, c, d or all" e
  bad "'b': one case at a time" a b
  bad "--size '0': must be a whole number from 1 to 32768" a --size 0
  bad "--size '': must be a whole number" a --size 4x
  bad "--size '4x4x4x4': must be at most 3 numbers" a --size 4x4x4x4
  bad "--size '70000': must be a whole number from 1 to 32768" a --size 70000
  bad "--precision 'half': must be float, double or both" a --precision half
  bad "--order '3': must be even numbers from 2 to 12" a --order 3
  bad "--order '14': must be a whole number from 1 to 12" a --order 14
  bad '--order: case b has 2, 4 and 8' b --order 6
  bad '--order: cases c and d have order 8' c --order 8
  bad "--tile '2000': must be a whole number from 1 to 1024" a --tile 64x2000
  bad "--tile '8': must be two numbers" a --tile 8
  bad "--slab 'x': must be a whole number from 1" a --slab x
  bad "--repeat '65': must be a whole number from 1 to 64" a --repeat 65
  bad "--steps '0': must be" b --steps 0
  bad "--backend 'gpu': must be cuda, host or both" a --backend gpu
  bad '--wave, --snapshot, --gather and --scaling are for case a' b --wave
  bad '--tune looks for the slab that --slab gives' a --tune --slab 8
  bad '--tune is for a case' a --tune --scaling
  bad '--tune is for a case' a --tune --snapshot slice.pgm
  bad "'all' has its own sizes" all --size 8
  bad "unknown option '--colour'" a --colour
  bad "--kernel 'fast': case a has no such kernel" a --size 4 --kernel fast --backend "$backend"
  if [ -s "$out" ]; then fail "--kernel fast: measured: $(head -n 1 "$out")"; else pass; fi
  bad 'No such file or directory' a --size 4 --csv /no/such/folder/rows --backend "$backend"
  bad '/no/folder/w.pgm: cannot write there: No such file or directory' a --size 4 --snapshot /no/folder/w.pgm --backend "$backend"
  bad 'ends in .csv, or as that of an image in .png or .pgm' a --size 4 --gather g.txt
  echo old >"$csv"
  bad "--kernel 'fast': case a has no such kernel" a --size 4 --kernel fast --csv "$csv" --backend "$backend"
  if [ "$(cat "$csv")" = old ]; then pass; else fail 'a run without a row replaces an older CSV'; fi
}

check_files()
{
  run a --size 20x12x24 --steps 60 --snapshot "$work/slice.pgm" --gather "$work/gather.csv" --backend "$backend" --quiet
  if [ $code -eq 0 ] && [ "$(head -c 2 "$work/slice.pgm")" = P5 ] && [ "$(sed -n 2p "$work/slice.pgm")" = '20 24' ] &&
    [ "$(wc -l <"$work/gather.csv")" -eq 60 ] && [ "$(head -n 1 "$work/gather.csv" | tr ',' '\n' | wc -l)" -eq 20 ]; then pass
  else fail "a wave's files: status $code: $(head -n 1 "$err")"; fi
  # the wave arrives, at a receiver above the source first, and does not grow
  if awk -F, '{ m = $11 < 0 ? -$11 : $11; e = $1 < 0 ? -$1 : $1; if (m > 1e-5 && !t) t = NR; if (e > 1e-5 && !u) u = NR
    if (m > 10) exit 1 } END { exit !(t > 0 && u > t) }' "$work/gather.csv"; then pass
  else fail 'the gather shows no wave from the middle'; fi
  run a --size 8 --snapshot "$work/slice.gif" --backend "$backend" --quiet
  if [ $code -eq 2 ] && grep -q 'ends in .png or .pgm' "$err"; then pass; else fail "--snapshot slice.gif: status $code"; fi
  if [ -n "${HYMG_JANSSON-}" ]; then
    run d --size 9 --json "$work/rows.json" --repeat 1 --backend "$backend" --quiet
    if [ $code -eq 0 ] && grep -q '"schema": "hymg-stencil/1"' "$work/rows.json" &&
      [ "$(grep -c '"wrong": 0' "$work/rows.json")" -eq "$(grep -c 9x9x9 "$out")" ]; then pass
    else fail "--json: status $code"; fi
    bad '--json /no/such/folder/rows: cannot write there: No such file or directory' a --size 4 --json /no/such/folder/rows --backend "$backend"
  else
    bad Jansson a --json "$work/rows.json"
  fi
  run --list
  if [ $code -eq 0 ] && grep -q '^d host' "$out"; then pass; else fail "--list: status $code"; fi
  if [ -c /dev/full ]; then
    "$program" --help >/dev/full 2>"$err"
    code=$?
    if [ $code -eq 3 ] && grep -q 'standard output' "$err"; then pass; else fail "--help without output: status $code"; fi
  fi
  run --help
  if [ $code -eq 0 ] && grep -q '^usage: hymg-stencil a|b|c|d|all' "$out"; then pass; else fail "--help: status $code"; fi
}

check_ranks()
{
  if [ -z "${MPIRUN-}" ]; then
    skip 'several ranks: there is no MPI or no mpirun'
    return
  fi
  for ranks in 1 2 3; do
    # shellcheck disable=SC2086
    "$MPIRUN" ${MPIRUN_FLAGS-} -n $ranks "$program" a --scaling --size 21x9x14 --order 6 --precision double \
      --backend "$backend" --quiet >"$out" 2>"$err" </dev/null
    code=$?
    if [ $code -eq 0 ] && grep -q 'messages overlapped  *21x9x14 .* 0 *0.00e+00' "$out"; then pass
    else fail "$ranks ranks: status $code: $(head -n 2 "$err")"; fi
  done
  # shellcheck disable=SC2086
  "$MPIRUN" ${MPIRUN_FLAGS-} -n 2 "$program" a --scaling --size 21x9x4 --order 6 --backend "$backend" >"$out" 2>"$err" </dev/null
  code=$?
  if [ $code -eq 2 ] && grep -q 'as many planes as two edges' "$err"; then pass; else fail "too few planes: status $code"; fi
}

check_cases
check_shapes
check_refusals
check_files
check_ranks
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
