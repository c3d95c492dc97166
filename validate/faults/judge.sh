# shellcheck shell=bash
# Compares runs with faults with claims: the part that the tests of faults share. A test sources it in an empty folder.
# The test defines the array `run`: the program and its options, without --force, the result going to r. It also defines
# the function with_fault FAULT COMMAND..., which writes the files out, err and counts (fault.h).

passed=0 failed=0

# Says what is wrong with a run.
wrong() {
    echo "FAULT=$1, $2: $3" >>wrongs
    sed 's/^/    | /' err >>wrongs
}

# Whether a folder holds the new result as a whole; host and date in run.json differ.
is_new() {
    diff -rq -x run.json new "$1" >/dev/null 2>&1 && [[ $(<"$1/run.json") == *'"interrupted": false'*$'\n}' ]]
}

# The part of the rows of a data file that no other row or run can change. Column 18 is left out: it says whether a row
# is trusted, which for the last one depends on the next. The errors of a multi-histogram analysis are left out, too:
# they are the scatter of the runs.
rows_in() {
    local columns=1-17,19-
    [[ $1 == *PA_MHR_* ]] && columns=1-7
    grep -v '^#' "$1" | cut -d ' ' -f $columns
}

# Whether it holds a part of the new result that says so: the first rows of its runs, and averages of some of these,
# each file with its checksum.
is_part() {
    local file
    [[ $(<"$1/run.json") == *'"interrupted": true'*$'\n}' ]] || return 1
    for file in "$1"/*.dat; do
        [[ $(sed -n 3p "$file") == '# failed: '* && $(tail -n 1 "$file") == '# crc32 '* ]] || return 1
        [[ $file == *_weighted.dat ]] || rows_in "$file" | cmp -s - <(rows_in "new/${file#"$1"/}" | head -n "$(rows_in "$file" | wc -l)") || return 1
    done
    [ -z "$(find "$1" -name '.*')" ]
}

# Whether folder r is as it was: the older result, or not there.
is_unharmed() {
    if [ "$1" = old ]; then diff -rq old r >/dev/null 2>&1; else ! [ -e r ]; fi
}

# Takes away what a line on stderr says could not be removed.
remove_named() {
    local file named=no
    shopt -s nullglob
    for file in r/.* r/.paising.*/* r/.paising.*; do
        [[ -e $file && ($said == *"$file: cannot be removed"* || $said == *"removed from it: $file:"*) ]] || continue
        rm -rf "$file"
        named=yes
    done
    shopt -u nullglob
    [ $named = no ] || rmdir --ignore-fail-on-non-empty r
}

# Takes away a result that stderr says went elsewhere, after a look at it.
take_elsewhere() {
    local place=${said##*the result is in }
    [[ $said == *'the result is in '* ]] || return 0
    is_new "$place" || is_part "$place" || wrong "$1" "$2" "no result in $place"
    rm -rf "$place"
}

# A result that is left on its way gets into its place by the next run, which then refuses to replace it.
let_the_next_run_finish() {
    compgen -G 'r/.paising.*' >/dev/null || return 0
    [[ $said == *r/.paising.* ]] || wrong "$1" "$2" "left: $(ls -A r)"
    # shellcheck disable=SC2154 # the test sets it
    "${run[@]}" >out 2>&1
}

# The line of the device and the options, by which work begins.
begins='^paising[_a-z]*: .*: -.* -s [0-9]+ -P [0-9]'

# Holds the run with FAULT, in folder r, against the claims; $2 is the state before: old or nothing.
judge() {
    local fault=$1 before=$2 status=$3 said lines
    mapfile -t lines <err
    if [[ ${lines[0]-} =~ $begins ]]; then lines=("${lines[@]:1}"); fi
    said=$(printf '%s\n' "${lines[@]}")
    if [ "$status" -gt 2 ]; then
        wrong "$fault" "$before" "status $status"
    elif [ "$status" -eq 0 ]; then
        [[ $said != *removed* ]] || remove_named
        is_new r || wrong "$fault" "$before" "status 0, but another result"
    else
        [[ $said =~ ^paising[_a-z]*:\ (r/|r:|-o\ r:|-D\ cuda|run\ [01]:|.*memory|.*output) || $said == *libgomp:* ]] ||
            wrong "$fault" "$before" "no line that names what failed"
        [ ${#lines[@]} -le 4 ] || wrong "$fault" "$before" "${#lines[@]} lines on stderr"
        take_elsewhere "$fault" "$before"
        [[ $said != *removed* ]] || remove_named
        let_the_next_run_finish "$fault" "$before"
        is_unharmed "$before" || is_new r || { [ "$before" = nothing ] && is_part r; } ||
            wrong "$fault" "$before" "left in the folder: $(ls -A r 2>&1)"
    fi
    [ -z "$(compgen -G 'r.*')" ] || wrong "$fault" "$before" "left beside it: $(echo r.*)"
}

# Whether the fault took place in the last run.
took_place() {
    local name failures
    while read -r name _ failures; do
        [ "$name" != "$1" ] || [ "$failures" -eq 0 ] || return 0
    done <counts
    return 1
}

# One run with a fault. Returns whether the fault took place.
try() {
    local fault=$1 before=$2 status=0
    rm -rf r r.* counts
    [ "$before" = nothing ] || cp -r old r
    # shellcheck disable=SC2154 # the test sets it
    with_fault "$fault" "${run[@]}" --force || status=$?
    judge "$fault" "$before" $status
    runs=$((runs + 1))
    [ $status -gt 2 ] || took_place "${fault%%:*}"
}

# A kind, a suffix of its number (+ for all later calls too, or :ERROR), and the states before.
every_call() {
    local kind=$1 suffix=${2-} before n
    : >wrongs
    runs=0
    for before in ${3:-nothing old}; do
        for ((n = 1; n < 2000; n++)); do
            try "$kind:$n$suffix" "$before" || break
        done
        [ $n -gt 1 ] || wrong "$kind" "$before" "no call could be made to fail"
    done
    verdict "each $kind failing$suffix, $runs runs"
}

verdict() {
    if [ -s wrongs ]; then
        failed=$((failed + 1))
        echo "FAIL $1"
        head -n 40 wrongs | sed 's/^/     /'
    else
        passed=$((passed + 1))
        echo "ok   $1"
    fi
}

# Makes what runs with faults are held against: the older result `old`, and `new`.
make_references() {
    local seed
    for seed in 1 2017; do
        "${run[@]}" -s $seed >out 2>err && mv r $seed && continue
        echo "FAIL the run without a fault"
        cat err
        echo "0 passed, 1 failed"
        exit 1
    done
    mv 1 old
    mv 2017 new
}

# The last lines of a test.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
