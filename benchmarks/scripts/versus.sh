#!/bin/sh
# versus.sh: a reference program and hymg-fv in turn (A B A B ...), the median of the ratios of neighbours. The
# reference is an hpgmg-fv that the user has built, run as `hpgmg-fv LOG2_BOX_DIM BOXES_PER_RANK`; benchmarks/README.md
# says what its output must contain.

usage()
{
  cat <<END
usage: versus.sh [options] FV4_PROGRAM [SIZE...]
  FV4_PROGRAM     the reference with a 4th-order operator, its path; - for none
  SIZE            cells per side, a power of 2 from 32 to 1024; default 128 256
  --fv2 PROGRAM   the reference with a 2nd-order operator
  --rounds N      pairs of runs for each row, default 5
  --threads N     OMP_NUM_THREADS of both, default 2
  --box LOG2      LOG2_BOX_DIM of both; default: 8 boxes, half the size each way
  --bin FOLDER    where hymg-fv and hymg-kernels are, default ./bin
  --csv FILE      the rows as comma separated values
Exit: 0 every goal reached (3.5 times in fv2, 2.5 in fv4); 1 one is not; 2 bad input; 3 a program failed.
END
}

die() { code=$1; shift; echo "versus.sh: $*" >&2; exit "$code"; }

# whole NAME VALUE LOW HIGH
whole()
{
  case $2 in
  '' | *[!0-9]* | ?????????*) die 2 "$1 '$2': must be a whole number from $3 to $4" ;;
  esac
  if [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then die 2 "$1 $2: must be from $3 to $4"; fi
}

# path_of PROGRAM: one without a slash is in this folder
path_of()
{
  case $1 in
  - | */*) echo "$1" ;;
  *) echo "./$1" ;;
  esac
}

# log2_of SIZE
log2_of()
{
  power=5
  while [ $((1 << power)) -lt "$1" ]; do power=$((power + 1)); done
  if [ $((1 << power)) != "$1" ] || [ $power -gt 10 ]; then die 2 "size '$1': must be a power of 2 from 32 to 1024"; fi
}

fv2='' fv4='' sizes='' rounds=5 threads=2 box='' bin=./bin csv=
while [ $# -gt 0 ]; do
  case $1 in
  --help | -h) usage; exit 0 ;;
  --fv2 | --rounds | --threads | --box | --bin | --csv)
    [ $# -ge 2 ] || die 2 "$1 needs a value"
    case $1 in
    --fv2) fv2=$(path_of "$2") ;;
    --rounds) whole --rounds "$2" 1 1000; rounds=$2 ;;
    --threads) whole --threads "$2" 1 4096; threads=$2 ;;
    --box) whole --box "$2" 4 9; box=$2 ;;
    --bin) bin=$2 ;;
    --csv) csv=$2 ;;
    esac
    shift ;;
  --*) die 2 "unknown option '$1' (--help lists them)" ;;
  *)
    if [ -z "$fv4" ]; then
      fv4=$(path_of "$1")
    else
      whole size "$1" 32 1024
      sizes="$sizes $1"
    fi ;;
  esac
  shift
done
[ -n "$fv4" ] || { usage >&2; exit 2; }
[ "$fv4" = - ] && fv4=
[ -n "$fv2$fv4" ] || die 2 'no reference program given'
for program in ${fv2:+"$fv2"} ${fv4:+"$fv4"} "$bin/hymg-fv" "$bin/hymg-kernels"; do
  if [ ! -x "$program" ] || [ -d "$program" ]; then die 2 "'$program' is not a program"; fi
done

# box_of SIZE: sets `power` and `log2`, those of SIZE and of a box
box_of()
{
  log2_of "$1"
  log2=${box:-$((power - 1))}
  [ "$log2" -le "$power" ] || die 2 "--box $log2: boxes larger than $1^3"
  if [ "$log2" -lt 4 ] || [ "$log2" -gt 9 ]; then
    die 2 "boxes of 2^$log2 for $1^3: LOG2_BOX_DIM must be 4 to 9 (--box)"
  fi
}

for size in ${sizes:=128 256}; do box_of "$size"; done
[ -z "$csv" ] || printf '' >>"$csv" || die 2 "--csv $csv: cannot be written"
scratch=$(mktemp -d) || die 3 'cannot make a temporary folder'
trap 'rm -rf "$scratch"' EXIT
trap 'exit 3' HUP INT TERM
OMP_NUM_THREADS=$threads
export OMP_NUM_THREADS

# DOF/s out of what a program printed: the number after `DOF/s` (behind = : or blanks) or else before it, from the first
# line whose `DOF=` is the size asked for, or from the first line if none tells its DOF.
# rate FILE SIZE
rate()
{
  awk -v wanted="$2" '
    BEGIN { cells = wanted * wanted * wanted; number = "[0-9]+[.]?[0-9]*([eE][-+]?[0-9]+)?" }
    function after(text, word) {
      if (!match(text, word "[ \t=:]*" number)) return ""
      text = substr(text, RSTART, RLENGTH)
      sub("^" word "[ \t=:]*", "", text)
      return text
    }
    toupper($0) ~ /DOF\/S/ {
      text = toupper($0)
      value = after(text, "DOF/S(EC)?")
      if (value == "" && match(text, number "[ \t]*DOF/S")) value = substr(text, RSTART, RLENGTH)
      if (value + 0 <= 0) next
      dof = after(text, "DOF[ \t]*[=:]")
      if (first == "") { first = value + 0; told = dof != "" }
      if (dof != "" && dof + 0 > 0.999 * cells && dof + 0 < 1.001 * cells) { print value + 0; found = 1; exit }
    }
    END { if (!found && first != "" && !told) print first }' "$1"
}

# measure NAME SIZE COMMAND...: sets `measured`
measure()
{
  name=$1 size=$2
  shift 2
  if ! "$@" >"$scratch/out" 2>&1; then
    tail -n 5 "$scratch/out" >&2
    die 3 "$name failed: $*"
  fi
  measured=$(rate "$scratch/out" "$size")
  if [ -z "$measured" ]; then
    tail -n 5 "$scratch/out" >&2
    die 3 "$name: no DOF/s of $size^3 cells in the output of: $*"
  fi
}

# measure_triad: sets `triad`, GB/s at 24 B per element
measure_triad()
{
  "$bin/hymg-kernels" --triad --threads "$threads" >"$scratch/triad" 2>&1 || {
    cat "$scratch/triad" >&2
    die 3 "$bin/hymg-kernels --triad failed"
  }
  triad=$(sed -n 's|^triad \([0-9.]*\) GB/s at 24 B per element.*|\1|p' "$scratch/triad")
  [ -n "$triad" ] || die 3 "no triad in the output of: $bin/hymg-kernels --triad"
}

# keep LINE...: into the file of --csv, if there is one; the first line replaces an older file
begun=
keep()
{
  [ -n "$csv" ] || return 0
  [ -n "$begun" ] || printf '' >"$csv" || die 3 "--csv $csv: could not be written"
  begun=yes
  printf '%s\n' "$@" >>"$csv" || die 3 "--csv $csv: could not be written"
}

# median FILE COLUMN
median()
{
  cut -d' ' -f"$2" "$1" | sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# row OPERATOR PROGRAM SIZE GOAL BYTES: BYTES per DOF are the reference's own count
row()
{
  operator=$1 program=$2 size=$3 goal=$4 bytes=$5
  box_of "$size"
  boxes=$((1 << 3 * (power - log2)))
  : >"$scratch/row"
  round=0
  while [ $round -lt "$rounds" ]; do
    measure_triad
    measure "$program" "$size" "$program" "$log2" "$boxes"
    reference=$measured
    measure hymg-fv "$size" "$bin/hymg-fv" --operator "$operator" --quiet --warmup 2 --min-solves 5 --min-seconds 2 \
      "$log2" "$boxes"
    echo "$reference $measured $triad" | awk '{ print $1, $2, $2 / $1, $3 }' >>"$scratch/row"
    round=$((round + 1))
  done
  reference=$(median "$scratch/row" 1) ours=$(median "$scratch/row" 2)
  ratio=$(median "$scratch/row" 3) triad=$(median "$scratch/row" 4)
  range=$(cut -d' ' -f3 "$scratch/row" | sort -g | sed -n '1p;$p' | awk '{ printf "%s%.2f", (NR > 1 ? "-" : ""), $1 }')
  shares=$(echo "$reference $ours $triad $bytes" |
    awk '{ t = $3 * 1e9 / 24 * 32; printf "%.1f %.1f", 100 * $1 * $4 / t, 100 * $2 * $4 / t }')
  verdict=$(echo "$ratio $goal" | awk '{ print ($1 >= $2 ? "yes" : "NO") }')
  [ "$verdict" = yes ] || below=1
  # shellcheck disable=SC2086  # two words
  printf '%-5s %5d^3 %10.3e %10.3e %7.2f %11s %6s %5s | %8s %8s %8s\n' "$operator" "$size" "$reference" "$ours" "$ratio" \
    "$range" "$goal" "$verdict" "$triad" $shares
  [ -n "$begun" ] || keep "$(sed -n '/^triad/q; /^command/d; s/^/# /p' "$scratch/triad")" \
    "# command: versus.sh, $rounds rounds, $threads threads" \
    'operator,n,rounds,reference_dof_per_second,hymg_dof_per_second,ratio,range,goal,triad_gb_per_second,reference_percent,hymg_percent'
  keep "$operator,$size,$rounds,$reference,$ours,$ratio,$range,$goal,$triad,$(echo "$shares" | tr ' ' ,)"
}

below=0
echo "DOF/s of the reference and of hymg-fv in turn, $rounds rounds, $threads threads; ratio: median of neighbours' ratios"
echo 'percent of triad: by the bytes of the reference (1111 B/DOF in fv2, 1236 in fv4), triad counted at 32 B per element'
printf '%-5s %7s %10s %10s %7s %11s %6s %5s | %8s %8s %8s\n' op size reference hymg-fv ratio range goal met 'triad 24' 'ref %' 'hymg %'
for size in $sizes; do
  if [ -n "$fv2" ]; then row fv2 "$fv2" "$size" 3.5 1111; fi
  if [ -n "$fv4" ]; then row fv4 "$fv4" "$size" 2.5 1236; fi
done
exit $below
