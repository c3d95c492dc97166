#!/usr/bin/env bash
# Runs fuzz targets; `make fuzz` calls it from the top folder.
# Each target begins with its committed corpus, or with checkpoints of PROGRAM, and gets RUNS inputs, from a fixed seed. The inputs that
# reach new code are kept in FOLDER/corpus, and where a run goes on from; one that breaks a claim is
# kept as FOLDER/TARGET-crash-... A table on stdout: inputs, seconds, kept inputs, findings.
# Status 1: something was found; it belongs into a test.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/../../ci/usage.sh"
usage "validate/fuzz/fuzz.sh FOLDER PROGRAM RUNS TARGET..." 99 "$@"

if [ $# -lt 4 ]; then
    echo 'fuzz.sh: allowed: FOLDER PROGRAM RUNS TARGET...' >&2
    exit 2
fi
folder=$1 program=$2 runs=$3
shift 3
findings=0
echo "# target inputs seconds corpus findings"
for target in "$@"; do
    kept=$folder/corpus/$target log=$folder/$target.log
    mkdir -p "$kept"
    start=$SECONDS
    found=0
    corpus=validate/fuzz/corpus/$target longest=4096
    if [ "$target" = checkpoint ]; then
        corpus=$folder/checkpoints longest=65536 # long, by its tables of blocks
        validate/fuzz/checkpoints.sh "$program" "$corpus"
    fi
    # What the program says on stdout and stderr is not of interest; an input that takes 5 s is a hang.
    "$folder/$target" -runs="$runs" -seed=1 -max_len="$longest" -timeout=5 -close_fd_mask=3 \
        -dict=validate/fuzz/dictionary.txt -artifact_prefix="$folder/$target-" \
        "$kept" "$corpus" >"$log" 2>&1 || found=1
    done_runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log")
    echo "$target ${done_runs:-0} $((SECONDS - start)) $(find "$kept" -type f | wc -l) $found"
    [ $found -eq 0 ] || tail -n 30 "$log" >&2
    findings=$((findings + found))
done
[ $findings -eq 0 ]
