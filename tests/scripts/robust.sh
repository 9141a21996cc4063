#!/bin/sh
# hymg-robust: help, the list of names, every kind of bad input with its message and exit status, keys that override a
# name's, the JSON file, tiny solves of every coefficient on one rank and several. Environment: BUILD; MPIRUN,
# MPIRUN_FLAGS, HYMG_JANSSON where there are any. Ends with the totals.
set -u
: "${BUILD:?the build folder}"
program=$BUILD/bin/hymg-robust
MPIRUN=${MPIRUN-} MPIRUN_FLAGS=${MPIRUN_FLAGS-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
out=$work/out err=$work/err json=$work/run.json csv=$work/rows.csv
export OMP_NUM_THREADS=1
fast='--backend host --tuning estimate --grid 9,7,5'

pass() { passed=$((passed + 1)); }

fail()
{
  failed=$((failed + 1))
  echo "robust: FAILED: $*"
}

skip()
{
  skipped=$((skipped + 1))
  echo "robust: skipped: $*"
}

# A single process needs no launcher and no network: Open MPI starts ten times faster so.
run()
{
  OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self "$program" "$@" >"$out" 2>"$err" </dev/null
  code=$?
}

# bad MESSAGE ARGUMENT...: refused, status 2, nothing on stdout, the message on stderr
bad()
{
  message=$1
  shift
  run "$@"
  if [ $code -ne 2 ]; then fail "$*: status $code, not 2"
  elif [ -s "$out" ]; then fail "$*: prints on stdout: $(head -n 1 "$out")"
  elif ! grep -F -q -e "$message" "$err"; then fail "$*: says '$(head -n 1 "$err")', not '$message'"
  else pass; fi
}

# solves NAME ARGUMENT...: status 0, and a line of this name that has converged
solves()
{
  name=$1
  shift
  run "$@"
  if [ $code -ne 0 ]; then fail "$*: status $code: $(head -n 1 "$err")"
  elif ! grep -q "^$name  *[0-9].* yes " "$out"; then fail "$*: $(tail -n 1 "$out")"
  else pass; fi
}

check_information()
{
  run --help
  if [ $code -eq 0 ] && grep -q '^usage: hymg-robust' "$out" && [ ! -s "$err" ]; then pass; else fail '--help'; fi
  run --list
  if [ $code -eq 0 ] && [ "$(wc -l <"$out")" -eq 112 ] && grep -q '^ball_1e3  *--coefficients ball --ratio 1e3$' "$out"; then
    pass
  else
    fail "--list: status $code, $(wc -l <"$out") lines"
  fi
  if [ "$(cut -d ' ' -f 1 "$out" | sort -u | wc -l)" -eq 112 ]; then pass; else fail '--list: a name appears twice'; fi
}

check_refusals()
{
  bad "'nothing': no problem has this name" nothing
  bad "'nothing': no problem has this name" smooth64 nothing
  bad "--grid '0': must be a whole number from 1 to 1048576" --grid 0,4,4
  bad "--grid '4,4': not three whole numbers" --grid 4,4
  bad "--coefficients 'cube': must be smooth, constant" --coefficients cube
  bad "--ratio '0': must be a number greater than 0" --ratio 0
  bad "--ratio '1e3x': must be a number" ball_1e3 --ratio 1e3x
  bad "--alpha '-1': must be a number of at least 0" --alpha -1
  bad '--alpha-wave 0.5 has no effect without --alpha' --alpha-wave 0.5
  bad "--alpha-wave '2': must be" --alpha 1 --alpha-wave 2
  bad '--alpha-in sink has no effect without --alpha' --alpha-in sink
  bad '--alpha-in cell: not with --alpha-wave' --alpha 1 --alpha-in cell --alpha-wave 0.5
  bad '--hold 3 has no effect without --alpha-in' --alpha 1 --hold 3
  bad "--boundary 'x': must be dirichlet, periodic, neumann or robin" --boundary x
  bad 'takes one word, or six' --boundary d,n
  bad '--boundary: axis y is periodic on one wall only' --boundary d,d,p,d,d,d
  bad "--spacing '0,1,1': must be three numbers" --spacing 0,1,1
  bad "must be three numbers" --spacing 1,1
  bad '--stretch 0.5: must be 0 or at least 1' --stretch 0.5
  bad "--aspect '0.5': must be a number from 1" --aspect 0.5
  bad "--blk '0': must be a whole number from 1" --blk 0
  bad "--rhs 'two': must be one, noise, point, active, zero or bowl" --rhs two
  bad "--transfer 'v': must be one of auto, constant, weighted, tensor" --transfer v
  bad "--rtol '1': must be" --rtol 1
  bad "--atol -1: must be at least 0" --atol -1
  bad "--norm '1': must be max or 2" --norm 1
  bad "--extrapolation 'cubic': must be linear, quadratic or vertex" --extrapolation cubic
  bad "--path 'fast': must be one of auto, standard, robust" --path fast
  bad "--method 'fmg': must be mg or mgpcg" --method fmg
  bad "--sweeps 0: must be 1 ... 1000" --sweeps 0
  bad "--max-cycles '0': must be" --max-cycles 0
  bad "--backend 'gpu': must be one of auto, host, cuda" --backend gpu
  bad "--threads '0': must be" --threads 0
  bad "unknown option '--colour'" --colour
  bad '--csv /no/such/folder/rows' --csv /no/such/folder/rows
  run --hypre --extrapolation quadratic
  if [ $code -eq 2 ] && grep -q -e '--hypre' "$err"; then pass; else fail "--hypre: status $code"; fi
  run --grid 8,8,8 --stretch 1.1 --path standard --backend host
  if [ $code -eq 2 ] && grep -q 'hymg-robust: ' "$err"; then pass; else fail "widths on the standard path: status $code"; fi
}

check_solves()
{
  for name in smooth constant ball balls checker layers layersx rlayers slayers thin wires cells logn gyroid ponds rot2 rot3; do
    solves $name $fast --coefficients $name --ratio 2
  done
  for transfer in auto constant weighted tensor; do solves ball $fast --coefficients ball --ratio 1e3 --transfer $transfer --path robust; done
  solves smooth $fast --grid 8,8,8 --path standard
  solves smooth $fast --extrapolation quadratic --path robust
  solves smooth $fast --boundary n,d,p,p,n,d --alpha 3
  solves smooth $fast --boundary neumann --rtol 1e-8
  run $fast --operator fv4 --path auto --grid 8,8,8 --alpha 100 --alpha-wave 0.9 --verbose
  if [ $code -eq 0 ] && grep -q 'path robust: alpha varies' "$out"; then pass; else fail "--alpha-wave: status $code: $(cat "$out")"; fi
  solves smooth $fast --stretch 1.2 --stretched xyz
  solves tanh_cross tanh_cross $fast
  solves rot2d_1e3 rot2d_1e3 $fast --grid 9,7,1
  solves mix mix smooth64 $fast --csv "$csv"
  if grep -q '^hymg  converged, of 2 problems: 2 in 15' "$out" && grep -q '^smooth64,9,7,5,' "$csv"; then pass
  else fail "two names: $(tail -n 1 "$out")"; fi
  run $fast --max-cycles 1 --path robust
  if [ $code -eq 1 ] && grep -q ' limit ' "$out"; then pass; else fail "--max-cycles 1: status $code"; fi
  run all $fast --max-cycles 1 --coefficients constant
  if [ $code -eq 0 ] && grep -q '^hymg  converged, of 75 problems:' "$out"; then pass; else fail "all: status $code: $(tail -n 1 "$err")"; fi
}

# The largest |u| of a sparse direct solver (SciPy's) for the problems of `sources`.
check_sources()
{
  run sources --backend host --tuning estimate --max-cycles 500 --verbose
  if [ $code -ne 0 ]; then fail "sources: status $code: $(head -n 1 "$err")"; fi
  while read -r name largest; do
    found=$(awk -v name="$name" '$1 == name { here = 1 } here && /largest/ { print $3; exit }' "$out")
    if awk -v x="$found" -v y="$largest" 'BEGIN { exit !(x != "" && x / y < 1 + 1e-6 && x / y > 1 - 1e-6) }' &&
      grep -q "^$name .* yes " "$out"; then pass
    else fail "sources: $name: largest |u| is $found, not $largest, or not converged"; fi
  done <<END
point2d 8.761956957e-05
point3d 8.927035190e-05
pin_1e4 1.132632859e+03
pin_1e12 1.132472959e+03
pins_1e8 9.617987779e+01
pinplane_1e12 7.900000000e+02
sink_1 2.527344332e+00
sink_1e-4 9.997444742e+03
ponds_1e-3 6.756531090e+01
ponds_1e-6 6.654926781e+04
END
}

# At most so many iterations to 1e-10 for the problems of `masks`: what was found by experiment, and one more.
check_masks()
{
  run masks --backend host --tuning estimate --threads 2
  if [ $code -ne 0 ]; then fail "masks: status $code: $(head -n 1 "$err")"; fi
  while read -r name most; do
    if awk -v name="$name" -v most="$most" '$1 == name && $3 <= most && / yes / { found = 1 } END { exit !found }' "$out"; then pass
    else fail "masks: $name: not in $most iterations: $(grep "^$name " "$out")"; fi
  done <<END
sphere 13
sphere63 9
sphere2d 12
spheres4 17
overlap 16
ocean 13
ocean100 13
pores_0.6 11
pores_0.4 15
pores_0.3 16
pores_0.2 18
pores63_0.3 24
grains_0.6 17
grains_0.4 20
grains_0.3 23
blobs_0.5 19
blobs_0.3 31
open_0.6 22
open_0.4 61
serpentine 16
rooms 19
pockets 10
corners 6
corners1 1
maze63_10 46
cut 11
cutheld 13
END
  # the known history of residuals of one problem, from its first and last digits on
  run sphere --grid 17,16,15 --rhs bowl --rtol 1e-11 --backend host --tuning estimate
  if grep -q '^sphere  *4080  *11 .* 8.3e-12$' "$out"; then pass; else fail "sphere, 17 x 16 x 15: $(grep '^sphere' "$out")"; fi
  bad '--cut with' --cut sphere --mask rooms
  bad '--cut held with' --cut held --alpha 1
}

check_json()
{
  if [ -z "${HYMG_JANSSON-}" ]; then
    bad Jansson --json "$json"
    return
  fi
  solves ball $fast --coefficients ball --ratio 1e3 --path robust --rhs one --json "$json"
  for text in '"schema": "hymg-robust/1"' '"levels": \[' '"coarsened": \[' '"runs": \[' '"cycles": \[' '"kind": "cg"' \
    '"residual_relative": ' '"path": "robust"' '"work_units": ' '"blk": 8'; do
    if grep -q "$text" "$json"; then pass; else fail "--json: no $text"; fi
  done
  # a record for every iteration, and the first residual of this problem, which is known
  iterations=$(sed -n 's/^ball  *[0-9]*  *\([0-9]*\) .*/\1/p' "$out")
  if [ "$(grep -c '"kind"' "$json")" -eq "$iterations" ] && grep -q '"residual_relative": 0.649863174' "$json"; then pass
  else fail "--json: not $iterations records from 0.649863174 on"; fi
  bad '--json /no/such/folder/x: ' --json /no/such/folder/x
}

check_ranks()
{
  if [ -z "$MPIRUN" ]; then
    skip 'several ranks: there is no MPI or no mpirun'
    return
  fi
  run $fast --grid 12,12,8 --coefficients cells --ratio 3
  one=$(awk '/^cells/ { print $3, $NF }' "$out")
  for ranks in 2 3; do
    # shellcheck disable=SC2086
    "$MPIRUN" $MPIRUN_FLAGS -n $ranks "$program" $fast --grid 12,12,8 --coefficients cells --ratio 3 >"$out" 2>"$err" </dev/null
    code=$?
    if [ $code -eq 0 ] && [ "$(awk '/^cells/ { print $3, $NF }' "$out")" = "$one" ]; then pass
    else fail "$ranks ranks: status $code, $(tail -n 1 "$out"), not '$one': $(head -n 2 "$err")"; fi
  done
}

# hypre's solution of the same system has the same largest |u|, where nothing is loose; where something is, it converges.
check_hypre()
{
  run --hypre --grid 8,8,8
  if [ $code -eq 2 ]; then
    skip "hypre: $(head -n 1 "$err")"
    return
  fi
  body='--grid 16,12,9 --coefficients constant --mask lattice --blk 2 --radius 0.45'
  for problem in '--grid 12,12,12 --coefficients constant --cut held' '--grid 12,10,8 --coefficients constant --cut sphere' \
    "$body --boundary n,n,n,n,d,d --low-value 1" "$body --boundary p,p,d,n,n,n --alpha 2" \
    '--grid 9,8,7 --coefficients ball --alpha 30 --alpha-in cells --hold 2 --boundary n' \
    '--grid 9,8,7 --coefficients smooth --alpha 30 --alpha-wave 0.5'; do
    for other in '' --boomeramg; do
      # shellcheck disable=SC2086
      solves '[a-z]*' --backend host --tuning estimate --verbose --hypre $other $problem
      if awk '/largest/ { x = $3 } /hypre.s:/ { y = $2 } END { exit !(x > 0 && y / x < 1 + 1e-6 && y / x > 1 - 1e-6) }' "$out"; then pass
      else fail "--hypre $other $problem: $(grep -e largest -e "hypre's:" "$out")"; fi
    done
  done
  run --hypre --boomeramg rooms --grid 16,16,16 --backend host
  if [ $code -eq 0 ] && awk '$1 == "rooms" { good = $(NF - 1) <= 1e-10 } END { exit !good }' "$out"; then pass
  else fail "--hypre rooms: status $code, $(tail -n 2 "$out")"; fi
}

check_information
check_refusals
check_solves
check_sources
check_masks
check_json
check_hypre
check_ranks
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
