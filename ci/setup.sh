#!/usr/bin/env bash
# Sees to it that what a make target needs is there: ci/setup.sh random123 zlib gnuplot cmocka
#
# What is missing is installed through apt where that is allowed (root, or sudo without a password),
# saying so; elsewhere the one line to type is printed, and the status is 1.
set -euo pipefail
cd "$(dirname "$0")/.."

# Whether the compiler finds a header.
header() {
    echo "#include $1" | "${CC:-gcc}" -isystem .deps/include -E -x c - >/dev/null 2>&1
}

packages=()
for need in "$@"; do
    case $need in
    random123) header '<Random123/philox.h>' || packages+=(librandom123-dev) ;;
    zlib) header '<zlib.h>' || packages+=(zlib1g-dev) ;;
    cmocka) header $'<stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <cmocka.h>' ||
        packages+=(libcmocka-dev) ;;
    gnuplot) command -v gnuplot >/dev/null || packages+=(gnuplot-nox) ;;
    *)
        echo "setup: unknown need '$need': random123, zlib, cmocka, gnuplot" >&2
        exit 2
        ;;
    esac
done
[ ${#packages[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    sudo=()
else
    sudo=(sudo -n)
fi
if command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }; then
    echo "setup: installing ${packages[*]}"
    "${sudo[@]}" apt-get update -q >/dev/null
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "${packages[@]}" >/dev/null
else
    echo "setup: missing packages; please type: sudo apt-get install ${packages[*]}" >&2
    exit 1
fi
