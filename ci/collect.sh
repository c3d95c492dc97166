#!/usr/bin/env bash
# Gathers what a runner uploads, build/artifacts: the logs of the steps, the tables and pictures that
# `make bench`, `make tables`, `make validate` and `make profile` have left below build/, and what the
# machine is. Not the folders of single simulations, tens of thousands of files.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/usage.sh"
usage "ci/collect.sh" 0 "$@"
cd "$(dirname "$0")/.."
new=build/artifacts.new
rm -rf $new
mkdir -p $new

{
    echo "commit $(git describe --always --dirty)"
    echo "date $(date -u +%FT%TZ)"
    uname -srm
    sed -n 's/^model name[[:space:]]*: /cpu /p' /proc/cpuinfo | head -n 1
    if command -v nvidia-smi >/dev/null; then
        nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit \
            --format=csv || echo 'nvidia-smi failed'
    fi
    if command -v nvcc >/dev/null; then nvcc --version | tail -n 2; fi
} >$new/machine.txt

for folder in ci logs bench scaling tables plots validation inflation glass wmk2015 helium study profile baselines; do
    [ -d "build/$folder" ] || continue
    find "build/$folder" -type f \( -name '*.dat' -o -name '*.md' -o -name '*.png' -o -name '*.log' \) \
        ! -name 'PA_*' -printf "$folder/%P\0" |
        tar --create --directory build --null --files-from - | tar --extract --directory $new
done
rm -rf build/artifacts
mv $new build/artifacts
echo "build/artifacts: $(find build/artifacts -type f | wc -l) files"
