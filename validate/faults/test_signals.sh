#!/usr/bin/env bash
# A run with checkpoints gets SIGKILL or SIGTERM just before each of its calls that touch a file. Resumed, it always
# writes the bytes of the run without a signal, and nothing else. The files on the disk change in these calls only, so
# these moments stand for all.
#
#   test_signals.sh BUILD     the folder with paising and fault.so
#
# One line a case: ok, FAIL (with each moment that is wrong). Status 1 if a case failed.
# shellcheck disable=SC1091,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

build=$(realpath "${1:?usage: test_signals.sh BUILD}")
source "$(dirname "$0")/../lib/claims.sh"

run=("$build/paising" -D cpu -L 16 -R 64 -t 1 -d 0.125 -f 0.5 -M 2 -m)
checkpoints=(-o r --checkpoint ck --checkpoint-every 3)
export FAULT_COUNTS=$scratch/counts OMP_NUM_THREADS=1
# The allocator of a sanitized program is to stand before the one that counts calls.
preload=$build/fault.so${SANITIZED:+:$(gcc -print-file-name=libasan.so)}
export ASAN_OPTIONS=verify_asan_link_order=0

says_interrupted() { grep -q "\"interrupted\": $1" r/run.json; }

# Whether the signal was sent: a process that it ended has written no counts.
sent() { ! [ -e "$FAULT_COUNTS" ] || ! grep -q "^$1 [0-9]* 0\$" "$FAULT_COUNTS"; }

# Whether the rows of the runs in folder r are the first ones of those in `whole`. Whether the last one is
# trusted, column 18, hangs on the one that is missing.
is_beginning() {
    local file
    for file in r/PA_results_run_*.dat; do
        grep -v '^#' "$file" | cut -d ' ' -f 1-17,19- >part
        grep -v '^#' "whole/${file#r/}" | cut -d ' ' -f 1-17,19- | head -n "$(wc -l <part)" >first
        [ -s part ] && cmp -s part first || return 1
    done
    rm part first
}

# Nothing is left; but the lock of a checkpoint that nobody has taken up, since the result was whole.
is_tidy() { [ -z "$(find . -name '.?*' ! -name .ck.lock)" ]; }
same_data() { diff -rq -x run.json "$1" "$2" >/dev/null; }

# Takes up what a signal has left. Status 2: it came when the result was whole, and no checkpoint had been written.
take_up() {
    if [ -e ck ]; then
        "$build/paising" --resume ck >"$out" 2>"$err"
        status=$?
    else
        "${run[@]}" "${checkpoints[@]}" >"$out" 2>"$err"
        status=$?
        exits 2 && says 'holds a result already (' && return
    fi
    exits 0 && says_interrupted false
}

# Whether it is as it should be that a run ended with this status. SIGTERM may come too late: then the run is
# at its end. A second one comes before the rows so far are written, or when they are in their place, and leaves no file
# that is not whole.
ended_well() {
    case $signal$more:$1 in
    SIGKILL:137 | SIGTERM:0) ;;
    SIGTERM:143) [ -e ck ] && says_interrupted true && is_beginning ;;
    SIGTERM+:0 | SIGTERM+:143) is_tidy && { [ ! -e r/run.json ] || says_interrupted false || is_beginning; } ;;
    *) false ;;
    esac
}

# The signal before each call of a kind, in turn; with a plus, again before the next one.
each_call() {
    local kind=$1 signal=$2 more=${3-} n wrong=0 ended
    for ((n = 1; n < 2000; n++)); do
        rm -rf r ck .ck.lock "$FAULT_COUNTS"
        # The shell would report every kill.
        { FAULT=$kind:$n$more:$signal LD_PRELOAD=$preload "${run[@]}" "${checkpoints[@]}" >"$out" 2>"$err"; } 2>/dev/null
        ended=$?
        sent "$kind" || break
        if ! ended_well $ended || ! take_up || ! same_data whole r || ! is_tidy; then
            wrong=$((wrong + 1))
            echo "$signal$more before $kind $n: status $ended, taken up: $status, there are" .* r/.*
        fi
    done
    verdict "$signal$more before each $kind, $((n - 1)) moments, taken up: the same bytes" "[ $wrong -eq 0 ]" "[ $n -gt 1 ]"
}

begin
"${run[@]}" -o whole >"$out" 2>"$err"
status=$?
verdict "the run without a signal" "exits 0"
for kind in open write fsync close rename unlink mkdir; do
    each_call $kind SIGKILL
done
for kind in write rename unlink; do
    each_call $kind SIGTERM
done
for kind in write rename unlink; do
    each_call $kind SIGTERM +
done

# Without stdin, stdout and stderr, what is said at the signal goes into no file that has got their numbers.
begin
run_closed() { FAULT=$1 LD_PRELOAD=$preload "${run[@]}" -M 1 "${checkpoints[@]}" <&- >&- 2>&-; }
"${run[@]}" -M 1 -o whole >"$out" 2>"$err"
for n in 1 2; do
    { run_closed "fsync:$n:SIGTERM"; } 2>/dev/null
    ended=$?
    "$build/paising" --resume ck >"$out" 2>"$err"
    status=$?
    verdict "SIGTERM before fsync $n, without stdin, stdout and stderr, taken up" "[ $ended -eq 143 ]" "exits 0" "same_data whole r"
    rm -rf r ck .ck.lock
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
