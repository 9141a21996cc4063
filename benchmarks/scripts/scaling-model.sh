#!/bin/sh
# scaling-model.sh [RESULTS]: the times that a model gives for the rows of RESULTS/scaling.csv (default: benchmarks/results),
# beside the measured ones, and for 8 to 16384 GPUs. The model: a visit of a level takes as long as on one
# GPU with a GPU's share of it, A(n) = F(n) - 2 F(n/2) + F(n/4) from measured F-cycles F of cubes; and EXCHANGES times
# the latency of an exchange plus its bytes over the link. Level l of those that are distributed is visited l + 1 times;
# levels below the finest of fewer than GATHER cells in all are one GPU's. The latency is fitted to the weak runs of each
# operator and transport (least squares of the ratios); so is the rate of device and staged, unless none fits. LINK (peer: GB/s of a GPU and
# direction) and, between nodes of NODE GPUs, NET (GB/s) and NET_LATENCY (us) are given.
here=$(cd "$(dirname "$0")" && pwd)
csv=${1:-$here/../results}/scaling.csv
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
function faces_of(gpus) { return gpus == 2 ? 1 : gpus == 4 ? 2 : gpus < 64 ? 3 : 6 }
# Exchanges and their bytes on the levels that are distributed, into `times` and `bytes`; the rest of an F-cycle
function without(o, gpus, cells, gather,    l, share, sum)
{
  times = bytes = 0
  if (gpus == 1) return cycle(o, cells)
  for (l = 0; l == 0 || cells >= gather; l++) {
    share = cells / gpus
    sum += (l + 1) * visit(o, share)
    times += (l + 1) * exchanges
    bytes += (l + 1) * exchanges * halo(o, share, faces_of(gpus))
    cells /= 8
  }
  return sum + cycle(o, cells) + l * (cycle(o, cells) - cycle(o, cells / 8))
}
function predict(o, gpus, cells, latency, rate, gather,    base)
{
  base = without(o, gpus, cells, gather)
  return base + times * latency + bytes / rate
}
# Sums of the normal equations, each row over its own time
function note(key, o, t, gpus, cells, seconds,    r)
{
  r = seconds - without(o, gpus, cells, gather[key])
  if (t == "peer") r -= bytes / (1e9 * link)
  tt[key] += times * times / (seconds * seconds)
  tr[key] += times * r / (seconds * seconds)
  tb[key] += times * bytes / (seconds * seconds)
  bb[key] += bytes * bytes / (seconds * seconds)
  br[key] += bytes * r / (seconds * seconds)
}
/^#/ || $1 == "kind" { next }
$1 == "single" && ($3, $2) in single { next } # the first row of a size counts
$1 == "single" { single[$3, $2] = $7; next }
{ rows++; for (c = 1; c <= 9; c++) row[rows, c] = $c }
END {
  for (r = 1; r <= rows; r++) {
    o = row[r, 3]; t = row[r, 4]; key = o SUBSEP t
    if (row[r, 1] != "weak" || row[r, 5] == 1) continue
    gather[key] = t == "peer" ? peer_gather : mpi_gather
    note(key, o, t, row[r, 5], row[r, 6], row[r, 7])
  }
  for (key in gather) {
    split(key, k, SUBSEP)
    det = tt[key] * bb[key] - tb[key] * tb[key]
    if (k[2] == "peer" || det <= 1e-9 * tt[key] * bb[key]) {
      latency[key] = tr[key] / tt[key]; rate[key] = 1e9 * link
    } else {
      latency[key] = (tr[key] * bb[key] - br[key] * tb[key]) / det
      rate[key] = det / (br[key] * tt[key] - tr[key] * tb[key])
    }
    if (rate[key] <= 0) { latency[key] = tr[key] / tt[key]; rate[key] = 1e30 } # the more bytes, the more is hidden
    printf "%s %s: %.2f us an exchange, %s GB/s\n", k[1], k[2], 1e6 * latency[key],
      (rate[key] > 1e20 ? "-" : sprintf("%.1f", 1e-9 * rate[key]))
  }
  print "kind,side,operator,transport,gpus,seconds,predicted,ratio"
  for (r = 1; r <= rows; r++) {
    o = row[r, 3]; t = row[r, 4]
    if (row[r, 5] == 1 || !((o, t) in latency)) continue
    p = predict(o, row[r, 5], row[r, 6], latency[o, t], rate[o, t], gather[o, t])
    printf "%s,%d,%s,%s,%d,%s,%.4e,%.3f\n", row[r, 1], row[r, 2], o, t, row[r, 5], row[r, 7], p, row[r, 7] / p
  }
  print "predicted,side,operator,gpus,seconds,dof_per_second,efficiency"
  for (i = 1; i <= 2; i++) {
    o = i == 1 ? "fv2" : "fv4"
    if (!((o, "peer") in latency)) continue
    for (n = 256; n <= 512; n *= 2)
      for (g = 8; g <= 16384 && (o, n) in single; g *= g == 4096 ? 4 : 8) {
        one = single[o, n]
        p = predict(o, g, g * n * n * n, g <= node ? latency[o, "peer"] : 1e-6 * net_latency, 1e9 * (g <= node ? link : net),
                    peer_gather)
        printf "weak,%d,%s,%d,%.4e,%.4e,%.3f\n", n, o, g, p, g * n * n * n / p, one / p
      }
  }
}' "$csv"
