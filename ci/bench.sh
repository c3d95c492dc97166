#!/usr/bin/env bash
# The regression gate: the quick benchmark against the committed baseline of this device, and the tables
# made from it. The gate's verdict is the status; the tables are made whatever it is.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/usage.sh"
usage "ci/bench.sh" 0 "$@"
cd "$(dirname "$0")/.."
status=0
make bench-check || status=1
make tables
exit $status
