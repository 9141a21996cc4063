#!/usr/bin/env python3
"""Writes a platform for SimGrid: platform.py KIND RANKS [KEY=VALUE ...] >platform.xml

One host a rank. KIND: fattree (two levels of switches, full bisection), dragonfly, flat (one switch).
KEYs: bandwidth (GB/s of a host's link, 50), latency (us of a link, 0.5), speed (Gflop/s of a host, 1).
"""
import sys

KINDS = ("fattree", "dragonfly", "flat")


def cluster(kind, ranks, bandwidth, latency):
    """The attributes that say how the hosts are joined."""
    if kind == "flat":
        return f'bb_bw="{bandwidth * ranks}GBps" bb_lat="{latency}us"'
    loop = 'sharing_policy="SPLITDUPLEX" loopback_bw="300GBps" loopback_lat="0.1us"'
    if kind == "fattree":
        down = min(ranks, 8 if ranks <= 64 else 32)
        leaves = -(-ranks // down)
        if down * leaves != ranks:
            sys.exit(f"platform.py: {ranks} ranks do not fill leaves of {down}")
        spines = max(1, down // 2) if leaves > 1 else 1
        return f'topology="FAT_TREE" topo_parameters="2;{down},{leaves};1,{spines};1,{max(1, down // spines)}" {loop}'
    groups = -(-ranks // 128)  # of 4 chassis with 4 routers of 8 hosts
    return f'topology="DRAGONFLY" topo_parameters="{groups},2;4,2;4,2;8" {loop}'


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in KINDS or not sys.argv[2].isdigit() or int(sys.argv[2]) < 1:
        sys.exit(__doc__)
    kind, ranks = sys.argv[1], int(sys.argv[2])
    number = {"bandwidth": 50.0, "latency": 0.5, "speed": 1.0}
    for word in sys.argv[3:]:
        key, _, value = word.partition("=")
        if key not in number:
            sys.exit(f"platform.py: {key}: one of {', '.join(number)} is wanted")
        number[key] = float(value)
    print("<?xml version='1.0'?>")
    print('<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">')
    print('<platform version="4.1">')
    print(f'  <cluster id="cluster" prefix="host" suffix="" radical="0-{ranks - 1}" speed="{number["speed"]}Gf" '
          f'bw="{number["bandwidth"]}GBps" lat="{number["latency"]}us" '
          f'{cluster(kind, ranks, number["bandwidth"], number["latency"])}/>')
    print("</platform>")


main()
