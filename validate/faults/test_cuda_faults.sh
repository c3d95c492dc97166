#!/usr/bin/env bash
# Calls of the CUDA runtime failing in turn: memory, launches, copies, waiting, and a device that is
# lost (every call fails from some point on). The claims are those of test_faults.sh.
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
    FAULT=$fault FAULT_COUNTS=counts timeout -s KILL 60 "$@" >out 2>err
}

# The references are made by the same program, without a fault: three temperatures.
# shellcheck disable=SC2034 # judge.sh runs it
run=("$build/paising_faulty" -D cuda -L 16 -R 1000 -t 1 -d 0.25 -f 0.5 -o r)
make_references
for kind in cuda-malloc cuda-launch cuda-copy cuda-wait; do
    every_call $kind '' old
done
every_call cuda-any + old
rm -r old new r

# shellcheck disable=SC2034 # judge.sh runs it
run=("$build/paising_faulty" -D cuda -c ssc --stages hybrid -L 16 -R 100 -t 1 -d 0.25 -f 0.5 -o r)
make_references
for kind in cuda-malloc cuda-launch cuda-copy cuda-wait; do
    every_call $kind '' old
done

finish
