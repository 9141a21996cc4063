#!/bin/sh
# Energy in hymg-fv's log and record: counters of a folder that stands for /sys/class/powercap and of a library that stands
# for NVML, on one rank, on ranks that share a host or a GPU, and on two hosts; what is said where counters are missing; and
# whether a run that was held up is told from one that was not. Environment: HYMG_FV, SRCDIR, CC; MPIRUN, MPIRUN_FLAGS,
# HYMG_JANSSON, SANITIZE where there are any. Ends with the totals.
# shellcheck disable=SC2086 # $timed and flags are words
set -u
: "${HYMG_FV:?the program to test}" "${SRCDIR:=$(dirname "$0")/../..}"
MPIRUN=${MPIRUN-} MPIRUN_FLAGS=${MPIRUN_FLAGS-}
passed=0 failed=0 skipped=0

skip_all()
{
  echo "skipped: $*"
  exit 77
}
[ -n "${HYMG_JANSSON-}" ] || skip_all 'hymg-fv was built without Jansson'
[ -z "${SANITIZE-}" ] || skip_all 'a sanitizer must be loaded first'
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
export OMP_NUM_THREADS=1 XDG_CACHE_HOME="$work/cache"
timed='--operator fv2 --backend host --warmup 1 --min-solves 1 --copy-mb 0 --json run.json'
on_gpu="--operator fv2 --backend cuda ${timed#*host } --min-seconds 1"

pass() { passed=$((passed + 1)); }
fail()
{
  failed=$((failed + 1))
  echo "energy: FAILED: $*"
}
skip()
{
  skipped=$((skipped + 1))
  echo "energy: skipped: $*"
}

# compile OUT SOURCE OPTION...
compile()
{
  to=$1 from=$2
  shift 2
  ${CC:-cc} -std=gnu11 -I"$SRCDIR/tests" -o "$to" "$SRCDIR/tests/$from" "$@" 2>err ||
    { fail "tests/$from does not compile: $(head -n 3 err)"; exit 1; }
}
compile powercap.so report/fake_powercap.c -shared -fPIC -ldl
compile hosts.so report/two_hosts.c -shared -fPIC -ldl
compile libnvidia-ml.so.1 report/fake_nvml.c -shared -fPIC
compile schema scripts/json_schema.c $HYMG_JANSSON -lm

# zone FOLDER ZONE NAME MICROJOULES
zone()
{
  mkdir -p "$1/$2"
  echo "$3" >"$1/$2/name"
  echo "$4" >"$1/$2/energy_uj"
  echo 262143328850 >"$1/$2/max_energy_range_uj"
}
for folder in two two1 one0; do
  zone $folder intel-rapl:0 package-0 262143000000
  zone $folder intel-rapl:0:0 dram 7
  zone $folder intel-rapl:1 package-1 5
done
zone one1 intel-rapl:0 package-0 5
mkdir none two0
cp -r two/* two0
mkdir none1
cp -r two none0
cp -r two missing
rm missing/intel-rapl:1/energy_uj

# run PRELOAD ARGUMENT...
run()
{
  preload=$1
  shift
  rm -f run.json
  OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self LD_PRELOAD="$preload" "$HYMG_FV" "$@" >out 2>err </dev/null
  code=$?
  [ $code -eq 0 ] || fail "hymg-fv $*: status $code: $(head -n 1 err)"
}

# mpi RANKS PRELOAD ARGUMENT...
mpi()
{
  ranks=$1 preload=$2
  shift 2
  rm -f run.json
  $MPIRUN $MPIRUN_FLAGS -n "$ranks" env LD_PRELOAD="$preload" "$HYMG_FV" "$@" >out 2>err </dev/null
  code=$?
  [ $code -eq 0 ] || fail "$ranks ranks, hymg-fv $*: status $code: $(head -n 1 err)"
}

# object PATH=VALUE...: the record fits the schema and these values
object()
{
  if ./schema "$SRCDIR/tests/scripts/json_schema.json" run.json "$@" >ask 2>&1; then pass; else fail "$* in $(cat ask)"; fi
}
value() { ./schema "$SRCDIR/tests/scripts/json_schema.json" run.json "$1"; }

# near PATH FACTOR OF: the value is FACTOR times the value at OF, within 5 %
near()
{
  found=$(value "$1") of=$(value "${3:-config.b}")
  if awk -v a="$found" -v b="$of" "BEGIN { exit !(a > 0.95 * $2 * b && a < 1.05 * $2 * b) }"; then pass
  else fail "$1 is $found, not about $2${3:+ times $3, which is $of}"; fi
}

told()
{
  if grep -E -q -e "$1" out; then pass; else fail "no '$1' in the output of the last run: $(grep '^energy' out)"; fi
}
untold()
{
  if grep -E -q -e "$1" out; then fail "'$1' in the output of the last run"; else pass; fi
}

# Each counter of the folder advances by 50 W.
check_packages()
{
  export FAKE_POWERCAP="$work/two"
  run "$work/powercap.so" $timed --min-seconds 1 -v 4 1
  object energy.scope=components energy.counters.0=rapl energy.idle_watts=null energy.parts.0.node=0 \
    energy.parts.0.name=package-0 "energy.parts.1.name=package-0 dram" energy.parts.2.name=package-1 \
    energy.parts.2.counter=rapl energy.parts.2.idle_watts=null "energy.solves=$(value runs.0.solves)"
  near energy.joules 150 energy.seconds
  near energy.parts.1.joules 50 energy.seconds
  told '^energy    [0-9.]+ J per solve, [0-9.e+]+ DOF/s per watt, component level \(2 processor packages, 1 memory\); 1[45][0-9]\.[0-9] W$'
  told '^    node 0 package-0 dram: [0-9.e+]+ J, [45][0-9]\.[0-9] W$'
  run "$work/powercap.so" $timed --min-seconds 1 --energy 4 1
  near energy.idle_watts 150
  near energy.parts.0.idle_watts 50
  told ' W, idle 1[45][0-9]\.[0-9] W$'
  run "$work/powercap.so" --backend host --min-seconds 1 4 1
  told '^energy    [0-9.]+ J per solve'
  run "$work/powercap.so" --min-seconds 1 --backend host --quiet 4 1
  untold energy
}

check_missing()
{
  export FAKE_POWERCAP="$work/none"
  run "$work/powercap.so" $timed --min-seconds 0 4 1
  object energy=null
  told '^energy    not measured: RAPL: /sys/class/powercap has no package of intel-rapl$'
  run "$work/powercap.so" --backend host --min-seconds 0 4 1
  untold '^energy'
  run "$work/powercap.so" --backend host --min-seconds 0 --energy 4 1
  told '^energy    not measured: '
  FAKE_POWERCAP=$work/gone run "$work/powercap.so" $timed --min-seconds 0 4 1
  told '^energy    not measured: RAPL: /sys/class/powercap: No such file or directory$'
  export FAKE_POWERCAP="$work/missing" # of the second package alone: the first alone would be too little
  run "$work/powercap.so" $timed --min-seconds 1 4 1
  object energy=null
  told '^energy    not measured: RAPL: /sys/class/powercap/intel-rapl:1/energy_uj: No such file or directory$'
  export FAKE_POWERCAP="$work/two"
  run "$work/powercap.so" $timed --min-seconds 0 4 1
  object energy=null
  told '^energy    not measured: the timed solves took [0-9.e-]+ s, the counters need 1 s: see --min-seconds$'
}

# A host counts once, whatever its ranks; two hosts count both; without one of them there is no sum.
check_ranks()
{
  if [ -z "$MPIRUN" ]; then
    skip 'ranks: no mpirun'
    return
  fi
  export FAKE_POWERCAP="$work/two"
  mpi 2 "$work/powercap.so" $timed --min-seconds 1 --energy 4 2
  object energy.parts.2.name=package-1
  near energy.joules 150 energy.seconds
  near energy.idle_watts 150
  mpi 2 "$work/hosts.so $work/powercap.so" $timed --min-seconds 1 4 2
  object energy.parts.0.node=0 energy.parts.2.node=0 energy.parts.3.node=1 energy.parts.5.name=package-1
  near energy.joules 300 energy.seconds
  told '\(4 processor packages, 2 memories\)'
  # memory on one of two hosts does not count
  FAKE_POWERCAP="$work/one%" mpi 2 "$work/hosts.so $work/powercap.so" $timed --min-seconds 1 4 2
  object energy.parts.0.node=0 energy.parts.1.node=0 energy.parts.2.node=1
  near energy.joules 150 energy.seconds
  told '\(3 processor packages\)'
  FAKE_POWERCAP="$work/none%" mpi 2 "$work/hosts.so $work/powercap.so" $timed --min-seconds 1 4 2
  object energy=null
  told '^energy    not measured: RAPL: /sys/class/powercap has no package of intel-rapl$'
}

# A GPU counts once, whatever its ranks. Those here are emulated, and the library says 300 W of each.
check_gpus()
{
  if ! "$HYMG_FV" --devices | grep -q emulat; then
    skip 'GPUs: these are not emulated'
    return
  fi
  export LD_LIBRARY_PATH="$work${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}" FAKE_NVML_WATTS=300 FAKE_POWERCAP="$work/none"
  run "$work/powercap.so" $on_gpu 4 1
  object energy.counters.0=nvml energy.parts.0.counter=nvml machine.nodes.0.gpus.0.power_limit_watts=700.0 \
    machine.nodes.0.gpus.0.clocks_mhz.sm=1981 machine.nodes.0.gpus.0.clocks_mhz.memory_max=2082 \
    machine.nodes.0.gpus.0.ecc=true machine.nodes.0.gpus.0.throttle_reasons='[]' machine.nodes.0.gpu_driver=123.45
  near energy.joules 300 energy.seconds
  told '\(1 GPU\); [23][0-9][0-9]\.[0-9] W; without the processors \(RAPL: /sys/class/powercap has no package'
  export FAKE_POWERCAP="$work/two"
  run "$work/powercap.so" $on_gpu 4 1
  object energy.counters.0=nvml energy.counters.1=rapl
  near energy.joules 450 energy.seconds
  LD_LIBRARY_PATH='' run "$work/powercap.so" $on_gpu 4 1
  object energy=null machine.nodes.0.gpus.0.clocks_mhz.sm=null machine.nodes.0.gpus.0.ecc=null
  told '^energy    not measured: NVML: libnvidia-ml.so.1, which comes with the driver, is not there'
  [ -n "$MPIRUN" ] || return
  for devices in 1 2; do
    export HYMG_EMULATION_DEVICES=$devices
    mpi 2 "$work/powercap.so" $on_gpu --grid 16,16,16
    near energy.joules $((150 + 300 * devices)) energy.seconds
  done
}

# A program that is stopped in a solve is disturbed.
check_disturbed()
{
  tries=0 disturbed=
  while [ -z "$disturbed" ] && [ $tries -lt 5 ]; do
    tries=$((tries + 1))
    OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self "$HYMG_FV" $timed --min-seconds 4 \
      --grid 33,33,33 >out 2>err </dev/null &
    started=$!
    sleep 1
    kill -STOP $started
    sleep 8
    kill -CONT $started
    wait $started
    code=$?
    disturbed=$(grep '^    disturbed: the mean is [0-9.]* times the shortest solve$' out)
    [ $code -eq 0 ] || fail "a run that was stopped: status $code: $(head -n 1 err)"
  done
  if [ -n "$disturbed" ]; then pass; else fail "a run that was stopped for 8 s of 9 is not disturbed: $(cat out)"; fi
  object runs.0.disturbed=true
  # log and record say the same of every size
  run '' $timed --min-seconds 0.2 5 1
  said=$(grep -c '^    disturbed' out)
  wrote=$(grep -c '"disturbed": true' run.json)
  if [ "$said" -eq "$wrote" ]; then pass; else fail "the log says disturbed $said times, the record $wrote times"; fi
}

check_packages
check_missing
check_ranks
check_gpus
check_disturbed
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
