#!/usr/bin/env bash
# The short profile of `make validate`: claims of some cases, and the negative controls that few runs show.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/../../ci/usage.sh"
usage "validate/physics/test_validate.sh [BUILD]" 1 "$@"
build=${1:-build}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

status=0
"$build/validate" --profile short --output "$folder" >"$folder/findings" || status=$?
grep -E '#wrong|^# ' "$folder/findings" || true
failed=$(sed -n 's/^# FAILED: \([0-9]*\) cases$/\1/p' "$folder/findings")
echo "$(($(sed -n 's/^# cases: //p' "$folder/findings") - ${failed:-0})) passed, ${failed:-0} failed"
exit $status
