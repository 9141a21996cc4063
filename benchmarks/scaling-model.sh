#!/bin/sh
# scaling-model.sh [RESULTS]: the times that a model gives for the rows of RESULTS/scaling.csv (default: results/ beside
# this script), beside the measured ones, and for 8 to 16384 GPUs. The model: a visit of a level takes as long as on one
# GPU with a GPU's share of it, A(n) = F(n) - 2 F(n/2) + F(n/4) from measured F-cycles F of cubes; and EXCHANGES times
# the latency of an exchange plus its bytes over the link. Level l of those that are distributed is visited l + 1 times;
# levels of fewer than GATHER cells in all are one GPU's. The latency is the one number that is fitted, for each operator
# and transport to the smallest weak run; LINK (GB/s of a GPU and direction) and, between nodes of NODE GPUs, NET (GB/s)
# and NET_LATENCY (us) are given.
here=$(cd "$(dirname "$0")" && pwd)
csv=${1:-$here/results}/scaling.csv
[ -r "$csv" ] || { echo "scaling-model.sh: no $csv; scaling.sh writes it" >&2; exit 2; }
exec awk -F, -v link="${LINK:-360}" -v net="${NET:-45}" -v net_latency="${NET_LATENCY:-15}" -v node="${NODE:-8}" \
  -v peer_gather="${GATHER:-262144}" -v mpi_gather="${GATHER:-2097152}" -v exchanges="${EXCHANGES:-14}" '
# F of a cube by cells, between the measured ones by the logarithms
function cycle(o, cells,    n, low, a)
{
  n = exp(log(cells) / 3)
  for (low = 8; low * 2 <= n && (o, low * 2) in single; low *= 2) ;
  if (!((o, low) in single)) return single[o, 16] * n / 16
  if (!((o, 2 * low) in single)) return single[o, low] * cells / (low * low * low)
  a = log(n / low) / log(2)
  return exp((1 - a) * log(single[o, low]) + a * log(single[o, 2 * low]))
}
function visit(o, cells)
{
  return cycle(o, cells) - 2 * cycle(o, cells / 8) + cycle(o, cells / 64)
}
# Bytes that a GPU sends in an exchange: of a box of so many cells with so many faces to others
function halo(o, cells, faces)
{
  return 8 * (o == "fv4" ? 2 : 1) * faces * exp(log(cells) * 2 / 3)
}
function predict(o, gpus, cells, latency, rate, gather,    l, share, sum, faces)
{
  if (gpus == 1) return cycle(o, cells)
  faces = gpus == 2 ? 1 : gpus == 4 ? 2 : gpus < 64 ? 3 : 6
  for (l = 0; cells >= gather; l++) {
    share = cells / gpus
    sum += (l + 1) * (visit(o, share) + exchanges * (latency + halo(o, share, faces) / rate))
    cells /= 8
  }
  return sum + cycle(o, cells) + l * (cycle(o, cells) - cycle(o, cells / 8))
}
function fitted(o, t, gpus, cells, seconds, gather,    l, times, without)
{
  without = predict(o, gpus, cells, 0, 1e9 * link, gather)
  for (l = 0; cells >= gather; l++) { times += (l + 1) * exchanges; cells /= 8 }
  return (seconds - without) / times
}
NR == 1 { next }
$1 == "single" { single[$3, $2] = $7; next }
{ rows++; for (c = 1; c <= 9; c++) row[rows, c] = $c }
END {
  for (r = 1; r <= rows; r++) {
    o = row[r, 3]; t = row[r, 4]
    if (row[r, 1] == "weak" && row[r, 5] == 2 && (!((o, t) in least) || row[r, 6] < least[o, t])) {
      least[o, t] = row[r, 6]
      gather[o, t] = t == "peer" ? peer_gather : mpi_gather
      latency[o, t] = fitted(o, t, 2, row[r, 6], row[r, 7], gather[o, t])
    }
  }
  for (key in latency) { split(key, k, SUBSEP); printf "%s %s: %.2f us an exchange\n", k[1], k[2], 1e6 * latency[key] }
  print "kind,side,operator,transport,gpus,seconds,predicted,ratio"
  for (r = 1; r <= rows; r++) {
    o = row[r, 3]; t = row[r, 4]
    if (row[r, 5] == 1 || !((o, t) in latency)) continue
    p = predict(o, row[r, 5], row[r, 6], latency[o, t], 1e9 * link, gather[o, t])
    printf "%s,%d,%s,%s,%d,%s,%.4e,%.3f\n", row[r, 1], row[r, 2], o, t, row[r, 5], row[r, 7], p, row[r, 7] / p
  }
  print "predicted,side,operator,gpus,seconds,dof_per_second,efficiency"
  for (i = 1; i <= 2; i++) {
    o = i == 1 ? "fv2" : "fv4"
    if (!((o, "peer") in latency)) continue
    for (n = 256; n <= 512; n *= 2)
      for (g = 8; g <= 16384 && (o, n) in single; g *= g < node ? 2 : 8) {
        one = single[o, n]
        p = predict(o, g, g * n * n * n, g <= node ? latency[o, "peer"] : 1e-6 * net_latency, 1e9 * (g <= node ? link : net),
                    peer_gather)
        printf "weak,%d,%s,%d,%.4e,%.4e,%.3f\n", n, o, g, p, g * n * n * n / p, one / p
      }
  }
}' "$csv"
