#!/bin/bash
# digits.sh [BUILD]: prints a line for each of more than 120 solves of hymg-fv and hymg-robust in BUILD/bin (default: .): the
# options, and checksums of the solution's bits and of everything else in the record that does not depend on time. Two builds
# that print the same lines compute the same digits; `diff` says which do not. It takes a minute or two. RANKS="1 3"
# chooses the numbers of ranks (default: 1 2 3 8; 1 without mpirun), BACKEND=cuda a GPU. Exit status: 1 if a run failed, 2
# bad input.
build=${1:-.}
[ -x "$build/bin/hymg-fv" ] || { echo "digits.sh: no bin/hymg-fv in '$build'; run make there" >&2; exit 2; }
command -v python3 >/dev/null || { echo 'digits.sh: python3 is missing' >&2; exit 2; }
backend=${BACKEND:-host}
to=$(mktemp -d) || exit 2
trap 'rm -rf "$to"' EXIT
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
failed=0

# what remains of a record without times, rates, the machine and the build
timeless='
import hashlib, json, sys
words = ("second", "dof_per", "time", "rate", "wall", "spread", "disturbed")
skip = {"machine", "date", "commit", "version", "schema", "energy", "breakdown", "bandwidth", "solves", "startup", "config", "threads",
        "memory", "placement", "transport", "levels", "protocol", "work", "note", "setup_cycles"}
def keep(value):
    if isinstance(value, dict):
        return {k: keep(v) for k, v in value.items() if k not in skip and not any(w in k for w in words)}
    return [keep(v) for v in value] if isinstance(value, list) else value
record = keep(json.load(open(sys.argv[1])))
runs = record.get("runs") or record.get("problems") or record.get("results") or []
count = [len(r["cycles"]) if isinstance(r.get("cycles"), list) else r.get("iterations", r.get("cycles")) for r in runs]
print(hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16], "cycles", *count)
'

# run RANKS PROGRAM OPTIONS...
run()
{
  local ranks=$1 program=$2 start=() saved=-
  shift 2
  [ "$ranks" = 1 ] || start=(mpirun -n "$ranks")
  rm -f "$to"/*
  local own=(--backend "$backend" --tuning estimate --json "$to/record.json")
  [ "$program" != hymg-fv ] || own+=(--quiet --warmup 0 --min-solves 1 --min-seconds 0 --copy-mb 0 --save "$to/u.vti")
  if ! OMP_NUM_THREADS=$((ranks > 1 ? 1 : OMP_NUM_THREADS)) "${start[@]}" "$build/bin/$program" "${own[@]}" "$@" >"$to/out" 2>&1 &&
    [ ! -s "$to/record.json" ]; then
    printf '%s %s %s: failed: %s\n' "$ranks" "$program" "$*" "$(tail -n 1 "$to/out")"
    failed=1
    return
  fi
  [ ! -s "$to/u.vti" ] || saved=$(sha256sum <"$to/u.vti" | cut -c 1-16)
  printf '%s %s %s: u %s, record %s\n' "$ranks" "$program" "$*" "$saved" "$(python3 -c "$timeless" "$to/record.json")"
}

fv() { run 1 hymg-fv "$@"; }
robust() { run 1 hymg-robust "$@"; }

# the standard path: F-cycles, cycles to a tolerance and conjugate gradients; smoothers, bottoms, walls, shapes
for op in fv2 fv4; do
  for grid in 32,32,32 64,64,64 24,48,16 96,96,96; do
    fv --operator $op --grid $grid --path standard
    fv --operator $op --grid $grid --solver mg --precision double
  done
  for smoother in chebyshev jacobi l1jacobi symgs; do
    fv --operator $op --grid 32,32,32 --smoother $smoother
    fv --operator $op --grid 48,32,40 --smoother $smoother --solver mg
  done
  for wall in periodic p,p,d,d,p,p d,d,p,p,d,d; do
    fv --operator $op --grid 32,32,48 --boundary $wall --path standard
    fv --operator $op --grid 32,32,48 --boundary $wall --solver mg --equation helmholtz
  done
  for bottom in cg cabicgstab cacg smoother sweeps; do
    fv --operator $op --grid 24,24,24 --bottom $bottom --solver mg
  done
  for cycle in v w; do fv --operator $op --grid 32,32,32 --solver mg --cycle $cycle; done
  fv --operator $op --grid 32,32,32 --coefficients constant
  fv --operator $op --grid 64,64,64 --coefficients constant --solver mg
  fv --operator $op --grid 48,48,48 --solver mgpcg
  fv --operator $op --grid 64,64,64 --solver mg --precision mixed
  fv --operator $op --grid 100,100,100 --solver mg --precision mixed
  fv --operator $op --grid 40,40,40 --boundary neumann --solver mg --problem modes
  fv --operator $op --grid 40,40,40 --problem waves --solver mg
  fv --operator $op --grid 32,32,32 --boxes 2,2,2 --solver mg
done
fv --operator fv2 --grid 32,32,32 --boundary robin --robin 1,0.5 --solver mg
fv --operator fv2 --grid 32,32,32 --boundary robin --robin 1,0.5
for grid in 31,31,31 63,32,33 45,27,50 127,127,127; do
  fv --operator fv2 --grid $grid --solver mg
  fv --operator fv2 --grid $grid --path standard
done

# the robust path
for op in fv2 fv4; do
  for options in '--grid 32,32,32' '--grid 33,20,47' '--grid 64,64,64 --precision mixed' '--grid 24,24,96 --boundary d,n,n,n,p,p' \
    '--grid 30,31,32 --alpha 3 --boundary neumann' '--grid 40,40,40 --alpha 50 --alpha-wave 0.9' '--grid 65,65,65 --ratio 1e6'; do
    # shellcheck disable=SC2086
    robust --operator $op --path robust --coefficients ball --ratio 1e3 $options
  done
done
for coefficients in smooth balls checker layers wires cells logn gyroid rot3; do
  robust --grid 32,32,32 --coefficients $coefficients --ratio 100
done
for transfer in constant weighted tensor; do robust --grid 40,33,32 --coefficients balls --ratio 1e4 --transfer $transfer; done
for extrapolation in linear quadratic vertex; do robust --grid 32,40,24 --extrapolation $extrapolation --path robust; done
robust --grid 32,32,32 --stretch 1.1
robust --grid 33,32,31 --stretch 1.1 --stretched xyz --boundary d,n,r,d,p,p
robust --grid 64,64,16 --spacing 1,1,100
robust --grid 64,64,1 --spacing 1,1,1e-3 --boundary d,d,d,d,n,n
robust --grid 40,40,40 --norm max --rhs point
robust --grid 32,32,32 --boundary neumann --rhs point
robust --grid 20,20,20 --alpha 1e8 --alpha-in cells --hold 2
for smoother in chebyshev jacobi l1jacobi symgs; do robust --grid 32,24,40 --coefficients balls --ratio 1e3 --smoother $smoother; done

# several ranks
command -v mpirun >/dev/null || RANKS=1
for ranks in ${RANKS:-1 2 3 8}; do
  [ "$ranks" != 1 ] || continue
  for op in fv2 fv4; do
    run "$ranks" hymg-fv --operator $op --grid 48,48,48 --boxes 2,2,2
    run "$ranks" hymg-fv --operator $op --grid 48,48,48 --boxes 2,2,2 --solver mg --boundary p,p,d,d,d,d
  done
  run "$ranks" hymg-fv --operator fv2 --grid 63,65,40 --solver mg
  run "$ranks" hymg-robust --grid 33,40,35 --coefficients balls --ratio 1e4
  run "$ranks" hymg-robust --operator fv4 --grid 36,40,36 --coefficients ball --ratio 1e3
done
exit $failed
