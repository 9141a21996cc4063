#!/bin/sh
# What all programs have in common: --help, --version, unknown options, man pages, completions for bash, sizes that are run
# or refused, and the same of configure. Environment: BUILD, SRCDIR; MPIRUN, MPIRUN_FLAGS, PYTHON where there are any.
# Ends with the totals.
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the sources}"
MPIRUN=${MPIRUN-} MPIRUN_FLAGS=${MPIRUN_FLAGS-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
out=$work/out err=$work/err help=$work/help
export OMP_NUM_THREADS=1 XDG_CACHE_HOME="$work/cache"

pass() { passed=$((passed + 1)); }

fail()
{
  failed=$((failed + 1))
  echo "programs: FAILED: $*"
}

skip()
{
  skipped=$((skipped + 1))
  echo "programs: skipped: $*"
}

# check WHAT COMMAND...
check()
{
  what=$1
  shift
  if "$@" >"$work/check" 2>&1; then pass; else fail "$what: $(head -n 3 "$work/check")"; fi
}

# A single process needs no launcher and no network: Open MPI starts ten times faster so.
run()
{
  OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self "$@" >"$out" 2>"$err" </dev/null
  code=$?
}

# prints COMMAND...: status 0, something on stdout, nothing on stderr
prints()
{
  run "$@"
  if [ $code -eq 0 ] && [ -s "$out" ] && [ ! -s "$err" ]; then pass
  else fail "$*: status $code: $(head -n 1 "$err")"; fi
}

# bad MESSAGE COMMAND...: status 2, nothing on stdout, the message on stderr
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

# options of a help text: the long names
named() { sed -n 's/^  \(-., \)*\(--[a-z-]*\).*/\2/p' "$1"; }

# Options with words as values, as in "--operator fv2|fv4": those whose words stand on one line, no lists.
with_words()
{
  sed -n 's/^  \(-., \)*\(--[a-z-]* [^ ]*|[^ ]*[^ |]\)\( .*\)*$/\2/p' "$1" | grep -v ','
}

check_help()
{
  prints "$program" --help
  cp "$out" "$help"
  prints "$program" -h
  check "$name: -h is --help" cmp "$out" "$help"
  check "$name: usage" grep -q "^usage: .*$name" "$help"
  check "$name: an example" grep -q "^Example: .*$name" "$help"
  check "$name: headings" sh -c "[ \$(grep -c '^[A-Z].*:\$' $help) -ge 3 ]"
  check "$name: lines of at most 80 characters" awk 'length > 80 { print; found = 1 } END { exit found }' "$help"
  check "$name: no line ends in blanks" sh -c "! grep -n ' \$' $help"
  check "$name: a text for each option" awk '/^  (-., )?--[^ ]*$/ { print; found = 1 } END { exit found }' "$help"
  check "$name: no option twice" sh -c "[ -z \"\$(sed -n 's/^  \(-., \)*\(--[a-z-]*\).*/\2/p' $help | sort | uniq -d)\" ]"
  check "$name: the word is operation" sh -c "! grep -iw verb $help"
  prints "$program" --version
  check "$name: its version" grep -q "^$name $version\( (commit .*)\)*\$" "$out"
  cp "$out" "$work/version"
  prints "$program" -V
  check "$name: -V is --version" cmp "$out" "$work/version"
  bad "unknown option '--hepl': did you mean --help?" "$program" --hepl
  bad "unknown option '--vrsion': did you mean --version?" "$program" --vrsion=1
  bad "unknown option '--frobnicate'" "$program" --frobnicate
  run "$program" --frobnicate
  check "$name: nothing is like that" sh -c "! grep -q 'did you mean' $err"
}

# once TEXT STATUS ARGUMENT...: on two ranks one of them prints it
once()
{
  text=$1 status=$2
  shift 2
  # shellcheck disable=SC2086  # words
  "$MPIRUN" $MPIRUN_FLAGS -n 2 "$program" "$@" >"$out" 2>"$err" </dev/null
  code=$?
  count=$(cat "$out" "$err" | grep -c -e "$text")
  if [ $code -eq "$status" ] && [ "$count" -eq 1 ]; then pass; else fail "2 ranks, $name $*: status $code, printed $count times"; fi
}

check_ranks()
{
  if [ -z "$MPIRUN" ]; then
    skip "$name on two ranks: there is no mpirun"
    return
  fi
  once '^usage: ' 0 -h
  once "^$name $version" 0 -V
  once "unknown option '--frobnicate'" 2 --frobnicate
}

check_manual()
{
  page=$SRCDIR/packaging/$name.1
  check "$name: a man page" test -f "$page"
  named "$help" | sort >"$work/of-help"
  sed -n '/^\.TP/{n;s/^\(\\fB\\-.\\fR, \)*\\fB\(\\-\\-[^ ]*\)\\fR.*/\2/p;}' "$page" | tr -d '\134' | sort >"$work/of-page"
  check "$name: the man page has the options of --help and no others" diff "$work/of-help" "$work/of-page"
  check "$name: there are some" test -s "$work/of-page"
  if command -v groff >/dev/null; then
    check "$name: groff has no warnings" sh -c "words=\$(groff -man -ww -z '$page' 2>&1); echo \"\$words\"; [ -z \"\$words\" ]"
  else
    skip "$name: man page: there is no groff"
  fi
  if command -v mandoc >/dev/null; then
    check "$name: mandoc has no warnings" mandoc -T lint -W warning "$page"
  fi
}

# completed WORD...: what completes the last one, sorted
completed()
{
  bash -c '. "$0" || exit 1
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _hymg "$1"
    [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' "$SRCDIR/packaging/bash-completion" "$@" | sort
}

# completes "EXPECTED ..." WORD...
completes()
{
  expected=$1
  shift
  found=$(completed "$@" | tr '\n' ' ')
  if [ "$found" = "${expected:+$expected }" ]; then pass; else fail "completing '$*': '$found', not '$expected'"; fi
}

check_completion()
{
  named "$help" | sort >"$work/of-help"
  completed "$program" -- >"$work/completed"
  check "$name: options are completed" diff "$work/of-help" "$work/completed"
  for pair in $(with_words "$help" | tr ' ' ':'); do
    words=$(echo "${pair#*:}" | tr '|' '\n' | grep -v '[A-Z]' | sort | tr '\n' ' ')
    case $pair in
    *FILE*) ;;
    *) completes "${words% }" "$name" "${pair%%:*}" '' ;;
    esac
  done
}

check_completions()
{
  if ! command -v bash >/dev/null; then
    skip 'completions: there is no bash'
    return
  fi
  check 'each program is registered' sh -c "cd '$BUILD/bin' && for p in hymg-*; do
    grep -q \"^complete .* \$p\( .*\)*\$\" '$SRCDIR/packaging/bash-completion' || exit 1; done"
  completes '--operator' hymg-fv --op
  completes 'chebyshev' hymg-fv --smoother ch
  completes 'fv2 fv4' hymg-fv 7 1 --operator =
  completes 'fv4' hymg-fv --operator = fv4
  completes '--operator=fv2 --operator=fv4' hymg-fv --operator=fv
  completes 'auto device nccl peer staged' hymg-fv --comm ''
  completes 'peer,nccl' hymg-exchange --comm peer,n
  completes 'd,periodic' hymg-fv --boundary d,p
  completes 'wires' hymg-robust --coefficients w
  completes 'ball_1e-3 ball_1e-6 ball_1e3 ball_1e6' hymg-robust ball_1e
  completes 'sources' hymg-robust smooth64 so
  completes 'a all b c d' hymg-stencil ''
  completes '' hymg-fv --warmup ''
  completes '' hymg-fv --nosuch
  mkdir "$work/folder" && : >"$work/folder/a record.json" && mkdir "$work/folder/deep"
  completes "$work/folder/a record.json" hymg-fv --json "$work/folder/a"
  completes "--json=$work/folder/a record.json" hymg-fv "--json=$work/folder/a"
  completes "$work/folder/a record.json $work/folder/deep" hymg-report --csv "$work/folder/"
  completes "$work/folder/deep" hymg-fv --submit "$work/folder/"
}

# cells SIDES ARGUMENT...: hymg-kernels runs these
cells()
{
  sides=$1
  shift
  run "$BUILD/bin/hymg-kernels" --triad-mb 1 --repeat 1 --seconds 0 --operator fv2 --operation dot --csv "$work/rows.csv" "$@"
  found=$(sed -n 's/^dot,fv2,[a-z]*,\([0-9]*\),.*/\1/p' "$work/rows.csv" | uniq | tr '\n' ' ')
  if [ $code -eq 0 ] && [ "$found" = "$sides " ]; then pass; else fail "hymg-kernels $*: status $code, sides $found"; fi
}

# What was given is run, or refused.
check_sizes()
{
  cells '32 64' --size 64
  cells '48' --only 48
  check 'kernels: the column' grep -q '^operation,operator,' "$work/rows.csv"
  for size in 63 33 96 1000; do
    bad "--size '$size': must be 32, 64, 128, 256, 512 or 1024" "$BUILD/bin/hymg-kernels" --size $size
  done
  bad "--only '63': must be multiples of 16" "$BUILD/bin/hymg-kernels" --only 63
  bad '--only has no effect with --threshold' "$BUILD/bin/hymg-kernels" --threshold --only 48
  bad '--comm: one transport at a time' "$BUILD/bin/hymg-exchange" --levels --comm auto,staged
  bad '--size: case b is two-dimensional' "$BUILD/bin/hymg-stencil" b --size 8x8x8
  bad '--order: one order with' "$BUILD/bin/hymg-stencil" a --order 2,4 --snapshot "$work/wave.pgm"
  bad '--precision both: float or double' "$BUILD/bin/hymg-stencil" a --precision both --snapshot "$work/wave.pgm"
  check 'no picture then' test ! -e "$work/wave.pgm"
  prints "$BUILD/bin/hymg-fv" --warmup 0 --min-solves 1 --min-seconds 0 4 1
  check 'hymg-fv: the column' grep -q '^level  operation  *calls ' "$out"
  check 'results: no column verb' sh -c "! grep -lw verb '$SRCDIR'/benchmarks/results/*.csv"
  prints "$BUILD/bin/hymg-fv" --help
  cp "$out" "$help"
  prints "$BUILD/bin/hymg-fv" --operator fv2 --warmup 3 --min-seconds 5 --help
  check 'defaults do not depend on the command line' cmp "$out" "$help"
  bad "unknown option '-operator': did you mean --operator?" "$BUILD/bin/hymg-fv" -operator fv2
  bad "unknown option '-x'" "$BUILD/bin/hymg-fv" -qx 4 1
}

# configure_says STATUS TEXT OPTION
configure_says()
{
  (cd "$work" && "$SRCDIR/configure" "$3") >"$out" 2>"$err"
  code=$?
  if [ $code -eq "$1" ] && cat "$out" "$err" | grep -F -q -e "$2" && [ ! -e "$work/Makefile" ]; then pass
  else fail "configure $3: status $code: $(cat "$out" "$err" | head -n 1)"; fi
}

check_configure()
{
  for option in --help -h; do configure_says 0 'Example: ' $option; done
  check 'configure: lines of at most 80 characters' awk 'length > 80 { print; found = 1 } END { exit found }' "$out"
  for option in --version -V; do configure_says 0 "hymg $version" $option; done
  configure_says 1 "unknown option '--with-fortan': did you mean --with-fortran?" --with-fortan
  configure_says 1 "unknown option '--without-cude': did you mean --without-cuda?" --without-cude
  configure_says 1 "unknown option '--prefx=/a': did you mean --prefix?" --prefx=/a
  configure_says 1 "unknown option '--frobnicate' (" --frobnicate
  configure_says 1 '--cpu-arch needs a value' --cpu-arch
  configure_says 1 "--enable-debug takes no value 'yes'" --enable-debug=yes
}

version=$(sed -n 's/^#define HYMG_VERSION "\(.*\)"/\1/p' "$SRCDIR/include/hymg.h")
for program in "$BUILD"/bin/hymg-*; do
  name=${program##*/}
  if [ "$name" = hymg-report ] && ! "$program" --version >/dev/null 2>&1 && ! command -v python3 >/dev/null; then
    skip 'hymg-report: there is no python3'
    continue
  fi
  check_help
  [ "$name" = hymg-report ] || check_ranks
  "$program" --help >"$help" 2>/dev/null
  check_manual
  command -v bash >/dev/null && check_completion
done
check_completions
check_sizes
check_configure
if "${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
  check 'man pages and completions are those of --help' "${PYTHON:-python3}" "$SRCDIR/tools/write-manuals" --check "$SRCDIR" "$BUILD"
else
  skip 'man pages and completions: there is no Python of version 3.9 or newer'
fi
echo "programs: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
