#!/usr/bin/env bash
# Makes the checkpoints that fuzzing of their reader begins with, by the program at hand: what they hold changes with
# the table of settings, and the reader refuses those of another one at once. The parameters are those of
# fuzz_checkpoint.c; a file is the last checkpoint of a simulation that writes one every so many steps, with one run in
# flight or two.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/../../ci/usage.sh"
usage "validate/fuzz/checkpoints.sh PROGRAM FOLDER" 2 "$@"

if [ $# -lt 2 ]; then
    echo 'checkpoints.sh: allowed: PROGRAM FOLDER' >&2
    exit 2
fi
program=$1 folder=$2
mkdir -p "$folder"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
make_checkpoint() {
    "$program" -D cpu -c ssc -L 4 -R 3 -t 2 -d 0.125 -M 2 -m -o "$scratch/result" --force \
        --checkpoint "$scratch/$1" "${@:2}" >/dev/null 2>"$scratch/said" ||
        { cat "$scratch/said" >&2 && exit 1; }
    mv "$scratch/$1" "$folder"
}
for every in 3 8 9 11; do make_checkpoint "steps_$every" --checkpoint-every $every; done
for every in 3 5; do make_checkpoint "two_$every" --checkpoint-every $every --in-flight 2; done
