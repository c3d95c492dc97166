#!/usr/bin/env bash
# Runs the test programs it is given, the tests that are scripts, and SmallCrush on every random stream;
# `make check` calls it from the top folder. The last line counts the test cases: N passed, N failed,
# N skipped.
set -uo pipefail

passed=0 failed=0 skipped=0

# Adds what a program printed: the sums at the end of each of cmocka's groups.
count() {
    local sums
    sums=$(sed -n 's/^\[  \(PASSED\|FAILED\|SKIPPED\) *\] \([0-9]*\) test.*/\1 \2/p' "$1")
    passed=$((passed + $(awk '$1 == "PASSED" { n += $2 } END { print n + 0 }' <<<"$sums")))
    failed=$((failed + $(awk '$1 == "FAILED" { n += $2 } END { print n + 0 }' <<<"$sums")))
    skipped=$((skipped + $(awk '$1 == "SKIPPED" { n += $2 } END { print n + 0 }' <<<"$sums")))
}

mkdir -p build/logs
for test in "$@"; do
    name=$(basename "$test")
    log=build/logs/$name.log
    before=$failed
    start=$SECONDS
    "$test" >"$log" 2>&1
    status=$?
    count "$log"
    if [ $status -ne 0 ]; then
        # A program that died has a failure that it could not report.
        [ $failed -gt "$before" ] || failed=$((failed + 1))
        echo "FAILED $name (status $status, $((SECONDS - start)) s)"
        cat "$log"
    else
        echo "ok     $name ($((SECONDS - start)) s)"
    fi
done

# Scripts count their own cases in the last line.
run_script() {
    local name log counts
    name=$(basename "$1")
    log=build/logs/${name%.sh}.log
    if "$@" >"$log" 2>&1; then
        echo "ok     $name"
    else
        echo "FAILED $name"
        cat "$log"
    fi
    read -r -a counts < <(grep '^[0-9]* passed, [0-9]* failed' "$log" | tail -n 1 | tr -cs '0-9' ' ')
    passed=$((passed + ${counts[0]:-0}))
    failed=$((failed + ${counts[1]:-1}))
    skipped=$((skipped + ${counts[2]:-0}))
}

run_script validate/test_command.sh build/paising
run_script perf/test_bench.sh build/paising
run_script perf/readme.sh --check

# SmallCrush of every random stream: a case a stream.
log=build/logs/rng.log
start=$SECONDS
rm -rf build/logs/rng
LOGS=build/logs/rng validate/rng/rng.sh smallcrush >"$log" 2>&1
status=$?
if streams=$(sed -n 's/^SKIP: smallcrush of \([0-9]*\) streams:.*/\1/p' "$log") && [ "$streams" ]; then
    skipped=$((skipped + streams))
    cat "$log"
else
    passed=$((passed + $(grep -Ec ' (passed|control|fails,as-known)$' "$log")))
    unexpected=$(grep -Ec ' (FAILED|NOT-CAUGHT|incomplete)$' "$log")
    [ $status -eq 0 ] || [ "$unexpected" -gt 0 ] || unexpected=1
    failed=$((failed + unexpected))
    if [ "$unexpected" -gt 0 ]; then
        echo "FAILED rng.sh smallcrush (status $status, $((SECONDS - start)) s)"
        cat "$log"
    else
        echo "ok     rng.sh smallcrush ($((SECONDS - start)) s)"
    fi
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
