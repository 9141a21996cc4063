#!/bin/sh
# What packagers rely on and no installation shows: folders and CPUs of configure, the message on a CPU that lacks
# instructions, the source package. Environment: BUILD, SRCDIR, CC; SANITIZE where it is used. Ends with the totals.
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the source folder}" "${CC:?the compiler}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
few='--without-mpi --without-openmp --without-cuda --without-check --without-jansson --without-png --without-fortran'
unset MAKEFLAGS MAKELEVEL CFLAGS

pass() { passed=$((passed + 1)); }

fail()
{
  failed=$((failed + 1))
  echo "packages: FAILED: $*"
}

skip()
{
  skipped=$((skipped + 1))
  echo "skipped: $*"
}

# configure NAME OPTION...: configures in $work/NAME
configure()
{
  folder=$work/$1
  shift
  mkdir -p "$folder"
  # shellcheck disable=SC2086
  (cd "$folder" && "$SRCDIR/configure" CC="$CC" $few "$@" >output 2>&1)
}

# is NAME VALUE: a variable of the Makefile in $folder, as make sees it
is()
{
  value=$(printf 'include Makefile\nshow:\n\t@echo "$(%s)"\n' "$1" | make -s -C "$folder" -f - show)
  if [ "$value" = "$2" ]; then pass; else fail "$folder: $1 is '$value', not '$2'"; fi
}

# refused MESSAGE OPTION...
refused()
{
  message=$1
  shift
  if configure refused "$@"; then fail "configure $* is accepted"
  elif grep -qF -e "$message" "$work/refused/output"; then pass
  else fail "configure $*: says '$(tail -n 1 "$work/refused/output")', not '$message'"; fi
}

check_folders()
{
  # as debhelper gives them
  configure folders --build=x86_64-linux-gnu --prefix=/usr --includedir='${prefix}/include' --mandir='${prefix}/share/man' \
    --sysconfdir=/etc --libdir='${prefix}/lib/of/machine' --disable-option-checking --cpu-arch=portable || cat "$folder/output"
  is libdir /usr/lib/of/machine
  is includedir /usr/include
  is mandir /usr/share/man
  is bindir /usr/bin
  is datadir /usr/share
  # a prefix given to make moves what is below the prefix, and nothing else
  configure others --prefix=/usr --libdir=/usr/lib64 --mandir=/pages --cpu-arch=default || cat "$folder/output"
  echo 'prefix = /moved' >>"$folder/Makefile"
  is libdir /moved/lib64
  is mandir /pages
  refused "'lib64', given for --bindir, --libdir" --libdir=lib64
  refused "make cannot work with spaces" --libdir='/usr/my libraries'
  refused "unknown option '--host=arm'" --host=arm
}

# flags OF EXPECTED: -march and -mcpu among the compiler's flags
flags()
{
  found=$(sed -n 's/^CFLAGS = //p' "$work/$1/Makefile" | tr ' ' '\n' | grep -E '^-m(arch|cpu)=' | tr '\n' ' ')
  if [ "$found" = "$2" ]; then pass; else fail "--cpu-arch of '$1': '$found', not '$2'"; fi
}

check_flags()
{
  case $(uname -m) in
  x86_64) flags folders '-march=x86-64-v3 ' ;;
  *) flags folders '' ;;
  esac
  flags others ''
  if grep -q "cpu-arch=portable" "$SRCDIR/setup.py" && ! grep -n native "$SRCDIR/setup.py"; then pass
  else fail 'setup.py does not build wheels with --cpu-arch=portable'; fi
}

# Programs of this build on an old CPU: a message and status 1, not a signal.
check_old_cpu()
{
  if [ -n "${SANITIZE-}" ] || ! command -v qemu-x86_64 >/dev/null 2>&1 || ! grep -q 'NEED("avx2")' "$BUILD/config.h"; then
    skip 'messages on an old CPU: no qemu-x86_64, sanitizers, or a build for every CPU'
    return
  fi
  for program in hymg-fv hymg-kernels hymg-stencil; do
    qemu-x86_64 -cpu Nehalem "$BUILD/bin/$program" --version >"$work/out" 2>"$work/err"
    code=$?
    if [ $code = 1 ] && [ ! -s "$work/out" ] && grep -q 'this CPU lacks instructions .* compiled with .*-O' "$work/err"; then pass
    else fail "$program on an old CPU: status $code, says '$(cat "$work/err")'"; fi
  done
  cat >"$work/old.c" <<END
#include <hymg.h>
#include <stdio.h>
int main(void)
{
  hymg_context_options c = hymg_context_options_default();
  hymg_options o = hymg_options_default();
  hymg_grid_desc g = hymg_grid_desc_default();
  hymg_operator_desc d = hymg_operator_desc_default();
  char why[80];
  int value;
  hymg_context *context = NULL;
  if (hymg_options_parse(&o, "smoother=chebyshev sweeps=6 rtol=1e-3", why, sizeof why) != HYMG_OK) return 1;
  if (!hymg_enum_value("hymg_smoother", "chebyshev", &value) || (int)o.smoother != value) return 2;
  printf("%d %d %g %s\n", g.n[0], (int)d.stencil, o.rtol, hymg_build_info().version);
  return hymg_context_create(&c, &context) == HYMG_ECPU && !context ? 0 : 3;
}
END
  if $CC -std=c11 "$work/old.c" -I"$SRCDIR/include" -L"$BUILD/lib" -lhymg -o "$work/old" &&
    LD_LIBRARY_PATH="$BUILD/lib" qemu-x86_64 -cpu Nehalem "$work/old" >"$work/out"; then pass
  else fail "hymg_context_create on an old CPU: exit status $?: $(cat "$work/out")"; fi
}

# The source package has what git tracks, with COMMIT; what it builds reports that commit.
check_source_package()
{
  if ! git -C "$SRCDIR" rev-parse >/dev/null 2>&1 || [ ! -e "$SRCDIR/.git" ]; then
    skip 'the source package: there is no git here'
    return
  fi
  version=$(sed -n 's/^#define HYMG_VERSION "\(.*\)"/\1/p' "$SRCDIR/include/hymg.h")
  (cd "$work" && "$SRCDIR/tools/dist" "$SRCDIR" "$version" >/dev/null) || fail 'make dist'
  tar -xf "$work/hymg-$version.tar.xz" -C "$work"
  unpacked=$work/hymg-$version
  (cd "$SRCDIR" && git ls-files | sed 's|^|./|' | LC_ALL=C sort) >"$work/expected"
  if (cd "$unpacked" && find . -type f ! -name COMMIT | LC_ALL=C sort) | cmp - "$work/expected"; then pass
  else fail 'the source package has other files than git'; fi
  if tar -tvf "$work/hymg-$version.tar.xz" | awk '$2 != "0/0" { exit 1 }'; then pass; else fail 'owners are not root'; fi
  cp "$work/folders/config.h" "$work/folders/config.args" "$work/folders/config.log" "$unpacked" || fail 'no build to take'
  sed "s|^srcdir = .*|srcdir = .|" "$work/folders/Makefile" >"$unpacked/Makefile"
  make -s -C "$unpacked" commit.h
  if [ "$(cat "$unpacked/commit.h")" = "#define HYMG_COMMIT \"$(git -C "$SRCDIR" describe --always --dirty --tags)\"" ]; then pass
  else fail "the source package reports another commit: $(cat "$unpacked/commit.h")"; fi
}

check_folders
check_flags
check_old_cpu
check_source_package
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
