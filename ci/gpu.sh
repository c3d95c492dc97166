#!/usr/bin/env bash
# What a GPU runner runs: every step, or those named, one after the other.
# A step that fails does not keep the others from running, except `build`. The logs are
# build/ci/STEP.log; at the end a line for each step says ok or FAILED, with what it skipped and why.
# Status 1: a step failed; 2: there is no such step.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/usage.sh"
usage "ci/gpu.sh [build scripts check identity sanitize bench collect]" 99 "$@"
cd "$(dirname "$0")/.."
all=(build scripts check identity sanitize bench collect)
steps=("$@")
[ $# -gt 0 ] || steps=("${all[@]}")
for step in "${steps[@]}"; do
    if [[ " ${all[*]} " != *" $step "* ]]; then
        echo "gpu: step '$step': allowed are ${all[*]}" >&2
        exit 2
    fi
done

logs=build/ci
mkdir -p $logs
failed=0
summary=''
for step in "${steps[@]}"; do
    echo "=== $step"
    start=$SECONDS
    verdict=ok
    "ci/$step.sh" 2>&1 | tee "$logs/$step.log" || verdict=FAILED
    summary+=$(printf '%-9s %-7s %5d s' "$step" $verdict $((SECONDS - start)))$'\n'
    summary+=$(grep '^SKIP' "$logs/$step.log" | sed 's/^/          /' || true)$'\n'
    [ $verdict = ok ] || failed=1
    [ "$step $verdict" != 'build FAILED' ] || break
done
echo '==='
sed '/^$/d' <<<"$summary"
exit $failed
