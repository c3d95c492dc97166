#!/usr/bin/env bash
# The whole program on a GPU beside the published one (PAising 1.16 on an H200, t_SF in ps):
# t_SF of eq. (11) from run.json (from before the first device allocation to after the last data file;
# the CUDA context is not counted) and the wall time of the process. The median of RUNS (default 3).
#   perf/gpu_targets.sh [build/paising]
set -euo pipefail
paising=$(realpath "${1:-build/paising}")
runs=${RUNS:-3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# coding theta R L beta_end dbeta word rng published
cases='msc 500 50000 128 0.5 0.005 32 independent 0.417
msc 100 50000 128 1 0.005 32 independent 0.465
msc 10 50000 128 1 0.005 32 independent 0.984
msc 1 50000 128 1 0.005 32 independent 6.26
msc 1 2000 128 1 0.005 32 independent 59.3
ssc 500 10000 128 0.5 0.005 - - 3.13
ssc 10 50000 128 1 0.005 - - 3.71
ssc 1 50000 128 1 0.005 - - 9.77
msc 500 50000 16 0.5 0.005 32 independent 0.491
msc 500 50000 32 0.5 0.005 32 independent 0.432
msc 500 50000 64 0.5 0.005 32 independent 0.422
msc 500 12500 256 0.5 0.005 32 independent 0.619
msc 100 80000 128 1 0.02 8 lcg 0.713
msc 100 80000 128 1 0.02 16 lcg 0.559
msc 100 80000 128 1 0.02 32 lcg 0.471
msc 100 80000 128 1 0.02 64 lcg 0.758
msc 100 20000 64 1 0.005 32 independent -'

echo "# coding theta      R    L  p mode        beta_end dbeta  t_SF/ps  published  ratio  wall/s"
while read -r coding theta population size beta_end dbeta word rng published; do
    options=(-D cuda -c "$coding" -t "$theta" -R "$population" -L "$size" -f "$beta_end" -d "$dbeta")
    [ "$coding" = ssc ] || options+=(-p "$word" -g "$rng")
    for ((run = 0; run < runs; run++)); do
        start=$EPOCHREALTIME
        "$paising" "${options[@]}" -o "$scratch/out" --force >/dev/null
        end=$EPOCHREALTIME
        sed -n 's/.*"t_SF_ns": \([0-9.e+-]*\).*/\1/p' "$scratch/out/run.json" |
            awk -v wall="$(awk "BEGIN { print $end - $start }")" '{ print 1000 * $1, wall }'
    done | sort -g | awk -v n="$runs" 'NR == int((n + 1) / 2)' |
        while read -r t_sf wall; do
            awk -v t="$t_sf" -v w="$wall" -v published="$published" 'BEGIN {
                printf "%9.4f %10s %6s %7.3f\n", t, published,
                    published == "-" ? "-" : sprintf("%.2f", published / t), w }'
        done | sed "s/^/$(printf '%8s %5s %6s %4s %2s %-11s %8s %5s ' "$coding" "$theta" \
            "$population" "$size" "$word" "$rng" "$beta_end" "$dbeta")/"
done <<<"$cases"
