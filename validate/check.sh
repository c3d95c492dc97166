#!/usr/bin/env bash
# Runs the test programs it is given, and the tests that are scripts; `make check` calls it from the
# top folder. BUILD is the folder of what was built. The last line counts the test cases: N passed,
# N failed, N skipped.
set -uo pipefail

build=${BUILD:-build}

passed=0 failed=0 skipped=0

# Adds what a program printed: the sums at the end of each of cmocka's groups.
count() {
    local sums
    sums=$(sed -n 's/^\[  \(PASSED\|FAILED\|SKIPPED\) *\] \([0-9]*\) test.*/\1 \2/p' "$1")
    passed=$((passed + $(awk '$1 == "PASSED" { n += $2 } END { print n + 0 }' <<<"$sums")))
    failed=$((failed + $(awk '$1 == "FAILED" { n += $2 } END { print n + 0 }' <<<"$sums")))
    skipped=$((skipped + $(awk '$1 == "SKIPPED" { n += $2 } END { print n + 0 }' <<<"$sums")))
}

mkdir -p "$build/logs"
for test in "$@"; do
    name=$(basename "$test")
    log=$build/logs/$name.log
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

# Runs a script with its arguments. It ends with its sums; without a number of skipped cases there, they
# are the lines that begin with SKIP.
run_script() {
    local name log start=$SECONDS sums
    name=$(basename "${1%.*}")
    log=$build/logs/$name.log
    if "$@" >"$log" 2>&1; then
        echo "ok     $name ($((SECONDS - start)) s)"
    else
        echo "FAILED $name ($((SECONDS - start)) s)"
        cat "$log"
    fi
    read -r -a sums < <(grep '^[0-9]* passed, [0-9]* failed' "$log" | tail -n 1 | tr -cs '0-9' ' ')
    passed=$((passed + ${sums[0]:-0}))
    failed=$((failed + ${sums[1]:-1}))
    skipped=$((skipped + ${sums[2]:-$(grep -c '^SKIP ' "$log")}))
}

run_script validate/command/test_command.sh "$build/paising"
run_script validate/command/test_checkpoint.sh "$build/paising"
run_script validate/command/test_house.py
run_script validate/digests/digests.py check --short --paising "$build/paising"
run_script validate/command/test_plain.sh "$build"
run_script validate/faults/test_faults.sh "$build"
run_script validate/faults/test_cuda_faults.sh "$build"
# These are not about memory, and too slow with sanitizers.
if [ -z "${SANITIZED:-}" ]; then
    run_script validate/command/test_build.sh "$build/paising"
    run_script perf/test_bench.py build/paising
    run_script perf/paising-bench readme --check
    run_script validate/rng/test_battery.py
    run_script validate/rng/rng.py check
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
