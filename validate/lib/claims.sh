# shellcheck shell=bash disable=SC2034,SC2154
# What the tests of the command have in common: to be sourced. A case runs in an empty folder and makes
# claims; one line a case: ok, FAIL (with what the command said) or SKIP.
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
passed=0 failed=0

# Each case runs in an empty folder `work`; what the command prints goes beside it.
work=$scratch/work out=$scratch/out err=$scratch/err

begin() {
    rm -rf "$work"
    mkdir "$work"
    cd "$work" || exit 1
}

# Ends a case: name, and the commands that must all succeed, one a word.
verdict() {
    local name=$1 claim
    shift
    for claim in "$@"; do
        if ! eval "$claim"; then
            failed=$((failed + 1))
            echo "FAIL $name: not ($claim), status $status"
            sed 's/^/     | /' "$err"
            return
        fi
    done
    passed=$((passed + 1))
    echo "ok   $name"
}

skip() {
    echo "SKIP $1: $2"
}

# Runs a command line, for five minutes at most, which a busy machine may need, and keeps what it says.
run() {
    timeout -s KILL 300 "$@" >"$out" 2>"$err"
    status=$?
}

# Runs a command for which permissions count, for root too.
run_unprivileged() {
    local without=()
    [ "$(id -u)" -ne 0 ] || without=(setpriv --bounding-set "-dac_override,-dac_read_search")
    run "${without[@]}" "$@"
}

# Claims.
exits() { [ "$status" -eq "$1" ]; }
said() { grep -vE '^paising: .*: -.* -s [0-9]+ -P [0-9]' "$err"; } # but the line of device and options when work begins
lines() { [ "$(said | wc -l)" -eq "$1" ]; }
one_line() { lines 1; }
no_line() { lines 0; }
says() { grep -qF -e "$1" "$err"; }
silent() { ! [ -s "$out" ]; }
files() { [ "$(find . -mindepth 1 | sort | tr '\n' ' ')" = "${1:+$1 }" ]; }
last_row() { grep -v '^#' "$1" | tail -n 1; }
rows() { [ "$(grep -vc '^#' "$1")" -eq "$2" ]; }
columns() { [ "$(grep -v '^#' "$1" | awk '{ print NF }' | sort -u)" = "$2" ]; }
same() { cmp -s "$1" "$2"; }
same_data() { diff -rq -x run.json "$1" "$2" >/dev/null; } # of two results
