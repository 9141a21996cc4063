#!/bin/sh
# What configure is told by CMakeLists.txt when a project takes hymg in: its options, compiler and flags. Nothing is built.
# Environment: SRCDIR, CC. Ends with the totals.
set -u
: "${SRCDIR:?the source folder}" "${CC:?the compiler}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0
unset MAKEFLAGS MAKELEVEL CFLAGS CXXFLAGS LDFLAGS CXX
command -v cmake >/dev/null 2>&1 || { echo 'skipped: no cmake'; exit 77; }

pass() { passed=$((passed + 1)); }

fail()
{
  failed=$((failed + 1))
  echo "cmake: FAILED: $*"
}

# project NAME LINES: a folder whose CMakeLists.txt has these lines before it takes hymg in
project()
{
  mkdir -p "$work/$1"
  printf 'cmake_minimum_required(VERSION 3.18)\nproject(client C)\n%s\nadd_subdirectory("%s" hymg)\n' "$2" "$SRCDIR" \
    >"$work/$1/CMakeLists.txt"
}

# cmake_in NAME OPTION...: configures the project into NAME/b. Most features are off, so that it does not take long.
cmake_in()
{
  name=$1
  shift
  cmake -S "$work/$name" -B "$work/$name/b" -DHYMG_CUDA=OFF -DHYMG_OPENMP=OFF -DHYMG_CONFIGURE='--without-check
    --without-jansson --without-png --without-fortran --without-hypre' "$@" >"$work/$name/output" 2>&1 ||
    { fail "$name: cmake ends with $?"; tail -n 20 "$work/$name/output"; }
  told=$work/$name/b/hymg/hymg/options
}

# told NAME PATTERN: among configure's options, one a line
told()
{
  if tr ';' '\n' <"$told" | grep -q -e "$2"; then pass
  else fail "$1: configure is not told '$2' but '$(cat "$told")'"; fi
}

# says NAME PATTERN
says()
{
  if grep -q -e "$2" "$work/$1/output"; then pass; else fail "$1: the output has no '$2'"; fi
}

# makes NAME VARIABLE VALUE: of the Makefile
makes()
{
  value=$(sed -n "s/^$2 = //p" "$work/$1/b/hymg/hymg/Makefile")
  if [ "$value" = "$3" ]; then pass; else fail "$1: $2 is '$value', not '$3'"; fi
}

# As plain variables, at the first and at the second time.
check_options()
{
  project plain 'set(HYMG_MPI OFF)
set(HYMG_CPU_ARCH default)
set(HYMG_SANITIZE ON)'
  for time in first second; do
    cmake_in plain
    told "$time time" '^--without-mpi$'
    told "$time time" '^--cpu-arch=default$'
    told "$time time" '^--enable-debug$'
  done
}

check_compilers()
{
  printf '#!/bin/sh\necho called >>"%s/wrapped"\nexec "$@"\n' "$work" >"$work/wrap"
  chmod +x "$work/wrap"
  project wrapper 'set(HYMG_MPI OFF)'
  CC="$work/wrap $compiler -pipe" cmake_in wrapper
  makes wrapper CC "$work/wrap $compiler -pipe"
  if [ -s "$work/wrapped" ]; then pass; else fail 'the wrapper was not used'; fi
  # options that no variable sets are in the cache
  project launcher ''
  cmake_in launcher -DHYMG_MPI=OFF -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_COMPILER_LAUNCHER="$work/wrap"
  told launcher '^--without-mpi$'
  cache=$work/launcher/b/CMakeCache.txt
  if grep -q '^HYMG_MPI:STRING=OFF' "$cache" && grep -q '^HYMG_NCCL:STRING=AUTO' "$cache"; then pass
  else fail 'options that are not set are not in the cache'; fi
  makes launcher CC "$work/wrap $compiler"
  target=$(clang -print-target-triple 2>/dev/null) || { echo 'skipped: CMAKE_C_COMPILER_TARGET: no clang'; return; }
  project target 'set(HYMG_MPI OFF)'
  cmake_in target -DCMAKE_C_COMPILER=clang -DCMAKE_C_COMPILER_TARGET="$target"
  makes target CC "$(command -v clang) --target=$target"
}

# For another machine; wherever a project has fast-math from, the library is compiled without.
check_fast_math()
{
  project fast 'set(HYMG_MPI OFF)
add_compile_options(-ffast-math)'
  cmake_in fast -DCMAKE_C_COMPILER="$compiler" -DCMAKE_SYSROOT=/ -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS=-ffinite-math-only -DCMAKE_C_FLAGS_RELEASE='-Ofast -funsafe-math-optimizations'
  makes fast CC "$compiler --sysroot=/"
  told fast '^--cpu-arch=default$'
  told fast '^--without-fortran$'
  says fast 'left out, because a NaN would pass for a solution.* -ffinite-math-only -funsafe-math-optimizations'
  flags=$(sed -n 's/^CFLAGS = //p' "$work/fast/b/hymg/hymg/Makefile")
  case " $flags " in
  *fast* | *finite* | *unsafe*) fail "fast-math is in '$flags'" ;;
  *) pass ;;
  esac
}

compiler=$(command -v "${CC%% *}")
check_options
check_compilers
check_fast_math
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
