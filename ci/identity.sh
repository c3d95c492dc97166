#!/usr/bin/env bash
# The same bits on CPU and GPU over a random grid of parameters. SEED= and CASES= as `make identity`
# takes them; the seed is new every time, and printed. It says itself what it skips without a GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
make identity
