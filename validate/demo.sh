#!/usr/bin/env bash
# The demo: anneals the L = 32 lattice with the default coding, holds every temperature against the
# exact solution and draws the pictures. `make demo` calls it from the top folder.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/../ci/usage.sh"
usage "validate/demo.sh" 0 "$@"
folder=build/demo
size=32

build/paising -L $size -R 50000 -t 10 -m -o $folder --force
mapfile -t betas < <(LC_ALL=C seq 0 0.0025 1)
build/exact -L $size "${betas[@]}" >$folder/exact.dat
agrees=0
build/compare $folder >$folder/comparison.dat || agrees=$?
cat $folder/comparison.dat
for figure in energy specific_heat free_energy magnetisation residuals; do
    gnuplot -e "folder='$folder'" plots/$figure.gp
done
echo
echo "The result is in $folder, its pictures are"
ls $folder/*.png
exit $agrees
