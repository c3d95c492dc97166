#!/usr/bin/env bash
# Draws Fig. 3 and the roofline of a benchmark from its tables. `make plots` calls it.
#   perf/plots.sh FOLDER    the folder of the tables, where the pictures go too
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?usage: plots.sh FOLDER}
for figure in figure3 roofline; do
    gnuplot -e "folder='$folder'" plots/$figure.gp
done
echo "The pictures are"
ls "$folder"/{figure3,roofline}.png
