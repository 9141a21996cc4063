#!/bin/sh
# messages.sh [BUILD] [RANKS] [options of hymg-messages]: message counts of an F-cycle at 256^3 against the model, and the
# answer against that of one rank. One thread a rank, more ranks than cores if need be.
build=${1:-.} ranks=${2:-8}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] && shift
[ -x "$build/bin/hymg-messages" ] || { echo "messages.sh: no bin/hymg-messages in '$build'; run make there" >&2; exit 2; }
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/table.sh"
OMP_NUM_THREADS=1
export OMP_NUM_THREADS
# shellcheck disable=SC2086  # words
exec mpirun $flags -n "$ranks" "$build/bin/hymg-messages" "$@"
