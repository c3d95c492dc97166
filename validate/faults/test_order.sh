#!/usr/bin/env bash
# What must be on the disk before which name is given: a power failure loses what nobody has waited for, and keeps the rest in
# any order. Held against the calls of fsync, rename and unlink that runs make (FAULT_LOG, fault.h).
#   test_order.sh BUILD     the folder with paising and fault.so
# One line a case: ok or FAIL (with the calls that are missing or too many). Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

build=$(realpath "${1:?usage: test_order.sh BUILD}")
source "$(dirname "$0")/../lib/claims.sh"
# The allocator of a sanitized program is to stand behind the one that fails.
preload=$build/fault.so${SANITIZED:+:$(gcc -print-file-name=libasan.so)}
export ASAN_OPTIONS=verify_asan_link_order=0

# Runs the program, and leaves its calls in `calls`, with paths from here on. A folder is read in any order: DATA stands for a
# data file that is moved.
logged() {
    run env FAULT_LOG="$work/log" LD_PRELOAD="$preload" "$build/paising" -D cpu "$@"
    sed -e "s,$work,.,g" -e 's,\./,,g' -e '/^\(rename\|unlink\)/s/PA_[a-z_0-9]*\.dat/DATA/g' -e 's/\.ck\.[0-9]*\.tmp/.ck.N.tmp/' -e '/\.lock$/d' log >calls
}
as_expected() { diff - calls >>"$err"; }
simulation=(-L 16 -R 64 -t 1 -d 0.25)

begin
logged "${simulation[@]}" -o r
as_expected <<'END_OF_CALLS'
fsync r/.paising.new/PA_results_run_0.dat
fsync r/.paising.new/PA_results_weighted.dat
fsync r/.paising.new/run.json
fsync r/.paising.new
fsync r
rename r/.paising.new/DATA r/DATA
rename r/.paising.new/DATA r/DATA
fsync r
rename r/.paising.new/run.json r/run.json
fsync r
END_OF_CALLS
same=$?
verdict "a result: its files, their names, and run.json last" "exits 0" "[ $same -eq 0 ]"

rm log
logged "${simulation[@]}" -s 1 -o r --force
as_expected <<'END_OF_CALLS'
fsync r/.paising.new/PA_results_run_0.dat
fsync r/.paising.new/PA_results_weighted.dat
fsync r/.paising.new/run.json
fsync r/.paising.new
fsync r
unlink r/run.json
fsync r
unlink r/DATA
unlink r/DATA
fsync r
rename r/.paising.new/DATA r/DATA
rename r/.paising.new/DATA r/DATA
fsync r
rename r/.paising.new/run.json r/run.json
fsync r
END_OF_CALLS
same=$?
verdict "over an older one: that goes when the new one is on the disk, run.json first" "exits 0" "[ $same -eq 0 ]"

# A process is killed when its files are written, and before their names are on the disk; the next one waits for all of it.
begin
FAULT=fsync:4:SIGKILL logged "${simulation[@]}" -o r 2>/dev/null
rm -f log
logged "${simulation[@]}" -o r
sed -e '/^rename/q' calls | grep '^fsync' | sort >before
printf 'fsync %s\n' r r/.paising.new r/.paising.new/{PA_results_run_0.dat,PA_results_weighted.dat,run.json} | sort | diff - before >>"$err"
same=$?
verdict "what a killed process has left: on the disk before it is moved" "exits 2" "says 'is there now'" "[ $same -eq 0 ]"

begin
mkdir sub
logged "${simulation[@]}" -d 0.125 -o r --checkpoint sub/ck --checkpoint-every 3
grep -v ' r' calls >of_checkpoint && mv of_checkpoint calls
as_expected <<'END_OF_CALLS'
fsync sub/.ck.N.tmp
rename sub/.ck.N.tmp sub/ck
fsync sub
fsync sub/.ck.N.tmp
rename sub/.ck.N.tmp sub/ck
fsync sub
END_OF_CALLS
same=$?
verdict "a checkpoint: before it replaces the one before, and its name after" "exits 0" "[ $same -eq 0 ]"

# Samples are waited for together, before the averages say that they are there.
begin
logged --model glass2d -c ssc -L 4 -R 64 -t 1 -d 0.5 --samples 3 -o s
sed '/^rename s\/.paising.new/,$d' calls | grep '^fsync' | sort >before
find s/sample_* | sed 's/^/fsync /' | sort >samples
verdict "samples: all of them before their averages" "exits 0" "[ \$(wc -l <samples) -ge 15 ]" \
    "[ -z \"\$(comm -13 before samples | tee -a '$err')\" ]"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
