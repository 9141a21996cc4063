#!/bin/sh
# all.sh [BUILD] [RESULTS]: every table of benchmarks/README.md into RESULTS/*.csv, from the build folder BUILD (default:
# the current one). An idle machine, about 20 minutes on 2 cores. A table with wrong results stops it.
set -e
build=${1:-.}
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/../results}
ranks=8
for program in hymg-kernels hymg-messages; do
  [ -x "$build/bin/$program" ] || { echo "all.sh: no bin/$program in '$build'; run make there" >&2; exit 2; }
done
mkdir -p "$results" || exit 3
PATH=$(cd "$build/bin" && pwd):$PATH
export PATH

say() { printf '\n==== %s\n' "$*"; "$@"; }

say hymg-kernels --csv "$results/kernels.csv"
say hymg-kernels --ladder --csv "$results/ladder.csv"
say hymg-kernels --ladder --smoother chebyshev --csv "$results/ladder-chebyshev.csv"
say hymg-kernels --ladder --smoother jacobi --csv "$results/ladder-jacobi.csv"
say hymg-kernels --cycle --csv "$results/cycle.csv"
if command -v mpirun >/dev/null 2>&1; then
  say "$here/messages.sh" "$build" $ranks --csv "$results/messages.csv"
else
  echo 'all.sh: no mpirun, no messages.csv'
fi
if command -v gnuplot >/dev/null 2>&1; then
  (cd "$results" && say gnuplot "$here/ladder.gp")
fi
