#!/bin/sh
# The build and the tests themselves: how many compilers make starts at once, several goals, the GPUs that configure
# chooses, time limits that follow the speed of the machine. Environment: BUILD, SRCDIR. Ends with the totals.
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the sources}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0
unset MAKEFLAGS MFLAGS MAKELEVEL # as from a terminal
mkdir "$work/bin"

pass() { passed=$((passed + 1)); }
fail()
{
  failed=$((failed + 1))
  echo "build: FAILED: $*"
}
# same WHAT GOT WANT
same() { if [ "$2" = "$3" ]; then pass; else fail "$1: '$2', not '$3'"; fi; }
# fake NAME: the program NAME, first on the path, is what stdin says
fake()
{
  cat >"$work/bin/$1"
  chmod 755 "$work/bin/$1"
}

# ---- make ----

# jobs COMMAND...: the -j that this make has in the build folder, as it is handed to other makes
jobs() { (cd "$BUILD" && "$@" -pn help 2>/dev/null) | sed -n 's/^MAKEFLAGS = .* \(-j[0-9]*\).*/\1/p' | head -n 1; }
# chosen COMMAND...: what tools/make-jobs says to this make
chosen() { "$@" -f "$work/makefile" all; }

check_make()
{
  fake nproc <<'END'
#!/bin/sh
echo 3
END
  path=$PATH
  PATH=$work/bin:$PATH
  printf 'MemAvailable:   8000000 kB\n' >"$work/much"
  printf 'MemAvailable:   1100000 kB\n' >"$work/little"
  printf 'MemAvailable:     10000 kB\n' >"$work/none"
  printf 'jobs := $(shell %s/tools/make-jobs $$PPID)\nall: ; @echo chosen $(jobs)\n' "$SRCDIR" >"$work/makefile"
  printf '$(V)\n' >>"$work/makefile"
  export HYMG_MEMINFO="$work/much"
  same 'make on 3 cores' "$(jobs make)" -j3
  same 'make -j1' "$(jobs make -j1)" -j1
  same 'make -j5' "$(jobs make -j5)" -j5
  same 'MAKEFLAGS=-j1' "$(MAKEFLAGS=-j1 jobs make)" -j1
  same 'a make started by another one' "$(MAKELEVEL=1 jobs make)" ''
  same 'few threads for OpenMP' "$(OMP_NUM_THREADS=1 chosen make)" 'chosen 3'
  for told in '-j 1' -kj2 -sj --jobs=5 --jobs; do
    # shellcheck disable=SC2086
    same "make $told" "$(chosen make $told)" chosen
  done
  same 'MAKEFLAGS=kj2' "$(MAKEFLAGS=kj2 chosen make)" chosen
  same 'MAKEFLAGS of other things' "$(MAKEFLAGS='k V=' chosen make)" 'chosen 3'
  same 'memory for two' "$(HYMG_MEMINFO=$work/little chosen make)" 'chosen 2'
  same 'no memory' "$(HYMG_MEMINFO=$work/none chosen make)" 'chosen 1'
  same 'a system that does not say how much memory' "$(HYMG_MEMINFO=/nonexistent chosen make)" 'chosen 3'
  PATH=$path
  unset HYMG_MEMINFO

  # one after the other, each by a make of its own
  order=$(cd "$BUILD" && make -j4 -n check/pace commit.h help 2>/dev/null | grep -oE '(check/pace|commit\.h|help)$' | tr '\n' ' ')
  same 'several goals' "$order" 'check/pace commit.h help '
  if (cd "$BUILD" && make -n PREFIX=/elsewhere install) >"$work/out" 2>&1; then fail 'PREFIX= passed'
  elif grep -q 'PREFIX=/elsewhere would have no effect: .*prefix=/elsewhere' "$work/out"; then pass
  else fail "PREFIX=: $(cat "$work/out")"; fi
  if ! (cd "$BUILD" && PREFIX=/elsewhere make help) >"$work/out" 2>&1; then fail 'PREFIX in the environment failed'
  elif grep -q '^install, uninstall' "$work/out" && ! grep -q /elsewhere "$work/out"; then pass
  else fail "PREFIX in the environment: $(cat "$work/out")"; fi
  if (cd "$BUILD" && make no-such-goal help) >"$work/out" 2>&1; then fail 'a goal that does not exist passed'
  else pass; fi
}

# ---- configure --cuda-arch ----

# architectures CAPABILITIES OPTION...: the row of GPUs, with these in nvidia-smi's list, an nvcc that only knows names and
# compilers that take anything, unless the options name others
architectures()
{
  printf '#!/bin/sh\nprintf "%s"\n' "$1" | fake nvidia-smi
  shift
  mkdir -p "$work/configured"
  (cd "$work/configured" && PATH=$work/bin:$PATH "$SRCDIR/configure" --without-mpi --without-openmp --without-check \
    --without-fortran --without-png --without-hypre --without-jansson NVCC="$work/bin/nvcc" CC=true CXX=true "$@") 2>&1 |
    sed -n 's/^  GPUs  *//p; s/^configure: error: //p'
}

check_architectures()
{
  fake nvcc <<'END'
#!/bin/sh
# compiles C for C++; what a test asks of CUDA's headers is not here
case "$*" in
*--version*) echo 'Cuda compilation tools, release 13.0, V13.0.0' ;;
*--list-gpu-arch*) printf 'compute_%s\n' 75 80 86 89 90 100 103 120 ;;
*--dryrun*) echo "#\$ TOP=$(dirname "$0")/.." ;;
*)
  while [ "$1" != -o ]; do shift; done
  echo 'int use(void) { return 0; }' | cc -x c -c - -o "$2" ;;
esac
END
  mkdir -p "$work/include" "$work/lib"
  ar qc "$work/lib/libcudart_static.a"
  others='(--cuda-arch=LIST or all for others)'
  same 'no GPU, or one that does not say' "$(architectures '[N/A]\n')" "90 and newer: no GPU is here $others"
  same 'three GPUs of two kinds' "$(architectures '9.0\n8.9\n9.0\n' CC=cc CXX=cc)" "89 90 and newer: the GPUs of this machine $others"
  same 'a GPU that is too old' "$(architectures '7.5\n')" \
    "90 and newer: nvcc or hymg does not know this machine's GPUs (compute capability 7.5) $others"
  same 'one of the GPUs is too old' "$(architectures '7.5\n8.6\n')" "86 and newer: the GPUs of this machine $others"
  if grep -q 'arch=compute_86,code=sm_86 -gencode arch=compute_86,code=compute_86' "$work/configured/Makefile"; then pass
  else fail "machine code and PTX of the GPU that is here: $(grep '^CUDA_FLAGS' "$work/configured/Makefile")"; fi
  same 'a GPU that nvcc does not know' "$(architectures '13.0\n')" \
    "90 and newer: nvcc or hymg does not know this machine's GPUs (compute capability 13.0) $others"
  same '--cuda-arch=80,sm_90' "$(architectures '8.9\n' --cuda-arch=80,sm_90)" '80 sm_90 and newer: as --cuda-arch says'
  same '--cuda-arch=all' "$(architectures '8.9\n' --cuda-arch=all)" '80 90 100 120 and newer: as --cuda-arch says'
  same '--cuda-arch=80,all' "$(architectures '8.9\n' --cuda-arch=80,all)" \
    "--cuda-arch=80,all: 'all' is no name of a GPU architecture (80, sm_90, 90a, or all alone)"
  same 'without CUDA, a bad name' "$(architectures '' --without-cuda --cuda-arch=9)" \
    "--cuda-arch=9: '9' is no name of a GPU architecture (80, sm_90, 90a, or all alone)"
  # where the driver has no nvidia-smi, its library is asked
  cat >"$work/driver.c" <<'END'
int cuInit(unsigned flags) { return (int)flags; }
int cuDeviceGetCount(int *count) { *count = 2; return 0; }
int cuDeviceGetAttribute(int *value, int which, int device) { *value = which == 75 ? 8 : device ? 0 : 6; return 0; }
END
  if [ -z "$SANITIZE" ] && cc -shared -fPIC -o "$work/lib/libcuda.so.1" "$work/driver.c"; then
    same "the driver's library" "$(LD_LIBRARY_PATH=$work/lib architectures '' CC=cc CXX=cc)" \
      "80 86 and newer: the GPUs of this machine $others"
  fi
}

# ---- what configure says of parts that nobody wanted ----

check_as_told()
{
  mkdir -p "$work/told"
  (cd "$work/told" && "$SRCDIR/configure" --without-mpi --without-openmp --without-check --without-fortran --without-png \
    --without-hypre --without-jansson --without-cuda) >"$work/out" 2>&1
  same 'parts that are left out as told' "$(sed -n 's/^  \([A-Za-z]*\) .* (as told)$/\1/p' "$work/out" | LC_ALL=C sort | tr '\n' ' ')" \
    'CUDA Check Fortran Jansson MPI OpenMP hypre libpng '
}

# ---- limits of run-tests ----

# run SECONDS...: a script that takes three seconds, limited to one on a fast machine, two at a second try; check/pace says these, one each time
limited()
{
  printf '%s\n' "$@" >"$work/paces"
  (cd "$work" && TEST_TIMEOUT=1 TEST_JOBS=1 "$SRCDIR/tools/run-tests" --program three) >"$work/out" 2>&1
}

check_limits()
{
  unset HYMG_TEST_SLOWNESS
  mkdir -p "$work/check"
  cat >"$work/check/pace" <<END
#!/bin/sh
head -n 1 "$work/paces"
sed -i 1d "$work/paces"
END
  cat >"$work/check/three" <<'END'
#!/bin/sh
sleep 3
echo "slowness $HYMG_TEST_SLOWNESS, limit $TEST_TIMEOUT"
END
  chmod 755 "$work/check/pace" "$work/check/three"
  if limited 1.0 1.1; then fail "on a fast machine the limit did not hold: $(cat "$work/out")"
  elif grep -q 'stopped after 1 s' "$work/out"; then pass
  else fail "the message of a limit: $(cat "$work/out")"; fi
  if limited 0.5 0.5; then fail 'on a machine faster than the reference the limit did not hold'; else pass; fi
  if limited 20.0 && grep -q '^limits: 20 s, for this machine is 20.0 times slower' "$work/out"; then pass
  else fail "on a machine 20 times slower: $(cat "$work/out")"; fi
  same 'what a test is given' "$(cat "$work/check/three.log")" 'slowness 20.0, limit 20'
  if limited 1.0 20.0 && grep -q 'once more, with 20 s' "$work/check/three.log"; then pass
  else fail "on a machine that became slower: $(cat "$work/out" "$work/check/three.log")"; fi
  if HYMG_TEST_SLOWNESS=20 limited 1.0; then pass; else fail "HYMG_TEST_SLOWNESS=20: $(cat "$work/out")"; fi
}

check_make
check_architectures
check_as_told
check_limits
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
