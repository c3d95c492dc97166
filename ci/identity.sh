#!/usr/bin/env bash
# The same bits on CPU and GPU over a random grid of parameters. SEED= and CASES= as `make identity`
# takes them; the seed is new every time, and printed. It says itself what it skips without a GPU.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/usage.sh"
usage "ci/identity.sh" 0 "$@"
cd "$(dirname "$0")/.."
make identity
