#!/usr/bin/env bash
# Checkpoints and signals: a run that is interrupted and taken up again gives the bytes of one that was
# not, wherever it was interrupted; what cannot be taken up is refused.
#   test_checkpoint.sh build/paising
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

paising=$(realpath "${1:?usage: test_checkpoint.sh build/paising}")
# Where a disk need not be waited for.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
source "$(dirname "$0")/claims.sh"

# Runs a command line, and keeps what it says.
run() {
    "$@" >"$out" 2>"$err"
    status=$?
}

# Whether two folders hold the same data files.
same_data() { diff -rq -x run.json "$1" "$2" >/dev/null; }

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
taken_up 0.000001s -f 0 -M 4

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
        moved "$first" "$second" 16 -d 0.125 -c ssc -M 3 -m
        moved "$first" "$second" 20 -d 0.125 -M 3 -m0.01 -P 17
        moved "$first" "$second" 33 -a 0.8 -R 1000 -f 0.5 -M 3
        moved "$first" "$second" 8 -d 0.125 -b 0.5 -f 1 -M 3 -m
    done
    moved 'cuda --stages hybrid' cpu 5 -d 0.125 -c ssc -M 2
else
    skip "taken up on the other device" "$(tail -n 1 "$err")"
fi

# --- killed at any moment ---

# Kills a run at 50 random moments, taking it up in between from the last checkpoint, and as often as it
# came to its end holds its result against the whole one. RANDOM is seeded: the moments are the same,
# but for the machine.
begin
killed=("$paising" -D cpu -L 16 -R 2000 -t 10 -d 0.02 -M 2 -m)
run "${killed[@]}" -o whole
RANDOM=6
kills=0 ends=0 resumed=0 different=0 strange=0
while [ $kills -lt 50 ]; do
    if [ -e ck ]; then
        command=("$paising" --resume ck)
        resumed=$((resumed + 1))
    else
        command=("${killed[@]}" -o r --checkpoint ck --checkpoint-every 1)
    fi
    moment=0.$(printf %03d $((RANDOM % 250 + 10)))
    # The shell would report every kill.
    { run timeout -s KILL "$moment" "${command[@]}"; } 2>/dev/null
    case $status in
    137) kills=$((kills + 1)) ;;
    0 | 2)
        # Status 2: it was killed between the last file and its end, and the result is whole.
        ends=$((ends + 1))
        if [ $status -eq 2 ] && ! says 'holds a result already (' || ! same_data whole r; then
            different=$((different + 1))
            cat "$err"
        fi
        rm -rf r ck
        ;;
    *)
        strange=$((strange + 1))
        kills=50
        ;;
    esac
done
rm -rf r
run "${killed[@]}" -o r --checkpoint ck2 --checkpoint-every 1
[ -e ck ] && rm -rf r && run "$paising" --resume ck
verdict "killed 50 times, taken up $resumed times, at its end $ends times: always the same bytes" \
    "exits 0" "same_data whole r" "[ $different -eq 0 ]" "[ $strange -eq 0 ]" "[ $ends -gt 0 ]" \
    "[ $resumed -gt 25 ]"
verdict "what the killed ones left is gone" "[ -z \"\$(find . -name '.?*')\" ]"

# --- signals ---

# Starts a run that takes minutes, sends it signals after 0.4 s, 0.3 s apart, and waits for its end.
interrupted() {
    local signals=$1 begun
    shift
    # A shell would start a background command with SIGINT ignored.
    env --default-signal=INT "$@" >"$out" 2>"$err" &
    sleep 0.4
    for signal in $signals; do
        begun=$SECONDS
        kill -s "$signal" $!
        sleep 0.3
    done
    wait $! 2>/dev/null
    status=$?
    seconds=$((SECONDS - begun))
}

# A second or more even on a fast machine, so that a signal comes in between; some parts take more sweeps.
long=("$paising" -D cpu -L 64 -R 5000 -t 2 -d 0.0005 -M 2)
for signal in INT TERM; do
    begin
    interrupted $signal "${long[@]}" -o r
    verdict "ended by SIG$signal: the rows so far, marked" "exits $((128 + $(kill -l "$signal")))" \
        one_line "says 'SIG$signal: ended at beta = '" "files './r ./r/PA_results_run_0.dat ./r/run.json'" \
        "grep -q '^# interrupted at beta = 0[.0-9]* of run 0' r/PA_results_run_0.dat" \
        "[ \"\$(grep -o 'beta = [0-9.]*' r/PA_results_run_0.dat | head -n 1)\" = \
           \"beta = \$(tail -n 1 r/PA_results_run_0.dat | cut -d ' ' -f 1)\" ]" \
        "grep -q '\"interrupted\": true' r/run.json"
done
run "${small[@]}" -o r
verdict "another run does not replace it" "exits 2" one_line "says --force"

begin
interrupted TERM "${long[@]}" -t 50 -f 0.02 -o r --checkpoint ck
verdict "a checkpoint at a signal" "exits 143" "says '--resume ck'" "[ -s ck ]" "[ -s r/run.json ]"
cp r/PA_results_run_0.dat partial
# However another program lays run.json out.
python3 -m json.tool r/run.json laid_out && mv laid_out r/run.json
run "$paising" --resume ck
run "${long[@]}" -t 50 -f 0.02 -o whole
verdict "taken up, it replaces the rows so far, with those of a run without a signal" "exits 0" \
    "same_data whole r" \
    "[ \"\$(grep -vc '^#' partial)\" -lt \"\$(grep -vc '^#' r/PA_results_run_0.dat)\" ]" \
    "same <(grep -v '^#' partial) <(grep -v '^#' r/PA_results_run_0.dat | head -n \"\$(grep -vc '^#' partial)\")" \
    "grep -q '\"interrupted\": false' r/run.json"

begin
interrupted "TERM TERM" "$paising" -D cpu -L 64 -R 10000 -t 10000 -d 0.125 -o r --checkpoint ck
verdict "a second signal ends it at once, and leaves nothing" "exits 143" "[ $seconds -lt 3 ]" "files ./r"
begin
env --ignore-signal=INT "${long[@]}" -t 50 -f 0.005 -o r >"$out" 2>"$err" &
sleep 0.2
kill -s INT $!
wait $!
status=$?
verdict "a signal that is ignored stays so" "exits 0"

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

cp ck keep
refused "-o r: the folder holds a result" "$paising" --resume ck
refused "-L 32: the checkpoint ck has 16" "$paising" --resume ck -o new -L 32
refused "-R 201: the checkpoint ck has 200" "$paising" --resume ck -o new -R 201
refused "-t 3: the checkpoint ck has 2" "$paising" --resume ck -o new -t 3
refused "-f 0.5: the checkpoint ck has 1" "$paising" --resume ck -o new -f 0.5
refused "-d 0.1: the checkpoint ck has 0.125" "$paising" --resume ck -o new -d 0.1
refused "-a 0.8" "$paising" --resume ck -o new -a 0.8
refused "-M 3: the checkpoint ck has 2" "$paising" --resume ck -o new -M 3
refused "-s 8: the checkpoint ck has 7" "$paising" --resume ck -o new -s 8
refused "-P 5: the checkpoint ck has 11" "$paising" --resume ck -o new -P 5
refused "-c ssc: the checkpoint ck has msc" "$paising" --resume ck -o new -c ssc
refused "-p 64: the checkpoint ck has 32" "$paising" --resume ck -o new -p 64
refused "-g lcg: the checkpoint ck has independent" "$paising" --resume ck -o new -g lcg
refused "-m 0.1: the checkpoint ck has 0.125" "$paising" --resume ck -o new -m0.1
refused "missing: No such file" "$paising" --resume missing -o new
refused "--resume .: " "$paising" --resume . -o new
refused "not a checkpoint" "$paising" --resume r/run.json -o new
refused "not a checkpoint" "$paising" --resume /dev/null -o new
refused "--checkpoint ck: the file is there already" "${small[@]}" -o new --checkpoint ck
refused "--checkpoint r: a folder" "${small[@]}" -o new --checkpoint r
refused "--checkpoint missing/ck: No such file" "${small[@]}" -o new --checkpoint missing/ck
refused "--checkpoint-every 5: allowed with" "${small[@]}" -o new --checkpoint-every 5

# Truncated everywhere, and altered everywhere: 64 places each, the first and the last byte among them.
bad=0
for ((n = 0; n < 64; n++)); do
    place=$((n * (size - 1) / 63))
    head -c $place keep >ck
    run "$paising" --resume ck -o new
    { exits 2 && one_line && silent && ! [ -e new ] && { says truncated || says 'not a checkpoint'; }; } ||
        { bad=$((bad + 1)) && echo "cut at $place: status $status" && cat "$err"; }
done
verdict "cut off at 64 places: refused" "[ $bad -eq 0 ]"
RANDOM=7 bad=0
for ((n = 0; n < 64; n++)); do
    place=$((n * (size - 1) / 63))
    byte=$(od -An -tu1 -j $place -N 1 keep)
    cp keep ck
    printf '%b' "\\0$(printf %o $((byte ^ (1 << RANDOM % 8))))" |
        dd of=ck bs=1 seek=$place conv=notrunc status=none
    run "$paising" --resume ck -o new
    { exits 2 && one_line && silent && ! [ -e new ]; } ||
        { bad=$((bad + 1)) && echo "a bit at $place: status $status" && cat "$err"; }
done
verdict "a bit altered at 64 places: refused" "[ $bad -eq 0 ]"
{ cat keep && echo; } >ck
run "$paising" --resume ck -o new
verdict "something behind the end: refused" "exits 2" one_line "says altered"

# --- the rest ---

cp keep ck
run "$paising" --resume ck -o new --checkpoint other --checkpoint-every 0.001h
verdict "another folder and another checkpoint" "exits 0" "same_data r new" "same ck keep"
rm -rf new
run "$paising" --resume ck -o new -L 16 -R 200 -t 2 -d 0.125 -M 2 -m -s 7 -D cpu
verdict "options that do not differ" "exits 0" "same_data r new"

begin
run "${small[@]}" -o whole
run "${small[@]}" -o r --checkpoint /dev/full --checkpoint-every 3
verdict "checkpoints that cannot be written: a line each, and the run goes on" "exits 0" \
    "same_data whole r" "[ \"\$(grep -c '^paising: /dev/full: ' $err)\" -eq 2 ]"
interrupted TERM "${long[@]}" -o s --checkpoint /dev/full
verdict "a checkpoint that cannot be written at a signal: status 1, and the rows so far" "exits 1" \
    "says /dev/full" "[ -s s/PA_results_run_0.dat ]"

if unshare -ru true 2>/dev/null; then
    begin
    run unshare -ru bash -c 'hostname elsewhere && exec "$@"' - "${small[@]}" -o r --checkpoint ck \
        --checkpoint-every 3
    mv r whole
    run "$paising" --resume ck
    verdict "a checkpoint of another host: a warning" "exits 0" "same_data whole r" \
        "says 'warning: ck was written on elsewhere'"
else
    skip "a checkpoint of another host" "no right to be one"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
