#!/usr/bin/env bash
# The library as a program sees it: what it exports, its soname, and the example in C on own couplings.
#   test_library.sh build
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

build=$(realpath "${1:?usage: test_library.sh BUILD}")
sources=$(realpath "$(dirname "$0")/../../paising")
source "$(dirname "$0")/../lib/claims.sh"
library=$build/lib/libpaising.so

begin
grep -o '^PAISING_API [^(]*' "$sources/paising.h" | grep -o '[a-z_]*$' | sort >declared
run nm -D --defined-only "$library"
cut -d ' ' -f 3 "$out" | sort >exported
verdict "the shared library exports what paising.h declares, and nothing else" "exits 0" "[ \$(wc -l <declared) -ge 14 ]" \
    "same declared exported"
run nm --defined-only --extern-only "$build/lib/libpaising.a"
awk 'NF == 3 && $2 != "C" && $3 !~ /^_/ { print $3 }' "$out" | sort -u >exported
verdict "and the static one, but for names of the compiler's" "exits 0" "same declared exported"
run readelf -d "$library"
verdict "its soname has the major version" "exits 0" "grep -q 'SONAME.*\[libpaising.so.1\]' $out"

if ! command -v "${CC:-cc}" >/dev/null; then
    skip "the example in C" "no compiler"
else
    begin
    run "${CC:-cc}" -I "$sources" "$sources/examples/own_couplings.c" "$library" -Wl,-rpath,"$build/lib" -o example
    verdict "the example in C compiles" "exits 0"
    ln -s "$library" libpaising.so.1
    LD_LIBRARY_PATH=. OMP_NUM_THREADS=1 run ./example
    verdict "... and prints P(q): shares that add up to 1" "exits 0" "grep -q '^#.*share' $out" \
        "awk '!/^#/ { for (n = 1; n <= NF; n++) last = \$n; rows++; sum += \$5 } END { exit !(rows > 10 && sum > 0.999 && sum < 1.001) }' $out"
fi

# What pkg-config --cflags --libs would print, with --static too, of an installation in `prefix`; -L finds libraries that were carried along.
of_file() {
    sed -n "s/^$1: //p" "$build/lib/paising.pc" | sed "s|\${prefix}|$2|g"
}
if ! command -v "${CC:-cc}" >/dev/null || [ -n "${SANITIZED:-}" ]; then
    skip "programs by paising.pc" "no compiler, or a library that sanitizers are linked to"
else
    begin
    mkdir -p prefix/include static/lib
    ln -s "$library" libpaising.so.1
    cp "$sources/paising.h" prefix/include
    cp "$build/lib/libpaising.a" static/lib
    ln -s "$build/lib" prefix/lib
    read -ra flags <<<"$(of_file Cflags prefix) $sources/examples/own_couplings.c $(of_file Libs prefix)"
    run "${CC:-cc}" "${flags[@]}" -o shared
    LD_LIBRARY_PATH=. OMP_NUM_THREADS=1 run ./shared
    verdict "paising.pc has what a program needs" "exits 0" "grep -q '^#.*share' $out"
    read -ra flags <<<"$(of_file Cflags prefix) $sources/examples/own_couplings.c $(of_file Libs static) $(of_file Libs.private static)"
    run "${CC:-cc}" "${flags[@]}" -L"$build/../.deps/lib" -o static/example
    OMP_NUM_THREADS=1 run static/example
    verdict "... and a program with the static library" "exits 0" "grep -q '^#.*share' $out"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
