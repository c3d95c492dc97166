#!/usr/bin/env bash
# Every call that can fail, failing in turn: memory, files, threads (fault.h names the kinds).
#
#   test_faults.sh BUILD     the folder with paising, compare and fault.so
#
# A case is a kind of call. Each call of this kind in a small run fails once. There are runs over an older result, without
# one, and on a disk that stays full. Claims about each run:
#   - it ends by itself, with status 0, 1 or 2, and not by a signal;
#   - with status 0 its data files are those of a run without a fault;
#   - with another status one to four lines on stderr name what failed;
#   - the folder then has the older result, byte for byte, or the new one, or nothing;
#   - without an older result it may have a part of the new one that says so;
#   - what could not be written to the folder lies where a line says;
#   - no other file is left, unless a line names it, and the next run puts it in order.
#
# One line a case: ok, FAIL (with each broken claim). Status 1 if a case failed.
set -uo pipefail

build=$(realpath "${1:?usage: test_faults.sh BUILD}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=/dev/null
source "$(dirname "$0")/judge.sh"
cd "$scratch" || exit 1

# shellcheck disable=SC2034 # judge.sh runs it
run=("$build/paising" -D cpu -L 16 -R 64 -t 1 -d 0.125 -f 0.5 -m -o r)
compare=("$build/compare" annealed)
# The sanitizer's own allocations for a thread must not fail: it has no answer.
OMP_NUM_THREADS=$([ -z "${SANITIZED-}" ] && echo 2 || echo 1)
export OMP_NUM_THREADS
# The allocator of a sanitized program is to stand behind the one that fails.
preload=$build/fault.so${SANITIZED:+:$(gcc -print-file-name=libasan.so)}
export ASAN_OPTIONS=verify_asan_link_order=0

# What the program does with a fault: with_fault FAULT COMMAND...
with_fault() {
    local fault=$1
    shift
    timeout -s KILL 300 env FAULT="$fault" FAULT_COUNTS=counts LD_PRELOAD="$preload" "$@" >out 2>err
}

make_references
every_call malloc + old
every_call open
every_call write
every_call write +
every_call write :EIO old
every_call fsync
every_call close
every_call rename
every_call rename +
every_call unlink
every_call unlink +
every_call mkdir
every_call readdir
if [ -z "${SANITIZED-}" ]; then
    every_call thread
else
    echo "SKIP each thread failing: a sanitized program runs on one"
fi

# A method of fixed temperatures.
# shellcheck disable=SC2034 # judge.sh runs it
run=("$build/paising" -D cpu --method tempering -L 16 -R 32 -t 1 -d 0.1 -f 0.4 --thermalisation 2 --measurements 4 -o r)
mv new annealed
rm -rf old r
make_references
every_call open '' nothing
every_call write '' nothing

# Walkers of a graph, with a series and archives: what has no memory is said to have none, and no file lacks a part.
printf '0 1 1\n1 2 1\n2 0 1\n3 4 -1\n4 5 2\n7 7 1\n' >graph
# shellcheck disable=SC2034 # judge.sh runs it
run=("$build/paising" -D cpu --graph graph --couplings-format ours --method multicanonical -c ssc -R 3 -t 1 -d 0.5 -f 0.5
    --thermalisation 1 --measurements 5 --iteration-length 5 --iterations 2 --record states --format "text,npz" -o r)
rm -rf old new r
make_references
every_call malloc '' nothing

# Adaptive temperatures want more memory at the 257th: what comes last is what takes it then, and the rows so far are kept.
: >wrongs
adaptive=("$build/paising" -D cpu -c ssc -L 4 -R 200 -t 1 -a 0.995 -f 0.5 -o r)
rm -rf r
with_fault malloc:999999 "${adaptive[@]}"
read -r _ last _ < <(grep '^malloc ' counts)
for ((n = last; n > 0; n--)); do
    rm -rf r
    status=0
    with_fault "malloc:$n" "${adaptive[@]}" || status=$?
    if [ "$status" -gt 2 ] || grep -q 'run 0: not enough memory for the temperatures' err; then break; fi
done
{ [ "$status" -eq 1 ] && [ "$(grep -vc '^#' r/PA_results_run_0.dat)" -eq 256 ]; } ||
    wrong malloc temperatures "status $status at $n of $last, or not all rows"
rm -rf r
verdict "the memory for temperatures failing: said, and the rows so far are kept"

# A checkpoint of several pieces takes a second thread where it can; the population comes last in
# it, before the checksum of the whole.
if [ -z "${SANITIZED-}" ]; then
    : >wrongs
    large=("$build/paising" -D cpu -L 128 -R 30000 -t 1 -d 0.001 -f 0.002 -o r --force --checkpoint ck
        --checkpoint-every 1)
    export OMP_NUM_THREADS=1
    "${large[@]}" >out 2>err && mv ck told
    for fault in thread:1 thread:2 thread:1+; do
        status=0
        rm -f ck counts
        with_fault $fault "${large[@]}" || status=$?
        { [ $status -eq 0 ] && ! grep -qvE "${begins:?}" err && cmp -s <(tail -c 60MB told | head -c -4) <(tail -c 60MB ck | head -c -4); } ||
            wrong $fault checkpoint "status $status"
        took_place thread || wrong $fault checkpoint "no call could be made to fail"
    done
    rm -f told ck
    verdict "each thread of a checkpoint failing: written without it"
fi

# A search of the lowest energy that is killed while it chooses, after two enlargements of theta, chooses as one that is not: of the
# next ones every third is of R. A checkpoint is written before each run, four of which make a try.
: >wrongs
search=("$build/paising" -D cpu --ground-states --model glass2d -L 4 -c ssc -R 50 -t 1 -d 0.4 -f 1 --in-flight 1 --miss-width 0.9 --checkpoint ck --checkpoint-every 1)
rm -rf r
"${search[@]}" -o whole >out 2>err
rm -f ck
status=0
with_fault rename:11:SIGKILL "${search[@]}" -o r || status=$?
[ "$status" -eq 137 ] || wrong kill search "status $status"
"$build/paising" --resume ck >out 2>err || wrong resume search "status $?"
awk '!/^#/ { if (r == "") r = $2; R = $2 } END { exit !(R >= 2 * r) }' whole/PA_ground_states.dat || wrong whole search "R was not enlarged"
diff -r -x run.json whole r >out || wrong resume search "other data"
rm -rf whole r ck
verdict "a search that is killed while it chooses and resumed: the same bytes"

# Samples wait for the disk once for all, and as often as it fails: without it they have no averages, whoever made them;
# and the run for which it does not fail makes these alone.
: >wrongs
samples=("$build/paising" -D cpu --model glass2d -L 16 -R 64 -t 1 -d 0.5 --samples 2 -o s)
for before in nothing samples samples; do
    for n in 1 14; do
        status=0
        with_fault fsync:$n+ "${samples[@]}" || status=$?
        { [ $status -eq 1 ] && grep -q '^paising: s/sample_000[01].*: Input/output error$' err && ! [ -e s/run.json ]; } ||
            wrong fsync:$n+ $before "status $status"
    done
done
stat -c %i s/sample_000?/run.json >before
status=0
with_fault fsync:99 "${samples[@]}" || status=$?
{ [ $status -eq 0 ] && [ -s s/PA_disorder_averages.dat ] && stat -c %i s/sample_000?/run.json | cmp -s before; } ||
    wrong none samples "status $status"
verdict "the disk failing when it is waited for, samples"

# A folder that cannot be made is named with the reason.
: >wrongs
rm -rf s
status=0
with_fault mkdir:3:ENOSPC "${samples[@]}" || status=$?
{ [ $status -eq 1 ] && grep -q 's/.paising.part.sample_0000: No space left on device' err; } ||
    wrong mkdir:3:ENOSPC samples "status $status"
verdict "no room for a sample's folder: the reason is named"

# Reading a result back: never in part.
: >wrongs
verdict_told=0
"${compare[@]}" >told 2>/dev/null || verdict_told=$?
[ $verdict_told -eq 3 ] || wrong no compare "not judged, as no row is trusted: status $verdict_told"
for kind in malloc open; do
    for ((n = 1; n < 2000; n++)); do
        status=0
        rm -f counts
        with_fault $kind:$n "${compare[@]}" || status=$?
        [ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && ! [ -s out ] ||
            { [ $status -eq $verdict_told ] && cmp -s told out; } || wrong $kind:$n compare "status $status"
        took_place $kind || break
    done
done
verdict "compare with each malloc and open failing"

finish
