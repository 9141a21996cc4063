#!/bin/sh
# gpu.sh [BUILD [RESULTS [PART...]]]: the GPU tables of benchmarks/README.md into RESULTS/gpu-*.csv, from the
# build folder BUILD (default: the current one, and benchmarks/results). Parts: kernels
# cycle chebyshev solve threshold ladder ablation plots; default: all but ablation, which has a row for each form
# of the kernels (cuda/kernel_forms.h): what F-cycles and solves from 32^3 to 512^3 take without it. OPTIONS are added to each command. A
# table with wrong results stops it; without a GPU no file is touched.
set -e
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-.}
results=${2:-$here/../results}
all='kernels cycle chebyshev solve threshold ladder plots'
known="$all ablation"
if [ $# -gt 2 ]; then
  shift 2
  parts=$*
else
  parts=$all
fi
for part in $parts; do
  case " $known " in
  *" $part "*) ;;
  *) echo "gpu.sh: no part '$part': $known" >&2; exit 2 ;;
  esac
done
program=$build/bin/hymg-kernels
[ -x "$program" ] || { echo "gpu.sh: no bin/hymg-kernels in '$build'; run make there" >&2; exit 2; }
mkdir -p "$results" || exit 3
PATH=$(cd "$build/bin" && pwd):$PATH
export PATH

# table NAME OPTION...
table()
{
  csv=$results/gpu-$1.csv
  shift
  # shellcheck disable=SC2086  # OPTIONS is a list of words
  set -- hymg-kernels --backend cuda "$@" $OPTIONS --csv "$csv"
  printf '\n==== %s\n' "$*"
  start=$(date +%s)
  "$@"
  printf '==== %s s\n' $(($(date +%s) - start))
}

for part in $parts; do
  case $part in
  kernels) table kernels ;;
  cycle) table cycle --cycle ;;
  chebyshev) table cycle-chebyshev --cycle --smoother chebyshev ;;
  solve) table solve --solve ;;
  threshold) table threshold --threshold ;;
  ladder) table ladder --ladder ;;
  ablation)
    for smoother in gsrb chebyshev; do
      table ablation-$smoother --ablation --smoother $smoother
      table ablation-solve-$smoother --ablation-solve --smoother $smoother
    done ;;
  plots)
    if command -v gnuplot >/dev/null 2>&1; then
      (cd "$results" && gnuplot "$here/gpu.gp")
    else
      echo "gpu.sh: no gnuplot; elsewhere: cd RESULTS && gnuplot $here/gpu.gp"
    fi ;;
  esac
done
