#!/usr/bin/env bash
# The test suite. What needs a GPU is skipped where there is none, and counted so in the last line.
set -euo pipefail
cd "$(dirname "$0")/.."
make check
