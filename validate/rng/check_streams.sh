#!/usr/bin/env bash
# SmallCrush on every random stream for `make check` (`make rng` adds the bits reversed): begins anew, a
# case a stream, and counts them in the last line.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
log=build/logs/rng/smallcrush.txt
rm -rf build/logs/rng
mkdir -p build/logs/rng

status=0
LOGS=build/logs/rng validate/rng/rng.sh smallcrush all >"$log" 2>&1 || status=$?
cat "$log"
skipped=$(sed -n 's/^SKIP: smallcrush of \([0-9]*\) streams:.*/\1/p' "$log")
passed=$(grep -Ec '^[^#].* (passed|control|fails,as-known)$' "$log")
failed=$(grep -Ec '^[^#].* (FAILED|NOT-CAUGHT|incomplete)$' "$log")
[ $status -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
echo "$passed passed, $failed failed, ${skipped:-0} skipped"
[ "$failed" -eq 0 ]
