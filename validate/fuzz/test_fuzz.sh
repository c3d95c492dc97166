#!/usr/bin/env bash
# The fuzz targets link with the sources that fuzz.mk names, and their corpora have today's formats. Inputs that are to
# be accepted are accepted, so that `make fuzz` gets past the first lines of a reader. No input breaks a claim of its
# target. Some inputs are refused: a target that refuses none reads nothing.
#
#   test_fuzz.sh BUILD     with BUILD/replay/TARGET (replay.c) and BUILD/paising
# One line a case: ok or FAIL. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, status and so on are those of claims.sh
set -u

build=$(realpath "${1:?usage: test_fuzz.sh BUILD}")
cd "$(dirname "$0")/../.." || exit 1
source validate/lib/claims.sh
corpus=$PWD/validate/fuzz/corpus makes_checkpoints=$PWD/validate/fuzz/checkpoints.sh

replay() { run "$build/replay/$1" "${@:2}"; }
quiet() { ! [ -s "$err" ]; }

# Inputs of a target: all of the corpus, of which these, a pattern, are accepted.
reads() {
    local target=$1 accepted=$2 file
    replay "$target" "$corpus/$target/"*
    verdict "$target: the corpus breaks no claim, and some is refused" "exits 0" "! quiet"
    for file in "$corpus/$target/"*; do
        [[ ${file##*/} =~ ^($accepted)$ ]] || continue
        replay "$target" "$file"
        verdict "$target: ${file##*/} is accepted" "exits 0" quiet
    done
}

begin
reads options 'adaptive|betas|default|modes|ssc'
reads profile 'relaxation|schedule|sweeps'
reads helium 'ours|ql'
reads couplings 'five_.*|rudy|coo_binary|matrix|isakov'
for file in "$corpus"/couplings/pairs_*; do
    replay couplings "$file"
    verdict "couplings: ${file##*/} is accepted" "exits 0" one_line "says 'format of this program'"
done
reads result_file 'large_size|odd_numbers|result'
reads compare 'agrees|disagrees|few_runs|interrupted|not_finite|not_trusted|whole'

# All of a checkpoint is read, up to the engine, which always fails.
run "$makes_checkpoints" "$build/paising" checkpoints
verdict "checkpoints are made" "exits 0" "[ \$(find checkpoints -type f | wc -l) -eq 6 ]"
for file in checkpoints/*; do
    replay checkpoint "$file"
    verdict "checkpoint: ${file##*/} is read to its end" "exits 0" one_line "says 'none failed'"
done
: >empty
replay checkpoint empty
verdict "checkpoint: an empty one is not" "exits 0" "! says 'none failed'"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
