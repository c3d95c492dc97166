#!/usr/bin/env bash
# Builds everything that this machine can build: the programs, the harnesses and the tests.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/usage.sh"
usage "ci/build.sh" 0 "$@"
cd "$(dirname "$0")/.."
ci/setup.sh random123 zlib cmocka --optional mpfr mpi
make -j"$(nproc)" everything
command -v nvcc >/dev/null ||
    echo 'SKIP: build: the CUDA engines: nvcc is not there; ci/runner.md says how to install it'
