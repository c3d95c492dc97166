#!/usr/bin/env bash
# Runs in flight together: the same data files for any number of them, however the simulation comes to its end.
#   test_in_flight.sh build/paising
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

paising=$(realpath "${1:?usage: test_in_flight.sh build/paising}")
source "$(dirname "$0")/../lib/claims.sh"

in_flight() { grep -Eq "\"in-flight\": $2,?\$" "$1/run.json"; }

# --- the same bytes ---

# Numbers of runs in flight, and what is to be simulated.
together() {
    local numbers=$1 number
    shift
    begin
    run "$paising" -D cpu -L 16 -R 200 -t 2 "$@" -o alone
    verdict "${*@Q}: one at a time" "exits 0" "in_flight alone 1"
    for number in $numbers; do
        run "$paising" -D cpu -L 16 -R 200 -t 2 "$@" --in-flight "$number" -o "r$number"
        verdict "${*@Q}: $number at a time" "exits 0" "same_data alone r$number"
    done
}

for mode in independent philox shared shared-reorder lcg; do
    together "3" -d 0.125 -g $mode -p 8 -M 4
done
together "2 3 5" -d 0.125 -c ssc -M 4
together "2 3 5" -d 0.125 -M 3 -m
together "2 3 5" -a 0.8 -R 1000 -f 0.5 -M 4 -m
together "3" -a 0.8 -R 1000 -t 30 -f 0.5 -M 4 --adaptive-sweeps 0.1
together "2 3 5" -d 0.125 -b 0.5 -f 0.75 -M 2 -m
together "2 3 5 64" -c ssc -L 6 -R 2 -t 1 -d 0.1 -f 5 -b 1 -M 70 -m0.5

# --- on a GPU ---

# Whether steps side by side are counted once: they fit into the time that passed.
steps_fit() {
    python3 -c 'import json, sys; t = json.load(open(sys.argv[1]))["seconds"]; sys.exit(not 0 < t["step"] <= t["total"])' \
        "$1/run.json"
}

begin
gaussian="-d 0.5 -c ssc --model glass3d --couplings-type gaussian -M 2"
of_words="$gaussian -L 4 --update heat-bath" # warps of two words of replicas, and of four
run "$paising" -D cuda -L 16 -R 1 -t 1 -f 0 -o there
if exits 0; then
    for options in "-d 0.125" "-d 0.125 -g shared-reorder -p 64" "-d 0.125 -g lcg -p 8 -m" "-d 0.125 -c ssc -m" \
        "-d 0.125 -L 208 -R 40" "-a 0.8 -R 1000 -f 0.5" "$gaussian -L 6 -R 3001" "$of_words -R 50000" "$of_words -R 90001"; do
        begin
        read -ra words <<<"-L 16 -R 300 -t 2 -M 5 $options"
        run "$paising" -D cpu "${words[@]}" -o alone
        for number in 0 1 3; do
            run "$paising" -D cuda "${words[@]}" --in-flight "$number" -o "r$number" --checkpoint ck \
                --checkpoint-every 5 --force
            verdict "on a GPU, $options: --in-flight $number" "exits 0" "same_data alone r$number" "steps_fit r$number"
        done
    done
else
    skip "on a GPU" "$(tail -n 1 "$err")"
fi

# --- interrupted, killed and taken up ---

# In the middle of a batch, and again from the same checkpoint, with more at a time, too.
taken_up() {
    local number=$1 every=$2
    shift 2
    begin
    run "$paising" -D cpu -L 16 -R 200 -t 2 "$@" -o alone
    run "$paising" -D cpu -L 16 -R 200 -t 2 "$@" --in-flight "$number" -o part --checkpoint ck --checkpoint-every "$every"
    verdict "${*@Q}: $number at a time, with checkpoints" "exits 0" "same_data alone part" "in_flight part $number"
    cp ck keep
    run "$paising" --resume ck -o again
    verdict "${*@Q}: taken up" "exits 0" "same_data alone again" "in_flight again $number" \
        "grep -q '\"parts\": 2' again/run.json"
    run "$paising" --resume keep -o more --in-flight $((number + 1)) --checkpoint other
    verdict "${*@Q}: from the same once more, with more at a time" "exits 0" "same_data alone more"
}

taken_up 2 5 -d 0.125 -c ssc -M 4 -m
taken_up 3 7 -d 0.125 -M 5 -g shared-reorder
taken_up 3 30 -a 0.8 -R 1000 -f 0.5 -M 4
taken_up 4 110 -c ssc -L 6 -R 2 -t 1 -d 0.1 -f 5 -M 30 -m0.5

# Killed up to three times, as soon as there is a new checkpoint.
begin
simulation=(-D cpu -c ssc -L 16 -R 200 -t 2 -d 0.004 -M 5)
run "$paising" "${simulation[@]}" -o alone
next=("$paising" "${simulation[@]}" --in-flight 3 -o r --checkpoint ck --checkpoint-every 20)
kills=0
for _ in 1 2 3; do
    before=$(stat -c %i ck 2>/dev/null)
    "${next[@]}" >"$out" 2>"$err" &
    until [ "$(stat -c %i ck 2>/dev/null)" != "$before" ] || [ -z "$(jobs -pr)" ]; do sleep 0.001; done
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
    [ $? -eq 137 ] && kills=$((kills + 1))
    next=("$paising" --resume ck)
done
run "${next[@]}"
verdict "killed, and taken up" "exits 0" "[ $kills -gt 0 ]" "same_data alone r" "in_flight r 3"

# Hours of short steps.
begin
"$paising" -D cpu -c ssc -L 16 -R 200 -t 2 -d 0.00001 -M 5 --in-flight 3 -o r --checkpoint ck --checkpoint-every 9 \
    >"$out" 2>"$err" &
until [ -e ck ] || [ -z "$(jobs -pr)" ]; do sleep 0.01; done
kill -TERM $!
wait $! 2>/dev/null
status=$?
rows_of() { grep -vc '^#' "r/PA_results_run_$1.dat"; }
verdict "ended by a signal: the rows so far of all that are in flight" "exits 143" "lines 2" \
    "says 'ended at beta = '" "says ' of runs 0 to 2; to go on: --resume ck'" "[ \"\$(ls r | wc -l)\" -eq 4 ]" \
    "grep -q '^# interrupted at beta = [-.0-9e]* of runs 0 to 2: ' r/PA_results_run_2.dat" \
    "[ \"\$(rows_of 0)\" -gt 9 ]" "[ \"\$(rows_of 0)\" -eq \"\$(rows_of 2)\" ]"
run "$paising" --resume ck --in-flight 2
verdict "a checkpoint that holds more than are allowed" "exits 2" one_line \
    "says '3 runs in flight, and there is room for 2: --in-flight 3 is needed'"

# --- what is said ---

begin
run "$paising" -D cpu -L 16 -R 200 -M 5 --in-flight 3 --dry-run
verdict "--dry-run says how many" "exits 0" "grep -q '^runs in flight 3 of 5\$' $out"
run "$paising" -D cpu -L 16 -R 200 -M 5 --in-flight 1000001 --dry-run
verdict "too many" "exits 2" one_line "says 'in-flight'"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
