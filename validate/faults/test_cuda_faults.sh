#!/usr/bin/env bash
# Calls of the CUDA runtime failing in turn: memory, launches, copies, waiting, questions to the device, and
# a device that is lost (every call fails from some point on). The claims are those of test_faults.sh, and:
#   - a question without an answer ends the run; it does not go on with a guess;
#   - what fails within a checkpoint does not end the run: a line names the checkpoint, the data files are
#     those of a run without a fault, and nothing is left beside the checkpoint;
#   - a checkpoint takes no memory of the device.
#   test_cuda_faults.sh BUILD     the folder with paising and paising_faulty; without a GPU: SKIP
set -uo pipefail

build=$(realpath "${1:?usage: test_cuda_faults.sh BUILD}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=/dev/null
source "$(dirname "$0")/judge.sh"
cd "$scratch" || exit 1

if ! "$build/paising" -D cuda --dry-run >out 2>err; then
    echo "SKIP failures of the CUDA runtime: $(tail -n 1 err)"
    echo "0 passed, 0 failed"
    exit 0
fi

with_fault() {
    local fault=$1
    shift
    FAULT=$fault FAULT_COUNTS=counts timeout -s KILL 300 "$@" >out 2>err
}

# Each question to the device without an answer.
each_query() {
    local n
    : >wrongs
    runs=0
    for ((n = 1; n < 2000; n++)); do
        try "cuda-query:$n" old || break
        ! is_new r || wrong "cuda-query:$n" old "goes on without an answer"
    done
    [ $n -gt 1 ] || wrong cuda-query old "no call could be made to fail"
    verdict "each cuda-query failing, $runs runs"
}

# What a failed checkpoint is told by.
told='^paising[_a-z]*: ck: '

# Holds a run with two checkpoints against the claims, and counts what failed within one.
judge_checkpoints() {
    local fault=$1 status=$2
    if grep -q "$told" err; then
        within=$((within + 1))
        { [ "$status" -eq 0 ] && is_new r && [ -s ck ]; } ||
            wrong "$fault" checkpoints "status $status, another result, or no checkpoint"
    else
        judge "$fault" old "$status"
    fi
    ! compgen -G '.ck.*' >left || wrong "$fault" checkpoints "left beside the checkpoint: $(<left)"
}

# Each call of a kind failing in a run with checkpoints.
each_call_of_checkpoints() {
    local kind=$1 n status within=0
    : >wrongs
    for ((n = 1; n < 2000; n++)); do
        rm -rf r ck counts
        cp -r old r
        status=0
        with_fault "$kind:$n" "${run[@]}" "${checkpoints[@]}" --force || status=$?
        judge_checkpoints "$kind:$n" $status
        [ $status -gt 2 ] || took_place "$kind" || break
    done
    [ $within -gt 0 ] || wrong "$kind" checkpoints "no call of a checkpoint could be made to fail"
    verdict "each $kind failing in a run with checkpoints, $within of $((n - 1)) within them"
}

# How often a run asks for memory.
allocations() {
    rm -rf r ck
    with_fault cuda-malloc:2000 "$@" || wrong none "$*" "fails"
    awk '$1 == "cuda-malloc" { print $2 }' counts
}

checkpoints_take_no_memory() {
    : >wrongs
    [ "$(allocations "${run[@]}")" = "$(allocations "${run[@]}" "${checkpoints[@]}")" ] ||
        wrong none checkpoints "memory is asked for"
    verdict "checkpoints take no memory of the device"
}

# All that is claimed of the program with the options of `run`.
claim_all() {
    local kind
    make_references
    every_call cuda-malloc '' old
    each_query
    for kind in cuda-launch cuda-copy cuda-wait; do
        each_call_of_checkpoints $kind
    done
    checkpoints_take_no_memory
}

checkpoints=(--checkpoint ck --checkpoint-every 1)

# The references are made by the same program, without a fault: four temperatures, with two pauses.
# shellcheck disable=SC2034 # judge.sh runs it
run=("$build/paising_faulty" -D cuda -L 16 -R 1000 -t 1 -d 0.25 -f 0.75 -o r)
claim_all
every_call cuda-any + old
rm -r old new r

run=("$build/paising_faulty" -D cuda -c ssc --stages hybrid -L 16 -R 100 -t 1 -d 0.25 -f 0.75 -o r)
claim_all

finish
