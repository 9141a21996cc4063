#!/bin/sh
# The host's second compilation, in single precision: its functions are those that the headers declare, each under its own
# name, and one without a declaration there does not compile. Environment: BUILD, MAKE. Ends with the totals.
set -u
: "${BUILD:?the build folder}" "${MAKE:?make}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset MAKEFLAGS MAKELEVEL
passed=0 failed=0
out=$work/out
cd "$BUILD" || exit 1

check()
{
  what=$1
  shift
  if "$@" >"$out" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "single_names: FAILED: $what"
    sed 's/^/    /' "$out"
  fi
}

functions() { xargs nm -g --defined-only | awk 'NF == 3 && $3 ~ /^hymgi_/ { print $3 }' | sort; }
objects() { tr ' ' '\n' <obj/library.list | grep "^obj/$1"; }
objects finite-volume/cpu/single/ | functions >"$work/single"
objects finite-volume/cpu/ | grep -v /single/ | functions >"$work/double"
sed -n 's/^#define \(hymgi_[a-z0-9_]*\) \1_single$/\1_single/p' obj/finite-volume/cpu/single/names.h | sort >"$work/named"
sed 's/_single$//' "$work/single" | sort >"$work/twice"

check 'the headers declare some functions' grep -qx hymgi_cpu_smooth_single "$work/named"
check 'every line of names.h is a function, and every function a line' cmp "$work/named" "$work/single"
check 'each is there in double precision' [ -z "$(comm -13 "$work/double" "$work/twice")" ]

# compiles LINE: as the second compilation would, a file of this line
command=$("$MAKE" -s -n V=1 -W config.h obj/finite-volume/cpu/single/vector.o | sed -n "s| -c .*| -c '$work/x.c' -o '$work/x.o'|p")
compiles()
{
  printf '#include "cpu/cpu.h"\n%s\n' "$1" >"$work/x.c"
  eval "$command" >"$work/said" 2>&1
}
refuses() { ! compiles "$1" && cat "$work/said" && grep -q 'hymgi_cpu_forgotten' "$work/said"; }
names() { compiles "$1" && nm -g --defined-only "$work/x.o" | grep -q " $2\$"; }
check 'a declared function gets its own name' names \
  'void hymgi_cpu_clear(const hymgi_level *level, hymgi_real *x) { (void)level, (void)x; }' hymgi_cpu_clear_single
check 'a function without a declaration is an error' refuses 'void hymgi_cpu_forgotten(void) {}'

echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
