# shellcheck shell=sh disable=SC2154  # results is the script's
# For the scripts of this folder that source it: the flags of mpirun, and a table that replaces $csv when all is done.

flags=
case $(mpirun --version 2>/dev/null) in
*'Open MPI'*) flags=--oversubscribe ;;
esac
[ "$(id -u)" = 0 ] && [ -n "$flags" ] && flags="$flags --allow-run-as-root"

unwritten() { echo "${0##*/}: $1: could not be written" >&2; exit 3; }

measured() { grep -Eq '^(fv2|fv4|single|weak|strong),' "$new" 2>/dev/null; }

leave()
{
  rm -f "$out" "$out.csv" "$out.rows"
  if measured; then echo "${0##*/}: $csv is as it was; the rows so far are in $new" >&2
  else rm -f "$new"; fi
}

# begin_table FILE: $csv is RESULTS/FILE, $new has the rows until then, $out is for programs' output
begin_table()
{
  csv=$results/$1 new=$results/$1.new
  out=$(mktemp) || exit 3
  trap leave EXIT
  trap 'exit 3' HUP INT TERM
  mkdir -p "$results" || unwritten "$results"
  printf '' >"$new" || unwritten "$new"
}
