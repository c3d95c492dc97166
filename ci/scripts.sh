#!/usr/bin/env bash
# Holds every script of the repository against shellcheck.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/usage.sh"
usage "ci/scripts.sh" 0 "$@"
cd "$(dirname "$0")/.."
if ! command -v shellcheck >/dev/null; then
    echo 'SKIP: scripts: shellcheck is not there; please type: sudo apt-get install shellcheck'
    exit 0
fi
mapfile -t scripts < <(git grep -l -e '^#!/usr/bin/env bash' -- '*.sh' .ci)
shellcheck "${scripts[@]}"
echo "${#scripts[@]} scripts pass shellcheck"
