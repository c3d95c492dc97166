#!/usr/bin/env bash
# The stages of a temperature step on a GPU, L = 128, beta from 0 to 1 in steps of 0.005: their shares of
# the time of all steps with --stages apart (Table 4), and t_SF of eq. (11) with the stages fused, apart,
# and (SSC) hybrid (Table 5). Published figures, of a K80, stand beside. No figure is printed before the
# data files of each mode are found equal, byte for byte, to those of the fused one. Each line is the
# one of median sweep share, or median t_SF, of RUNS (default 1).
#   [THETAS='1 10'] [POPULATIONS='2000 50000'] [RUNS=3] perf/gpu_stages.sh [build/paising]
set -euo pipefail
shopt -s inherit_errexit
paising=$(realpath "${1:-build/paising}")
thetas=${THETAS:-1 5 10 50 100}
populations=${POPULATIONS:-2000 10000 50000}
runs=${RUNS:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# coding theta: Table 4 at R = 2000 10000 50000 100000
shares='ssc 1 39.8 41.8 42.2 42.2
ssc 5 76.4 77.9 78.3 78.3
ssc 10 86.6 87.6 88.0 87.9
ssc 50 97.0 97.3 97.4 97.3
ssc 100 98.5 98.6 98.7 98.6
ssc 200 99.2 99.3 99.3 99.3
ssc 500 99.7 99.7 99.7 99.7
msc 1 5.3 6.6 5.9 5.4
msc 5 20.6 28.7 25.1 24.4
msc 10 33.9 44.5 37.3 35.9
msc 50 71.8 80.0 75.5 76.1
msc 100 83.6 89.0 86.7 86.3
msc 200 91.0 94.1 93.2 92.9
msc 500 96.2 97.8 97.3 97.1'
# theta: Table 5 (SSC, R = 50000), t_SF in ps with all on the GPU, and hybrid
hybrids='1 213 1424
5 119 361
10 107 232
50 99 126
100 98 112
500 97 101'

# published TABLE COLUMN KEY...: an entry of a table, - if there is none.
published() {
    local table=$1 column=$2
    shift 2
    awk -v key="$* " -v column="$column" 'index($0, key) == 1 { value = $column }
        END { print value == "" ? "-" : value }' <<<"$table"
}

# A run of MODE CODING THETA R: prints resample, sweep, measure, round_trip (s; null: not known), t_SF (ps).
anneal() {
    local mode=$1 coding=$2 theta=$3 population=$4
    "$paising" -D cuda -L 128 -c "$coding" -t "$theta" -R "$population" --stages "$mode" \
        -o "$scratch/$mode" --force >/dev/null
    if ! cmp "$scratch/fused/PA_results_run_0.dat" "$scratch/$mode/PA_results_run_0.dat" >&2; then
        echo "gpu_stages.sh: $mode and fused differ: $coding theta $theta R $population" >&2
        return 1
    fi
    awk -F '[ ,:]+' '{ gsub(/"/, "") }
        $2 ~ /^(resample|sweep|measure|round_trip|t_SF_ns)$/ { value[$2] = $3 }
        END { print value["resample"], value["sweep"], value["measure"], value["round_trip"],
                    1000 * value["t_SF_ns"] }' "$scratch/$mode/run.json"
}

# Of RUNS such runs the median one, by the share of the sweeps or (fused) by t_SF.
median() {
    local run line lines=''
    for ((run = 0; run < runs; run++)); do
        line=$(anneal "$@")
        lines+=$line$'\n'
    done
    awk 'NF { print $1 == "null" ? $5 : $2 / ($1 + $2 + $3 + $4), $0 }' <<<"$lines" | sort -g |
        awk -v n="$runs" 'NR == int((n + 1) / 2) { print $2, $3, $4, $5, $6 }'
}

echo "# Table 4: percent of the time of the steps, from device events; 't_SF' of whole runs in ps"
echo "# coding theta      R resample   sweep measure round_trip  published_sweep  t_SF_apart  t_SF_fused"
for coding in ssc msc; do
    for theta in $thetas; do
        for population in $populations; do
            column=$(awk -v r="$population" 'BEGIN {
                print r == 2000 ? 3 : r == 10000 ? 4 : r == 50000 ? 5 : r == 100000 ? 6 : 99 }')
            fused=$(median fused "$coding" "$theta" "$population")
            apart=$(median apart "$coding" "$theta" "$population")
            awk -v c="$coding" -v t="$theta" -v r="$population" -v fused="${fused##* }" \
                -v published="$(published "$shares" "$column" "$coding" "$theta")" '{
                percent = 100 / ($1 + $2 + $3 + $4)
                printf "%8s %5s %6s %8.2f %7.2f %7.2f %10.2f %16s %11.4f %11.4f\n", c, t, r,
                    percent * $1, percent * $2, percent * $3, percent * $4, published, $5, fused
            }' <<<"$apart"
        done
    done
done

echo
echo
echo "# Table 5: SSC, R = 50000, t_SF of whole runs in ps"
echo "# theta      fused      apart     hybrid  hybrid/fused  published_gpu  published_hybrid  ratio"
for theta in $thetas; do
    fused=$(median fused ssc "$theta" 50000)
    apart=$(median apart ssc "$theta" 50000)
    hybrid=$(median hybrid ssc "$theta" 50000)
    awk -v t="$theta" -v fused="${fused##* }" -v apart="${apart##* }" -v hybrid="${hybrid##* }" \
        -v gpu="$(published "$hybrids" 2 "$theta")" -v cpu="$(published "$hybrids" 3 "$theta")" 'BEGIN {
        printf "%7s %10.4f %10.4f %10.4f %13.2f %14s %17s %6s\n", t, fused, apart, hybrid,
            hybrid / fused, gpu, cpu, gpu == "-" ? "-" : sprintf("%.2f", cpu / gpu) }'
done
