#!/usr/bin/env bash
# Sees to it that what a make target needs is there: each NEED is one of random123, zlib, python3, cmocka, mpi, mpfr,
# gnuplot, testu01, clang.
#
# What is missing is installed through apt where that is allowed (root, or sudo without a password),
# saying so; elsewhere the lines to type are printed, and the status is 1. TestU01 is in a component of
# Debian (non-free) and Ubuntu (multiverse) that may not be enabled: PAISING_ENABLE_NON_FREE=1 allows
# to enable it. Needs behind --optional are installed where that can be done, and gone without elsewhere, saying so.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/usage.sh"
usage "ci/setup.sh NEED... [--optional NEED...]" 99 "$@"
cd "$(dirname "$0")/.."

# Whether the compiler finds a header.
header() {
    echo "#include $1" | "${CC:-gcc}" -isystem .deps/include -E -x c - >/dev/null 2>&1
}

# Whether clang is there with the library that runs fuzz targets.
fuzzes() {
    local program
    program=$(mktemp)
    echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
        "${FUZZ_CC:-clang}" -fsanitize=fuzzer,address -x c - -o "$program" >/dev/null 2>&1
    local status=$?
    rm -f "$program"
    return $status
}

packages=() # that must be there
optional=() # that need not
only_if_possible=no
missing() {
    if [ $only_if_possible = yes ]; then optional+=("$@"); else packages+=("$@"); fi
}
for need in "$@"; do
    case $need in
    --optional) only_if_possible=yes ;;
    random123) header '<Random123/philox.h>' || missing librandom123-dev ;;
    zlib) header '<zlib.h>' || missing zlib1g-dev ;;
    cmocka) header $'<stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <cmocka.h>' ||
        missing libcmocka-dev ;;
    mpi)
        command -v mpicc >/dev/null || missing libopenmpi-dev
        command -v mpirun >/dev/null || missing openmpi-bin
        ;;
    mpfr) header '<mpfr.h>' || missing libmpfr-dev ;;
    python3) python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || missing python3 ;;
    gnuplot) command -v gnuplot >/dev/null || missing gnuplot-nox ;;
    testu01) header '<TestU01.h>' || missing libtestu01-0-dev ;;
    clang) fuzzes || missing clang libclang-rt-dev ;;
    *)
        echo "setup: unknown need '$need': random123, zlib, python3, cmocka, mpi, mpfr, gnuplot, testu01, clang" >&2
        exit 2
        ;;
    esac
done
[ $((${#packages[@]} + ${#optional[@]})) -gt 0 ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    sudo=()
else
    sudo=(sudo -n)
fi

# Whether apt may be used.
may_install() {
    command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }
}

# Whether apt knows where to get a package.
available() {
    apt-cache policy "$1" 2>/dev/null | grep '^  Candidate: [^(]' >/dev/null
}

# The apt source of the component that TestU01 is in: that of `main`, as apt has it for this release, with the component's
# name. Fails where apt has none.
source_file=/etc/apt/sources.list.d/paising-testu01.sources
testu01_source() {
    # shellcheck source=/dev/null
    . /etc/os-release
    local component=non-free uri
    [ "$ID" != ubuntu ] || component=multiverse
    # shellcheck disable=SC2016 # apt's own variables
    uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release="$VERSION_CODENAME" '$2 == release && $3 == "main" { print $1; exit }')
    [ -n "$uri" ] || return 1
    printf '%s\n' 'Types: deb' "URIs: $uri" \
        "Suites: $VERSION_CODENAME" "Components: $component" \
        "Signed-By: /usr/share/keyrings/$ID-archive-keyring.gpg"
}

# What a person would type for the missing packages.
say_what_to_type() {
    local source
    echo "setup: missing packages; please type:" >&2
    if [[ " ${packages[*]} " == *" libtestu01-0-dev "* ]] && command -v apt-get >/dev/null &&
        ! available libtestu01-0-dev; then
        if source=$(testu01_source); then
            printf '%s\n' "  sudo tee $source_file <<'END'" "$source" END '  sudo apt-get update' >&2
        else
            echo "  (apt has no source of libtestu01-0-dev; please give it one)" >&2
        fi
    fi
    echo "  sudo apt-get install ${packages[*]}" >&2
    exit 1
}

# Lets apt know of TestU01, if it is wanted and that is allowed.
offer_testu01() {
    if [[ " $* " != *" libtestu01-0-dev "* ]] || available libtestu01-0-dev; then
        return 0
    fi
    [ "${PAISING_ENABLE_NON_FREE:-0}" = 1 ] || return 1
    local source
    source=$(testu01_source) || return 1
    echo "setup: enabling the component that has TestU01: $source_file"
    "${sudo[@]}" tee $source_file <<<"$source" >/dev/null && "${sudo[@]}" apt-get update -q >/dev/null
}

install() {
    echo "setup: installing $*"
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "$@" >/dev/null
}

go_without() {
    echo "setup: what needs it will be skipped: $1; to have it: sudo apt-get install $1"
}

if ! may_install; then
    [ ${#optional[@]} -eq 0 ] || go_without "${optional[*]}"
    [ ${#packages[@]} -eq 0 ] || say_what_to_type
    exit 0
fi
"${sudo[@]}" apt-get update -q >/dev/null || [ ${#packages[@]} -eq 0 ]
if [ ${#packages[@]} -gt 0 ]; then
    offer_testu01 "${packages[@]}" || say_what_to_type
    install "${packages[@]}"
fi
for package in "${optional[@]}"; do
    { offer_testu01 "$package" && install "$package"; } || go_without "$package"
done
