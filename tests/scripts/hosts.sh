#!/bin/sh
# Several hosts on one machine: namespaces with a network and a host name each, joined by a bridge. Ranks in them are on
# several nodes and talk by TCP; results have the bits of one host; a link that goes down and a host whose ranks are
# killed end all ranks with a message. Emulated GPUs are peers within a host and staged between hosts. Needs root, ip and
# Open MPI's mpirun, else it is skipped; the small test is that of GPUs alone.

scratch=$(mktemp -d) || exit 2
keepers=
finish()
{
  for k in $keepers; do kill -9 "$k" 2>/dev/null; done
  rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 2' HUP INT TERM
skip()
{
  echo "skipped: $1"
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
}
passed=0 failed=0
check() # WHAT COMMAND...
{
  what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED: $what"
    sed 's/^/    /' "$scratch/log" | tail -n 20
  fi
}

totals()
{
  echo "$passed passed, $failed failed, 0 skipped"
  [ $failed = 0 ]
  exit
}

[ -z "$HYMG_TEST_SMALL" ] || [ "$HYMG_CUDA" = emulation ] || skip 'it takes long, and this is the small test'
[ "$(id -u)" = 0 ] || skip 'only root can make network namespaces'
for tool in ip unshare nsenter; do
  command -v $tool >/dev/null || skip "$tool is missing"
done
[ -n "$MPIRUN" ] || skip 'mpirun is missing'
"$MPIRUN" --version 2>/dev/null | grep -q 'Open MPI' || skip 'how to start ranks in namespaces is known of Open MPI only'

# seconds LIMIT: as much more as this machine is slower
seconds() { awk -v s="$1" -v f="${HYMG_TEST_SLOWNESS:-1}" 'BEGIN { printf "%d", s * (f > 1 ? f : 1) }'; }

# keeper NAME: a process in namespaces of its own, whose id is then in $keeper
keeper()
{
  unshare -n -u sleep "$(seconds 600)" 2>"$scratch/why" &
  keeper=$!
  keepers="$keepers $keeper"
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ "$(readlink /proc/$keeper/ns/net)" != "$(readlink /proc/$$/ns/net)" ] && break
    sleep 0.1
  done
  nsenter -t $keeper -n -u sh -c "hostname $1 && ip link set lo up" 2>>"$scratch/why"
}

keeper switch || skip "no network namespace: $(tr '\n' ' ' <"$scratch/why")"
switch=$keeper
in_switch() { nsenter -t "$switch" -n "$@"; }
in_switch ip link add bridge type bridge 2>"$scratch/why" && in_switch ip link set bridge up ||
  skip "no bridge: $(tr '\n' ' ' <"$scratch/why")"
for h in 1 2 3; do
  keeper host$h || exit 2
  echo "$keeper" >"$scratch/10.99.0.$h"
  in_switch ip link add port$h type veth peer name eth0 netns "$keeper" &&
    in_switch ip link set port$h master bridge up &&
    nsenter -t "$keeper" -n ip addr add 10.99.0.$h/24 dev eth0 &&
    nsenter -t "$keeper" -n ip link set eth0 up || skip 'no pair of network devices'
done

# what mpirun calls instead of ssh: HOST COMMAND...
cat >"$scratch/agent" <<END
#!/bin/sh
host=\$1
shift
exec nsenter -t "\$(cat $scratch/\$host)" -n -u sh -c "\$*"
END
chmod 755 "$scratch/agent"

# on_hosts "HOST:RANKS,..." COMMAND...: its output is in log
on_hosts()
{
  list=$1
  shift
  nsenter -t "$(cat "$scratch/10.99.0.1")" -n -u timeout -k 5 "$(seconds "${limit:-100}")" "$MPIRUN" --mca plm_rsh_agent "$scratch/agent" \
    --mca btl tcp,self,vader --mca btl_tcp_if_include 10.99.0.0/24 --mca oob_tcp_if_include 10.99.0.0/24 \
    --map-by slot -H "$list" -x OMP_NUM_THREADS=1 -x HYMG_EMULATION_DEVICES=8 "$@" >"$scratch/log" 2>&1
}
# ---- the same bits, on several nodes ----

# as with -v: every residual with all digits
grid=32,32,32
[ -z "$HYMG_TEST_SMALL" ] || grid=16,16,16
fv="$HYMG_FV -v --warmup 0 --min-solves 1 --min-seconds 0 --operator fv2 --solver mg --tuning estimate --grid $grid"
digits() { grep -oE '[0-9]\.[0-9]{12,}e[-+][0-9]+' "$1"; }
runs_alike() # NODES HOSTS OPTION...
{
  nodes=$1 hosts=$2
  shift 2
  on_hosts "$hosts" $fv "$@" --json "$scratch/json" || return
  digits "$scratch/log" >"$scratch/digits"
  test -s "$scratch/digits" && cmp "$scratch/one" "$scratch/digits" &&
    grep -qE "\"nodes\": *$nodes" "$scratch/json"
}
alone() { "$MPIRUN" -n 1 $fv >"$scratch/log" 2>&1; }
check 'one host' alone
digits "$scratch/log" >"$scratch/one"

# exchange WITHIN BETWEEN: what runs_alike has printed of it
exchange() { grep -qF "exchange  $1, between nodes $2:" "$scratch/log"; }
if [ "$HYMG_CUDA" = emulation ]; then
  gpus="runs_alike 2 10.99.0.1:2,10.99.0.2:1 --backend cuda"
  check '2 hosts, peers' $gpus --comm peer
  check 'peers within a host, staged between' exchange peer staged
  [ -z "$HYMG_TEST_SMALL" ] || totals
  check '2 hosts, staged' $gpus --comm staged
fi
check '2 hosts' runs_alike 2 10.99.0.1:2,10.99.0.2:1 --backend host
check '3 hosts' runs_alike 3 10.99.0.1:1,10.99.0.2:1,10.99.0.3:1 --backend host

# ---- a host that goes away ----

LIMIT=$(seconds 3)
forever="$HYMG_FV --wait-seconds $LIMIT --warmup 0 --min-solves 100000 --min-seconds 300 --tuning estimate --operator fv2 --grid 32,32,32"

# The programs of the host are gone.
is_quiet()
{
  here=$(readlink "/proc/$(cat "$scratch/10.99.0.$1")/ns/net")
  for p in $(pidof hymg-fv); do
    [ "$(readlink "/proc/$p/ns/net")" != "$here" ] || return 1
  done
}
programs_of()
{
  here=$(readlink "/proc/$(cat "$scratch/10.99.0.$1")/ns/net")
  for p in $(pidof hymg-fv); do
    [ "$(readlink "/proc/$p/ns/net")" != "$here" ] || echo "$p"
  done
}

# ends_after COMMAND...: what it does to host 2 in mid-solve ends all ranks in time, with a message
ends_after()
{
  limit=60 on_hosts 10.99.0.1:2,10.99.0.2:1 $forever &
  job=$!
  for _ in $(seq "$(seconds 100)"); do
    [ -z "$(programs_of 2)" ] || break
    sleep 0.1
  done
  sleep 3
  [ -n "$(programs_of 1)" ] && [ -n "$(programs_of 2)" ] || return 1
  "$@"
  for _ in $(seq "$(seconds 200)"); do
    is_quiet 1 && is_quiet 2 && break
    sleep 0.1
  done
  is_quiet 1 && is_quiet 2
  quiet=$?
  for p in $(programs_of 1) $(programs_of 2); do kill -9 "$p"; done
  wait $job && return 1
  [ $quiet = 0 ] && grep -qE 'did not answer in time|exited on signal|lost communication|rank [0-9]+ failed' "$scratch/log"
}
link() { in_switch ip link set port2 "$1"; }
kill_ranks() { for p in $(programs_of 2); do kill -9 "$p"; done; }
check 'killed ranks end all' ends_after kill_ranks
check 'a link that goes down ends all' ends_after link down
link up
totals
