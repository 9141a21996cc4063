#!/bin/sh
# simulate.sh [RANKS [KIND [options of hymg-fv]]]: an F-cycle on so many ranks (8) of a cluster that SimGrid simulates, one
# rank a host; KIND: fattree (default), dragonfly or flat. The messages are real ones of the unmodified program and
# the solution must have the bits of a run on one rank; only the clock is simulated. Computation takes no time, so that
# what is printed is the time of messages; COMPUTE=yes: as long as on this core. BANDWIDTH (GB/s of a host's link, 50) and
# LATENCY (us of a link, 0.5): see benchmarks/simulation/platform.py. Needs SimGrid (Debian: libsimgrid-dev) and
# builds hymg with its MPI in simulation/ of the current folder, once, with OPTIMIZE (-O3; where computation takes no time
# -O0 does).
# PROGRAM=hymg-messages: that program and its options instead, which compares the bits itself.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
ranks=${1:-8} kind=${2:-fattree} program=${PROGRAM:-hymg-fv}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- --operator fv2 --grid 32,32,32
say() { echo "simulate.sh: $*" >&2; exit 2; }
command -v smpicc >/dev/null && command -v smpirun >/dev/null ||
  say "no smpicc or smpirun; install SimGrid (Debian and Ubuntu: apt-get install libsimgrid-dev)"
include=$(dirname "$(find "$(dirname "$(command -v smpicc)")/../include" -name smpi_helpers.h | head -n 1)")
mkdir -p simulation/build || exit 2
(
  cd simulation/build || exit 1
  [ -e Makefile ] ||
    "$top/configure" --without-openmp --without-cuda --without-hypre --without-fortran --without-check --without-png \
      MPICC=smpicc MPIRUN=smpirun LDFLAGS=-shared \
      CFLAGS="${OPTIMIZE--O3} -w -fvisibility=default -I$include -include $include/smpi_helpers.h -include $top/benchmarks/simulation/smpi_shim.h" \
      >configure.log || exit 1
  make "bin/$program" >make.log 2>&1
) || say "the build failed; see simulation/build/configure.log and make.log"
python3 "$top/benchmarks/simulation/platform.py" "$kind" "$ranks" bandwidth="${BANDWIDTH:-50}" latency="${LATENCY:-0.5}" \
  >simulation/platform.xml || exit 2
# simulated NAME RANKS OPTIONS: on simulation/NAME.xml. No --json, for which hymg-fv measures by a clock that stands still.
simulated()
{
  name=$1 n=$2
  shift 2
  smpirun -np "$n" -platform "simulation/$name.xml" --cfg=smpi/host-speed:1Gf \
    --cfg=smpi/simulate-computation:"${COMPUTE:-no}" --cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 \
    --cfg=network/bandwidth-factor:1 --cfg=network/latency-factor:1 --cfg=smpi/os:0:2e-7:0 --cfg=smpi/or:0:2e-7:0 \
    --log=root.thresh:warning "simulation/build/bin/$program" "$@"
}
[ "$program" = hymg-fv ] || { simulated platform "$ranks" "$@"; exit; }
set -- "$@" --warmup 0 --min-solves 1 --min-seconds 0 --backend host
digits() { sed -n 's/^Richardson: error \([^,]*\),.*/\1/p' "simulation/$1.txt"; }
# One box, so that one of two ranks has all cells: on one rank alone no message would let the simulated clock advance.
python3 "$top/benchmarks/simulation/platform.py" flat 2 >simulation/alone.xml || exit 2
simulated platform "$ranks" "$@" >simulation/platform.txt || exit 3
simulated alone 2 "$@" --boxes 1,1,1 >simulation/alone.txt || exit 3
cat simulation/platform.txt
if [ -n "$(digits alone)" ] && [ "$(digits platform)" = "$(digits alone)" ]; then
  printf '\nsolutions of all sizes: the bits of one rank\n'
else
  printf '\nsolutions differ: Richardson error %s, on one rank %s\n' "$(digits platform)" "$(digits alone)"
  exit 1
fi
