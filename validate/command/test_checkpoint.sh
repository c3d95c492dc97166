#!/usr/bin/env bash
# Checkpoints and signals. A run that is interrupted anywhere and resumed writes the bytes of a run that was not
# interrupted. A checkpoint that cannot be resumed is refused.
#
#   test_checkpoint.sh build/paising
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

paising=$(realpath "${1:?usage: test_checkpoint.sh build/paising}")
source "$(dirname "$0")/../lib/claims.sh"

# A small run: 8 steps.
small=("$paising" -D cpu -L 16 -R 200 -t 2 -d 0.125)

# --- the same bytes ---

# Takes a run up from checkpoints at several places, at ends of runs too, on other numbers of threads.
# Options of the run follow, after the number of steps between its checkpoints.
taken_up() {
    local every=$1
    shift
    begin
    run "$paising" -D cpu -L 16 -R 200 -t 2 "$@" -o whole
    verdict "${*@Q}: a run" "exits 0"
    OMP_NUM_THREADS=2 run "$paising" -D cpu -L 16 -R 200 -t 2 "$@" -o part --checkpoint ck \
        --checkpoint-every "$every"
    verdict "${*@Q}: checkpoints every $every steps change nothing" "exits 0" "same_data whole part"
    rm -rf part
    OMP_NUM_THREADS=1 run "$paising" --resume ck
    verdict "${*@Q}: taken up from the last of them, on another number of threads" "exits 0" \
        "same_data whole part" "grep -q '\"parts\": 2' part/run.json"
}

for mode in independent philox shared shared-reorder lcg; do
    taken_up 5 -d 0.125 -g $mode -p 8 -M 2
done
for word in 16 64; do
    taken_up 3 -d 0.125 -g shared-reorder -p $word
    taken_up 3 -d 0.125 -g lcg -p $word
done
taken_up 5 -d 0.125 -c ssc -L 6
taken_up 5 -d 0.125 -c ssc -M 3 -m
taken_up 8 -d 0.125 -M 3 -m
taken_up 16 -d 0.125 -M 3
taken_up 20 -d 0.125 -M 3 -m0.01 -P 17
taken_up 3 -d 0.125 -b 0.5 -f 0.75 -m
taken_up 5 -d 0.125 -b 0.5 -f 0.75 -M 2
taken_up 7 -a 0.8 -R 1000 -f 0.5 -m
taken_up 33 -a 0.8 -R 1000 -f 0.5 -M 3
taken_up 7 -a 0.8 -R 1000 -b 0.25 -f 0.5
taken_up 20 -d 0.02 -R 1000 -t 30 -f 0.5 --adaptive-sweeps 0.1
taken_up 33 -a 0.8 -R 1000 -t 30 -f 0.5 -M 3 --adaptive-sweeps 0.1
taken_up 700 -c ssc -L 6 -R 2 -t 1 -d 0.1 -f 5 -M 200
taken_up 1000 -c ssc -L 6 -R 2 -t 1 -d 0.1 -f 5 -b 1 -M 200 -m0.5
taken_up 0.000000001s -d 0.125 -M 2
taken_up 9 -d 0.125 -M 2 --model glass2d -L 10 --save-spins 0.2,0.7
for every in 7 150; do # ceilings that fall, and that rise
    taken_up $every --method microcanonical --model potts2d --states 5 -L 4 -R 100 -t 2 -M 2 -f 1 -d 0.2 --heating
done
taken_up 40 --method microcanonical -c ssc -L 6 -R 100 -t 1 -s 1 --heating # the fall ends at the lowest level of all; its rise looks more than once
taken_up 20 --method microcanonical --model baxter-wu -L 6 -R 100 -t 2 -M 2 -f 0.4 -d 0.2 --spin-observables
taken_up 20 --method microcanonical --model glass2d --disorder 3 -c ssc -L 4 -R 100 -t 2 -M 2 -f 1 -d 0.2 --heating --cull 0.4
taken_up 28 -d 0.1 --model glass2d -c ssc -L 4 -R 1000 -f 3 # errors know what rows before have seen

# Populations of many pieces, the last of them not full, that pass between two threads.
pieces=("$paising" -D cpu -L 128 -R 20001 -t 1 -d 0.001 -f 0.002)
for options in "-g independent" "-g lcg -p 64"; do
    begin
    read -ra options <<<"$options"
    run "${pieces[@]}" "${options[@]}" -o whole
    run "${pieces[@]}" "${options[@]}" -o part --checkpoint ck --checkpoint-every 1
    rm -rf part
    run "$paising" --resume ck
    verdict "${options[*]}: a population of many pieces" "exits 0" "same_data whole part" \
        "grep -q '\"parts\": 2' part/run.json"
done

# --- on the other device ---

# Runs up to a checkpoint on one device, and from there on another: FIRST SECOND EVERY OPTIONS...
moved() {
    local first second=$2 every=$3
    read -ra first <<<"$1"
    shift 3
    begin
    run "$paising" -D cpu -L 16 -R 500 -t 2 "$@" -o whole
    run "$paising" -D "${first[@]}" -L 16 -R 500 -t 2 "$@" -o part --checkpoint ck --checkpoint-every "$every"
    verdict "${*@Q}: on ${first[*]}" "exits 0" "same_data whole part"
    rm -rf part
    run "$paising" --resume ck -D "$second"
    verdict "${*@Q}: from ${first[*]} to $second" "exits 0" "same_data whole part" \
        "grep -q '\"parts\": 2' part/run.json"
}

begin
run "$paising" -D cuda -L 16 -R 1 -t 1 -f 0 -o there
if exits 0; then
    for devices in 'cuda cpu' 'cpu cuda' 'cuda cuda'; do
        read -r first second <<<"$devices"
        for mode in independent philox shared shared-reorder lcg; do
            moved "$first" "$second" 5 -d 0.125 -g $mode -p 64 -M 2
        done
        moved "$first" "$second" 3 -d 0.125 -g shared -p 8 -L 48
        moved "$first" "$second" 5 -d 0.125 -c ssc -L 6 -m
        # One run after another, and several at a time, whose checkpoint is of all of them.
        moved "$first" "$second" 16 -d 0.125 -c ssc -M 3 -m --in-flight 1
        moved "$first" "$second" 5 -d 0.125 -c ssc -M 3 -m --in-flight 3
        moved "$first" "$second" 20 -d 0.125 -M 3 -m0.01 -P 17 --in-flight 1
        moved "$first" "$second" 5 -d 0.125 -M 3 -m0.01 -P 17 --in-flight 2
        moved "$first" "$second" 33 -a 0.8 -R 1000 -f 0.5 -M 3 --in-flight 1
        moved "$first" "$second" 7 -a 0.8 -R 1000 -f 0.5 -M 3
        moved "$first" "$second" 8 -d 0.125 -b 0.5 -f 1 -M 3 -m --in-flight 1
        # More than one piece, the last of them not full.
        moved "$first" "$second" 1 -L 128 -R 20001 -t 1 -d 0.001 -f 0.002 -g lcg -p 64
        moved "$first" "$second" 1 -L 128 -R 9001 -t 1 -d 0.001 -f 0.002 -c ssc
    done
    moved 'cuda --stages hybrid' cpu 5 -d 0.125 -c ssc -M 2
else
    skip "taken up on the other device" "$(tail -n 1 "$err")"
fi

# --- signals; that they may come at any moment, and a second one: faults/test_signals.sh ---

# Hours of short steps.
long=("$paising" -D cpu -L 64 -R 5000 -t 2 -d 0.00001 -M 2)

# Waits until the last background command is the program, and catches SIGTERM.
wait_until_it_catches() {
    local caught=0
    until [ $((0x$caught >> 14 & 1)) -eq 1 ] || [ -z "$(jobs -pr)" ]; do
        sleep 0.01
        [ ! "/proc/$!/exe" -ef "$paising" ] || caught=$(sed -n 's/^SigCgt:\t//p' "/proc/$!/status")
    done
}

# Starts a run, sends it a signal as soon as it catches them, and waits for its end.
interrupted() {
    local signal=$1
    shift
    # A shell would start a background command with SIGINT ignored.
    env --default-signal=INT "$@" >"$out" 2>"$err" &
    wait_until_it_catches
    sleep 0.2 # for more rows, if the machine is fast
    kill -s "$signal" $!
    wait $! 2>/dev/null
    status=$?
}

# Whether a signal was answered by what happens, and when.
announced() {
    grep -qE "^paising: SIG$1: after the step under way(, in about [0-9]+ s,| \(how long it takes is not known yet\),) it ends, with |is given up: it ends, with" "$err"
}

# Makes a pipe that nobody reads, and fills it.
full_pipe() {
    mkfifo full
    exec 9<>full
    python3 -c 'import os
os.set_blocking(9, False)
try:
    while os.write(9, b"x" * 4096): pass
except BlockingIOError: pass
os.set_blocking(9, True)'
}

begin
full_pipe
timeout -s KILL 20 "${long[@]}" -o r >"$out" 2>full &
until [ -e r/.paising.lock ] || [ -z "$(jobs -pr)" ]; do sleep 0.01; done
sleep 0.2
kill -s TERM "$(pgrep -P $! -x paising)"
wait $! 2>/dev/null
status=$?
exec 9>&-
: >"$err"
verdict "stderr is a pipe that is full: a signal ends it all the same" "exits 143"

for signal in INT TERM; do
    begin
    interrupted $signal "${long[@]}" -o r
    verdict "ended by SIG$signal: the rows so far, marked" "exits $((128 + $(kill -l "$signal")))" \
        "lines 2" "says 'SIG$signal: ended at beta = '" "announced $signal" "files './r ./r/PA_results_run_0.dat ./r/run.json'" \
        "grep -q '^# interrupted at beta = [-.0-9e]* of run 0' r/PA_results_run_0.dat" \
        "[ \"\$(grep -o 'beta = [-.0-9e]*' r/PA_results_run_0.dat | head -n 1)\" = \
           \"beta = \$(last_row r/PA_results_run_0.dat | cut -d ' ' -f 1)\" ]" \
        "grep -q '\"interrupted\": true' r/run.json"
done
run "${small[@]}" -o r
verdict "another run does not replace it" "exits 2" one_line "says --force"

begin
env --ignore-signal=INT "${long[@]}" -o r >"$out" 2>"$err" &
wait_until_it_catches
kill -s INT $!
kill -s TERM $!
wait $! 2>/dev/null
status=$?
verdict "a signal that is ignored stays so" "exits 143" "says 'SIGTERM: ended at beta = '"

# A step that is long, or whose time is unknown. The log says at once what is simulated. A signal that many seconds after
# the step's start ends it. The run resumes at the temperature before it, whose row was written already.
#   given_up DEVICE SECONDS COMMAND...
given_up() {
    local device=$1 seconds=$2
    shift 2
    begin
    run "$@" -o whole
    "$@" -o r --checkpoint ck --continue >"$out" 2>"$err" &
    wait_until_it_catches
    until [ -s "$err" ] || [ -z "$(jobs -pr)" ]; do sleep 0.01; done
    grep -qE '^paising: [^ ].*: --model glass3d -L 8 .*--checkpoint ck --continue$' "$err"
    begins=$?
    sleep "$seconds"
    kill -TERM $!
    wait $! 2>/dev/null
    status=$?
    verdict "a signal in a long step, $device: it is given up" "[ $begins -eq 0 ]" "exits 143" "says 'SIGTERM: the step under way would take long, and is given up: it ends, with a checkpoint'" \
        "says 'SIGTERM: ended at beta = 0 of run 0'" "grep -q '^# interrupted at beta = 0 of run 0' r/PA_results_run_0.dat"
    run "$@" -o r --checkpoint ck --continue
    verdict "... and gone on with: the bytes of a run without signals" "exits 0" "same_data whole r"
}

given_up cpu 0.1 env OMP_NUM_THREADS=1 "$paising" -D cpu --model glass3d -L 8 -R 32 -t 400000 -f 0.25 -d 0.25
begin
run "$paising" -D cuda -L 16 -R 1 -t 1 -f 0 -o there
if exits 0; then
    given_up cuda 1 "$paising" -D cuda --model glass3d -L 8 -R 6000000 -t 10000 -f 0.25 -d 0.25
else
    skip "a signal in a long step of a GPU" "$(tail -n 1 "$err")"
fi

# --- what is refused ---

begin
run "${small[@]}" -M 2 -m -s 7 -o r --checkpoint ck --checkpoint-every 5
cp -r r first
size=$(stat -c %s ck)

# A command line that must be refused with nothing changed: what the line on stderr says, options.
refused() {
    local says=$1
    shift
    run "$@"
    verdict "refused: ${*:2}" "exits 2" one_line silent "says ${says@Q}" "same ck keep" \
        "diff -rq first r >/dev/null" "! [ -e new ]"
}

# What test_settings.c and test_checkpoint_file.c refuse, once each, to see status and message arrive.
cp ck keep
refused "-L 32: the checkpoint ck has 16" "$paising" --resume ck -o new -L 32
printf '# beta theta\n0 1\n' >given
for option in --betas --sweeps-file --relaxation; do
    refused "$option given: the checkpoint ck has none; leave the option out" "$paising" --resume ck -o new $option given
done
refused "--checkpoint ck: the file is there already" "${small[@]}" -o new --checkpoint ck
head -c $((size / 2)) keep >ck
cp ck cut
run "$paising" --resume ck
verdict "a checkpoint that is cut off, whose result is there, is noticed" "exits 0" "lines 2" "same ck cut" \
    "says 'r: the result is there already, whole'" "says 'the checkpoint ck is not whole, and not needed any more: truncated'"
cp keep ck
run "$paising" --resume ck
verdict "a whole one is no reason for a warning" "exits 0" one_line "says 'r: the result is there already, whole'"
cp cut ck
run "$paising" --resume ck -o new
verdict "refused: a checkpoint that is cut off" "exits 2" one_line silent "says truncated" "same ck cut" "! [ -e new ]"

# --- the rest ---

cp keep ck
run "$paising" --resume ck -o new --checkpoint other --checkpoint-every 0.001h
verdict "another folder and another checkpoint" "exits 0" "same_data r new" "same ck keep"
rm -rf new
run "$paising" --resume ck -o new -L 16 -R 200 -t 2 -d 0.125 -M 2 -m -s 7 -D cpu
verdict "options that do not differ" "exits 0" "same_data r new"

# Checkpoints are too large for this limit on file sizes, and data files are not.
limited=(prlimit --fsize=6144)
begin
run "${small[@]}" -o whole
run prlimit --fsize=6144 "${small[@]}" -o r --checkpoint ck --checkpoint-every 3
verdict "checkpoints that cannot be written: a line each, the run goes on, and status 1" "exits 1" \
    "same_data whole r" "[ \"\$(grep -c '^paising: ck: ' $err)\" -eq 2 ]" "! [ -e ck ]"
begin
interrupted TERM prlimit --fsize=1000000 "${long[@]}" -o s --checkpoint ck
verdict "a checkpoint that cannot be written at a signal: status 1, and the rows so far" "exits 1" \
    "says 'ck: '" "[ -s s/PA_results_run_0.dat ]"

# --force is permission for one command.
begin
run "${small[@]}" -o r --force --checkpoint ck --checkpoint-every 3
run "${small[@]}" -s 1 -o r --force
cp -r r other
run "$paising" --resume ck
verdict "a checkpoint does not remember --force" "exits 2" one_line "says 'holds a result already'" "diff -r other r"
run "$paising" --resume ck --force
verdict "which allows what it is given with" "exits 0" "grep -q '^# seed 2017' r/PA_results_run_0.dat"

# Who repeats --resume until the status is 0 comes to an end.
begin
run "${small[@]}" -o r --checkpoint ck --checkpoint-every 3
cp -r r other
cp ck ck2
run "$paising" --resume ck
verdict "resumed when the result is there: nothing is left to do" "exits 0" one_line "says 'is there already, whole'" \
    "diff -r other r" "cmp ck ck2" "[ -z \"\$(find . -name '.?*')\" ]"
sed -i '$d' r/PA_results_run_0.dat
run "$paising" --resume ck
verdict "but not if a file of it is not whole" "exits 2" "says 'holds a result already'" "cmp ck ck2"

# The part of another simulation is not its own.
begin
run "${small[@]}" -o r --checkpoint ck --checkpoint-every 3
rm -r r
interrupted TERM "${long[@]}" -o r
cp -r r other
run "$paising" --resume ck
verdict "a resumed run does not replace a part of another one" "exits 2" one_line "diff -r other r"

begin
"${long[@]}" -o r --checkpoint ck >/dev/null 2>&1 &
wait_until_it_catches
until [ -s .ck.lock ]; do sleep 0.01; done
run "${small[@]}" -o other --checkpoint ./ck
verdict "a checkpoint that another process writes" "exits 2" one_line silent "says 'in use by process $! on '" \
    "! [ -e other ]"
kill -TERM $!
wait $! 2>/dev/null

# What stands under a name that the program needs, and is not its own, is refused before work starts, and stays: a text, a
# second name of a file, a link, a folder, a pipe.
victim() { [ "$(<precious)" = mine ]; }
inode() { stat -c '%i %h %F' "$1"; }
for name in .ck.lock .ck.2024.tmp r/.paising.lock sub/.ck.lock sub/.ck.1.tmp; do
    for make in cp ln 'ln -s' 'mkdir -p --' mkfifo; do
        begin
        mkdir r sub
        echo mine >precious
        place=ck
        [[ $name != sub/* ]] || place=sub/ck
        case $make in
        cp | ln) $make precious "$name" ;;
        'ln -s') ln -s "$PWD/precious" "$name" ;;
        *) $make "$name" ;;
        esac
        inode "$name" >before
        run "${small[@]}" --force -o r --checkpoint $place --checkpoint-every 3
        verdict "$name made by $make is refused and stays" "exits 2" one_line silent victim \
            "says '${name#sub/}'" "says 'is in the way'" "same before <(inode '$name')" "! [ -e $place ]" \
            "[ \$(find r -type f | grep -vc lock) -eq 0 ]"
    done
done

# What killed processes have left is theirs: a lock with a line or without, a checkpoint that was begun.
begin
run "${small[@]}" -o r --checkpoint ck --checkpoint-every 3
mkdir s
head -c 1000 ck >.ck2.17.tmp
head -c 3 ck >.ck2.18.tmp
: >.ck2.19.tmp
echo 'process 17 on nowhere' >.ck2.lock
: >s/.paising.lock
run "${small[@]}" -o s --checkpoint ck2 --checkpoint-every 3
verdict "what killed processes have left goes" "exits 0" "same_data r s" "[ -s ck2 ]" \
    "[ -z \"\$(find . -name '.?*')\" ]"
: >.ck2.lock
run "$paising" --resume ck2
verdict "a lock goes that was left behind a finished run" "exits 0" "says 'nothing is left to do'" "[ -z \"\$(find . -name '.?*')\" ]"

# --- one command that begins or goes on ---

begin
run "${small[@]}" -o whole
run "${small[@]}" -o part --checkpoint ck --checkpoint-every 3 --continue
verdict "--continue without a checkpoint begins" "exits 0" "same_data whole part" "[ -s ck ]"
inode part/run.json >before
run "${small[@]}" -o part --checkpoint ck --checkpoint-every 3 --continue
verdict "--continue of a finished run: nothing is left" "exits 0" "says 'nothing is left to do'" "same before <(inode part/run.json)"
rm ck
run "${small[@]}" -o part --checkpoint ck --checkpoint-every 3 --continue
verdict "... without its checkpoint too" "exits 0" "says 'nothing is left to do'" "same before <(inode part/run.json)"
chmod a-w part .
run_unprivileged "${small[@]}" -o part --checkpoint ck --checkpoint-every 3 --continue
verdict "... in folders that cannot be written to" "exits 0" "says 'nothing is left to do'" "same before <(inode part/run.json)"
run_unprivileged "${small[@]}" -o part -s 5 --checkpoint ck --continue
verdict "... where another run is refused" "exits 2" "says 'Permission denied'" "same before <(inode part/run.json)"
chmod u+w part .
run "${small[@]}" -o part -s 5 --checkpoint ck --continue
verdict "... of another run is refused" "exits 2" "says 'holds a result already'" "same before <(inode part/run.json)"
run "${small[@]}" -o part --checkpoint ck --checkpoint-every 5 --force
rm -r part
run "${small[@]}" -o part --checkpoint ck --continue
verdict "--continue with a checkpoint goes on from it" "exits 0" "same_data whole part" "grep -q '\"parts\": 2' part/run.json"
rm -r part
run "${small[@]}" -s 5 -o part --checkpoint ck --continue
verdict "--continue with another seed than the checkpoint's is refused" "exits 2" one_line "says '-s 5'" "! [ -e part ]"
run "${small[@]}" -o part --checkpoint ck --resume ck --continue
verdict "--continue with --resume is refused" "exits 2" one_line "says 'both say where to go on'"
run "${small[@]}" -o part --checkpoint ck --force --continue
verdict "--continue with --force is refused" "exits 2" one_line "says '--force'"
run "${small[@]}" -o part --continue
verdict "--continue without --checkpoint is refused" "exits 2" one_line "says '--checkpoint'"
printf 'no checkpoint' >ck
run "${small[@]}" -o part --checkpoint ck --continue
verdict "--continue with a file that is no checkpoint is refused, and the file stays" "exits 2" one_line "! [ -e part ]" \
    "[ \"\$(cat ck)\" = 'no checkpoint' ]"

begin
run "${small[@]}" -o r --quiet
verdict "--quiet: no announcement" "exits 0" "! says ' -L 16'"
printf '0 1 1\n1 2 1\n' >chain
for options in "-L 16 --save-spins 1 -R 20000" "-c ssc --graph chain -R 20000"; do
    # shellcheck disable=SC2086
    run "$paising" -D cpu $options -t 10 -d 0.5 -o announced
    verdict "... of $options; without it there is one" "exits 0" "[ \$(wc -l <$err) -ge 2 ]"
    # shellcheck disable=SC2086
    run "$paising" -D cpu $options -t 10 -d 0.5 -o silent --quiet
    verdict "... and none with it" "exits 0" "! grep -v warning: $err"
    rm -r announced silent
done

# --- the time limit ---

# About 1 s on a core, in 200 steps.
timed=("$paising" -D cpu -L 32 -R 8000 -t 10 -f 0.5 -d 0.0025 -o r --checkpoint ck --continue)
begin
before=$(date +%s%N)
run "${timed[@]}" --time-limit 0.2s
took=$((($(date +%s%N) - before) / 1000000))
verdict "--time-limit 0.2s ends with a checkpoint and status 3, in $took ms" "exits 3" "says '--time-limit: ended at beta = '" \
    "[ -s ck ]" "grep -q '\"interrupted\": true' r/run.json" "[ $took -lt 5000 ]"
run "${timed[@]}" --time-limit 0h10m0.5s
verdict "... the same command goes on, to the end if the time is enough" "exits 0" "grep -q '\"parts\": 2' r/run.json" \
    "grep -q '\"interrupted\": false' r/run.json"
for limit in 0 -1 10m1h 1m1m 3h30 1d h '1h 30m' 1e400s; do
    run "${small[@]}" -o s --time-limit "$limit"
    verdict "--time-limit '$limit' is refused" "exits 2" one_line "! [ -e s ]"
done

# About 0.5 s on a core, in 500 steps.
series=("$paising" -D cpu --method canonical -L 32 -R 64 -t 10 -f 0.5 -d 0.1 --thermalisation 100 --measurements 400)
begin
run "${series[@]}" -o whole
run "${series[@]}" -o r --checkpoint ck --continue --time-limit 0.02s
verdict "--time-limit ends a series between steps, with a checkpoint and status 3" "exits 3" "says '--time-limit: ended at step '" \
    "says 'to go on: the same command again'" "[ -s ck ]"
run "${series[@]}" -o r --checkpoint ck --continue --time-limit 10m
verdict "... the same command goes on, to the same bytes" "exits 0" "same_data whole r" "grep -q '\"parts\": 2' r/run.json"

# A search of ground states goes on with the runs so far, and ends when the width that is asked for is reached.
search=("$paising" -D cpu --ground-states --model glass3d -L 4 -R 200 -t 20 -d 0.1 -f 1.6)
begin
run "${search[@]}" --miss-width 0.001 -o r --checkpoint ck --time-limit 0.3s
grep -v '^#' r/PA_ground_states.dat | cut -d ' ' -f 1-9 >before
run_before=$status
run "$paising" --resume ck --miss-width 1 --time-limit 20s
grep -v '^#' r/PA_ground_states.dat | cut -d ' ' -f 1-9 | head -n "$(wc -l <before)" >after
verdict "a search that is resumed has the runs of before" "[ $run_before -eq 3 ]" "exits 0" "[ -s before ]" \
    "same <(cut -d ' ' -f 1-4,6-9 before) <(cut -d ' ' -f 1-4,6-9 after)" "grep -q '\"parts\": 2' r/run.json"

begin
interrupted TERM "${search[@]}" --miss-width 0.001 -o r
verdict "a search that SIGTERM ends does not name the time limit" "exits 143" "says 'the search was stopped too early to know'" \
    "! grep -q -e --time-limit \"$err\""

# The first run of a search decides adaptive steps of all: also of those behind a checkpoint.
search=("$paising" -D cpu --ground-states --model glass2d -L 4 -c ssc -R 100 -t 5 -a 0.8 -f 1.5)
begin
run "${search[@]}" -o whole
run "${search[@]}" -o r --checkpoint ck --continue --time-limit 0.0001s
run_before=$status
run "${search[@]}" -o r --checkpoint ck --continue --time-limit 0.0001s
run "${search[@]}" -o r --checkpoint ck --continue --time-limit 60s
verdict "a search with adaptive steps that is resumed twice ends with the same bytes" "[ $run_before -eq 3 ]" "exits 0" "same_data whole r" \
    "grep -q '\"parts\": 3' r/run.json"

# The first try of this one is in doubt, and there is no time for a larger one: what was chosen then stays.
search=("$paising" -D cpu --ground-states --model glass2d -L 4 -c ssc -R 50 -t 1 -d 0.4 -f 1 --in-flight 1 --miss-width 1 -o r --checkpoint ck --continue)
begin
for n in 1 2 3 4; do run "${search[@]}" --time-limit 0.0001s; done
run_before=$status
run "${search[@]}" --time-limit 60s
verdict "a search that had no time to choose more sweeps goes on with those of before" "[ $run_before -eq 3 ]" "exits 0" \
    "[ \"\$(awk '!/^#/ { print \$3 }' r/PA_ground_states.dat | sort -u)\" = 1 ]" "grep -q '\"parts\": 5' r/run.json"

for signal in HUP XCPU USR1 USR2; do
    begin
    interrupted $signal "${long[@]}" -o r
    verdict "ended by SIG$signal" "exits $((128 + $(kill -l $signal)))" "lines 2" "says 'SIG$signal: ended at beta = '" "announced $signal" \
        "grep -q '\"interrupted\": true' r/run.json"
done
begin
timeout -s TERM 0.5 "${long[@]}" -o r --checkpoint ck >"$out" 2>"$err"
status=$?
verdict "GNU timeout, which signals twice" "exits 124" "[ -s ck ]" "grep -q '\"interrupted\": true' r/run.json"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
