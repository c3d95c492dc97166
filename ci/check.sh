#!/usr/bin/env bash
# The test suite. What needs a GPU is skipped where there is none, and counted so in the last line.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/usage.sh"
usage "ci/check.sh" 0 "$@"
cd "$(dirname "$0")/.."
make check
