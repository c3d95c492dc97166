#!/usr/bin/env bash
# Every call that can fail, failing in turn: memory, files, threads (fault.h names the kinds).
#   test_faults.sh BUILD     the folder with paising, compare and fault.so
# A case is a kind of call; in it, each call of a small run fails once, over an older result and
# without one, and on a disk that stays full. Claimed of each run:
#   - it ends by itself, with status 0, 1 or 2, and not by a signal;
#   - with status 0 its data files are those of a run without a fault;
#   - else one to three lines on stderr name what failed, and the folder holds the older result,
#     byte for byte, or nothing;
#   - no other file is left, unless a line names it.
# One line a case: ok, FAIL (with each broken claim). Status 1 if a case failed.
set -uo pipefail

build=$(realpath "${1:?usage: test_faults.sh BUILD}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
passed=0 failed=0

run=("$build/paising" -D cpu -L 16 -R 64 -t 1 -d 0.25 -m -o r)
compare=("$build/compare" new)
export OMP_NUM_THREADS=2
# A sanitized program wants its runtime before the library, which is linked first otherwise.
preload=${FAULT_PRELOAD:+$FAULT_PRELOAD:}$build/fault.so

# What the program does with a fault: with_fault FAULT COMMAND...
with_fault() {
    local fault=$1
    shift
    timeout -s KILL 60 env FAULT="$fault" FAULT_COUNTS=counts LD_PRELOAD="$preload" "$@" >out 2>err
}

# Says what is wrong with a run.
wrong() {
    echo "FAULT=$1, $2: $3" >>wrongs
    sed 's/^/    | /' err >>wrongs
}

# Whether folder r holds the new result as a whole; host and date in run.json differ.
is_new() {
    diff -rq -x run.json new r >/dev/null 2>&1 && [[ $(<r/run.json) == *$'\n}' ]]
}

# Whether folder r is as it was: the older result, or not there.
is_unharmed() {
    if [ "$1" = old ]; then diff -rq old r >/dev/null 2>&1; else ! [ -e r ]; fi
}

# Takes away the files that a line on stderr says could not be removed.
remove_named() {
    local file named=no
    for file in r/.*; do
        [[ -f $file && $said == *"$file"* ]] || continue
        rm "$file"
        named=yes
    done
    [ $named = no ] || rmdir --ignore-fail-on-non-empty r
}

# Holds the run with FAULT, in folder r, against the claims; $2 is the state before: old or nothing.
judge() {
    local fault=$1 before=$2 status=$3 said lines
    mapfile -t lines <err
    said=$(<err)
    if [ "$status" -gt 2 ]; then
        wrong "$fault" "$before" "status $status"
    elif [ "$status" -eq 0 ]; then
        is_new || wrong "$fault" "$before" "status 0, but another result"
    else
        [[ $said =~ ^paising:\ (r/|r:|-o\ r:|.*memory|.*output) || $said == *libgomp:* ]] ||
            wrong "$fault" "$before" "no line that names what failed"
        [ ${#lines[@]} -le 3 ] || wrong "$fault" "$before" "${#lines[@]} lines on stderr"
        [[ $said != *removed* ]] || remove_named
        is_unharmed "$before" || { [[ $said == *'older result cannot be removed'* ]] && is_new; } ||
            wrong "$fault" "$before" "left in the folder: $(ls -A r 2>&1)"
    fi
}

# Whether the fault took place in the last run.
took_place() {
    local name failures
    while read -r name _ failures; do
        [ "$name" != "$1" ] || [ "$failures" -eq 0 ] || return 0
    done <counts
    return 1
}

# One run with a fault. Returns whether the fault took place.
try() {
    local fault=$1 before=$2 status=0
    rm -rf r counts
    [ "$before" = nothing ] || cp -r old r
    with_fault "$fault" "${run[@]}" --force || status=$?
    judge "$fault" "$before" $status
    runs=$((runs + 1))
    [ $status -gt 2 ] || took_place "${fault%%:*}"
}

# A kind, a suffix of its number (+ for all later calls too, or :ERROR), and the states before.
every_call() {
    local kind=$1 suffix=${2-} before n
    : >wrongs
    runs=0
    for before in ${3:-nothing old}; do
        for ((n = 1; n < 2000; n++)); do
            try "$kind:$n$suffix" "$before" || break
        done
        [ $n -gt 1 ] || wrong "$kind" "$before" "no call could be made to fail"
    done
    verdict "each $kind failing$suffix, $runs runs"
}

verdict() {
    if [ -s wrongs ]; then
        failed=$((failed + 1))
        echo "FAIL $1"
        head -n 40 wrongs | sed 's/^/     /'
    else
        passed=$((passed + 1))
        echo "ok   $1"
    fi
}

for seed in 1 2017; do
    "${run[@]}" -s $seed >out 2>err && mv r $seed && continue
    echo "FAIL the run without a fault"
    cat err
    echo "0 passed, 1 failed"
    exit 1
done
mv 1 old
mv 2017 new

every_call malloc
every_call malloc + old
every_call open
every_call write
every_call write +
every_call write :EIO old
every_call fsync
every_call close
every_call rename
every_call unlink
every_call mkdir
every_call thread

# Reading a result back: never in part.
: >wrongs
"${compare[@]}" >told 2>/dev/null
for kind in malloc open; do
    for ((n = 1; n < 2000; n++)); do
        status=0
        rm -f counts
        with_fault $kind:$n "${compare[@]}" || status=$?
        [ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && ! [ -s out ] ||
            { [ $status -eq 0 ] && cmp -s told out; } || wrong $kind:$n compare "status $status"
        took_place $kind || break
    done
done
verdict "compare with each malloc and open failing"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
