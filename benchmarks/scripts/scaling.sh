#!/bin/sh
# scaling.sh [BUILD [RESULTS [GPUS]]]: F-cycles on 1, 2 and 4 GPUs of this machine (at most GPUS; default 4), a rank each,
# by every transport that is possible: weak (128^3, 256^3 and 512^3 on each GPU) and strong (256^3, 512^3 and 1024^3 in all),
# FV2 and FV4. A run solves a size, its half and its quarter, so that "weak:512" and "strong:1024" give all of these.
# RESULTS/scaling.csv (default: benchmarks/results) gets the rates, the parallel efficiency against one GPU of
# this machine, the messages and bytes that rank 0 sends in an F-cycle of the largest size, and that size. It is replaced
# when all is done; until then the rows are in scaling.csv.new, and stay there after an interruption. Then
# scaling-model.sh compares. OPTIONS is added to each command; SIZES="weak:256 strong:512" (a transport's own:
# "strong:1024:peer"), OPERATORS="fv4", TRANSPORTS="peer staged", COUNTS="4" and PROTOCOL choose a part. For `device` run mpirun -n 2
# hymg-fv --probe-comm before. Exit status 2: bad input; 3: no GPU, or nothing could be measured or written.
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-.} results=${2:-$here/../results} most=${3:-4}
program=$build/bin/hymg-fv
[ -x "$program" ] || { echo "scaling.sh: no bin/hymg-fv in '$build'; run make there" >&2; exit 2; }
[ "$most" -ge 1 ] 2>/dev/null || { echo "scaling.sh: GPUS '$most': a number from 1 on" >&2; exit 2; }
sizes=${SIZES:-weak:512 strong:1024}
operators=${OPERATORS:-fv2 fv4}
nccl=$("$program" --version | grep '^NCCL' | grep -v none)
transports=${TRANSPORTS:-peer ${nccl:+nccl }device staged}
counts=${COUNTS:-2 4}
protocol=${PROTOCOL:---warmup 3 --min-solves 10 --min-seconds 0.5}
devices=$("$program" --devices) || { echo "scaling.sh: $devices" >&2; exit 3; }
# shellcheck source-path=SCRIPTDIR
. "$here/table.sh"
begin_table scaling.csv

# grid KIND N GPUS: cells per axis; z is cut first, then y. The cells of a weak grid are flat, as it fills
# the unit cube; auto would choose the robust path there, which has no F-cycle.
grid()
{
  case $1$3 in
  weak2) echo "$2,$2,$((2 * $2))" ;;
  weak4) echo "$2,$((2 * $2)),$((2 * $2))" ;;
  *) echo "$2,$2,$2" ;;
  esac
}

# cycles KIND N GPUS OPERATOR TRANSPORT: a row for each size that was solved. A run without any has failed; a verdict on the
# order of convergence that failed (status 1) has times all the same. One GPU's rows are those of kind "single".
cycles()
{
  # shellcheck disable=SC2086  # words
  mpirun $flags -n "$3" "$program" --backend cuda --host-cells 0 --device own --operator "$4" --comm "$5" $protocol \
    --path standard --grid "$(grid "$1" "$2" "$3")" $OPTIONS >"$out" 2>&1
  status=$?
  grep -q '^[0-9]* x [0-9]* x [0-9]* ' "$out" && [ $status -le 1 ] || {
    echo "scaling.sh: $*: status $status: $(grep -m 1 'hymg-fv: ' "$out")" >&2
    return 1
  }
  awk -F, -v k="$1" -v n="$2" -v g="$3" -v o="$4" -v t="$5" -v run="$2" '
    from == "csv" && $1 == "single" && $3 == o && !(($2, "") in one) { one[$2, ""] = $7 }
    from == "out" {
      split($0, w, " +")
      if ($0 ~ /^[0-9]+ x [0-9]+ x [0-9]+ +[0-9]/) { count++; cells[count] = w[6]; seconds[count] = w[8] }
      if ($0 ~ /^messages sent/) { messages = w[6] + 0; bytes = w[7] + 0 }
    }
    END {
      for (m = 1; m <= count; m++) {
        side = n / 2 ^ (m - 1)
        e = k == "single" ? 1 : one[side, ""] / seconds[m] / (k == "strong" ? g : 1)
        printf "%s,%d,%s,%s,%d,%.0f,%s,%.4e,%.3f,%s,%s,%d\n", k, side, o, t, g, cells[m], seconds[m], cells[m] / seconds[m], e,
          m == 1 ? messages + 0 : "", m == 1 ? bytes + 0 : "", run
      }
    }' from=csv "$new" from=out "$out" >"$out.rows"
  cat "$out.rows" >>"$new" || unwritten "$new"
  cat "$out.rows"
}

{
  echo "# machine: $(echo "$devices" | head -n 1)"
  echo "# date: $(date -u +%Y-%m-%d)"
  echo "# commit: $("$program" --version | sed -n '1s/.*(commit \(.*\))/\1/p')"
  echo "# command: SIZES='$sizes' OPERATORS='$operators' TRANSPORTS='$transports' COUNTS='$counts' PROTOCOL='$protocol' OPTIONS='$OPTIONS' scaling.sh"
  echo 'kind,side,operator,transport,gpus,cells,seconds,dof_per_second,efficiency,messages,megabytes,run'
} >"$new" || unwritten "$new"
for operator in $operators; do
  # small cubes for the model, then those that the others are compared with: the first row of a size counts
  for n in 64 $(for size in $sizes; do size=${size#*:}; echo "${size%:*}"; done | sort -nu); do
    cycles single "$n" 1 "$operator" auto
  done
  for size in $sizes; do
    kind=${size%%:*} rest=${size#*:}
    n=${rest%:*} only=${rest#"$n"}
    for gpus in $counts; do
      [ "$gpus" -le "$most" ] || continue
      for transport in ${only#:} $([ -n "$only" ] || echo "$transports"); do
        cycles "$kind" "$n" "$gpus" "$operator" "$transport"
      done
    done
  done
done
measured || { echo 'scaling.sh: nothing was measured' >&2; exit 3; }
mv -f "$new" "$csv" || unwritten "$csv"
