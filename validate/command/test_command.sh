#!/usr/bin/env bash
# The command as a user types it: exit statuses, messages, and what is written where.
#   test_command.sh build/paising
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

paising=$(realpath "${1:?usage: test_command.sh build/paising}")
sources=$(realpath "$(dirname "$0")/../../paising")
source "$(dirname "$0")/../lib/claims.sh"

# The program on the CPU, small; options given here replace these.
small=(-D cpu -L 16 -R 100 -t 2 -d 0.125)
run() {
    "$paising" "${small[@]}" "$@" >"$out" 2>"$err"
    status=$?
}

# A command line that must be refused with nothing written: what the line on stderr says, options.
refused() {
    local says=$1
    shift
    begin
    run "$@"
    verdict "refused: ${*@Q}" "exits 2" one_line silent "says ${says@Q}" "files ''"
}

# --- a run ---

begin
run -o r -M 2 -m
verdict "a run writes its files" "exits 0" "files './r ./r/PA_MHR_results_run_0.dat ./r/PA_MHR_results_run_1.dat ./r/PA_MHR_results_weighted.dat ./r/PA_results_run_0.dat ./r/PA_results_run_1.dat ./r/PA_results_weighted.dat ./r/run.json'"
names() { grep -m 1 '^# beta ' "$1" | awk '{ print NF - 1 }'; }
more=$(($(names r/PA_results_run_1.dat) - 22)) # columns of the table in estimate/columns.c
verdict "rows and columns" "[ $more -ge 4 ]" "rows r/PA_results_run_1.dat 9" "columns r/PA_results_run_1.dat $((22 + more))" \
    "rows r/PA_results_weighted.dat 9" "columns r/PA_results_weighted.dat $((23 + more))" \
    "rows r/PA_MHR_results_run_1.dat 9" "columns r/PA_MHR_results_run_1.dat $((14 + more))" \
    "rows r/PA_MHR_results_weighted.dat 9" "columns r/PA_MHR_results_weighted.dat $((14 + more))"
verdict "first beta is 0 with S/N = ln 2, last beta is 1" \
    "[ \"\$(grep -v '^#' r/PA_results_run_0.dat | awk 'NR == 1 { print \$1, \$8 }')\" = '0 0.69314718056' ]" \
    "[ \"\$(last_row r/PA_results_run_0.dat | cut -d ' ' -f 1)\" = 1 ]"
if command -v python3 >/dev/null; then
    verdict "run.json is JSON" "python3 -m json.tool r/run.json >/dev/null"
else
    skip "run.json is JSON" "no python3"
fi

run -o again -M 2 -m
OMP_NUM_THREADS=1 run -o one -M 2 -m
OMP_NUM_THREADS=2 run -o two -M 2 -m
run -o other -M 2 -m -s 1
verdict "same seed, same bytes; another seed, others" \
    "same r/PA_results_run_1.dat again/PA_results_run_1.dat" \
    "same r/PA_results_weighted.dat again/PA_results_weighted.dat" \
    "! same r/PA_results_run_1.dat other/PA_results_run_1.dat"
verdict "same bytes on one and two threads" \
    "same one/PA_results_run_1.dat two/PA_results_run_1.dat" \
    "same one/PA_MHR_results_run_1.dat two/PA_MHR_results_run_1.dat"
verdict "two runs of a seed differ" \
    "! same <(grep -v '^#' r/PA_results_run_0.dat) <(grep -v '^#' r/PA_results_run_1.dat)"

# --- couplings ---

begin
run --model glass3d -L 6 -o r
verdict "a glass writes its couplings" "exits 0" "rows r/PA_couplings.dat 648" "columns r/PA_couplings.dat 5" \
    "grep -qx '# model glass3d' r/PA_results_run_0.dat" "grep -qx '# disorder 1' r/PA_results_run_0.dat"
run --model glass3d -L 6 --couplings r/PA_couplings.dat -o read
verdict "which give the same rows as a file" "exits 0" \
    "same <(grep -v '^#' r/PA_results_run_0.dat) <(grep -v '^#' read/PA_results_run_0.dat)" \
    "same <(grep -v '^#' r/PA_couplings.dat) <(grep -v '^#' read/PA_couplings.dat)" \
    "grep -q '^# fingerprint ' read/PA_results_run_0.dat" "! grep -q '^# disorder' read/PA_results_run_0.dat"
run --model glass3d -L 6 -s 1 -o seed
run --model glass3d -L 6 --disorder 2 -o disorder
verdict "the seed of the run leaves them, that of the disorder does not" \
    "same <(grep -v '^#' r/PA_couplings.dat) <(grep -v '^#' seed/PA_couplings.dat)" \
    "! same <(grep -v '^#' r/PA_couplings.dat) <(grep -v '^#' disorder/PA_couplings.dat)" \
    "! same <(grep -v '^#' r/PA_results_run_0.dat) <(grep -v '^#' seed/PA_results_run_0.dat)"
run --model glass3d -L 6 --couplings r/PA_couplings.dat --checkpoint ck --checkpoint-every 1 -o whole
sed '/^0 0 0 0 /s/-*1$/X/; /X$/d' r/PA_couplings.dat >few
sed '/^0 0 0 0 /{s/-1$/+/;s/1$/-1/;s/+$/1/}' r/PA_couplings.dat >others
"$paising" --resume ck --couplings others >"$out" 2>"$err"
status=$?
verdict "others are refused by --resume" "exits 2" one_line silent "says 'couplings of the checkpoint'"
run --model glass3d -L 6 --couplings few -o few.r
verdict "and a file that lacks a bond is read, and said" "exits 0" "says '1 of 648 bonds are missing'"

begin
run -c ssc -L 6
verdict "ssc, folder named as by the published program" "exits 0" \
    "[ -f dataSSC_L6_R100_EqSw2_dB0.125000/PA_results_run_0.dat ]"

begin
"$paising" -D cpu -L 16 -R 1000 -t 2 -a 0.8 >"$out" 2>"$err"
status=$?
verdict "adaptive steps" "exits 0" "[ -f dataMSC_L16_R1000_EqSw2_overlap0.8/PA_results_run_0.dat ]" \
    "[ \"\$(last_row dataMSC*/PA_results_run_0.dat | cut -d ' ' -f 1)\" = 1 ]"

begin
run -o r -b 0.25 -f 0.5 -s 0 -P 4
verdict "beta from 0.25 to 0.5" "exits 0" "rows r/PA_results_run_0.dat 3" \
    "[ \"\$(grep -v '^#' r/PA_results_run_0.dat | cut -d ' ' -f 1 | tr '\n' ' ')\" = '0.25 0.375 0.5 ' ]"

begin
run -o r -f 0
verdict "one temperature" "exits 0" "rows r/PA_results_run_0.dat 1"

for mode in independent philox shared shared-reorder lcg; do
    for word in 8 16 32 64; do
        begin
        run -o r -p $word -g $mode
        verdict "-p $word -g $mode" "exits 0" "rows r/PA_results_run_0.dat 9"
    done
done
begin
run -o r -g shared
verdict "errors of one run with shared numbers are nan" "exits 0" \
    "[ \"\$(last_row r/PA_results_run_0.dat | cut -d ' ' -f 11-14)\" = 'nan nan nan nan' ]"

# --- results that cannot be trusted ---

# Steps of 0.125 at L = 32 overlap by nothing; R = 100 has never 100 families after a step.
warnings() { [ "$(grep -c '^# warning: ' "$1")" -eq "$2" ]; }
begin
run -o r -L 32 -R 2000 -m -M 2
verdict "too large steps, too few families: a warning in every header and on stderr" "exits 0" \
    "warnings r/PA_results_run_1.dat 2" "warnings r/PA_results_weighted.dat 3" \
    "warnings r/PA_MHR_results_run_1.dat 2" "grep -q '^# warning: steps .*-d' r/PA_results_run_0.dat" \
    "grep -q '^# warning: .* families .*-R.*-t' r/PA_results_run_0.dat" \
    "[ \"\$(grep -c '^paising: warning: ' \"$err\")\" -eq 3 ]"
begin
run -o r -R 1000 -t 2 -d 0.05 -f 0.6 -M 8
column() { # the numbers of column $1 of file $2
    awk -v name="$1" '/^# beta / { for (n = 2; n <= NF; n++) if ($n == name) at = n - 1 } !/^#/ { print $at }' "$2"
}
trusting() { # rows in which the averages do not say how many of the 8 runs have a 1 in `trusted`
    paste <(column trusting r/PA_results_weighted.dat) \
        <(for run in {0..7}; do column trusted "r/PA_results_run_$run.dat" | awk '{ print NR, $1 }'; done |
            awk '{ trusted[$1] += $2 } END { for (row in trusted) print row, trusted[row] }' |
            sort -n | cut -d ' ' -f 2) | awk '$1 != $2'
}
verdict "averages say how many runs trust a row" "exits 0" "[ -z \"\$(trusting)\" ]" \
    "grep -q \"^# fewer than half of the runs trust \$(column trusting r/PA_results_weighted.dat | awk '\$1 < 4' | wc -l) of \" r/PA_results_weighted.dat" \
    "column trusting r/PA_results_weighted.dat | grep -q '^0'" \
    "column trusting r/PA_results_weighted.dat | grep -q '[4-8]'" \
    "column trusting r/PA_results_weighted.dat | grep -q '[0-3]'"
begin
run -o r -L 4 -c ssc -b 1.5 -f 3 -d 0.25 -m -M 4 -R 3000 -t 60 -s 3
verdict "analyses of runs that agree have errors, too" "exits 0" \
    "awk '!/^#/ && \$1 == 3 && \$2 == -2' r/PA_MHR_results_weighted.dat | grep -q ." \
    "! awk '!/^#/ && (\$8 == 0 || \$9 == 0 || \$10 == 0)' r/PA_MHR_results_weighted.dat | grep -q ." \
    "! column err_chi r/PA_MHR_results_weighted.dat | grep -qx 0" "! column err_U4 r/PA_MHR_results_weighted.dat | grep -qx 0"
# The lowest energy of this sample is -384. At beta = 0.8 some 20 replicas have -380, and none has -384.
lowest() { [ "$(sed -n 's/^# lowest energy at the last temperature: //p' r/PA_ground_state_run_0.dat)" = "$1" ]; }
glass=(-o r -d 0.05 --model glass3d -L 6 --disorder 6 -R 2000 -t 10 -s 11)
begin
run "${glass[@]}" -f 0.8
verdict "a glass that is too warm for its ground states" "exits 0" "lowest -380" \
    "grep -q '^# probability .* missed .*: nan (see the warning)$' r/PA_ground_state_run_0.dat" \
    "grep -q '^# warning: too warm .*: 21 replicas .*-f.*-R' r/PA_ground_state_run_0.dat" \
    "says 'warning: ground states: too warm '" \
    "grep -q '^# distinct states .*: 21 (a lower bound' r/PA_ground_state_run_0.dat"
begin
run "${glass[@]}" -f 3
verdict "one that is cold, with few families" "exits 0" "lowest -384" \
    "grep -q '^# probability .* missed .*: nan (see the warning)$' r/PA_ground_state_run_0.dat" \
    "says 'warning: ground states: too few families '"
begin
run "${glass[@]}" -f 3 -R 4000
verdict "one that is cold enough" "exits 0" "lowest -384" "warnings r/PA_ground_state_run_0.dat 0" "! says 'ground states'" \
    "grep -q '^# probability .* missed .*: [0-9.]*e-[0-9]*$' r/PA_ground_state_run_0.dat"
begin
run -o r --model glass3d -L 4 -R 500 -t 5 -d 0.05 --ground-states --miss-width 0.3 --time-limit 20s
verdict "a search of the lowest energy" "exits 0" "grep -q '^lowest energy seen -[0-9]*, by ' \$out" \
    "grep -q '^# probability that such a run misses it: 0, from 0 to 0[.]' r/PA_ground_states.dat" "grep -q solution_seconds r/run.json" \
    "! grep -qi 'ground state energy' r/PA_ground_states.dat"
"$paising" -D cpu --model glass3d -L 4 -t 3 --ground-states --miss-width 0.5 --time-limit 5s -o small >"$out" 2>"$err"
status=$?
verdict "a search begins small, but for what is given" "exits 0" "grep -q -e ' -R 256 -t 3 -b 0 -f 1.6 --culling 0.2 ' $err"
"$paising" -D cpu --model glass3d -L 4 --ground-states --miss-width 1 --samples 2 -o two >"$out" 2>"$err"
status=$?
verdict "searches of samples have adaptive steps of their own" "exits 0" "grep -q '^# culling 0.2$' two/PA_ground_samples.dat" \
    "grep -q '^# culling 0.2$' two/sample_0001/PA_ground_states.dat"
begin
run -o r -R 10000 -f 0.25 -d 0.025
verdict "a sound result: no warning" "exits 0" "warnings r/PA_results_run_0.dat 0" no_line
begin
"$paising" -D cpu -L 32 -R 20000 -t 2 -a 0.05 -f 0.25 -o r >"$out" 2>"$err"
status=$?
verdict "an overlap that the population cannot measure" "exits 0" "says 'steps are shorter than -a 0.05 asks for'"
begin
"$paising" -D cpu -c ssc -L 4 -R 500000 -t 1 -a 0.1 -f 0.8 -o r >"$out" 2>"$err"
status=$?
verdict "an overlap of 0.1 is one of 0.1" "exits 0" "! grep -q 'energies before and after' $err"
begin
"$paising" -D cpu -R 49 -a 0.8 -o r >"$out" 2>"$err"
status=$?
verdict "refused: adaptive steps from too few replicas" "exits 2" one_line "says 'at least 50, not -R 49'" "files ''"
begin
run -o r -L 32 -R 2000 -b 1
verdict "steps before the first row count" "exits 0" \
    "grep -q '^# warning: steps are too large from beta = 1 on' r/PA_results_run_0.dat"

# --- what a run would take ---

begin
run --dry-run -o r -M 3 -b 0.25 -f 0.5
verdict "--dry-run: parameters, memory, work, and nothing written" "exits 0" "files ''" "! [ -s $err ]" \
    "grep -qx '# size 16' $out" "grep -q '^host memory .* MB needed, .* available$' $out" \
    "grep -qx 'temperatures *5' $out" "grep -qx 'spin flips *614400' $out" \
    "grep -qE '^expected time  [0-9.e+-]+ (s|min|h) at [0-9.e+]+ ps a flip, measured here with [0-9]+ replicas$' $out"
# What is foretold is true to a factor of 20, on a machine that others use, too; for both codings, which differ by more. One
# thread waits for no other.
for coding in msc ssc; do
    begin
    job=(-L 32 -R 400 -t 100 -f 0.5 -d 0.1 -c "$coding" -o r)
    OMP_NUM_THREADS=1 run "${job[@]}" --dry-run
    foretold=$(awk '/^expected time/ { print $3 * ($4 == "s" ? 1 : 60) }' "$out")
    OMP_NUM_THREADS=1 run "${job[@]}"
    took=$(sed -n 's/^ *"sweep": \([0-9.e-]*\),*$/\1/p' r/run.json)
    verdict "--dry-run, $coding: the time that the sweeps take" "exits 0" \
        "awk 'BEGIN { exit !($foretold < 20 * $took && $foretold > $took / 20) }'"
done
begin
run --dry-run --method canonical -L 512 -R 1 -b 0.4 -f 0.4 -o r
verdict "--dry-run of one lattice: all of its stripes are timed" "exits 0" "grep -q 'measured here with 32 stripes$' $out"
begin
"$paising" -D cpu -a 0.8 --dry-run >"$out" 2>"$err"
status=$?
verdict "--dry-run with adaptive steps" "exits 0" "files ''" "grep -q '^temperatures *not known' $out"
"$paising" -D cpu --method microcanonical --model potts2d -c ssc -L 4 -f 1 --dry-run >"$out" 2>"$err"
status=$?
verdict "--dry-run of energy ceilings" "exits 0" "files ''" "grep -q '^temperatures *not known: a run has energy ceilings instead' $out"

begin
run -L 16 -R 1000 -d 0.125 -t 40 --adaptive-sweeps 0.1 --dry-run
verdict "--dry-run with adaptive sweeps says the most" "exits 0" "files ''" \
    "grep -q '^spin flips *at most 8[.]192e+07: adaptive sweeps' $out" "grep -q '^temperatures *9\$' $out"
begin
run --dry-run -o r -L 64 -R 4e9
verdict "--dry-run of what does not fit" "exits 2" one_line "says '-R 4000000000'" "files ''" \
    "grep -q '^host memory' $out"
begin
mkdir -p home/build home/perf/baselines
cp "$paising" home/build
printf '# device Some GPU 5\n# memory 1000000000000\n# id device coding L R theta p mode stages t_SF/ps\n%s\n' \
    "a gpu msc 64 20000 10 32 independent fused 0.125" >home/perf/baselines/some-gpu.dat
home/build/paising -D cuda -R 1e8 -t 10 --dry-run --like some-gpu >"$out" 2>"$err"
status=$?
verdict "--dry-run of a GPU that is not here" "exits 0" "! [ -s $err ]" "grep -q '^device *Some GPU 5,' $out" \
    "grep -q '^device memory .* needed, 1000000.0 MB available' $out" \
    "grep -q '^expected time .* at 0.125 ps a flip' $out"
home/build/paising -R 1e8 --dry-run --like another >"$out" 2>"$err"
status=$?
verdict "--dry-run of a GPU that is not known" "exits 2" one_line silent "says 'there are: some-gpu'"
begin
run --dry-run -o r -M 1000000 -d 0.00001
verdict "--dry-run counts the rows of all runs" "exits 2" one_line "says '-M 1000000'" "files ''"

# --- devices ---

begin
run -o cuda -D cuda
if [ $status -eq 2 ]; then
    verdict "no CUDA here: a clear error" one_line "says -D" "files ''"
    run -D cuda --dry-run
    verdict "no CUDA here: --dry-run tells of --like" "exits 2" one_line silent "says --like"
    run -o r -D auto
    verdict "auto takes the CPU and says so" "exits 0" "says CPU"
    begin
    run -D auto --stages apart
    verdict "auto has no stages apart on the CPU" "exits 2" one_line "says '--stages apart'" "files ''"
    skip "stages on a GPU, fused, apart and hybrid: same bytes as the CPU" "no GPU"
else
    run -o r -D auto
    verdict "auto takes the GPU" "exits 0"
    for case in 'ssc fused' 'ssc apart' 'ssc hybrid' 'msc fused' 'msc apart'; do
        read -r coding stages <<<"$case"
        begin
        run -o cpu -c "$coding" -M 2 -m
        run -o gpu -c "$coding" -M 2 -m -D cuda --stages "$stages"
        verdict "-c $coding --stages $stages: same bytes as the CPU" "exits 0" \
            "same cpu/PA_results_run_0.dat gpu/PA_results_run_0.dat" \
            "same cpu/PA_results_run_1.dat gpu/PA_results_run_1.dat" \
            "same cpu/PA_results_weighted.dat gpu/PA_results_weighted.dat" \
            "same cpu/PA_MHR_results_run_1.dat gpu/PA_MHR_results_run_1.dat"
        unknown='"sweep": null'
        [ "$stages" = fused ] || unknown='"step": null'
        verdict "-c $coding --stages $stages: run.json has the times that are known" \
            "grep -qF ${unknown@Q} gpu/run.json" \
            "[ \"\$(sed -n '/\"seconds\"/,/}/p' gpu/run.json | grep -c null)\" = \
               \"\$([ $stages = fused ] && echo 4 || echo 1)\" ]" \
            "grep -qF '\"stages\": \"$stages\"' gpu/run.json"
    done
fi
begin
run -o r
verdict "the CPU times its stages, and has no other times" "exits 0" "grep -qF '\"stages\": null' r/run.json" \
    "[ \"\$(sed -n '/\"seconds\"/,/}/p' r/run.json | grep null | tr -d ' \n')\" = '\"step\":null,\"round_trip\":null,' ]"

# --- refused: values ---

# One of those that test_options.c refuses, to see status and message arrive.
refused "-L 17:" -L 17
refused "--stages apart: allowed on a GPU only" --stages apart

# --- refused: the machine ---

refused "-D" -D cuda:9999
refused "4000000000" -L 64 -R 4e9
if [ -n "${SANITIZED-}" ]; then
    skip "limits of ulimit -v" "a sanitized program takes all of the address space"
else
    begin
    (ulimit -v 600000 && exec "$paising" "${small[@]}" -L 64 -R 1e6) >"$out" 2>"$err"
    status=$?
    verdict "refused: more memory than ulimit -v allows" "exits 2" one_line "says -R" "says 1000000" "files ''"
    # The need tells the truth: with 120 MB more than it, for the program itself, the run succeeds.
    begin
    export OMP_NUM_THREADS=2 # stacks of threads are address space, too
    run --dry-run -L 64 -R 300000
    need=$(awk '/^host memory/ { print int($3) }' "$out")
    (ulimit -v $((1000 * (need + 120))) && exec "$paising" "${small[@]}" -L 64 -R 300000 -t 1 -f 0.25 -o r) >"$out" 2>"$err"
    status=$?
    unset OMP_NUM_THREADS
    verdict "a run takes the memory that it said" "exits 0" "[ $need -gt 300 ]"
fi

# --- refused: the folder ---

refused "-o missing/r: No such file" -o missing/r
if [ "$(id -u)" -ne 0 ]; then
    begin
    mkdir r
    chmod 555 r
    run -o r
    verdict "refused: a folder without permission to write" "exits 2" one_line "says '-o r'" "files ./r"
else
    skip "refused: a folder without permission to write" "root may write everywhere"
fi

begin
run -o r -M 3
sums=$(cd r && md5sum ./*)
run -o r -M 2 -s 3
verdict "an existing result is kept" "exits 2" one_line "says --force" \
    "[ \"\$(cd r && md5sum ./*)\" = \"$sums\" ]"
run -o r -M 2 -s 3 --force
verdict "--force replaces it, all of it" "exits 0" \
    "files './r ./r/PA_results_run_0.dat ./r/PA_results_run_1.dat ./r/PA_results_weighted.dat ./r/run.json'" \
    "grep -q '^# seed 3' r/PA_results_run_0.dat"

# --- failures ---

begin
mkdir tmp
export TMPDIR=$work/tmp
for stack in 64 128; do
    (ulimit -s $stack && exec "$paising" "${small[@]}" -o stack) >"$out" 2>"$err"
    status=$?
    verdict "refused: a stack of $stack KiB" "exits 2" one_line silent "says 'ulimit -s $stack: at least 256'" "! [ -e stack ]"
done
(ulimit -s 256 && OMP_NUM_THREADS=4 exec "$paising" -D cpu --model glass3d -L 4 -R 3000 -t 1 -d 0.25 -M 2 -m -o stack) >"$out" 2>"$err"
status=$?
verdict "a stack of 256 KiB will do" "exits 0"
(ulimit -n 5 && exec "$paising" "${small[@]}" -o files --checkpoint files.ck) >"$out" 2>"$err"
status=$?
verdict "refused: five files may be open" "exits 2" one_line silent "says 'ulimit -n: 10 more files'" "! [ -e files ]"
(ulimit -n 24 && exec "$paising" "${small[@]}" -o files --checkpoint files.ck --checkpoint-every 2) >"$out" 2>"$err"
status=$?
verdict "24 files will do" "exits 0"
rm -rf stack files files.ck
(ulimit -f 1 && exec "$paising" "${small[@]}" -o r) >"$out" 2>"$err"
status=$?
verdict "a limit on file sizes: each place that could not take the result" "exits 1" "says r/" "says r.1/" \
    "says $TMPDIR/paising." "lines 3" "files ./tmp"
unset TMPDIR

# A run that dies out has weight 0 from there on, and the others go on.
begin
run -c ssc -L 6 -R 4 -M 30 -t 1 -d 0.2 -f 5 --resampling poisson -o r
dead=$(grep -l '^# the population died out before' r/PA_results_run_*.dat)
verdict "a population that dies: the other runs go on" "exits 0" "says 'of 30 runs died out'" \
    "[ $(wc -l <<<"$dead") -eq $(sed -n 's/^# warning: \([0-9]*\) of 30 runs died out.*/\1/p' r/PA_results_weighted.dat) ]" \
    "grep -q '^# averages over 30 runs' r/PA_results_weighted.dat" "[ \$(ls r | wc -l) -eq 32 ]" \
    "rows r/PA_results_weighted.dat 26" "[ $(grep -vc '^#' "$(head -n 1 <<<"$dead")") -lt 26 ]" \
    "grep -q '\"interrupted\": false' r/run.json"
begin
seed=$(for seed in {0..400}; do
    run -c ssc -L 6 -R 6 -t 1 -d 0.2 -f 5 --resampling poisson -s "$seed" -o r --force
    [ $status -ne 0 ] && echo "$seed" && break
done)
rm -rf r r.1
dies=(-c ssc -L 6 -R 6 -t 1 -d 0.2 -f 5 --resampling poisson -s "$seed" -o r --force)
run "${dies[@]}"
verdict "all runs died: that is a failure" "exits 1" one_line "says 'run 0: the population died out at beta = '" \
    "grep -q '^# failed: run 0: ' r/PA_results_weighted.dat" "grep -q '\"missing\": \"failed: run 0: ' r/run.json" \
    "[ $(grep -vc '^#' r/PA_results_run_0.dat) -eq $(grep -vc '^#' r/PA_results_weighted.dat) ]"
run "${dies[@]}" -M 2 -m --save-spins 0.1,5
verdict "another run is there" "exits 0" "says '1 of 2 runs died out'" "says 'spins 5: 1 of 2 runs ended before it'" \
    "! says 'spins 0.1: '" "says '12 files of 408 bytes together, at beta = 0.2, 5'" "[ \$(ls r/*.npy | wc -l) -eq 9 ]" "rows r/PA_results_weighted.dat 26" \
    "[ ! -e r/PA_MHR_results_run_0.dat ]" "[ -s r/PA_MHR_results_run_1.dat ]"

# Without resampling each replica stays, and no row is trusted: columns R, families, rho_t, trusted.
begin
run -L 16 -R 300 -t 1 -d 0.1 -f 0.6 --resampling none -o r
verdict "no resampling: each replica is a family" "exits 0" "says 'no row is trusted: without resampling'" \
    "[ '300 300 1 0' = \"$(awk '/^0/ { print $9, $15, $16, $18 }' r/PA_results_run_0.dat | sort -u)\" ]" \
    "grep -q '^# resampling none' r/PA_results_run_0.dat"

# Steps of 0.25 are too large for 40 replicas of L = 16, but their equations have a solution.
begin
run -L 16 -R 40 -t 5 -d 0.25 -m0.1 -s 1 -M 2 -o r
verdict "histograms that do not overlap are found: the annealing is kept" "exits 1" \
    "says 'run 0 and others: no multi-histogram analysis (-m): the histograms do not overlap between beta = 0.25 and 0.5'" \
    "grep -q '^# no multi-histogram analysis' r/PA_results_run_1.dat" \
    "files './r ./r/PA_results_run_0.dat ./r/PA_results_run_1.dat ./r/PA_results_weighted.dat ./r/run.json'" \
    "rows r/PA_results_weighted.dat 5" "grep -q '^# warning: few runs carry the averages' r/PA_results_weighted.dat"
begin
run -o r
cp -r r older
run "${dies[@]}"
verdict "a part does not replace a whole result" "exits 1" "says 'the result is in r.1'" "diff -r older r" \
    "grep -q '\"interrupted\": true' r.1/run.json"

# A file system of two pages, which no other process sees.
if unshare -rm mount -t tmpfs none "$scratch" 2>/dev/null; then
    begin
    mkdir r
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare -rm bash -c 'mount -t tmpfs -o size=8k none r; "$@" || echo "status $?"; ls -A r' \
        - "$paising" "${small[@]}" -o r -M 9 >"$out" 2>"$err"
    status=$?
    verdict "a file system that fills up: the result is beside it" "says 'No space left'" "says 'the result is in r.1'" \
        "[ \"\$(tail -n 1 $out)\" = 'status 1' ]" "rows r.1/PA_results_weighted.dat 9" "[ \"\$(ls r.1 | wc -l)\" -eq 11 ]"
else
    skip "a file system that fills up" "no right to mount one"
fi

# --- who else is there ---

# Whether a program that runs in the background, the last one started, has got as far as its lock.
wait_for_lock() {
    until [ -s "$1" ] || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
}

begin
"$paising" -D cpu -L 64 -R 5000 -d 0.00001 -o r >/dev/null 2>&1 &
wait_for_lock r/.paising.lock
run -o r --force
verdict "a folder that another process works in" "exits 2" one_line silent "says 'in use by process $! on '"
run -o r -D cuda:9999
kill $!
wait $! 2>/dev/null
verdict "a process that fails leaves another one's folder alone" "[ -s r/PA_results_run_0.dat ]"

# The reader dies first.
begin
mkfifo pipe
head -c 1 pipe >/dev/null &
reader=$!
ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 \
    stdbuf -o0 "$paising" -D cpu -L 64 -R 5000 -d 0.00001 -o r >pipe 2>&1 &
wait_for_lock r/.paising.lock
wait $reader
kill -INT $! 2>/dev/null || kill -TERM $!
kill -TERM $!
wait $!
status=$?
verdict "a signal when nobody reads what is said: the rows so far" "[ $status -eq 130 ] || [ $status -eq 143 ]" \
    "[ -s r/PA_results_run_0.dat ]" "grep -q '\"interrupted\": true' r/run.json"

begin
run -o "$(printf 'caf\351')"
verdict "a path that is not UTF-8: valid JSON" "exits 0" "python3 -m json.tool caf*/run.json >/dev/null"
begin
"$paising" -L 1024 -R 1e9 -o r >"$out" 2>"$err"
status=$?
verdict "too large a population on whatever device there is" "exits 2" one_line silent "says '-R 1000000000: '" "files ''"
begin
OMP_NUM_THREADS=70000 run -o r
verdict "more threads than processors: a line, and as many as there are" "exits 0" "says 'OMP_NUM_THREADS=70000: '" \
    "grep -q '\"threads\": '$(nproc), r/run.json"

# --- exact ---

exact() {
    "$(dirname "$paising")/exact" "$@" >"$out" 2>"$err"
    status=$?
}
begin
exact -L 4 0 4.9e-324 1e-308 1e-160 1e160 8.98e307
verdict "exact at the ends of what a number holds" "exits 0" "! [ -s $err ]" "rows $out 6" "! grep -qi '[0-9 -]\(nan\|inf\)' $out"
for beta in 8.99e307 1e308 1.7976931348623157e308 1e309 -1e-308 -1 inf -inf nan 1x ''; do
    exact -L 4 -- 0.4 "$beta"
    verdict "exact refuses beta '$beta'" "exits 2" one_line silent "says '$beta'"
done

begin
exact --model glass2d -L 6x4 --disorder 5 --sample 1 --states 0 8.98e307
verdict "exact of a glass" "exits 0" "! [ -s $err ]" "grep -q '^# couplings: disorder seed 5, sample 1, ferromagnetic 0.5; ' $out" \
    "! grep -qi '[0-9 -]\(nan\|inf\)' $out"
# Claims that row $1 of what was printed begins with these numbers.
row_is() {
    awk -v row="$1" -v expected="${*:2}" '
        !/^#/ && ++rows == row {
            n = split(expected, x, " ")
            same = NF >= n
            for (i = 1; i <= n; i++) same = same && ($i - x[i]) ^ 2 < 1e-26
        }
        END { exit !same }' "$out"
}
# The 4 x 4 ferromagnet: states of E (of -E as many), and what follows from them at beta = 0.5: e C betaF/N S/N.
states='-32 2 -24 32 -20 64 -16 424 -12 1728 -8 6688 -4 13568 0 20524 4 13568 8 6688 12 1728 16 424 20 64 24 32 32 2'
counted=$(awk -v states="$states" 'BEGIN {
    for (n = split(states, g, " "); n > 0; n -= 2) {
        w = g[n] * exp(-0.5 * g[n - 1]); z += w; e += w * g[n - 1]; e2 += w * g[n - 1] ^ 2
    }
    e /= z; f = -log(z) / 16
    printf "%.17g %.17g %.17g %.17g", e / 16, 0.25 * (e2 / z - e * e) / 16, f, 0.5 * e / 16 - f
}')
ln2=0.69314718055994531
# At beta = 0 spins are independent, and so are those of q: |m| = 6435 / 2^15, m2 = 1 / N, m4 = (3 N - 2) / N^3.
free="0.196380615234375 0.0625 0.01123046875"
begin
exact --model glass2d -L 6 --disorder 1 0.5
cp "$out" given
exact --model glass2d -L 6 0.5
verdict "exact takes the couplings that paising takes" "exits 0" no_line "same \$out given" \
    "grep -q '^# couplings: disorder seed 1,' $out"
run --model glass2d -L 4 -c ssc -R 20000 -t 1 -d 0.25 -f 0.5 -o r
verdict "a probability that is too small for a double is not 0" "exits 0" \
    "grep -q '^# probability .* was missed by a run like it: below 1e-300$' r/PA_ground_state_run_0.dat"
begin
exact -L 4 0 0.5
verdict "exact has e, C, betaF/N, S/N in their columns" "exits 0" "row_is 1 0 0 0 -$ln2 $ln2" "row_is 2 0.5 $counted" "rows $out 2" \
    "! row_is 2 0.5 $(awk '{ print $2, $1, $3, $4 }' <<<"$counted")"
exact -L 4 --magnetic 0 0.5
verdict "exact has |m|, m2, m4 in their columns" "exits 0" "row_is 1 0 0 0 -$ln2 $ln2 $free" "row_is 2 0.5 $counted" \
    "grep -q ': beta e C betaF/N S/N |m| m2 m4$' $out"
exact --model glass2d -L 4 --disorder 5 --overlap 0
verdict "exact has |q|, q2, q4 in their columns" "exits 0" "row_is 1 0 0 0 -$ln2 $ln2 $free" \
    "grep -q ': beta e C betaF/N S/N |q| q2 q4$' $out"
# Bonds of the ferromagnet seen with the spins of sites 1, 4, 5 and 10 turned: J = -1 where one end of two is turned.
begin
turned() { [[ " 1 4 5 10 " == *" $1 "* ]]; }
for site in $(seq 0 15); do
    x=$((site % 4)) y=$((site / 4))
    for next in $((y * 4 + (x + 1) % 4)) $(((y + 1) % 4 * 4 + x)); do
        turned "$site"
        from=$?
        turned "$next"
        echo "$site $next $(($? == from ? 1 : -1))"
    done
done >ferromagnet
exact --model glass2d -L 4 --couplings ferromagnet --states
verdict "exact counts the states of couplings from a file" "exits 0" "grep -q '; 12 of 32 with J = -1, ' $out" \
    "[ \"\$(grep -v '^#' $out | tr '\n' ' ')\" = '$states ' ]"
exact --model glass2d -L 4 --couplings ferromagnet --overlap 0.5
verdict "exact of couplings from a file" "exits 0" "row_is 1 0.5 $counted"
exact -L 4 --states
verdict "exact lists the states of the ferromagnet from the lowest energy on" "exits 0" \
    "[ \"\$(grep -v '^#' $out | tr '\n' ' ')\" = '$states ' ]" "[ \"\$(grep -v '^#' $out | head -n 1)\" = '-32 2' ]"
exact -L 4 --magnetic --states
verdict "exact counts those of a magnetisation" "exits 0" "grep -q '^-32 16 1$' $out" "grep -q '^-24 14 16$' $out" \
    "grep -q '^32 0 2$' $out" "[ \$(awk '\$2 > 0 { n += 2 * \$3 } \$2 == 0 { n += \$3 } END { print n }' $out) -eq 65536 ]"
sed -i 5d ferromagnet
for words in '-L 4x6x4 1' '-L 7 1' '-L 4' '-L 4 --magnetic --layers 1' '--model glass2d -L 4 --couplings ferromagnet --sample 1 1' '--model cubic -L 6 1' \
    '--model square -L 4 --disorder 1 1' '-L 4 --sample 2 1' \
    '--model glass3d -L 4x4x6 --disorder 1 --layers 3.1' '--model glass2d -L 42 --disorder 1 1' '--model ising -L 4 1' \
    '--model glass2d -L 4 --disorder 1 --ferromagnetic 1.1 1' '-L 10 --magnetic 1' '-L 8 --overlap 1' '-L 99999999999999999999 1'; do
    # shellcheck disable=SC2086 # several words
    exact $words
    verdict "exact refuses $words" "exits 2" one_line silent
done
exact --model glass2d -L 4 --couplings ferromagnet 1
verdict "exact refuses couplings that lack a bond" "exits 2" silent "says 'bonds are missing, which is not known here'"

# The bonds of the ferromagnet as a graph; two sites of which one has a field; a triangle of half J; more sites than states are counted of.
begin
awk 'BEGIN { for (i = 0; i < 16; i++) { x = i % 4; y = int(i / 4); print i, y * 4 + (x + 1) % 4, 1; print i, (y + 1) % 4 * 4 + x, 1 } }' >graph
printf '%s\n' '0 1 1' '0 0 0.5' >pair
awk 'BEGIN { for (i = 0; i < 28; i++) print i, i + 1, 1 }' >large
exact --graph graph --states
verdict "exact counts the states of a graph" "exits 0" "[ \"\$(grep -v '^#' $out | tr '\n' ' ')\" = '$states ' ]" "grep -q '; 16 sites, 32 bonds, ' $out"
exact --graph graph --magnetic 0 0.5
verdict "exact of a graph" "exits 0" "row_is 1 0 0 0 -$ln2 $ln2 $free" "row_is 2 0.5 $counted" "grep -q ': beta e C betaF/N S/N |m| m2 m4$' $out"
exact --graph graph 0.5 1e290
verdict "exact of a graph at the lowest temperature" "exits 0" "rows $out 2" "row_is 2 1e290 -2 0 -2e290 $(awk 'BEGIN { printf "%.17g", log(2) / 16 }')" \
    "grep -q ': beta e C betaF/N S/N$' $out"
exact --graph pair --states --magnetic
verdict "exact of a graph in a field: |m|, m2, m4 of each energy" "exits 0" "[ \"\$(grep -v '^#' $out)\" = '-1.5 1 1 1 1
-0.5 1 1 1 1
0.5 1 0 0 0
1.5 1 0 0 0' ]" "grep -qx '# E states |m| m2 m4' $out"
for words in '1' '--graph graph -L 4 1' '--graph graph --model square 1' '--graph graph --couplings graph 1' '--graph graph --disorder 2 1' \
    '--graph graph --overlap 1' '--graph graph --layers 1' '--graph large 1' '--graph none 1' '--graph graph' '--graph graph 1.1e290'; do
    # shellcheck disable=SC2086 # several words
    exact $words
    verdict "exact refuses $words" "exits 2" one_line silent
done

# --- compare ---

compare() {
    timeout 600 "$(dirname "$paising")/compare" "$@" >"$out" 2>"$err"
    status=$?
}

# A result of the lattice edge $1, made up, with its checksum.
make_up() {
    mkdir -p r
    printf '# paising 1.0.0: population annealing of the 2D Ising model\n# averages over 1 runs\n# size %s\n# runs 1
# precision 11\n# beta e C |m| m2 m4 betaF/N S/N R lnQ err_e err_C err_|m| err_betaF/N families rho_t R_eff trusted err_m2 err_m4 %s\n0 0 0 0.1 0.1 0.1 -0.69314718056 0.69314718056 1000 0 0.01 0 0.01 0 1000 1 1000 1 0.01 0.01 0 16\n' "$1" 'err_S/N blocks' \
        >r/PA_results_weighted.dat
    printf '# crc32 %s\n' "$(gzip -c r/PA_results_weighted.dat | tail -c 8 | od -An -tx4 -N4 --endian=little | tr -d ' ')" \
        >>r/PA_results_weighted.dat
}

begin
make_up 16
compare r
verdict "compare judges a result" "exits 0" "! [ -s $err ]" "grep -q '^# agrees with the exact solution' $out"
for name in PA_results_run_1.dat PA_MHR_results_run_0.dat PA_results_weighted.dat; do
    begin
    run -o r -M 2 -m
    sed -i '$d' r/$name
    compare r
    verdict "compare refuses a result with a $name that is cut off" "exits 1" one_line silent "says r/$name"
done
begin
make_up 16
# What a size of 4 billion would take is a day, not an error.
for size in 4294967294 17 3 ''; do
    make_up "$size"
    compare r
    verdict "compare refuses size '$size'" "exits 1" one_line silent "says r/PA_results_weighted.dat"
done
make_up 16
sed -i '$d' r/PA_results_weighted.dat
compare r
verdict "compare refuses a file that was cut off behind a row" "exits 1" one_line silent "says checksum"
rm r/PA_results_weighted.dat
mkfifo r/PA_results_weighted.dat
compare r
verdict "compare does not wait for a pipe" "exits 1" one_line silent "says 'no pipes'"
rm r/PA_results_weighted.dat
compare r
verdict "compare without a result" "exits 1" one_line silent "says r/PA_results_weighted.dat"
make_up 16
mv r/PA_results_weighted.dat r/PA_results_run_0.dat
compare r
verdict "compare of a run that was interrupted" "exits 3" "! [ -s $err ]" "grep -q '^# not judged: no averages' $out"
run -R 50 -o r --force
compare r
verdict "compare without a trusted row" "exits 3" "! [ -s $err ]" "grep -q '^# not judged: no row is trusted' $out"
compare r/run.json
verdict "compare of a file" "exits 1" one_line silent "says 'Not a directory'"
compare
verdict "compare without a folder" "exits 2" one_line silent "says FOLDER"
compare r r
verdict "compare of two folders" "exits 2" one_line silent "says FOLDER"
compare "$(printf '%05000d' 0)"
verdict "compare of a name that is too long" "exits 2" one_line silent "says letters"

for option in --help --version --manual --completion=bash --completion=zsh; do
    begin
    "$paising" $option >"$out" 2>"$err"
    status=$?
    verdict "$option" "exits 0" "[ -s $out ]" "! [ -s $err ]" "files ''"
    "$paising" $option >/dev/full 2>"$err"
    status=$?
    verdict "$option on a full disk" "exits 1" one_line
done
begin
"$paising" --manual >manual
grep -oh 'getenv("[A-Z_]*")' "$sources"/*/*.c | cut -d'"' -f2 | sort -u >variables
verdict "the manual page names every variable of the environment" "[ \$(wc -l <variables) -ge 3 ]" \
    "! while read -r name; do grep -q \"^\.B \$name\" manual || echo \$name; done <variables | grep ."
if command -v groff >/dev/null; then
    begin
    "$paising" --manual | groff -man -Tutf8 -ww -z >"$out" 2>"$err"
    status=$?
    verdict "the manual page is sound" "exits 0" "! [ -s $err ]"
else
    skip "the manual page is sound" "no groff"
fi
# What bash proposes for the last of some words.
proposed() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _paising 2>/dev/null
    echo "${COMPREPLY[*]}"
}
begin
"$paising" --completion bash >script
"$paising" --help | grep -o -e '^  .\{4\}--[a-z-]*' | sed 's/.*--/--/' | sort >options
# shellcheck source=/dev/null
source ./script
verdict "bash completes every option, choices and nothing else" "[ \$(wc -l <options) -ge 50 ]" \
    "[ \"\$(proposed paising -- | tr ' ' '\n' | sort)\" = \"\$(cat options)\" ]" \
    "[ \"\$(proposed paising --method te)\" = tempering ]" "[ \"\$(proposed paising --method = te)\" = tempering ]" \
    "[ \"\$(proposed paising -c '')\" = 'ssc msc' ]" "[ \"\$(proposed paising --betas scr)\" = script ]" \
    "[ -z \"\$(proposed paising -R 1)\" ]"
if command -v zsh >/dev/null; then
    begin
    "$paising" --completion zsh >script
    zsh -n script 2>"$err"
    verdict "the completion of zsh is sound" "! [ -s $err ]"
else
    skip "the completion of zsh is sound" "no zsh"
fi
begin
"$paising" --completion fish >"$out" 2>"$err"
status=$?
verdict "--completion of another shell" "exits 2" one_line silent "says 'bash or zsh'"
begin
run -o r
if [ -s "$out" ]; then
    "$paising" "${small[@]}" -o full >/dev/full 2>"$err"
    status=$?
    verdict "standard output on a full disk" "exits 1" "says output"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
