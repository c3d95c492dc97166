#!/usr/bin/env bash
# ci/sanitize.sh with a program and a compute-sanitizer that are made up: what it says of runs that find something, crash or
# do not end, and what a signal leaves behind.
#   test_sanitize.sh
# One line a case: ok or FAIL (with what the command said). Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

sanitize=$(realpath "$(dirname "$0")/../../ci/sanitize.sh")
source "$(dirname "$0")/../lib/claims.sh"

# A tool that has its program as a process of its own, and a program that does as it is told for the options of one run.
machine() {
    begin
    mkdir bin
    # shellcheck disable=SC2016 # what the made-up tool expands
    printf '#!/bin/bash\nshift 4\n"$@"\nexit $?\n' >bin/compute-sanitizer
    printf '#!/bin/bash\ncase "$*" in *"%s -D"*) %s ;; esac\n' "$1" "$2" >bin/paising
    chmod +x bin/*
}
endless="trap '' INT TERM; echo \$\$ >>'$work/endless'; while :; do sleep 0.1; done"
sanitized() { PATH="$work/bin:$PATH" BUILD="$work/bin" DEVICE=cuda TOOLS=${tools:-memcheck} LIMIT=${limit:-120} run "$sanitize"; }
told() { grep -qF -e "$1" "$out"; }
nothing_runs() { ! grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$(cat endless)/status" 2>/dev/null; } # nor waits for a parent
own=$(sed -n "/^runs='/,/'\$/p" "$sanitize" | wc -l)

machine none true
tools='memcheck racecheck' sanitized
verdict "all runs clean" "exits 0" "told 'memcheck: $own runs, 0 of them not clean; '" "told 'racecheck: $own runs, 0 of them'" \
    "! told FAILED" no_line
machine '-L 32 -R 70' 'echo "Invalid read"; exit 99'
sanitized
verdict "a tool finds something" "exits 1" "told 'Invalid read'" "told 'FAILED memcheck: $work/bin/paising -c msc -L 32 -R 70'" \
    "! told 'not over'" "told ' not clean; '"
# shellcheck disable=SC2016 # what the made-up program expands
machine '-c ssc -L 512 -R 3' 'kill -SEGV $$'
sanitized
verdict "a run that crashes" "exits 1" "told 'FAILED memcheck: $work/bin/paising -c ssc -L 512 -R 3'" "told ', 1 of them not clean'"
machine '-c ssc -L 5 -R 70' "$endless"
limit=10 sanitized
verdict "a run that does not end" "exits 1" "told 'It was not over after 10 s'" \
    "told 'FAILED memcheck: $work/bin/paising -c ssc -L 5 -R 70'" "told 's for the longest: -c ssc -L 5 -R 70'" nothing_runs

# Sends a signal when the endless run is under way. A background job ignores SIGINT, unless it is a job of `set -m`.
interrupted() {
    machine '-c ssc -L 5 -R 70' "$endless"
    set -m
    PATH="$work/bin:$PATH" BUILD="$work/bin" DEVICE=cuda TOOLS=memcheck "$sanitize" >"$out" 2>"$err" &
    set +m
    until [ -s endless ]; do sleep 0.1; done
    kill -s "$1" $!
    wait $!
    status=$?
}
interrupted TERM
verdict "SIGTERM" "exits 143" nothing_runs "! told FAILED" no_line
interrupted INT
verdict "SIGINT" "exits 130" nothing_runs "! told FAILED" no_line

for limit in 0 -1 1.5 two; do
    machine none true
    sanitized
    verdict "LIMIT=$limit" "exits 2" "says 'LIMIT=$limit: allowed are'"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
