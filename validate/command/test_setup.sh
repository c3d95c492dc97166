#!/usr/bin/env bash
# ci/setup.sh, on a machine whose apt is made up: it takes sources from what this apt has, and no other.
#   test_setup.sh
# One line a case: ok or FAIL (with what the command said). Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

setup=$(realpath "$(dirname "$0")/../../ci/setup.sh")
source "$(dirname "$0")/../lib/claims.sh"
release=$(source /etc/os-release && echo "${VERSION_CODENAME-}")
mirror=http://mirror.invalid/debian/

# A program of one line, found before the machine's own.
program() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# Asks for TestU01, where there is none, as the user of this number; apt has these sources. What is installed stands in
# `calls` then, and what is written as a source in `written`.
set_up() {
    begin
    mkdir bin
    program id "echo $1"
    program sudo 'exit 1'
    program apt-cache 'echo "  Candidate: (none)"'
    program apt-get "if [ \"\$1\" = indextargets ]; then echo '$2'; else echo \"\$*\" >>'$work/calls'; fi"
    program tee "cat >>'$work/written'"
    PATH="$work/bin:$PATH" CC=false PAISING_ENABLE_NON_FREE=1 run "$setup" testu01
}
hosts() { cat "$out" "$err" written 2>/dev/null | grep -o '[a-z]*://[^/]*' | sort -u; }

set_up 0 "$mirror some-other-release main"
verdict "no source of this release: none is made up" "exits 1" "[ -z '$(hosts)' ]" "! [ -e written ]" \
    "! grep -q install calls" "says 'apt has no source of libtestu01-0-dev'"
set_up 1000 ''
verdict "the same without the right to install" "exits 1" "[ -z '$(hosts)' ]" "! [ -e written ]" "! [ -e calls ]" \
    "says 'apt has no source of libtestu01-0-dev'" "says 'sudo apt-get install libtestu01-0-dev'"
set_up 0 "$mirror $release main"
verdict "a mirror of this release" "exits 0" "[ '$(hosts)' = ${mirror%/debian/} ]" "grep -qx 'URIs: $mirror' written" \
    "grep -q 'install .*libtestu01-0-dev' calls"
set_up 1000 "$mirror $release main"
verdict "the same without the right to install" "exits 1" "[ '$(hosts)' = ${mirror%/debian/} ]" "! [ -e written ]" \
    "says 'URIs: $mirror'" "says 'sudo apt-get install libtestu01-0-dev'"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
