#!/bin/sh
# scaling.sh [BUILD [RESULTS [GPUS]]]: F-cycles on 1, 2 and 4 GPUs of this machine (at most GPUS; default 4), a rank each,
# by every transport that is possible: weak (256^3 and 512^3 on each GPU) and strong (512^3 and 1024^3 in all), FV2 and
# FV4. RESULTS/scaling.csv (default: results/ beside this script) gets the rates, the parallel efficiency against one GPU
# of the same run, the messages and bytes that rank 0 sends in an F-cycle, and the reason of the transport. Then
# scaling-model.sh compares. OPTIONS is added to each command; SIZES="weak:256 strong:512", OPERATORS="fv4",
# TRANSPORTS="peer staged" and PROTOCOL choose a part. For `device` run mpirun -n 2 hymg-fv --probe-comm before.
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-.} results=${2:-$here/results} most=${3:-4}
program=$build/bin/hymg-fv
[ -x "$program" ] || { echo "scaling.sh: no bin/hymg-fv in '$build'; run make there" >&2; exit 2; }
[ "$most" -ge 1 ] 2>/dev/null || { echo "scaling.sh: GPUS '$most': a number from 1 on" >&2; exit 2; }
sizes=${SIZES:-weak:256 weak:512 strong:512 strong:1024}
operators=${OPERATORS:-fv2 fv4}
transports=${TRANSPORTS:-peer device staged}
protocol=${PROTOCOL:---warmup 3 --min-solves 10 --min-seconds 0.5}
mkdir -p "$results"
csv=$results/scaling.csv
out=$(mktemp) || exit 3
trap 'rm -f "$out"' EXIT
flags=
case $(mpirun --version 2>/dev/null) in
*'Open MPI'*) flags=--oversubscribe ;;
esac
[ "$(id -u)" = 0 ] && [ -n "$flags" ] && flags="$flags --allow-run-as-root"

# grid KIND N GPUS: cells per axis; z is cut first, then y
grid()
{
  case $1$3 in
  weak2) echo "$2,$2,$((2 * $2))" ;;
  weak4) echo "$2,$((2 * $2)),$((2 * $2))" ;;
  *) echo "$2,$2,$2" ;;
  esac
}

# Every cube that a run on one GPU solves on the way: the model is made of them.
singles()
{
  awk -v o="$1" '/^[0-9]+ x [0-9]+ x [0-9]+ +[0-9]/ && $1 == $3 && $3 == $5 {
    printf "single,%d,%s,none,1,%d,%s,%.4e,1.000,0,0\n", $1, o, $6, $8, $6 / $8 }' "$out" >>"$csv"
}

# cycles KIND N GPUS OPERATOR TRANSPORT: seconds, cells, messages and megabytes of rank 0, or nothing
cycles()
{
  # shellcheck disable=SC2086  # words
  mpirun $flags -n "$3" "$program" --backend cuda --host-cells 0 --device own --operator "$4" --comm "$5" $protocol \
    --grid "$(grid "$1" "$2" "$3")" $OPTIONS >"$out" 2>&1
  [ $? -le 1 ] || { # 1: done, but the verdict on the order of convergence failed
    echo "scaling.sh: $*: $(grep -m 1 'hymg-fv: ' "$out")" >&2
    return 1
  }
  awk '/^[0-9]+ x [0-9]+ x [0-9]+ +[0-9]/ && !cells { cells = $6; seconds = $8 }
    /^messages sent/ { messages = $6 + 0; bytes = $7 }
    END { printf "%s %s %d %s\n", seconds, cells, messages, bytes + 0 }' "$out"
}

echo 'kind,side,operator,transport,gpus,cells,seconds,dof_per_second,efficiency,messages,megabytes' >"$csv"
for operator in $operators; do
  line=$(cycles single 64 1 "$operator" auto) && singles "$operator"
done
for size in $sizes; do
  kind=${size%:*} n=${size#*:}
  for operator in $operators; do
    one=
    for gpus in 1 2 4; do
      [ "$gpus" -le "$most" ] || continue
      for transport in $transports; do
        # one GPU exchanges nothing: once is enough
        [ "$gpus" = 1 ] && { [ -z "$one" ] || continue; transport=auto; }
        line=$(cycles "$kind" "$n" "$gpus" "$operator" "$transport") || continue
        [ "$gpus" = 1 ] && one=${line%% *} && singles "$operator"
        echo "$line" | awk -v k="$kind" -v n="$n" -v o="$operator" -v t="$transport" -v g="$gpus" -v one="${one:-0}" '{
          e = k == "weak" ? one / $1 : one / $1 / g
          printf "%s,%d,%s,%s,%d,%.0f,%s,%.4e,%.3f,%d,%s\n", k, n, o, t, g, $2, $1, $2 / $1, e, $3, $4 }' | tee -a "$csv"
      done
    done
  done
done
