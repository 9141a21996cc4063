#!/bin/sh
# hymg-fv --submit and hymg-report: refusals, records of several modes, submissions of one and two ranks; then
# check_report.py and check_ranking.py of tests/report with what they wrote. Environment: BUILD, SRCDIR; CC, MPIRUN,
# MPIRUN_FLAGS, SANITIZE, HYMG_JANSSON where there are any. Ends with the totals.
# shellcheck disable=SC2086 # $fast and $names are words
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the sources}"
program=$BUILD/bin/hymg-fv
MPIRUN=${MPIRUN-} MPIRUN_FLAGS=${MPIRUN_FLAGS-}
passed=0 failed=0 skipped=0
python=
for candidate in "${PYTHON:-python3}" python3 /usr/bin/python3; do
  command -v "$candidate" >/dev/null 2>&1 || continue
  "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || continue
  python=${python:-$candidate}
  if "$candidate" -c 'import matplotlib, jsonschema' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo 'skipped: there is no Python of version 3.9 or newer'
  exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/data"
cd "$work" || exit 1
export OMP_NUM_THREADS=1 XDG_CACHE_HOME="$work/cache"
fast='--warmup 0 --min-solves 1 --min-seconds 0 --tuning estimate --copy-mb 8'
names='--site here --machine-name box'

pass() { passed=$((passed + 1)); }
fail()
{
  failed=$((failed + 1))
  echo "report: FAILED: $*"
}

# A single process needs no launcher and no network: Open MPI starts ten times faster so.
run()
{
  OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self "$program" "$@" >out 2>err </dev/null
  code=$?
}

# bad MESSAGE ARGUMENT...: refused with status 2 and this message
bad()
{
  message=$1
  shift
  run "$@"
  if [ $code -eq 2 ] && grep -F -q -e "$message" err; then pass
  else fail "$*: status $code, says '$(head -n 1 err)', not '$message'"; fi
}

# good ARGUMENT...
good()
{
  run "$@"
  if [ $code -eq 0 ]; then pass; else fail "$*: status $code: $(head -n 1 err)"; fi
}

# on_two_ranks COMMAND...
on_two_ranks()
{
  "$MPIRUN" $MPIRUN_FLAGS -n 2 "$@" >out 2>err </dev/null
  code=$?
  if [ $code -eq 0 ]; then pass; else fail "2 ranks, $*: status $code: $(head -n 2 err)"; fi
}

check_refusals()
{
  bad '--submit needs --site' --submit a 4 1
  bad '--submit needs --machine-name' --submit a --site b 4 1
  bad '--site: the text is empty' --submit a --site ' ' 4 1
  bad '--site: longer than 120 bytes' --submit a --site "$(printf '%0121d' 0)" 4 1
  bad '--site: must be UTF-8' --submit a --site "$(printf 'a\tb')" 4 1
  bad '--site: must be UTF-8' --submit a --site "$(printf 'a\303')" 4 1
  bad '--site: must be UTF-8' --submit a --site "$(printf '\355\240\200')" 4 1
  bad 'not with --quiet' --submit a $names --quiet 4 1
  bad '--submit: the file name is empty' --submit '' $names 4 1
  bad '--submit .: needs the name of a new folder' --submit . $names 4 1
  for name in site machine-name interconnect submitter; do
    bad "--$name has no effect without --submit" --$name a 4 1
  done
  bad '--copy-mb has no effect without --json or --submit' --copy-mb 4 4 1
  bad '--submit has no effect with --plan' --plan --submit a $names 4 1
  mkdir full broken.new && echo kept >full/x && echo kept >file
  bad '--submit full: is there and not empty' $fast --submit full $names 4 1
  bad '--submit file: is there and is no folder' $fast --submit file $names 4 1
  bad '--submit broken: FOLDER.new is there' $fast --submit broken $names 4 1
  bad '--submit none/a: No such file' $fast --submit none/a $names 4 1
  bad 'FV4 needs boxes of 3 cells' $fast --submit gone $names --grid 16,16,16 --boxes 8,1,1
  if [ "$(cat full/x)" = kept ] && [ "$(ls full)" = x ] && [ ! -e gone ] && [ ! -e gone.new ]; then pass
  else fail "a refused run has left or changed something: $(ls . full)"; fi
}

check_submission()
{
  mkdir data/rehearsal
  good $fast --submit data/rehearsal/ --site 'Höme "x"' --machine-name box --submitter me 5 1
  if [ "$(cd data/rehearsal && echo *)" = 'SHA256SUMS log.txt machine.json record.json' ] &&
    [ ! -e data/rehearsal.new ]; then pass
  else fail "the files of a submission: $(ls data data/rehearsal)"; fi
  if (cd data/rehearsal && sha256sum -c --quiet SHA256SUMS); then pass; else fail 'sha256sum -c'; fi
  if cmp -s out data/rehearsal/log.txt; then pass; else fail 'log.txt is not what was printed'; fi
  if grep -q 'hymg-report --rank refuses this run' err; then pass; else fail "not official: $(cat err)"; fi
  bad 'is there and not empty' $fast --submit data/rehearsal $names 5 1
  if (cd data/rehearsal && sha256sum -c --quiet SHA256SUMS); then pass; else fail 'an older submission is not what it was'; fi
}

# Records of several modes, by name.
make_records()
{
  good $fast --json data/fv4.json 4 1
  good ${fast%--copy-mb 8} --copy-mb 0 --json data/fv2.json --operator fv2 --boundary periodic --problem sine --path standard --grid 32,16,16
  good $fast --json data/host.json --backend host --equation helmholtz --solver mg --rtol 1e-6 --problem p6 5 1
  good $fast --json data/robust.json --operator fv2 --solver mg --path robust --problem waves --grid 18,16,20
  good $fast --json data/mgpcg.json --operator fv2 --solver mgpcg --smoother symgs --grid 16,16,16
  good $fast --json data/one.json --operator fv2 --grid 6,6,6
  if [ -z "$MPIRUN" ]; then return; fi
  on_two_ranks "$program" $fast --json data/ranks2.json 4 1
  on_two_ranks "$program" $fast --submit data/two-ranks $names 4 1
  [ -z "${SANITIZE-}" ] || return # which must be loaded first
  if ${CC:-cc} -shared -fPIC -o hosts.so "$SRCDIR/tests/report/two_hosts.c" -ldl 2>err; then
    on_two_ranks env LD_PRELOAD="$work/hosts.so" "$program" $fast --submit data/two-hosts $names 4 1
  else fail "tests/report/two_hosts.c does not compile: $(head -n 3 err)"; fi
}

if ${CC:-cc} -std=c11 -I"$SRCDIR/benchmarks" -o sha256 "$SRCDIR/tests/report/sha256.c" \
  "$SRCDIR/benchmarks/common/sha256.c" 2>err; then ./sha256 300 >data/sums
else fail "tests/report/sha256.c does not compile: $(head -n 3 err)"; fi
if [ -z "${HYMG_JANSSON-}" ]; then
  bad 'built without Jansson' --submit a $names 4 1
else
  check_refusals
  check_submission
  make_records
fi
for script in check_report check_ranking; do
  "$python" "$SRCDIR/tests/report/$script.py" "$SRCDIR" "$work/data" >out 2>err || [ -s out ] || cat err
  cat err
  grep '^report: ' out
  totals=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' out | tail -n 1)
  if [ -z "$totals" ]; then fail "$script.py has not ended"; totals='0 passed, 0 failed, 0 skipped'; fi
  # shellcheck disable=SC2046
  set -- $(printf '%s' "$totals" | tr -dc '0-9 ')
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
