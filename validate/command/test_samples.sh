#!/usr/bin/env bash
# Samples of the disorder. A simulation that is interrupted or killed keeps its finished samples. The same command then
# simulates the others.
#
#   test_samples.sh build/paising
#
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

paising=$(realpath "${1:?usage: test_samples.sh build/paising}")
source "$(dirname "$0")/../lib/claims.sh"

finished() { find "$1" -path '*/sample_*/run.json' | wc -l; }
interrupted() { grep -q '"interrupted": true' "$1/run.json"; }
inodes() { stat -c '%n %i' "$1"/sample_*/run.json; }

simulation=("$paising" -D cpu --model glass2d -c ssc -L 4 -R 200 -t 2 -d 0.05 --samples 120)

# Ends the simulation in folder r by a signal when some samples are finished, of a few at a time.
end_by() {
    "${simulation[@]}" -o r --in-flight "$2" >"$out" 2>"$err" &
    until [ "$(finished r 2>/dev/null)" -ge 3 ] || [ -z "$(jobs -pr)" ]; do sleep 0.002; done
    kill -"$1" $! 2>/dev/null
    wait $! 2>/dev/null
    status=$?
}

for number in 1 4; do
    begin
    run "${simulation[@]}" -o whole
    verdict "$number at a time: all samples" "exits 0" "[ \$(finished whole) -eq 120 ]" \
        "grep -qF '# averages [.] over 120 samples of the disorder' whole/PA_disorder_averages.dat" \
        "grep -q '^# beta = 1: P(q) of .* of 120 samples' whole/PA_disorder_overlap.dat" \
        "[ \$(grep -vc '^#' whole/PA_samples.dat) -eq 120 ]" \
        "grep -q '^# warning: too warm ' whole/sample_*/PA_ground_state_run_0.dat" \
        "says \"warning: \$(grep -l '^# warning: ' whole/sample_*/PA_ground_state_run_0.dat | wc -l) of the 120 samples that were made may have missed their lowest energy\""
    end_by TERM $number
    inodes r >before
    verdict "$number at a time, ended by a signal: what is finished is there" "exits 143" "says 'interrupted: '" \
        "says ' of 120 samples are missing: the same command goes on with them'" "interrupted r" \
        "grep -q '^# interrupted: .* of 120 samples are missing' r/PA_disorder_averages.dat" \
        "grep -q '^# averages .* of numbers 0 to 119, ' r/PA_disorder_averages.dat" \
        "[ \$(grep -vc '^#' r/PA_samples.dat) -eq \$(sed -n 's/^# averages .* over \([0-9]*\) samples.*/\1/p' r/PA_disorder_averages.dat) ]" \
        "[ \$(finished r) -ge 3 ]" "[ \$(finished r) -lt 120 ]"
    end_by KILL $number
    verdict "$number at a time, killed" "exits 137" "[ \$(finished r) -ge 3 ]"
    run "${simulation[@]}" -o r
    inodes r >after
    verdict "$number at a time, gone on with" "exits 0" "same_data whole r" "! interrupted r" \
        "[ \$(comm -12 <(sort before) <(sort after) | wc -l) -ge 3 ]"
    run "${simulation[@]}" -o r
    verdict "... and given again: it says that all are there" "exits 0" "says 'r: all 120 samples are there already'" "same_data whole r"
done

begin
run "${simulation[@]}" --in-flight 1 -o one
OMP_NUM_THREADS=2 run "${simulation[@]}" -o r
verdict "a thread for each processor: the data of one at a time" "exits 0" "same_data one r" \
    "grep -q '\"in-flight\": 2' r/run.json" "grep -q '\"threads\": 2' r/run.json"

# More samples than a second makes.
timed=("${simulation[@]:0:${#simulation[@]}-1}" 5000 --time-limit 1s -o limited)
run "${timed[@]}"
made=$(grep -vc '^#' limited/PA_samples.dat)
verdict "a time limit: status 3 and the samples so far" "exits 3" "says 'of 5000 samples are missing: the same command goes on with them'" \
    "[ $made -ge 1 ]" "[ $made -lt 5000 ]"
run "${timed[@]}"
verdict "... and gone on with" "exits 3" "[ \$(grep -vc '^#' limited/PA_samples.dat) -gt $made ]"

run "$paising" -D cpu --method tempering --model glass3d -L 4 -R 32 -t 1 -d 0.5 --measurements 100 --samples 2000 --time-limit 0.3s -o chains
verdict "... of tempering" "exits 3" "says 'of 2000 samples are missing: the same command goes on with them'" "[ \$(finished chains) -ge 1 ]"

run "${simulation[@]}" --in-flight 60 -o enough
(ulimit -n 110 && run "${simulation[@]}" --in-flight 60 -o few && exit "$status")
status=$?
verdict "files may be open for few: fewer in flight, the same data" "exits 0" "same_data one enough" "same_data one few" \
    "grep -q '\"in-flight\": 60' enough/run.json" "! grep -q '\"in-flight\": 60' few/run.json"

# The signal before each folder that is looked into, until it meets the sample that is made again.
fault=$(dirname "$paising")/fault.so
part() { interrupted spoilt/sample_0001 || [ -e spoilt/sample_0001.1 ]; }
few=("${simulation[@]:0:${#simulation[@]}-1}" 3 -o spoilt)
export OMP_NUM_THREADS=1
run "${few[@]}"
cp spoilt/PA_disorder_averages.dat averages
: >spoilt/sample_0001/PA_results_run_0.dat
cp -r spoilt unmade
for ((n = 1; n < 200; n++)); do
    rm -rf spoilt
    cp -r unmade spoilt
    { LD_PRELOAD=$fault${SANITIZED:+:$(gcc -print-file-name=libasan.so)} ASAN_OPTIONS=verify_asan_link_order=0 FAULT=readdir:$n:SIGTERM run "${few[@]}"; } 2>/dev/null
    ! part || break
done
unset OMP_NUM_THREADS
verdict "a spoilt sample, interrupted while it is made again: a part in its place" "exits 143" "interrupted spoilt/sample_0001" \
    "! [ -e spoilt/sample_0001.1 ]"
run "${few[@]}"
verdict "it is made again by the same command" "exits 0" "same averages spoilt/PA_disorder_averages.dat" "! interrupted spoilt/sample_0001"

: >r/sample_0003/PA_results_run_0.dat
truncate -s 100 r/sample_0005/PA_overlap_run_0.dat
: >r/sample_0007/run.json
truncate -s 0 r/sample_0008/PA_couplings.dat && truncate -s 4096 r/sample_0008/PA_couplings.dat
truncate -s 150 r/sample_0009/PA_results_run_0.dat && truncate -s 4096 r/sample_0009/PA_results_run_0.dat
run "${simulation[@]}" -o r
verdict "what a crash of the machine has cut off is made again" "exits 0" "same_data one r" "[ \$(finished r) -eq 120 ]" \
    "[ -s r/sample_0007/run.json ]"

for lost in PA_results_weighted.dat PA_overlap_run_0.dat '*.dat' run.json; do
    # shellcheck disable=SC2086 # a pattern
    rm r/sample_0004/$lost
    run "${simulation[@]}" -o r
    verdict "and what it has taken as a whole: $lost" "exits 0" "same_data one r" "[ -s r/sample_0004/run.json ]"
done

# Puts a result in the place of sample 3, changed by a line of sed, without a file: it is refused, and stays as it is.
is_refused() {
    rm -rf r/sample_0003 kept
    cp -r "$2" r/sample_0003
    sed -i "$3" r/sample_0003/*.dat
    [ -z "${4-}" ] || rm "r/sample_0003/$4"
    cp -r r/sample_0003 kept
    run "${simulation[@]}" -o r
    verdict "but not over $1" "exits 2" "says 'holds a result already'" "diff -r kept r/sample_0003"
}
"$paising" -D cpu --model glass2d -c ssc -L 8 -R 5000 -t 2 -d 0.1 --sample 3 -o other >/dev/null 2>&1
is_refused "another result" other ''
# shellcheck disable=SC2016 # the last line, for sed
is_refused "another result with a remark behind it" other '$a # a remark'
# shellcheck disable=SC2016
is_refused "another result without its end" other '20,$d'
# shellcheck disable=SC2016
is_refused "another result without the end of its headers" other '5,$d'
is_refused "files without a header" other '/^#/d' run.json

begin
glasses=("$paising" -D cpu --model glass2d -L 16 -R 500 -t 30 -d 0.1 --adaptive-sweeps 0.1 --samples 3)
run "${glasses[@]}" -o one
run "${glasses[@]}" -o two --in-flight 2
verdict "adaptive sweeps: each sample its own" "exits 0" "same_data one two" \
    "! same <(grep -v '^#' one/sample_0000/PA_schedule.dat) <(grep -v '^#' one/sample_0001/PA_schedule.dat)"

# A finished command, repeated where nothing can be written any more; others are refused there.
words=("$paising" -D cpu --method tempering --model glass3d -L 4 -R 2 -t 1 --measurements 8 --thermalisation 2 -b 0.5 -f 1 -d 0.5 --words samples
    --record bins --samples)
for kind in annealed words searched; do
    begin
    case $kind in
    annealed) again=("$paising" -D cpu --model glass2d -L 4 -R 200 -t 1 -d 0.5 --samples) ;;
    words) again=("${words[@]}") ;;
    searched) again=("$paising" -D cpu --model glass2d -L 4 -R 50 -t 5 -d 0.1 --ground-states --miss-width 0.9 --samples) ;;
    esac
    run "${again[@]}" 2 -o r
    chmod -R a-w r .
    run_unprivileged "${again[@]}" 2 -o r
    verdict "$kind samples, repeated in a folder that cannot be written to" "exits 0" "says 'r: the result is there already, whole'" "[ \"\$(cat \"\$out\")\" = r ]"
    for others in 1 3 "2 --sample 1" "2 -s 5"; do
        # shellcheck disable=SC2086 # several words
        run_unprivileged "${again[@]}" $others -o r
        verdict "... of --samples $others: refused" "exits 2" "says 'Permission denied'"
    done
    chmod -R u+w r .
done
begin
run "${words[@]}" 2 -o r
run "${words[@]}" 2 -o r
verdict "bins of samples, repeated: nothing is left to do" "exits 0" "says 'r: the result is there already, whole'"
run "${words[@]}" 3 -o r
verdict "... of more: refused" "exits 2" "says 'holds a result already'"

# Searches of the lowest energy: each sample its own, then the mean.
begin
search=("$paising" -D cpu --model glass2d -L 4 -R 50 -t 5 -d 0.1 --ground-states --miss-width 0.4 --sample 2 --samples)
run "${search[@]}" 3 -o r
cp -r r before
rows() { grep -v '^#' "$1/PA_ground_samples.dat"; }
verdict "searches of samples: a row for each" "exits 0" "[ \$(rows r | wc -l) -eq 3 ]" "[ \$(finished r) -eq 3 ]" \
    "same <(rows r | cut -d' ' -f 1,3) <(for n in 2 3 4; do echo \$n \$(sed -n 's/^# lowest energy seen: \\([-0-9]*\\).*/\\1/p' r/sample_000\$n/PA_ground_states.dat); done)" \
    "rows r | awk '{ s += \$4; q += \$4 * \$4 } END { print s / 3, sqrt((q - s * s / 3) / 6) }' >mean" \
    "sed -n 's/^# mean of e_0 over the samples: \\(.*\\), error/\\1/p' r/PA_ground_samples.dat | paste -d' ' - mean | awk '{ exit !((\$1 - \$3)^2 < 1e-9 && (\$2 - \$4)^2 < 1e-9) }'"
rm -r r/sample_0003 r/PA_ground_samples.dat r/run.json
inodes r >some
"${search[@]}" 400 -o r >"$out" 2>"$err" &
until [ "$(finished r)" -ge 5 ] || [ -z "$(jobs -pr)" ]; do sleep 0.01; done
kill -TERM $! 2>/dev/null
wait $! 2>/dev/null
status=$?
verdict "... ended by a signal: those that are finished are there" "exits 143" "says ' of 400 samples are missing: the same command goes on with them'" \
    "interrupted r" "[ \$(rows r | wc -l) -ge 5 ]" "[ \$(rows r | wc -l) -lt 400 ]" "same before/sample_0004/PA_ground_states.dat r/sample_0004/PA_ground_states.dat" \
    "[ \$(comm -12 <(sort some) <(inodes r | sort) | wc -l) -eq 2 ]"
run "${search[@]}" 5 -o r
verdict "... and gone on with" "exits 0" "[ \$(rows r | wc -l) -eq 5 ]" "! interrupted r"

begin
run "${simulation[@]}" --dry-run --in-flight 7
verdict "--dry-run says how many" "exits 0" "grep -q '^samples in flight 7 of 120\$' $out" "files ''"

begin
one=("$paising" -D cpu --model glass3d -L 4 -R 50 -t 1 -d 0.5 -f 0.5 -o r)
run "${one[@]}" --save-spins 0.5
cp -r r before
run "${one[@]}" --samples 2
verdict "samples do not replace a simulation" "exits 2" "says 'the folder holds a result already'" "same_data before r" "[ -e r/run.json ]"

# --force: the samples of an older result go with it, but those of the same simulation, and folders that hold something else.
begin
few=("$paising" -D cpu --model glass2d -c ssc -L 4 -R 20 -t 1 -d 0.5 -f 0.5 -o r --force)
run "${few[@]}" --samples 4
touch r/sample_0003/notes
run "${few[@]}" -s 2 --samples 2
verdict "--force: the samples of the older result go" "exits 0" "[ \"\$(echo r/*_000*)\" = 'r/sample_0000 r/sample_0001 r/sample_0003' ]"
run "${few[@]}" -s 2 --sample 5 --samples 2
verdict "... those of the same simulation stay" "exits 0" "[ \"\$(echo r/*_000*)\" = 'r/sample_0000 r/sample_0001 r/sample_0003 r/sample_0005 r/sample_0006' ]"
run "${few[@]}"
verdict "... where one simulation takes their place all go" "exits 0" "[ \"\$(echo r/*_000*)\" = r/sample_0003 ]"

# Each has a graph of its own: couplings, and signs of fields.
begin
graph=("$paising" -D cpu --model glass2d -L 5x4 -c ssc -R 64 -f 1 -d 0.5 --random-field 1/2)
run "${graph[@]}" --samples 4 --sample 1 -o r
alone=0
for n in 1 2 3 4; do
    "${graph[@]}" --sample $n -o one$n >"$out" 2>"$err" && same_data one$n r/sample_000$n && alone=$((alone + 1))
done
mean() { awk -v c="$2" '!/^#/ { s += $c; n++ } END { printf "%.9g", s / n }' "$1"; }
last() { awk -v c="$2" '!/^#/ { v = $c } END { printf "%.9g", v }' "$1"; }
# By strong fields the lowest state is that of their signs.
for n in 1 2 3 4; do "${graph[@]/1\/2/5}" --ferromagnetic 1 --sample $n -o field$n >"$out" 2>"$err"; done
verdict "samples of graphs have the data of runs alone, and fields of their own" "[ \$(cat field?/PA_results_weighted.dat | grep '^# lowest energy' | sort -u | wc -l) -eq 4 ]" "[ $alone -eq 4 ]" "! cmp -s r/sample_0001/PA_results_run_0.dat r/sample_0002/PA_results_run_0.dat" \
    "[ \$(mean r/PA_samples.dat 8) = \$(last r/PA_disorder_averages.dat 2) ]" "[ \$(mean r/PA_samples.dat 16) = \$(last r/PA_disorder_averages.dat 6) ]" \
    "[ \$(awk '!/^#/ { print \$2 }' r/PA_samples.dat | sort -u | grep -vcx 0) -eq 4 ]"

# The same by tempering. Gaussian couplings are graphs of energies without levels.
begin
graph=("$paising" -D cpu --method tempering --model glass2d -L 5x4 -c ssc -R 2 -b 0.2 -f 1 -d 0.4 --thermalisation 5 --measurements 30)
run "${graph[@]}" --random-field 1/2 --samples 3 --sample 1 -o r
run_levels=$status
run "${graph[@]}" --couplings-type gaussian --field 0.3 --samples 3 --sample 1 -o fine
alone=0
for n in 1 2 3; do
    "${graph[@]}" --random-field 1/2 --sample $n -o one$n >"$out" 2>"$err" && same_data one$n r/sample_000$n && alone=$((alone + 1))
    "${graph[@]}" --couplings-type gaussian --field 0.3 --sample $n -o real$n >"$out" 2>"$err" && same_data real$n fine/sample_000$n && alone=$((alone + 1))
done
lasts() { for n in 1 2 3; do grep -v '^#' "r/sample_000$n/$1" | tail -n 1; done; }
verdict "samples of graphs by tempering have the data of runs alone" "[ $run_levels -eq 0 ]" "exits 0" "[ $alone -eq 6 ]" \
    "! cmp -s r/sample_0001/MC_results.dat r/sample_0002/MC_results.dat" \
    "[ \$(mean <(lasts MC_results.dat) 2) = \$(last r/MC_disorder_averages.dat 2) ]" \
    "[ \$(mean <(lasts MC_free_energy.dat) 2) = \$(last r/MC_disorder_averages.dat 6) ]"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
