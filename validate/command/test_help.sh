#!/usr/bin/env bash
# Every program and every script says how it is used.
#
#   test_help.sh BUILD     the folder with the programs
#
# The claims are about each program in BUILD and each executable script that git knows, without the tests:
# - --help prints on stdout, beginning with "usage", and nothing on stderr, with status 0;
# - --help on a full disk does not exit with status 0;
# - an unknown word is refused with status 2, by one line on stderr and nothing on stdout. The argparse of Python adds
#   its usage to the line.
#
# One line a case: ok, FAIL or SKIP.
# shellcheck disable=SC1091,SC2034,SC2154 # out, err, status, passed, failed are those of claims.sh
set -u

build=$(realpath "${1:?usage: test_help.sh BUILD}")
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
source validate/lib/claims.sh

explains() { [[ $(head -c 6 "$out") == [uU]sage: ]] && ! [ -s "$err" ]; }
short() { one_line || [[ $(head -c 7 "$err") == usage:* ]]; }

# A command in every way that is claimed.
explain() {
    local name=${1#"$top"/}
    cd "$work" || exit 1
    timeout 300 "$1" --help >"$out" 2>"$err" </dev/null
    status=$?
    verdict "$name --help" "exits 0" explains
    timeout 300 "$1" --nonsense >"$out" 2>"$err" </dev/null
    status=$?
    verdict "$name --nonsense" "exits 2" short silent
}

begin
found=0
for program in "$build"/*; do
    case ${program##*/} in test_* | *.so | *.a | *.tar.gz | paising_faulty) continue ;; esac
    if [ -f "$program" ] && [ -x "$program" ]; then
        explain "$program"
        "$program" --help >/dev/full 2>"$err"
        status=$?
        verdict "${program#"$top"/} --help on a full disk" "exits 1"
        found=$((found + 1))
    fi
done
verdict "programs are found in $build" "[ $found -ge 4 ]"

mapfile -t scripts < <(cd "$top" && git ls-files -s 2>/dev/null | sed -n 's/^100755 .*\t//p' |
    grep -v -e '/test_[^/]*$' -e '^\.ci/' -e '^validate/unit/')
if [ ${#scripts[@]} -eq 0 ]; then
    skip "the scripts' --help" "git does not know them"
else
    for script in "${scripts[@]}"; do explain "$top/$script"; done
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
