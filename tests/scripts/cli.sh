#!/bin/sh
# The command line of hymg-fv: every option, every kind of bad input with its message and exit status, the JSON file
# against its schema, ranks. Environment: HYMG_FV, SRCDIR; MPIRUN, MPIRUN_FLAGS, HYMG_JANSSON, CC where there are any.
# One line per failed check; ends with the totals.
set -u
: "${HYMG_FV:?the program to test}" "${SRCDIR:=$(dirname "$0")/../..}"
MPIRUN=${MPIRUN-} MPIRUN_FLAGS=${MPIRUN_FLAGS-} HYMG_JANSSON=${HYMG_JANSSON-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0 refused=0
out=$work/out err=$work/err json=$work/run.json
export OMP_NUM_THREADS=1
export XDG_CACHE_HOME="$work/cache" # where the default tuning file goes
fast='--min-seconds 0 --min-solves 1 --warmup 0'

pass()
{
  passed=$((passed + 1))
}

fail()
{
  failed=$((failed + 1))
  echo "cli: FAILED: $*"
}

skip()
{
  skipped=$((skipped + 1))
  echo "cli: skipped: $*"
}

# A single process needs no launcher and no network: Open MPI starts ten times faster so.
run()
{
  OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self "$HYMG_FV" "$@" >"$out" 2>"$err" </dev/null
  code=$?
}

# bad MESSAGE ARGUMENT...: refused, status 2, nothing on stdout, the message on stderr
bad()
{
  message=$1
  shift
  refused=$((refused + 1))
  # small tests, which start slowly under sanitizers, try a fifth
  [ -z "${HYMG_TEST_SMALL-}" ] || [ $((refused % 5)) -eq 0 ] || return
  run "$@"
  if [ $code -ne 2 ]; then fail "hymg-fv $*: status $code, not 2"
  elif [ -s "$out" ]; then fail "hymg-fv $*: prints on stdout: $(head -n 1 "$out")"
  elif ! grep -F -q -e "$message" "$err"; then fail "hymg-fv $*: says '$(head -n 1 "$err")', not '$message'"
  else pass; fi
}

# ends STATUS ARGUMENT...: ends so, the last line is the DOF/s
ends()
{
  want=$1
  shift
  run "$@"
  if [ $code -ne "$want" ]; then fail "hymg-fv $*: status $code, not $want: $(head -n 1 "$err")"
  elif ! tail -n 1 "$out" | grep -q '^[0-9.e+]* DOF/s'; then fail "hymg-fv $*: last line is no DOF/s"
  elif [ "$want" -eq 0 ] && [ -s "$err" ]; then fail "hymg-fv $*: says on stderr: $(head -n 1 "$err")"
  else pass; fi
}

# told TEXT: the last run printed it on stdout or stderr
told()
{
  if grep -E -q -e "$1" "$out" "$err"; then pass; else fail "no '$1' in the output of the last run"; fi
}

# object PATH=VALUE...: the JSON file fits the schema and these values
object()
{
  [ -n "$schema" ] || return 0
  if "$schema" "$SRCDIR/tests/scripts/json_schema.json" "$json" "$@" >"$work/json.out" 2>&1; then pass
  else fail "$* in $(cat "$work/json.out")"; fi
}

value()
{
  "$schema" "$SRCDIR/tests/scripts/json_schema.json" "$json" "$1"
}

build_schema()
{
  schema=
  if [ -z "$HYMG_JANSSON" ]; then
    skip 'JSON: hymg-fv was built without Jansson'
  elif ${CC:-cc} -std=gnu11 -o "$work/schema" "$SRCDIR/tests/scripts/json_schema.c" $HYMG_JANSSON -lm 2>"$err"; then
    schema=$work/schema
  else
    fail "tests/scripts/json_schema.c does not compile: $(head -n 3 "$err")"
  fi
}

check_information()
{
  for option in --help -h; do
    run $option
    if [ $code -eq 0 ] && grep -q '^usage: hymg-fv' "$out" && [ ! -s "$err" ]; then pass; else fail "$option"; fi
  done
  for option in --version -V; do
    run $option
    if [ $code -eq 0 ] && grep -q '^hymg-fv [0-9]' "$out" && [ ! -s "$err" ]; then pass; else fail "$option"; fi
  done
  bad "unexpected argument 'junk' with --help" --help junk
  bad "unexpected argument 'junk' with --version" junk --version
  bad "unexpected argument '4' with --devices" --devices 4 1
  bad "unknown option '--bogus'" --version --bogus
  bad "unknown option '--min-sec': did you mean --min-seconds?" --min-sec 2
  bad "unknown option '--operat': did you mean --operator?" --operat=fv2
  run --version
  cuda=$(sed -n 's/^CUDA  *//p' "$out")
  nccl=$(sed -n 's/^NCCL  *//p' "$out" | grep -v '^none$')
  run --devices
  if [ "$cuda" = none ]; then
    devices=0
    if [ $code -eq 1 ] && grep -q 'built without CUDA' "$out"; then pass; else fail "--devices: $(cat "$out")"; fi
  elif [ $code -eq 1 ]; then
    devices=0
    if grep -q '^no CUDA device: ' "$out"; then pass; else fail "--devices: $(cat "$out")"; fi
  else
    devices=$(wc -l <"$out")
    if [ $code -eq 0 ] && grep -q '^0  .*, compute capability [0-9.]*,.* GB free$' "$out"; then pass
    else fail "--devices: status $code: $(cat "$out")"; fi
  fi
  quick= # emulated GPUs are slow
  [ "$cuda" = emulation ] && quick='--backend host'
}

check_sizes()
{
  bad "LOG2_BOX_DIM 5 needs BOXES_PER_RANK" 5
  bad "unexpected argument '7'" 4 1 7
  bad "LOG2_BOX_DIM 3: must be 4 ... 9" 3 1
  bad "LOG2_BOX_DIM 10: must be 4 ... 9" 10 1
  bad "LOG2_BOX_DIM 'x': not a whole number" x 1
  bad "BOXES_PER_RANK 0: must be 1 ... 1000000" 4 0
  bad "BOXES_PER_RANK 99999999999999999999: must be 1 ... 1000000" 4 99999999999999999999
  bad "BOXES_PER_RANK '1.5': not a whole number" 4 1.5
  bad "unknown option '-1'" 4 -1
  bad "cells need at least" 9 1000000
  bad "--grid 0: must be 1 ... 1048576" --grid 0,16,16
  bad "--grid -16: must be" --grid=-16,16,16
  bad "--grid 2000000: must be" --grid 16,2000000,16
  bad "cells need at least 101457092405.4 GB on each of 1 host; this host has " --grid 1048576,1048576,1048576
  bad "--grid '16,16': not three whole numbers" --grid 16,16
  bad "--grid '16,16,16,16': not three whole numbers" --grid 16,16,16,16
  bad "--grid '': not a whole number" --grid 16,,16
  bad "both give the size" --grid 16,16,16 4 1
  bad "--boxes needs --grid" --boxes 1,1,1 4 1
  bad "--boxes needs --grid" --boxes 1,1,1
  bad "--boxes: 3 does not divide the 16 cells of axis y" --grid 16,16,16 --boxes 1,3,1
  bad "--boxes 0: must be" --grid 16,16,16 --boxes 0,1,1
  bad "16 cells along x in 8 boxes of 2: FV4 needs boxes of 3 cells" --grid 16,16,16 --boxes 8,1,1
  bad "16 cells along y in 16 boxes of 1: a grid that is even on all axes" --grid 16,16,16 --boxes 1,16,1
  bad "needs boxes with even sides" --grid 12,12,12 --boxes 4,1,1 --operator fv2
}

check_values()
{
  bad "--operator 'fv3': must be one of fv2, fv4" --operator fv3 4 1
  bad "--equation 'x': must be one of poisson, helmholtz" --equation x 4 1
  bad "--coefficients 'x': must be one of constant, variable" --coefficients x 4 1
  bad "--problem 'x': must be one of fv, p6, sine" --problem x 4 1
  bad "--solver 'x': must be one of fmg, mg, mgpcg" --solver x 4 1
  bad "--cycle 'x': must be one of default, v, w, f" --cycle x 4 1
  bad "--smoother 'x': must be one of gsrb, chebyshev, jacobi, l1jacobi, symgs" --smoother x 4 1
  bad "--bottom 'x': must be one of bicgstab, cg, cabicgstab, cacg, smoother, sweeps" --bottom x 4 1
  bad "--backend 'x': must be one of auto, host, cuda" --backend x 4 1
  bad "--boundary 'x': must be one of dirichlet, periodic, neumann, robin" --boundary x 4 1
  bad "takes one word, or six" --boundary periodic,periodic 4 1
  bad "takes one word, or six" --boundary neumann,neumann,neumann,neumann,neumann,neumann,neumann 4 1
  bad "axis y is periodic on one wall only" \
    --boundary dirichlet,dirichlet,periodic,dirichlet,dirichlet,dirichlet 4 1
  bad "--a -1: must not be negative" --equation helmholtz --a -1 4 1
  bad "--a 'nan': not a finite number" --equation helmholtz --a nan 4 1
  bad "--b 0: must be greater than 0" --b 0 4 1
  bad "--b 'inf': not a finite number" --b inf 4 1
  bad "--b '1x': not a finite number" --b 1x 4 1
  bad "--sweeps 0: must be 1 ... 1000" --sweeps 0 4 1
  bad "--sweeps 5: gsrb takes an even number" --sweeps 5 4 1
  bad "--sweeps 3: symgs takes an even number" --smoother symgs --sweeps 3 4 1
  bad "--sweeps 4: chebyshev takes a multiple of its degree 6" --smoother chebyshev --sweeps 4 4 1
  bad "--rtol 0: must be greater than 0" --solver mg --rtol 0 4 1
  bad "--max-cycles 0: must be 1 ... 10000" --solver mg --max-cycles 0 4 1
  bad "--warmup -1: must be 0 ..." --warmup -1 4 1
  bad "--min-solves 0: must be 1 ..." --min-solves 0 4 1
  bad "--min-seconds -1: must be 0 ... 86400" --min-seconds -1 4 1
  bad "--host-cells '-5': must be 'auto' or a number" --host-cells -5 4 1
  bad "--tail-cells '1x': must be 'auto' or a number" --tail-cells 1x 4 1
  bad "--gather-cells '-1': must be 'auto' or a number" --gather-cells -1 4 1
  bad "--device -1: must be 0 ..." --device -1 4 1
  bad "--device 'x': not a whole number" --device x 4 1
  bad "--memory 'x': must be one of device, managed" --memory x 4 1
  bad "--tuning 'x': must be one of measure, estimate" --tuning x 4 1
  bad "--tuning-file: the file name is empty" --tuning-file '' 4 1
  bad "--probe-file: the file name is empty" --probe-file '' 4 1
  bad "--comm 'x': must be one of auto, device, staged, peer, nccl" --comm x 4 1
  bad "--peer-seconds 0: must be greater than 0" --peer-seconds 0 4 1
}

check_contradictions()
{
  bad "unknown option '--nothing'" --nothing 4 1
  bad "unknown option '--min': did you mean --min-solves or --min-seconds?" --min 3 4 1
  bad "--json needs a value" --json
  bad "--quiet takes no value" --quiet=1 4 1
  bad "--sweeps is given twice" --sweeps 6 --sweeps 8 4 1
  bad "--a has no effect" --a 1 4 1
  bad "--rtol has no effect with --solver fmg" --rtol 1e-8 4 1
  bad "--max-cycles has no effect with --solver fmg" --max-cycles 5 4 1
  bad "--cycle v: --solver fmg takes f only" --cycle v 4 1
  bad "--cycle w: --solver fmg takes f only" --cycle w 4 1
  bad "--cycle f: --solver mgpcg takes v or w" --solver mgpcg --cycle f 4 1
  bad "--boundary neumann: with --operator fv4 needs --solver mg or mgpcg" --boundary neumann 4 1
  bad "--problem waves: with --operator fv4 needs --solver mg or mgpcg" --problem waves 4 1
  bad "--boundary robin: needs --operator fv2" --boundary robin 4 1
  bad "--robin has no effect without --boundary robin" --operator fv2 --robin 1,1 4 1
  for robin in 1 1,x -1,1 0,0 1,nan 1,2,3; do
    bad "must be two numbers ALPHA,BETA" --operator fv2 --boundary robin --robin $robin 4 1
  done
  bad "--quiet and --verbose contradict" --quiet --verbose 4 1
  bad "--energy has no effect with --quiet and without --json" --quiet --energy 4 1
  for option in --device=0 --memory=managed --host-cells=100 --tail-cells=100 --tuning-file=none --comm=staged \
    --peer-seconds=1 --probe-file=x --probe-comm; do
    bad "${option%=*} has no effect with --backend host" --backend host $option 4 1
    if [ "$cuda" = none ]; then
      bad "${option%=*} has no effect: this program was built without CUDA" $option 4 1
    else
      bad "${option%=*} has no effect with --smoother symgs" $option --smoother symgs 4 1
    fi
  done
  if [ "$cuda" = none ]; then
    bad "--backend cuda: this program was built without CUDA" --backend cuda 4 1
  else
    bad "--backend cuda: --smoother symgs runs on the host only" --backend cuda --smoother symgs 4 1
    bad "--tuning-file has no effect with both" --host-cells 0 --tail-cells 0 --tuning-file x 4 1
    [ -n "$nccl" ] || bad "--comm nccl: this program was built without NCCL" --comm nccl 4 1
    bad "--probe-comm: of --comm only device or nccl, not staged" --comm staged --probe-comm 4 1
    bad "--probe-file none: --probe-comm needs a file" --probe-file none --probe-comm 4 1
    bad "--peer-seconds has no effect with --comm staged" --comm staged --peer-seconds 1 4 1
  fi
  for option in --problem=fv --warmup=1 --min-solves=1 --min-seconds=1 --official "--json=$json" --energy --quiet --verbose; do
    bad "${option%=*} has no effect with --plan" --plan $option 4 1
  done
  bad "--rtol has no effect with --plan" --plan --solver mg --rtol 1e-3 4 1
  bad "--max-cycles has no effect with --plan" --plan --solver mg --max-cycles 3 4 1
}

# adds_up: the bytes of the levels are those of the line that sums them up
adds_up()
{
  if awk '$1 ~ /^[0-9]+$/ { sum += $(NF - 1); levels++ } $1 == "all" { total = $(NF - 1) }
    END { d = sum - total; exit !(levels > 0 && total > 0 && d * d <= 1e-10) }' "$out"; then pass
  else fail "the rows of --plan do not add up: $(cat "$out")"; fi
}

# Memory is told for any size, none is taken.
check_plan()
{
  for size in '4 1' '9 1' '9 512' '--grid 17,9,5' '--operator fv2 --coefficients constant 6 8'; do
    run --plan $size
    if [ $code -eq 0 ] && [ ! -s "$err" ] && grep -q '^  all ' "$out"; then pass
    else fail "--plan $size: status $code: $(head -n 1 "$err")"; fi
    adds_up
  done
  if grep -q '^    0  128 x 128 x 128  *all  *host' "$out"; then pass; else fail "--plan: ranks: $(cat "$out")"; fi
  run --plan --grid 1048576,1048576,1048576
  if [ $code -eq 0 ] && grep -q '^    0  1048576 x 1048576 x 1048576 ' "$out"; then pass
  else fail "--plan of 2^60 cells: status $code"; fi
  bad "16 cells along x in 8 boxes of 2: FV4 needs boxes of 3 cells" --plan --grid 16,16,16 --boxes 8,1,1
}

# Below a profiler or checker there is no default tuning file: launches are slow there.
check_watched()
{
  for sign in NV_SANITIZER_INJECTION_PORT_BASE NSYS_PROFILING_SESSION_ID NV_COMPUTE_PROFILER_PERFWORKS_DIR; do
    export XDG_CACHE_HOME="$work/$sign" "$sign=1"
    ends 0 $small --probe-file none 4 1
    if [ ! -e "$work/$sign" ]; then pass; else fail "with $sign: there is a tuning file or its folder"; fi
    unset "$sign"
    ends 0 $small --probe-file none 4 1
    if [ -d "$work/$sign/hymg" ]; then pass; else fail 'there is no folder for the tuning file'; fi
  done
  export XDG_CACHE_HOME="$work/cache"
}

# What a GPU adds, where there is one.
check_gpu()
{
  if [ "$devices" -eq 0 ]; then
    [ "$cuda" = none ] || bad "no CUDA device" --backend cuda 4 1
    skip 'GPU: none is here'
    return
  fi
  bad "CUDA device $devices: there are $devices" --backend cuda --device "$devices" 4 1
  bad "GB on the GPU, " --backend cuda --grid 8192,8192,8192
  ends 0 $small --backend cuda --host-cells 0 --tail-cells 0 4 1
  told '^device    0: .*; device memory; CUDA started in '
  told '^placement levels 0 to 3 on the GPU, no level there in one launch, no level on the host: options$'
  object config.backend=cuda config.host_cells=0 config.tail_cells=0 config.memory=device levels.0.backend=cuda \
    levels.3.backend=cuda placement.host_from=4 placement.source=options
  gpu=
  [ -z "$schema" ] || gpu=$(value runs.0.solution_rms)
  ends 0 $small --backend host 4 1
  object levels.0.backend=host placement=null startup_seconds=null "runs.0.solution_rms=$gpu"
  ends 0 $small --backend cuda --host-cells 513 --memory managed --device 0 4 1
  told '^placement level 0 on the GPU, no level there in one launch, levels 1 to 3 on the host: options$'
  object config.memory=managed levels.0.backend=cuda levels.1.backend=host levels.3.backend=host placement.host_from=1
  ends 0 $small --host-cells 100000 --tuning estimate 4 1
  object config.tuning=estimate levels.0.backend=host placement.host_from=0
  ends 0 $small --smoother symgs 4 1
  told 'smoother symgs: all levels are on the host'
  object levels.0.backend=host
  ends 0 $small 4 1
  object placement.source=estimate levels.0.backend=cuda transport.asked=auto transport.within=none
  bad "messages are probed between 2 ranks, not 1" --probe-file "$work/probe" --probe-comm 4 1
  check_watched
  [ "$cuda" = emulation ] && return
  ends 0 $small --tuning-file "$work/tuning" 6 1
  told '^placement .*: measured in '
  if head -n 1 "$work/tuning" | grep -q '^hymg tuning 1$' && [ "$(wc -l <"$work/tuning")" -eq 2 ]; then pass
  else fail "the tuning file is not as it should be: $(cat "$work/tuning")"; fi
  ends 0 $small --tuning-file "$work/tuning" 6 1
  told '^placement .*: file$'
  ends 0 $small --tuning-file "$work/none/tuning" 6 1
  told '^note      tuning: .*not written'
  ends 0 $small 6 1
  if [ -s "$work/cache/hymg/tuning" ]; then pass; else fail 'the default tuning file was not written'; fi
}

check_official()
{
  bad "--official requires --operator fv4" --official --operator fv2 7 1
  bad "--official requires --equation poisson" --official --equation helmholtz 7 1
  bad "--official requires --b 1" --official --b 2 7 1
  bad "--official requires --boundary dirichlet" --official --boundary periodic 7 1
  bad "--official requires --coefficients variable" --official --coefficients constant 7 1
  bad "--official requires --problem fv" --official --problem p6 7 1
  bad "--official requires --smoother gsrb" --official --smoother chebyshev 7 1
  bad "--official requires --sweeps 6" --official --sweeps 8 7 1
  bad "--official requires --precision double" --official --precision mixed 7 1
  bad "--official requires --solver fmg" --official --solver mg 7 1
  bad "--official requires --bottom bicgstab" --official --bottom cg 7 1
  bad "--official requires sizes as LOG2_BOX_DIM" --official --grid 128,128,128
  bad "--official requires at least 128 cells" --official 6 1
  bad "--official requires --warmup of at least 10" --official --warmup 9 7 1
  bad "--official requires --min-solves of at least 10" --official --min-solves 9 7 1
  bad "--official requires --min-seconds of at least 60" --official --min-seconds 59 7 1
  # whoever builds without git
  "$HYMG_FV" --version | grep -q '(commit ' || bad "--official requires a program that knows its commit" --official 7 1
}

# A launcher that started several processes which do not find each other; srun's word counts unless a terminal is there.
check_copies()
{
  for name in OMPI_COMM_WORLD_SIZE MV2_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS; do
    export $name=3
    run $fast 4 1
    if [ $code = 3 ] && [ ! -s "$out" ] && grep -q "hymg-fv: started 3 times ($name=3), each time alone" "$err"; then pass
    else fail "$name=3: status $code, '$(cat "$err")'"; fi
    export $name=1
    run $fast 4 1
    if [ $code = 0 ]; then pass; else fail "$name=1: status $code, '$(cat "$err")'"; fi
    unset $name
  done
  # the innermost launcher counts
  export OMPI_COMM_WORLD_SIZE=1 SLURM_STEP_NUM_TASKS=3
  run $fast 4 1
  if [ $code = 0 ]; then pass; else fail "mpirun -n 1 in a step of 3: status $code, '$(cat "$err")'"; fi
  unset OMPI_COMM_WORLD_SIZE SLURM_STEP_NUM_TASKS
}

check_json_refusals()
{
  if [ -z "$schema" ]; then
    bad "libjansson-dev" --json "$json" 4 1
    return
  fi
  bad "cannot write there" --json "$work/none/x.json" 4 1
  bad "is a directory" --json "$work" 4 1
  bad "cannot write there" --json /proc/hymg.json 4 1
  bad "the file name is empty" --json '' 4 1
  mkdir "$work/kept"
  echo old >"$work/kept/x.json"
  bad "FV4 needs boxes of 3 cells" --json "$work/kept/x.json" --grid 16,16,16 --boxes 8,1,1
  if [ "$(cat "$work/kept/x.json")" = old ] && [ "$(ls "$work/kept")" = x.json ]; then pass
  else fail 'an older file does not survive a refused run'; fi
  ends 0 $fast --json "$work/kept/x.json" 4 1
  if grep -q '"schema"' "$work/kept/x.json" && [ "$(ls "$work/kept")" = x.json ]; then pass
  else fail 'an older file is not replaced, or something is left beside it'; fi
  ln -s kept/x.json "$work/planted.json.new"
  bad "no plain file of this user" --json "$work/planted.json" 4 1
  if grep -q '"schema"' "$work/kept/x.json" && [ -L "$work/planted.json.new" ] && [ ! -e "$work/planted.json" ]; then pass
  else fail 'a link at the name of the temporary file was followed'; fi
  if [ -c /dev/full ]; then
    run $fast --json /dev/full 4 1
    if [ $code -eq 3 ] && grep -q 'writing failed' "$err" && grep -q '"schema"' "$out"; then pass
    else fail "a failed write of the file: status $code"; fi
  fi
}

# Every option that changes the work, on 16^3 cells, and its trace in the file.
check_options()
{
  to_file=
  [ -z "$schema" ] || to_file="--json $json --copy-mb 0"
  small="$fast $to_file"
  ends 0 $small 4 1
  object config.operator=fv4 config.equation=poisson config.a=0.0 config.b=1.0 config.boundary=dirichlet \
    config.coefficients=variable config.problem=fv config.smoother=gsrb config.sweeps=6 config.cycle=f \
    config.solver=fmg config.bottom=bicgstab config.rtol=null config.max_cycles=null runs.0.converged=null \
    runs.0.error_max=null richardson.pass=null runs.0.cells='[16,16,16]' official=false ranks=1 runs.0.solves=1 \
    runs.0.cycles.0.kind=f config.boxes='[1,1,1]' config.host_cells=auto config.precision=double
  ends 0 $small 4 8
  object runs.0.cells='[32,32,32]' config.boxes='[2,2,2]' runs.2.dof=512
  ends 0 $small --grid 32,16,8 --boxes 2,1,1 --operator fv2 --path standard
  object config.operator=fv2 runs.0.cells='[32,16,8]' config.boxes='[2,1,1]' config.spacing='[0.03125,0.0625,0.125]'
  ends 0 $small --grid 6,6,6 --operator fv2 --problem p6
  object richardson=null runs.1.cells='[3,3,3]'
  ends 0 $small --equation helmholtz --a 2.5 --b 0.5 --coefficients constant --backend host 4 1
  object config.equation=helmholtz config.a=2.5 config.b=0.5 config.coefficients=constant config.backend=host
  for boundary in periodic periodic,periodic,dirichlet,dirichlet,periodic,periodic; do
    ends 0 $small --boundary $boundary --problem sine 4 1
    object config.boundary=$boundary config.problem=sine
  done
  for boundary in neumann dirichlet,neumann,periodic,periodic,neumann,dirichlet; do
    ends 0 $small --operator fv2 --boundary $boundary --problem p6 4 1
    object config.boundary=$boundary config.problem=p6
  done
  for boundary in robin dirichlet,robin,periodic,periodic,neumann,robin; do
    ends 0 $small --operator fv2 --boundary $boundary --robin 1,0.3 --problem modes 4 1
    object config.boundary=$boundary config.problem=modes
  done
  for smoother in chebyshev jacobi l1jacobi symgs; do
    ends 0 $small --smoother $smoother --sweeps 12 4 1
    object config.smoother=$smoother config.sweeps=12
  done
  ends 0 $small --smoother symgs 4 1
  object config.sweeps=4
  for bottom in cg cabicgstab cacg smoother sweeps; do
    ends 0 $small --bottom $bottom --grid 12,12,12 
    object config.bottom=$bottom
  done
}

# order LEAST ARGUMENT...: the largest error falls at least so between the two finest sizes
order()
{
  least=$1
  shift
  ends 0 $small --solver mg --problem waves "$@"
  got=$(sed -n 's/^errors: *order \([0-9.]*\) (max).*/\1/p' "$out" | tail -n 1)
  if awk "BEGIN { exit !(${got:-0} >= $least && ${got:-0} < 1.2 * $least) }"; then pass
  else fail "hymg-fv --problem waves $*: order '$got', not $least"; fi
}

# Walls of every kind with data that are not 0, on cubes, odd boxes and unequal spacings.
check_walls()
{
  order 3.8 --grid 32,32,32
  object config.problem=waves runs.0.path=robust runs.0.converged=true richardson=null \
    coarser_runs.0.cells='[16,16,16]' coarser_runs.1.dof=512 coarser_runs.1.path=robust
  told '^errors: .* from 16 x 16 x 16 to 32 x 32 x 32 cells'
  told '^Richardson: not of sizes that have solvers of their own'
  order 3.8 --grid 45,33,50 --boundary d,n,n,d,p,p
  order 1.9 --operator fv2 --boundary r,d,n,r,p,p --robin 2,0.3 5 1
  object richardson.pass=null runs.2.cells='[8,8,8]'
  [ -z "${HYMG_TEST_SMALL-}" ] || return
  order 3.8 --boundary neumann 5 1
  order 3.8 --boundary n,d,n,d,n,d --grid 33,31,35 --equation helmholtz --a 7
  order 3.8 --boundary p,p,n,n,d,d --grid 30,36,44 --coefficients constant --b 3
  order 1.9 --operator fv2 --boundary neumann,robin,dirichlet,robin,neumann,dirichlet --path robust --grid 37,28,41
  ends 0 $small --solver mg --problem waves --grid 15,32,32
  object runs.0.cells='[15,32,32]' coarser_runs.0.cells='[8,16,16]'
  ends 0 $small --solver mg --boundary neumann --problem modes 4 1
  object config.boundary=neumann config.problem=modes runs.0.path=robust
}

check_solvers()
{
  ends 0 $small --solver mg 4 1
  object config.rtol=1e-10 config.max_cycles=100 runs.0.converged=true runs.0.reason=tolerance \
    runs.0.cycles.0.kind=f runs.0.cycles.1.kind=v
  for cycle in v w; do
    ends 0 $small --solver mg --cycle $cycle --rtol 1e-4 --max-cycles 30 4 1
    object config.rtol=0.0001 config.max_cycles=30 config.cycle=$cycle runs.0.cycles.0.kind=$cycle
    ends 0 $small --solver mgpcg --cycle $cycle --rtol 1e-4 4 1
    object config.solver=mgpcg config.cycle=$cycle runs.0.cycles.1.kind=cg runs.0.converged=true
  done
  ends 1 $small --solver mg --cycle v --max-cycles 1 4 1
  object runs.0.converged=false runs.0.reason=limit
  told 'did not converge'
  ends 0 $small --equation helmholtz --a 1 --b 1e-280 4 1
  object richardson.order=null richardson.pass=null
  told 'order nan'
  run $small --b 1e308 4 1
  if [ $code -eq 2 ]; then pass; else fail "--b 1e308: status $code"; fi
  told 'b beta / h.2 = inf along x where h = 0.0625'
}

check_protocol()
{
  ends 0 --warmup 2 --min-solves 4 --min-seconds 0 $to_file 4 1
  object protocol.warmup=2 protocol.min_solves=4 protocol.min_seconds=0.0 runs.0.solves=4 runs.2.solves=4
  ends 0 $quick --warmup 0 --min-solves 1 --min-seconds 0.05 4 1
  if [ "$(sed -n 's/^16 x 16 x 16 *4096 *\([0-9]*\) .*/\1/p' "$out")" -gt 1 ]; then pass
  else fail '--min-seconds 0.05: one solve of 16^3 does not fill it'; fi
  ends 0 $fast --quiet 4 1
  if [ "$(wc -l <"$out")" -eq 1 ]; then pass; else fail '--quiet prints more than one line'; fi
  ends 0 $fast -v --problem p6 4 1
  told '^    max error [0-9]\.[0-9]{16}e'
  told 'lambda_max'
  told '^Richardson: .*no verdict'
  told 'bytes per DOF'
  ends 0 $fast --grid 18,18,18 --operator fv2 --bottom cg
  ends 0 $fast $quick --grid 17,17,17 --operator fv2 --coefficients constant
  told '^grid .* down to 1 x 1 x 1$'
  ends 0 $fast $quick --grid 34,30,26 --operator fv2
  told '^grid .* down to 2 x 1 x 1$'
  told '^17 x 15 x 13 '
  ends 0 $fast $quick --grid 17,17,17 --operator fv4 --coefficients constant
  told 'coarsest level has 4913 cells \(more than 4096\)'
  ends 0 $fast --grid 9,9,9 --solver mg --coefficients constant
  told 'cells in 1 box, 1 level$'
  ends 0 $fast --grid 9,9,9 --boxes 3,1,3 --solver mgpcg --coefficients constant
  told 'cells in 3 x 1 x 3 boxes, 1 level$'
}

check_crowding()
{
  cores=$(getconf _NPROCESSORS_ONLN)
  export OMP_NUM_THREADS=$((cores + 1)) OMP_WAIT_POLICY=passive
  run --version
  if grep -q '^OpenMP *none' "$out"; then
    skip 'too many threads: no OpenMP'
  else
    ends 0 $fast 4 1
    told "^note +1 rank x $((cores + 1)) threads on $cores cores?: set OMP_NUM_THREADS=$cores$"
    ends 0 $fast --quiet 4 1
    if [ "$(wc -l <"$out")" -eq 1 ]; then pass; else fail '--quiet prints the note on threads'; fi
  fi
  export OMP_NUM_THREADS=1
}

check_verdicts()
{
  ends 0 $small $quick --problem p6 6 1
  object richardson.pass=true
  told '^Richardson: .*pass'
  ends 1 $small $quick --problem p6 --sweeps 2 6 1
  object richardson.pass=false
  told '^Richardson: .*FAIL'
}

# on_terminal ENVIRONMENT ARGUMENT...: a run whose output goes to a terminal of its own
on_terminal()
{
  environment=$1
  shift
  env OMPI_MCA_ess_singleton_isolated=1 TERM=xterm $environment script -q -e -c "$HYMG_FV $*" /dev/null \
    >"$out" 2>"$err" </dev/null
}

# escapes WANTED PATTERN WHAT: are there escape sequences of this kind in the output?
escapes()
{
  if LC_ALL=C grep -q "$(printf '\033\\[')$2" "$out"; then found=yes; else found=no; fi
  if [ $found = "$1" ]; then pass; else fail "escape sequences \\[$2 $3: $found"; fi
}

check_terminal()
{
  run $fast 4 1
  if LC_ALL=C grep -q "$(printf '\033')" "$out" "$err"; then fail 'escape sequences in files'; else pass; fi
  if ! command -v script >/dev/null 2>&1; then
    skip 'progress on a terminal: no script(1)'
    return
  fi
  line='--operator fv2 --grid 9,9,9 --min-seconds 0.3 --warmup 1' # a single size
  on_terminal NO_COLOR= $line
  told '9 x 9 x 9 cells: warm-up 1 of 1'
  told 'solve [0-9]+, at least 10, [0-9]+ s left'
  escapes yes 36m 'on a terminal'
  # each is cleared before anything else is printed
  if tr '\r' '\n' <"$out" | LC_ALL=C grep 'left' | grep -q -v "^$(printf '\033')\[K.*left$(printf '\033')\[0m\$"; then
    fail "progress stays on the terminal"
  else pass; fi
  [ -z "${HYMG_TEST_SMALL-}" ] || return
  on_terminal NO_COLOR=1 $line
  escapes yes K 'with NO_COLOR'
  escapes no '[0-9]' 'with NO_COLOR'
  on_terminal TERM=dumb $line
  escapes no . 'with TERM=dumb'
  on_terminal NO_COLOR= $line --quiet
  escapes no . 'with --quiet'
  on_terminal NO_COLOR= "$line 2>'$err.redirected'"
  escapes no K 'without standard error'
  if LC_ALL=C grep -q "$(printf '\033')" "$err.redirected"; then fail 'escape sequences in standard error'; else pass; fi
  if [ -n "$schema" ]; then
    on_terminal NO_COLOR= $line --json /dev/stdout --copy-mb 0
    escapes no . 'with JSON on standard output'
  fi
  on_terminal NO_COLOR= $fast $quick --problem p6 6 1
  escapes yes 32mpass 'with a passed verdict'
}

# The solution in a file: the same bytes from any number of ranks, nothing left after failures.
check_save()
{
  mkdir "$work/saved" "$work/saved/d.vti"
  bad "--save u.vtk: the file name must end in .vti or .vtr" --save u.vtk 4 1
  bad "--save none: the file name must end in .vti or .vtr" --save none 4 1
  bad "--save $work/none/u.vti: cannot write there: No such file" --save "$work/none/u.vti" 4 1
  bad "--save $work/saved/d.vti: cannot write there: is a directory" --save "$work/saved/d.vti" 4 1
  bad "--save has no effect with --plan" --plan --save "$work/saved/1.vti" 4 1
  set -- $fast --operator fv2 --solver mg --grid 21,13,9
  ends 0 "$@" --save "$work/saved/1.vti"
  for array in u f; do
    if grep -a -q "<DataArray type=\"Float64\" Name=\"$array\"" "$work/saved/1.vti"; then pass
    else fail "no $array in the saved file"; fi
  done
  for ranks in ${MPIRUN:+2 3}; do
    mpi $ranks "$@" --save "$work/saved/$ranks.vti"
    if [ $code -eq 0 ] && cmp "$work/saved/1.vti" "$work/saved/$ranks.vti" >/dev/null; then pass
    else fail "--save on $ranks ranks: status $code, or other bytes than from one"; fi
  done
  (
    ulimit -f 4
    trap '' XFSZ
    run "$@" --quiet --save "$work/saved/large.vti"
    exit $code
  )
  if [ $? -eq 3 ] && grep -q 'large.vti: not written: File too large' "$err" && grep -q 'DOF/s' "$out" &&
    ! ls "$work"/saved/large* >/dev/null 2>&1; then pass
  else fail "--save to a full disk: $(cat "$err"); left: $(ls "$work/saved")"; fi
}

# mpi RANKS ARGUMENT...
mpi()
{
  ranks=$1
  shift
  $MPIRUN $MPIRUN_FLAGS -n "$ranks" "$HYMG_FV" "$@" >"$out" 2>"$err" </dev/null
  code=$?
}

check_ranks()
{
  if [ -z "$MPIRUN" ]; then
    skip 'ranks: no mpirun'
    return
  fi
  run $small --problem p6 --grid 16,16,16 --boxes 2,2,2
  [ -z "$schema" ] || one=$(value runs.0.solution_rms)
  for ranks in 2 3; do
    mpi $ranks $small --problem p6 --grid 16,16,16 --boxes 2,2,2
    if [ $code -eq 0 ] && [ "$(grep -c 'DOF/s' "$out")" -eq 2 ]; then pass
    else fail "$ranks ranks: status $code: $(head -n 3 "$err")"; fi
    [ -z "$schema" ] || object ranks=$ranks config.comm=mpi "runs.0.solution_rms=$one"
  done
  mpi 2 $small 4 4
  object runs.0.cells='[32,32,32]'
  mpi 2 --sweeps 5 4 1
  if [ $code -eq 2 ] && [ "$(grep -c 'hymg-fv: --sweeps 5' "$err")" -eq 1 ]; then pass
  else fail "bad input on 2 ranks: status $code, not once the message"; fi
}

# Ranks with a GPU each: how they exchange, and the end of all when one is killed.
check_ranks_with_gpus()
{
  [ "$cuda" = emulation ] && export HYMG_EMULATION_DEVICES=2
  if [ -z "$MPIRUN" ] || [ "$("$HYMG_FV" --devices | grep -c 'compute capability')" -lt 2 ]; then
    skip 'ranks with GPUs: no mpirun or fewer than two GPUs'
    return
  fi
  run $small --backend cuda --grid 16,16,16
  [ -z "$schema" ] || one=$(value runs.0.solution_rms)
  for comm in peer staged ${nccl:+nccl}; do
    mpi 2 $small --backend cuda --comm $comm --device own --gather-cells 100 --grid 16,16,16
    told "^exchange  $comm: as asked for"
    object transport.asked=$comm transport.within=$comm transport.between=none transport.gather_cells=100 \
      levels.0.ranks=2 levels.1.ranks=1 "runs.0.solution_rms=$one"
  done
  mpi 3 $small --backend cuda --device own --grid 16,16,16
  if [ $code -eq 2 ] && [ "$(grep -c 'hymg-fv: .*3 ranks on a node want a CUDA device each' "$err")" -eq 1 ]; then pass
  else fail "--device own with fewer devices than ranks: status $code: $(head -n 3 "$err")"; fi
  for comm in peer staged ${nccl:+nccl}; do
    $MPIRUN $MPIRUN_FLAGS -n 2 "$HYMG_FV" --backend cuda --comm $comm --grid 16,16,16 --min-seconds 60 >"$out" 2>"$err" \
      </dev/null &
    started=$!
    sleep 3
    victim=$(cat /proc/$started/task/*/children 2>/dev/null | tr ' ' '\n' | head -n 1)
    [ -z "$victim" ] || kill -9 "$victim"
    waited=0
    limit=$(awk -v f="${HYMG_TEST_SLOWNESS:-1}" 'BEGIN { printf "%d", 20 * (f > 1 ? f : 1) }')
    while kill -0 $started 2>/dev/null && [ $waited -lt "$limit" ]; do sleep 1; waited=$((waited + 1)); done
    if [ -n "$victim" ] && ! kill -0 $started 2>/dev/null; then pass
    else fail "$comm: a rank was killed ('$victim'), and the others went on"; fi
    kill -9 $started 2>/dev/null
    wait $started 2>/dev/null
  done
}

build_schema
check_information
check_sizes
check_values
check_contradictions
check_official
check_copies
check_json_refusals
check_options
check_gpu
check_plan
check_walls
check_solvers
check_protocol
check_crowding
check_verdicts
check_terminal
check_save
check_ranks
check_ranks_with_gpus
echo "cli: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
