#!/usr/bin/env bash
# Hardware counters of the GPU's kernels: `make profile`, from the top folder. DEVICE=auto|cuda|cuda:N.
#
# Nsight Compute (ncu) reads the counters of every kernel of one temperature, beta = 0.44 near the
# critical point, for a few runs; the clocks stay as they are. Nsight Systems (nsys) sums the device's
# time over all temperatures by section (paising/nvtx_section.h). The tables go to
# build/profile/counters.dat and build/profile/sections.dat and to stdout; perf/README.md says what their
# columns mean. A tool that is not there, or may not read counters, is a SKIP; the status is 1 where a
# tool or the program failed.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/profile
device=${DEVICE:-auto}
temperature=88 # 88 steps of 0.005 from beta = 0
read -ra shared <<<"-d 0.005 -f 0.44"

case $device in
auto) device=cuda ;;
cuda | cuda:*) ;;
*)
    echo "profile: DEVICE=$device: allowed are auto, cuda, cuda:N" >&2
    exit 2
    ;;
esac

# name, then options of the program
runs='msc_128_theta100 -c msc -L 128 -R 50000 -t 100
msc_128_theta1 -c msc -L 128 -R 50000 -t 1
msc_64_theta100 -c msc -L 64 -R 50000 -t 100
ssc_128_theta10 -c ssc -L 128 -R 50000 -t 10
msc_128_theta10_apart -c msc -L 128 -R 50000 -t 10 --stages apart'

metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum
metrics+=,dram__throughput.avg.pct_of_peak_sustained_elapsed
metrics+=,smsp__inst_executed.sum,smsp__issue_active.avg.pct_of_peak_sustained_active
metrics+=,sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active
metrics+=,sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_active
metrics+=,sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active
metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active
metrics+=,sm__cycles_elapsed.avg.per_second,launch__registers_per_thread

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if ! build/paising -D "$device" -L 16 -R 1 -t 1 -f 0 -o "$scratch/probe" >"$scratch/log" 2>&1; then
    echo "SKIP: profile: no GPU can be used: $(tail -n 1 "$scratch/log")"
    exit 0
fi
mkdir -p "$folder"

# Gives a table its final name, once it is whole, and prints it.
publish() {
    mv "$scratch/$1" "$folder/$1"
    cat "$folder/$1"
}

fail() {
    echo "profile: $1 failed: $(tail -n 3 "$scratch/log" | tr '\n' ' ')" >&2
    exit 1
}

# What a table is about: machine, program.
print_head() {
    local json=$scratch/probe/run.json
    sed -n 's/^ *"\(engine\|driver\|commit\|date\)": "\(.*\)",$/# \1: \2/p' "$json" |
        sed 's/^# engine: .* on /# device: /'
    echo "# $1"
}

# One run under a tool: profile NAME TOOL... -- OPTIONS...
run() {
    local name=$1
    shift
    echo "profile: $name" >&2
    "$@" -D "$device" "${shared[@]}" -o "$scratch/result" --force >"$scratch/log" 2>&1
}

read_counters() {
    local name options population table=$scratch/counters.dat
    {
        print_head "$(ncu --version | tail -n 1)"
        awk -f perf/profile_csv.awk -f perf/profile_counters.awk -v head=1 </dev/null
    } >"$table"
    while read -r name options; do
        read -ra options <<<"$options"
        if ! run "$name" ncu --clock-control none --nvtx --nvtx-include "temperature_$temperature/" \
            --metrics "$metrics" --print-units base --print-kernel-base function --csv --page raw \
            --log-file "$scratch/counters.csv" build/paising "${options[@]}"; then
            if grep -q -e ERR_NVGPUCTRPERM -e LibraryNotLoaded "$scratch/counters.csv"; then
                echo "SKIP: profile: this machine does not let ncu read hardware counters; NVIDIA's" \
                    "page on ERR_NVGPUCTRPERM says how its owner may allow it"
                return
            fi
            tail -n 3 "$scratch/counters.csv" >>"$scratch/log"
            fail "ncu, $name"
        fi
        population=$(awk -v row=$temperature '!/^#/ && n++ == row { print $9 }' \
            "$scratch/result/PA_results_run_0.dat")
        awk -f perf/profile_csv.awk -f perf/profile_counters.awk -v name="$name" -v population="$population" \
            -v options="${options[*]}" "$scratch/counters.csv" >>"$table" ||
            fail "ncu, $name: no kernel was profiled;"
    done <<<"$runs"
    publish counters.dat
}

sum_sections() {
    local name options table=$scratch/sections.dat
    {
        print_head "$(nsys --version)"
        echo "# device's time by section, over a whole run"
        printf '# %-22s %-10s %9s %12s %12s\n' run section instances total/ms mean/us
    } >"$table"
    while read -r name options; do
        read -ra options <<<"$options"
        run "$name" nsys profile --trace=cuda,nvtx --sample=none --cpuctxsw=none --force-overwrite=true \
            --output="$scratch/trace" build/paising "${options[@]}" || fail "nsys, $name"
        nsys stats --report nvtx_gpu_proj_sum --format csv --force-export=true \
            "$scratch/trace.nsys-rep" >"$scratch/sections.csv" 2>"$scratch/log" || fail "nsys stats, $name"
        awk -f perf/profile_csv.awk -f perf/profile_sections.awk -v name="$name" "$scratch/sections.csv" >>"$table" ||
            fail "nsys, $name: no section was seen;"
    done <<<"$runs"
    publish sections.dat
}

if command -v ncu >/dev/null; then
    read_counters
else
    echo 'SKIP: profile: ncu is not there; it comes with the CUDA toolkit (package cuda-nsight-compute-13-0)'
fi
if command -v nsys >/dev/null; then
    sum_sections
else
    echo 'SKIP: profile: nsys is not there; it comes with the CUDA toolkit (package cuda-nsight-systems-13-0)'
fi
