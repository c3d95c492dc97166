#!/usr/bin/env bash
# Results do not depend on how the C library rounds. The program uses only functions of libm whose results are exact.
# The data files stay the same when glibc uses its exp and log for processors without FMA and AVX.
#
#   test_portable.sh build
#
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

build=$(realpath "${1:?usage: test_portable.sh BUILD}")
source "$(dirname "$0")/../lib/claims.sh"

# What follows runs with the other functions of glibc.
otherwise() {
    GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA,-FMA4,-AVX512F "$@"
}

# Whether one of some files of the build asks for a function of libm that is not exact. Square roots,
# absolute values, rounding to whole numbers and the like are.
inexact='(exp|exp2|expm1|log|log2|log10|log1p|pow|sinh?|cosh?|tanh?|asinh?|acosh?|atanh?|atan2|cbrt|hypot|erfc?|[lt]gamma|fma)[fl]?'
ask_for_inexact() { nm -u "$@" | grep -qxE " *U $inexact(@.*)?"; }

begin
nm -u "$build"/plain "$build"/obj/paising/*/*.o "$build"/obj/paising/*/*/*.o >"$out" 2>"$err"
status=$?
verdict "no function of libm that rounds" "exits 0" "! ask_for_inexact $build/plain $build/obj/paising/*/*.o $build/obj/paising/*/*/*.o"
verdict "control: one that does is found" "ask_for_inexact $build/obj/reference/exact.o"

# The same options in both ways.
same_bytes() {
    begin
    "$build/paising" -D cpu -P 17 "$@" -o a >"$out" 2>"$err" &&
        otherwise "$build/paising" -D cpu -P 17 "$@" -o b >>"$out" 2>>"$err"
    status=$?
    verdict "the same bytes with other functions of the C library: $*" "exits 0" "diff -rq -x run.json a b"
}

table='BEGIN { for (n = 1; n < 5000; n++) printf "%.17g %.17g\n", exp(-n / 7.3), log(n) }'
if [ "$(awk "$table")" = "$(otherwise awk "$table")" ]; then
    skip "the same bytes with other functions of the C library" "here it rounds in one way"
else
    same_bytes -L 16 -R 500 -t 2 -M 3 -m
    same_bytes -c ssc -L 8 -R 300 -t 1 -M 2 -m0.01
    same_bytes -L 16 -R 1000 -t 2 -f 0.6 -a 0.8 -m
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
