#!/bin/sh
# What packagers rely on and no installation shows: folders and CPUs of configure, fast-math, the message on a CPU that
# lacks instructions, installations that fail, the source package. Environment: BUILD, SRCDIR, CC; SANITIZE where it is used. Ends with the totals.
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the source folder}" "${CC:?the compiler}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
few='--without-mpi --without-openmp --without-cuda --without-check --without-jansson --without-png --without-fortran'
version=$(sed -n 's/^#define HYMG_VERSION "\(.*\)"/\1/p' "$SRCDIR/include/hymg.h")
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
  HOME=/home/me configure others '--prefix=~/hymg' --libdir=/home/me/hymg/lib64 --mandir=/pages --cpu-arch=default || cat "$folder/output"
  is prefix /home/me/hymg
  echo 'prefix = /moved' >>"$folder/Makefile"
  is libdir /moved/lib64
  is mandir /pages
  refused "'lib64', given for --bindir, --libdir" --libdir=lib64
  refused "make cannot work with spaces" --libdir='/usr/my libraries'
  refused "unknown option '--host=arm'" --host=arm
  refused "--prefix needs an absolute path, got 'here'; here that may be '$work/refused/here'" --prefix=here
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

# strict NAME WORD...: NAME was configured, said that the words are left out, and neither its flags nor what it links
# bring back fast-math
strict()
{
  name=$1
  shift
  flags=$(printf 'include Makefile\nshow:\n\t@echo "$(CC) $(CFLAGS) $(LDFLAGS)"\n' | make -s -C "$work/$name" -f - show)
  for word; do
    if grep -q "left out, because a NaN would pass for a solution.* $word\( \|\$\)" "$work/$name/output"; then pass
    else fail "configure with $word in $name does not say that it is left out"; fi
  done
  # shellcheck disable=SC2086
  if $flags -dM -E -x c /dev/null | grep -E '__FAST_MATH__|__FINITE_MATH_ONLY__ 1|__ASSOCIATIVE_MATH__'; then
    fail "with $* in $name the flags are $flags"
  elif $flags -### "$work/user.c" 2>&1 | grep -q crtfastmath; then fail "with $* in $name denormals are zero: $flags"
  else pass; fi
}

# A program of a user's, as the second argument compiles it, sees that a NaN of f is found, by its bits.
check_nan()
{
  # shellcheck disable=SC2086
  if $CC -std=c11 $2 "$work/user.c" -I"$SRCDIR/include" -L"$BUILD/lib" ${SANITIZE-} -lhymg -o "$work/user" &&
    LD_LIBRARY_PATH="$BUILD/lib" "$work/user" >"$work/out" 2>&1; then pass
  else fail "$1: exit status $?: $(cat "$work/out")"; fi
}

check_fast_math()
{
  cat >"$work/user.c" <<END
#include <hymg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
  const uint64_t bits = UINT64_C(0x7ff8000000000000);
  const int n[3] = {8, 8, 8}, low[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {1, 8, 64};
  double f[512];
  hymg_context *context = NULL;
  hymg_grid *grid = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  hymg_field *rhs = NULL, *u = NULL;
  hymg_grid_desc g = hymg_grid_desc_default();
  const hymg_operator_desc d = hymg_operator_desc_default();
  hymg_options o = hymg_options_default();
  hymg_result result;
  memcpy(g.n, n, sizeof n);
  o.method = HYMG_MG;
  for (int i = 0; i < 512; i++) f[i] = 1;
  if (hymg_context_create(NULL, &context) || hymg_grid_create(context, &g, &grid) || hymg_operator_create(grid, &d, &op) ||
      hymg_solver_create(op, &o, &solver) || hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, &rhs) ||
      hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, &u)) return 1;
  if (hymg_field_write(rhs, low, n, stride, f, HYMG_HOST) || hymg_solve(solver, rhs, u, &result) || !result.converged) return 2;
  memcpy(&f[100], &bits, sizeof bits);
  if (hymg_field_write(rhs, low, n, stride, f, HYMG_HOST) || hymg_solve(solver, rhs, u, &result)) return 3;
  printf("%s\\n", hymg_reason_name(result.reason));
  if (result.converged || result.reason != HYMG_REASON_NOT_FINITE) return 4;
  hymg_field_destroy(&u);
  hymg_field_destroy(&rhs);
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
  return 0;
}
END
  words='-ffast-math -Ofast -ffinite-math-only -funsafe-math-optimizations'
  # shellcheck disable=SC2086
  {
    configure flags CFLAGS="-g $words" LDFLAGS=-Ofast || cat "$folder/output"
    strict flags $words '-Ofast.* -Ofast' # one of CFLAGS and one of LDFLAGS
  }
  for word in $words; do
    check_nan "a NaN of f, in a program compiled with $word" "-O2 $word"
    if $CC -c $word -include "$SRCDIR/source/base/ieee.h" "$work/user.c" -I"$SRCDIR/include" -o "$work/user.o" 2>"$work/err"
    then
      # of this one not every compiler has a macro
      if [ $word = -funsafe-math-optimizations ]; then pass; else fail "the library compiles with $word"; fi
    elif grep -q 'hymg needs NaN' "$work/err"; then pass
    else fail "with $word the compiler says $(cat "$work/err")"; fi
  done
  configure cc CC="$CC -Ofast" || cat "$folder/output"
  strict cc -Ofast
  refused 'leave it out' NVCCFLAGS=--use_fast_math
}

# make install ends with a message and a status where it cannot write. The build of check_folders has the Makefile.
check_no_installation()
{
  : >"$work/file"
  for case in "prefix=$work/file/x INSTALL_LOG=$work/log:cannot write into '$work/file/x" \
    "prefix=$work/there INSTALL_LOG=$work/none/log:cannot write $work/none/log" "prefix=here:'here' is no absolute path"; do
    # shellcheck disable=SC2086
    if make -s -C "$BUILD" install-cmake DESTDIR= libdir='$(prefix)/lib' ${case%%:*} >"$work/out" 2>&1; then
      fail "make install ${case%%:*} ends well"
    elif grep -qF "${case#*:}" "$work/out"; then pass
    else fail "make install ${case%%:*} says '$(cat "$work/out")'"; fi
  done
}

# A source folder where git has nothing to say: why, and once.
check_no_commit()
{
  mkdir -p "$work/bare" && : >"$work/bare/.git"
  sed "s|^srcdir = .*|srcdir = $work/bare|" "$work/folders/Makefile" >"$work/bare/Makefile"
  cp "$work/folders/config.h" "$work/folders/config.args" "$work/bare"
  mkdir -p "$work/bare/include"
  cp "$SRCDIR/include/hymg.h" "$work/bare/include"
  cp "$SRCDIR/Makefile.in" "$SRCDIR/configure" "$work/bare"
  touch "$work/bare/Makefile"
  make -s -C "$work/bare" commit.h >"$work/out" 2>&1
  if grep -q 'has no commit to report' "$work/out" && grep -q '^  fatal: ' "$work/out" &&
    [ "$(cat "$work/bare/commit.h")" = '#define HYMG_COMMIT ""' ]; then pass
  else fail "a build without a commit says '$(cat "$work/out")'"; fi
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
  # compressed a little
  mkdir "$work/bin"
  printf '#!/bin/sh\nexec "%s" -0 "$2"\n' "$(command -v xz)" >"$work/bin/xz"
  chmod +x "$work/bin/xz"
  (cd "$work" && PATH=$work/bin:$PATH "$SRCDIR/tools/dist" "$SRCDIR" "$version" >/dev/null) || fail 'make dist'
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

# The archive that pip takes is made of the source package, too, and names the same commit; without a commit it is refused.
check_python_archive()
{
  if [ ! -f "${unpacked-}/COMMIT" ] || ! python=$("$SRCDIR/tools/find-python" setuptools cffi 2>&1); then
    skip "the source archive of the Python package: ${python:-there is no source package}"
    return
  fi
  archive=$work/python/hymg-$version.tar.gz
  (cd "$unpacked" && "$python" -W ignore setup.py -q sdist -d "$work/python") >"$work/out" 2>&1 || fail "$(cat "$work/out")"
  if tar -xzOf "$archive" "hymg-$version/COMMIT" | cmp - "$unpacked/COMMIT"; then pass
  else fail 'the source archive of the Python package names another commit'; fi
  folders='include source finite-volume cuda python tests/python examples/python'
  # shellcheck disable=SC2086
  (cd "$SRCDIR" && git ls-files $folders | LC_ALL=C sort) >"$work/expected"
  # what Python leaves there is neither tracked nor archived, but what setuptools says of the archive itself
  tar -tzf "$archive" | sed -n "s|^hymg-$version/||; /[^/]\$/p" | grep -E "^($(echo "$folders" | tr ' ' '|'))/" |
    grep -v '\.egg-info/' | LC_ALL=C sort >"$work/archived"
  if cmp "$work/archived" "$work/expected"; then pass
  else fail "the source archive of the Python package: $(diff "$work/expected" "$work/archived" | grep '^[<>]' | head -n 5)"; fi
  rm "$unpacked/COMMIT"
  if (cd "$unpacked" && "$python" -W ignore setup.py -q sdist -d "$work/python") >"$work/out" 2>&1; then
    fail 'a source archive is made of sources of which nobody knows the commit'
  elif grep -q 'nothing says of which commit it is' "$work/out"; then pass
  else fail "sdist without a commit: $(tail -n 1 "$work/out")"; fi
}

# Whatever names the version names that of hymg.h.
check_versions()
{
  while read -r file name; do
    if grep -qF -e "$name" "$SRCDIR/$file"; then pass; else fail "$file has no '$name', the version in hymg.h"; fi
  done <<END
CITATION.cff version: $version
docs/citing.md version = {$version},
packaging/conda/recipe.yaml version: "$version"
packaging/spack/package.py version("$version")
END
}

check_folders
check_flags
check_fast_math
check_no_installation
check_no_commit
check_old_cpu
check_source_package
check_python_archive
check_versions
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
