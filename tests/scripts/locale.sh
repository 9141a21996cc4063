#!/bin/sh
# tests/machines/locale.c in a German locale, which is generated here. Environment: BUILD, SRCDIR, CC, SANITIZE,
# MPI_LIBS, CUDA_LIBS. Ends with the totals.
# shellcheck disable=SC2086 # lists of words
set -u
: "${BUILD:?the build folder}" "${SRCDIR:?the sources}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
if ! localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
  echo 'skipped: localedef cannot make de_DE (Debian: package locales)'
  exit 77
fi
flags=$(sed -n 's/^OPENMP_FLAG = //p' "$BUILD/Makefile")
if ! ${CC:-cc} -std=c11 ${SANITIZE-} -I"$SRCDIR/include" -o "$work/locale" "$SRCDIR/tests/machines/locale.c" \
  "$BUILD/lib/libhymg.a" $flags ${MPI_LIBS-} ${CUDA_LIBS-} $(sed -n 's/^NCCL_LIBS = //p' "$BUILD/Makefile") -lm; then
  echo '0 passed, 1 failed, 0 skipped'
  exit 1
fi
LOCPATH=$work "$work/locale" de_DE.UTF-8 "$work"
case $? in
0) echo '1 passed, 0 failed, 0 skipped' ;;
77) echo 'skipped: the C library does not take the locale from LOCPATH'; exit 77 ;;
*) echo '0 passed, 1 failed, 0 skipped'; exit 1 ;;
esac
