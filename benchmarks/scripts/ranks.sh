#!/bin/sh
# ranks.sh [BUILD [RESULTS [SIDE...]]]: F-cycles of SIDE^3 cells (default: 64 and 128) on 1 to 64 ranks of one thread, however
# many cores there are: messages and bytes of all ranks and of rank 0 against the model of hymg-messages, level by level,
# and the bits of the solution against one rank's. RESULTS/ranks.csv (default: benchmarks/results) has a row for
# each operator, size and number of ranks; where ranks have several boxes on a level there is no model, its fields are
# empty and `agree` is "-". It is replaced when all is done; until then the rows are in ranks.csv.new, and stay there after
# an interruption. RANKS="1 8" chooses. Exit status 1 if counts that have a model, or bits, disagree; 2: bad input; 3: a
# run failed, or nothing could be written.
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-.} results=${2:-$here/../results}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] && shift
[ -x "$build/bin/hymg-messages" ] || { echo "ranks.sh: no bin/hymg-messages in '$build'; run make there" >&2; exit 2; }
for side in "${@:-64}"; do
  [ "$side" -ge 16 ] 2>/dev/null || { echo "ranks.sh: SIDE '$side': a number from 16 on" >&2; exit 2; }
done
[ $# -gt 0 ] || set -- 64 128
# shellcheck source-path=SCRIPTDIR
. "$here/table.sh"
begin_table ranks.csv
OMP_NUM_THREADS=1 OMPI_MCA_mpi_yield_when_idle=1
export OMP_NUM_THREADS OMPI_MCA_mpi_yield_when_idle
worst=0 head=
for side; do
  for ranks in ${RANKS:-1 2 4 8 16 32 64}; do
    rm -f "$out.csv"
    # shellcheck disable=SC2086  # words
    mpirun $flags -n "$ranks" "$build/bin/hymg-messages" --size "$side" --csv "$out.csv" >"$out" 2>&1
    status=$?
    # mpirun itself may fail with 1
    if [ $status -gt 1 ] || [ ! -s "$out.csv" ]; then
      cat "$out" >&2
      echo "ranks.sh: $side^3 on $ranks ranks failed with status $status" >&2
      exit 3
    fi
    [ $status = 0 ] || worst=1
    [ -n "$head" ] || {
      {
        sed -n '/^# machine/p;/^# date/p;/^# commit/p' "$out.csv"
        echo '# command: ranks.sh (mpirun -n RANKS hymg-messages --size SIDE)'
        echo 'operator,side,ranks,messages,model,bytes,model,messages_first,bytes_first,levels_on_ranks,agree,same_bits'
      } >"$new" || unwritten "$new"
      head=done
    }
    awk -F, -v ranks="$ranks" '
      FILENAME == ARGV[1] { if (/the same bits/) same[++solved] = "yes"; if (/NOT THE SAME/) same[++solved] = "no"; next }
      /^fv/ {
        if (!($1 in messages)) order[++count] = $1
        messages[$1] += $10; model[$1] += $11; bytes[$1] += $12; bytes_model[$1] += $13
        first[$1] += $6; bytes_first[$1] += $8; levels[$1] += $5 > 1
        if ($7 == "") unknown[$1] = 1
        else if ($6 != $7 || $8 != $9 || $10 != $11 || $12 != $13) unlike[$1] = 1
        side = $2
      }
      END {
        for (m = 1; m <= count; m++) {
          o = order[m]
          printf "%s,%d,%d,%d,%s,%.0f,%s,%d,%.0f,%d,%s,%s\n", o, side, ranks, messages[o],
            unknown[o] ? "" : sprintf("%d", model[o]), bytes[o], unknown[o] ? "" : sprintf("%.0f", bytes_model[o]),
            first[o], bytes_first[o], levels[o], unlike[o] ? "no" : unknown[o] ? "-" : "yes", same[m]
        }
      }' "$out" "$out.csv" >"$out.rows"
    cat "$out.rows" >>"$new" || unwritten "$new"
    cat "$out.rows"
  done
done
mv -f "$new" "$csv" || unwritten "$csv"
exit $worst
