#!/bin/sh
# pairs.sh BUILD [BEFORE [SIZE...]]: solves with graphs in place of coarse grids (--transfer pairs) on a GPU, of the build folder
# BUILD and, unless it is -, of an older one in turn; sizes 64, 128 and 256 a side. A line for each: iterations, seconds for
# the set-up and the solve, the best of three, and milliseconds an iteration. BACKEND: host in place of cuda; OPTIONS are added to
# each command.
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' "$0"; exit 2; }
now=$1 before=${2:--}
[ $# -le 2 ] || { shift 2; sizes=$*; }

# run BUILD NAME SIZE: "iterations set-up solve"
run()
{
  # shellcheck disable=SC2086  # OPTIONS is a list of words
  "$1/bin/hymg-robust" "$2" --backend "${BACKEND:-cuda}" --transfer pairs --grid "$3,$3,$3" $OPTIONS |
    awk -v name="$2" '$1 == name { print $3, $5, $6 }'
}

# best BUILD NAME SIZE WHICH: of three runs
best()
{
  for _ in 1 2 3; do run "$1" "$2" "$3"; done | awk -v row="$2,$3,$4" '
    { if (NR == 1 || $2 < setup) setup = $2; if (NR == 1 || $3 < solve) solve = $3; it = $1 }
    END { if (!it) exit 1; printf "%s,%d,%.4f,%.4f,%.3f\n", row, it, setup, solve, 1e3 * solve / it }' ||
    { echo "pairs.sh: $2 at $3 failed in $1" >&2; exit 3; }
}

echo name,n,which,iterations,setup_s,solve_s,ms_per_iteration
for n in ${sizes:-64 128 256}; do
  for name in cells_1e3 pores_0.4 sphere; do
    best "$now" "$name" "$n" now
    [ "$before" = - ] || best "$before" "$name" "$n" before
  done
done
