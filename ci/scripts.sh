#!/usr/bin/env bash
# Holds every script of the repository against shellcheck.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/usage.sh"
usage "ci/scripts.sh" 0 "$@"
cd "$(dirname "$0")/.."
if ! command -v shellcheck >/dev/null; then
    echo 'SKIP: scripts: shellcheck is not there; please type: sudo apt-get install shellcheck'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi
if ! git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    echo 'SKIP: scripts: git does not know them'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi
mapfile -t scripts < <(git grep -l -e '^#!/usr/bin/env bash' -- '*.sh' .ci)
shellcheck "${scripts[@]}"
echo "${#scripts[@]} passed, 0 failed"
