#!/usr/bin/env bash
# The program with more than 2^32 spins.
#   test_large.sh build/paising
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

paising=$(realpath "${1:?usage: test_large.sh build/paising}")
source "$(dirname "$0")/../lib/claims.sh"

# However long it takes.
run() {
    "$@" >"$out" 2>"$err"
    status=$?
}

# 4200 replicas of 2^20 spins, and two steps; 1.3 GB.
large=(-D cpu -L 1024 -R 4200 -t 1 -d 0.0002 -f 0.0004)
begin
if [ -n "${SANITIZED-}" ]; then
    skip "more than 2^32 spins" "takes minutes in a sanitized program"
elif run "$paising" "${large[@]}" --dry-run && [ $status -eq 0 ]; then
    run "$paising" "${large[@]}" -o r
    "$(dirname "$paising")/compare" r >"$out" 2>>"$err"
    agrees=$?
    verdict "more than 2^32 spins" "exits 0" "[ $agrees -eq 0 ]" "grep -q 'agrees with the exact' $out" \
        "awk '/spin_flips/ { exit !(\$2 + 0 > 8.7e9 && \$2 + 0 < 8.9e9) }' FS=: r/run.json"
else
    skip "more than 2^32 spins" "$(tail -n 1 "$err")"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
