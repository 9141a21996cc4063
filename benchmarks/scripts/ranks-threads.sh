#!/bin/sh
# ranks-threads.sh [BUILD [RESULTS [SIDE...]]]: F-cycles of SIDE^3 cells (default: 32 64 127 128 256) by one process of two
# threads and by two ranks of one thread, in turn, bound to two cores; the least of ROUNDS (default 5) runs of each. A line
# for each operator and size, FV4 at even ones: both in ms, and the speed of ranks over that of threads. RESULTS/ranks-threads.csv
# (default: benchmarks/results) has the same rows. It is replaced when all is done; until then they are in
# ranks-threads.csv.new, and stay there after an interruption. OPERATORS="fv4" chooses, OPTIONS are added to each command,
# PREFIX="chrt -f 50" stands before it.
# Exit status 1 if a ratio is below GOAL (default 0.95); 2: bad input; 3: a run failed, or nothing could be written.
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-.} results=${2:-$here/../results} rounds=${ROUNDS:-5} goal=${GOAL:-0.95}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] && shift
program=$build/bin/hymg-fv
[ -x "$program" ] || { echo "ranks-threads.sh: no bin/hymg-fv in '$build'; run make there" >&2; exit 2; }
for side in "${@:-64}"; do
  [ "$side" -ge 8 ] 2>/dev/null || { echo "ranks-threads.sh: SIDE '$side': a number from 8 on" >&2; exit 2; }
done
[ "$rounds" -ge 1 ] 2>/dev/null || { echo "ranks-threads.sh: ROUNDS '$rounds': a number from 1 on" >&2; exit 2; }
[ $# -gt 0 ] || set -- 32 64 127 128 256
# shellcheck source-path=SCRIPTDIR
. "$here/table.sh"
begin_table ranks-threads.csv
[ -z "$flags" ] || flags="$flags --bind-to core"
protocol="--backend host --tuning estimate -v --warmup 2 --min-solves 5 --min-seconds 0.1 $OPTIONS"

# least OPERATOR SIDE WAY: appends the shortest solve of the finest size, in seconds, out of what a run printed
least() { awk '/seconds mean/ { print $NF; found = 1; exit } END { exit !found }' "$out" >>"$out.$3"; }

# once OPERATOR SIDE WAY: a run; WAY: threads or ranks
once()
{
  words="$protocol --operator $1 --grid $2,$2,$2"
  # shellcheck disable=SC2086  # words
  if [ "$3" = threads ]; then
    OMP_NUM_THREADS=2 OMP_PROC_BIND=close OMP_PLACES=cores $PREFIX "$program" $words
  else
    OMP_NUM_THREADS=1 $PREFIX mpirun $flags -n 2 "$program" $words
  fi >"$out" 2>&1
  status=$?
  [ $status -le 1 ] && least "$@" && return
  cat "$out" >&2
  echo "ranks-threads.sh: $1, $2^3 by $3 failed with status $status" >&2
  exit 3
}

{
  echo "# machine: $(sed -n 's/^model name[ \t]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), load $(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null) at the start"
  echo "# date: $(date -u +%Y-%m-%d)"
  echo "# commit: $("$program" --version | sed -n '1s/.*(commit \(.*\))/\1/p')"
  echo "# command: ROUNDS=$rounds OPTIONS='$OPTIONS' PREFIX='$PREFIX' ranks-threads.sh: hymg-fv $protocol, least of $rounds runs in turn, ms"
  echo 'operator,side,threads_2_ms,ranks_2_ms,ranks_over_threads'
} >"$new" || unwritten "$new"
printf '%-8s %5s %12s %12s %8s\n' operator side 'threads, ms' 'ranks, ms' speed
worst=0
for operator in ${OPERATORS:-fv2 fv4}; do
  for side; do
    [ "$operator$((side % 2))" != fv41 ] || continue # no standard path
    rm -f "$out.threads" "$out.ranks"
    for _ in $(seq "$rounds"); do
      once "$operator" "$side" threads
      once "$operator" "$side" ranks
    done
    row=$(awk -v row="$operator,$side" '
      FNR == 1 { file++; least[file] = $1 }
      $1 < least[file] { least[file] = $1 }
      END { printf "%s,%.4f,%.4f,%.3f\n", row, 1e3 * least[1], 1e3 * least[2], least[1] / least[2] }' "$out.threads" "$out.ranks")
    rm -f "$out.threads" "$out.ranks"
    echo "$row" >>"$new" || unwritten "$new"
    echo "$row" | awk -F, '{ printf "%-8s %5d %12.4f %12.4f %8.2f\n", $1, $2, $3, $4, $5 }'
    echo "$row" | awk -F, -v goal="$goal" '{ exit $5 < goal }' || worst=1
  done
done
mv -f "$new" "$csv" || unwritten "$csv"
exit $worst
