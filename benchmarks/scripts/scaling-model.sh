#!/bin/sh
# scaling-model.sh [RESULTS]: a model of F-cycles on several GPUs beside every row of RESULTS/scaling*.csv (default:
# benchmarks/results), and what it predicts for 8 to 4096 GPUs. benchmarks/simulation/scaling_model.py says what is in it,
# what is fitted and what is assumed. Exit status 1: a row is farther from the model than it should be.
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/../simulation/scaling_model.py" "$@"
