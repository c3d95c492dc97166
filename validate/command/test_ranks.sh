#!/usr/bin/env bash
# The program on several ranks of mpirun: the data files of one process, whatever happens on the way.
#   test_ranks.sh build/paising
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

paising=$(realpath "${1:?usage: test_ranks.sh build/paising}")
source "$(dirname "$0")/../lib/claims.sh"
export OMP_NUM_THREADS=1
# Messages go through memory alone, and what is left of a job that ended is killed at once: so ranks take half of the time to begin,
# and a refusal a quarter.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_odls_base_sigkill_timeout=0

# The program on a number of ranks.
ranks() {
    local number=$1
    shift
    run mpirun --allow-run-as-root --oversubscribe -n "$number" "$paising" "$@"
}

if ! mpirun --version >/dev/null 2>&1; then
    skip "all" "mpirun is missing; please type: ci/setup.sh mpi"
    echo "0 passed, 0 failed"
    exit 0
fi
begin
ranks 2 -D cpu -L 16 -R 64 -t 1 -f 0 -o there
if says 'built without MPI'; then
    verdict "a program without MPI refuses more than one rank" "exits 2" "[ ! -e there ]"
    skip "the others" "mpicc is missing; please type: ci/setup.sh mpi, then make"
    echo "$passed passed, $failed failed"
    exit "$failed"
fi

# --- the same bytes ---

# On a number of ranks, what is to be simulated.
same_on() {
    local number=$1
    shift
    begin
    run "$paising" -D cpu "$@" -o alone
    ranks "$number" -D cpu "$@" -o many
    verdict "$number ranks: ${*@Q}" "exits 0" "same_data alone many" "[ \"\$(wc -l <$out)\" -eq 2 ]"
}

same_on 3 -L 16 -R 1000 -t 2 -d 0.125 -M 2 -m
same_on 2 -L 16 -R 1000 -t 2 -a 0.8 -M 4 --in-flight 3
same_on 3 -L 16 -R 1000 -t 30 -d 0.05 -f 0.5 -M 2 --adaptive-sweeps 0.1
same_on 5 -c ssc -L 6 -R 190 -t 1 -d 0.25 -f 3 -M 3
same_on 3 -L 16 -R 2000 -t 1 -d 1 -f 2
same_on 4 --model glass3d -L 4 -R 700 -t 2 -d 0.25 -f 2 -M 2
same_on 2 --model glass2d -L 6 -c ssc -R 300 -t 1 -d 0.5 -f 2 --samples 3
same_on 3 -c ssc -L 6 -R 2 -t 1 -d 1 -f 5 -M 3
same_on 1 -L 16 -R 100 -t 1 -d 0.5
for rule in systematic stratified residual multinomial poisson; do
    same_on 3 -L 16 -R 300 -t 1 -d 0.05 -f 0.3 --resampling $rule
done

# Energies without levels, of J = 100 to 122: squares have more than 64 bits.
begin
awk 'BEGIN { for (b = 0; b < 72; b++) print int(b / 2) % 6, int(b / 12), 0, b % 2, 100 + 22.535 * b / 72 }' >strong
strong=(--model glass2d --couplings-type real --couplings "$PWD/strong" -c ssc -L 6 -R 600 -t 1 -a 0.7 -f 0.006 -M 2 -m
    --resampling systematic --save-spins 0.006)
run "$paising" -D cpu "${strong[@]}" -o alone
ranks 3 -D cpu "${strong[@]}" -o many
verdict "3 ranks: energies without levels, squares of 128 bits" "exits 0" "same_data alone many"
strong=("${strong[@]:0:10}" --method tempering -R 64 -t 2 -b 0.005 -f 0.02 -d 0.005 --thermalisation 5 --measurements 12 --moves houdayer)
run "$paising" -D cpu "${strong[@]}" -o single
ranks 2 -D cpu "${strong[@]}" -o pair
verdict "2 ranks: the same with tempering and cluster moves" "exits 0" "same_data single pair"

temperatures=(-t 2 -b 0.2 -f 0.6 -d 0.1 --thermalisation 5 --measurements 12)
same_on 2 --method tempering -L 16 -R 64 "${temperatures[@]}"
same_on 3 --method tempering --model glass2d -L 16 -p 64 -R 128 "${temperatures[@]}" --moves houdayer --moves-from 0.5
same_on 3 --method tempering -c ssc -L 6 -R 48 "${temperatures[@]}"
same_on 2 --method tempering --model glass3d -L 4 -R 64 "${temperatures[@]}" --samples 2
same_on 3 --method canonical --update heat-bath -L 16 -R 96 "${temperatures[@]}"
same_on 3 --method canonical -c ssc -L 6 -R 32 -t 1 -b 0.4 -f 0.4 --measurements 12 -M 4 --correlation-length -m
same_on 2 --method canonical -c ssc -L 6 -R 100 -t 1 -b 0.4 -f 0.4 --measurements 12
same_on 3 --method microcanonical --model baxter-wu -L 6 -R 100 -t 2 -M 2 -f 0.4 -d 0.2 --spin-observables

# --- graphs ---

whole=$scratch/whole decimal=$scratch/decimal
awk 'BEGIN {
    srand(5)
    for (i = 0; i < 53; i++) {
        print i, (i + 1) % 53, int(5 * rand()) - 2
        if (i % 2 == 0) print i, (i + 11) % 53, 2
        if (i % 5 == 0) print i, i, int(3 * rand()) - 1
    }
}' >"$whole"
awk '{ print $1, $2, $3 == 0 ? 0 : $3 * 1.37 - $1 / 977 }' "$whole" >"$decimal"

# The same with a number of threads, on one process and on each rank.
threads_on() {
    local number=$1 threads=$2
    shift 2
    OMP_NUM_THREADS=$threads same_on "$number" "$@"
}

ours=(--couplings-format ours)
same_on 3 --graph "$whole" "${ours[@]}" -c ssc -R 300 -t 2 -d 0.25 -f 1 -M 2 -m
threads_on 2 2 --graph "$decimal" "${ours[@]}" -c ssc -R 300 -t 2 -a 0.8 -f 1 -M 2 --update heat-bath --save-spins 1
same_on 5 -L 7x9 -c ssc -R 190 -t 1 -d 0.25 -f 1 -M 3 --in-flight 2
same_on 3 --model glass3d -L 4 --random-field 1/3 --couplings-type gaussian -c ssc -R 300 -t 2 -d 0.25 -f 1 --samples 2
same_on 3 --graph "$whole" "${ours[@]}" -c ssc -R 300 -t 1 -d 0.05 -f 0.3 --resampling multinomial
begin
lowest=(--graph "$whole" "${ours[@]}" -c ssc -R 100 -M 4 -a 0.8 -f 3 -t 2 --ground-states)
run "$paising" -D cpu "${lowest[@]}" -o alone
ranks 3 -D cpu "${lowest[@]}" -o many
verdict "3 ranks: states of lowest energy of a graph" "exits 0" "same_data alone many" "[ -e many/PA_ground_states.dat ]"
same_on 3 --method microcanonical -L 6 -c ssc -R 200 -t 2 -M 2
same_on 2 --method microcanonical --graph "$whole" "${ours[@]}" -c ssc -R 200 -t 2 --heating
same_on 3 --method tempering --graph "$whole" "${ours[@]}" -c ssc -R 32 "${temperatures[@]}"
same_on 3 --method canonical --graph "$decimal" "${ours[@]}" --update heat-bath -c ssc -R 50 -t 1 -b 0.4 -f 0.4 --measurements 12 -M 4

# --- vectors ---

same_on 3 --model heisenberg3d -c ssc -L 4 -R 300 -t 2 -d 0.25 -f 1 -M 2
threads_on 2 2 --model xy2d -c ssc -L 6 -R 200 -t 2 -a 0.8 -f 1 --real double --over-relaxation 2 --update heat-bath
same_on 4 --model xy3d -c ssc -L 4 -R 200 -t 2 -d 0.25 -f 1 --update swendsen-wang
same_on 3 --model heisenberg-glass3d -c ssc -L 4 -R 300 -t 2 -d 0.25 -f 1 --couplings-type gaussian --samples 2
threads_on 2 2 --model xy-glass2d -c ssc -L 4 -R 450 -t 1 -a 0.8 -f 1 -M 2 --real double
same_on 3 --method tempering --model xy-glass3d -c ssc -L 4 -R 64 "${temperatures[@]}"
same_on 2 --method canonical --model heisenberg2d -c ssc -L 6 -R 32 "${temperatures[@]}" --vector-observables

# --- flat histograms: shares divide windows, or have several of them; other models are in unit/test_rank_walks.c ---

walks=(-c ssc -t 1 -b 0.4 -f 0.5 -d 0.1 --thermalisation 2 --iterations 12 --iteration-length 40 --measurements 20)
same_on 2 --method multicanonical "${walks[@]}" --graph "$whole" "${ours[@]}" -R 100 --record states
same_on 3 --method wang-landau "${walks[@]}" -L 8 -R 45 --windows 3 -t 4 --block-attempts 37
same_on 4 --method multicanonical "${walks[@]}" --model cubic -L 4 -R 10 --windows 12
same_on 2 --method wang-landau "${walks[@]}" -L 8x6 -R 50 --boundary antiperiodic,periodic
same_on 3 --method multicanonical "${walks[@]}" -L 8 -R 40 --windows 2 --record walkers --lowest-energy -100 --highest-energy 0
begin
run "$paising" -D cpu --method multicanonical "${walks[@]}" -L 8 -R 40 -o earlier
mv earlier/FH_density.dat earlier.dat
walks+=(--weights earlier.dat -L 8 -R 50 --windows 2)
run "$paising" -D cpu --method wang-landau "${walks[@]}" -o alone
OMP_NUM_THREADS=2 ranks 2 -D cpu --method wang-landau "${walks[@]}" -o many
verdict "2 ranks of two threads: weights of an earlier run" "exits 0" "same_data alone many"

# --- spins of other states ---

states=(-c ssc -R 64 -t 2 -b 0.3 -f 0.5 -d 0.1)
for model in 'potts3d --states 5 -L 4' 'blume-capel2d --crystal-field 0.75 -L 5' 'baxter-wu -L 6'; do
    read -ra model <<<"--model $model"
    same_on 3 "${model[@]}" "${states[@]}" -M 2
done
same_on 2 --model potts3d -L 4 "${states[@]}" --method canonical --update heat-bath --thermalisation 3 --measurements 12
same_on 3 --model blume-capel2d -L 5 --method microcanonical -c ssc -R 100 -t 1
same_on 2 --model potts2d -L 6 "${states[@]}" --update wolff
same_on 2 --model potts2d -L 6 "${states[@]}" --update swendsen-wang --method tempering --thermalisation 3 --measurements 12

# --- processors ---

# How many threads the program had, started by these words.
threads_of() {
    env -u OMP_NUM_THREADS "$@" "$paising" -D cpu -L 16 -R 100 -t 1 -f 0 -o threads_of >"$out" 2>"$err"
    sed -n 's/.*"threads": \([0-9]*\).*/\1/p' threads_of/run.json
    rm -r threads_of
}

begin
all=$(threads_of env)
if [[ $(mpirun --version) == *'Open MPI) '[1-4].* ]]; then
    verdict "a rank that mpirun binds to a core of its own accord has its share of the processors" \
        "[ \"\$(threads_of mpirun --allow-run-as-root -n 1)\" -eq $all ]"
else
    skip "a rank that mpirun binds to a core of its own accord" "only Open MPI before 5 lets it be known"
fi
verdict "a rank has no more than mpirun was told" \
    "[ \"\$(threads_of mpirun --allow-run-as-root --bind-to hwthread -n 1)\" -eq 1 ]"

# --- checkpoints ---

# A checkpoint of so many ranks, taken up on others; 1: without mpirun.
begin
glass=(-D cpu --model glass3d -L 4 -R 600 -t 2 -d 0.05 -f 2 -M 2)
run "$paising" "${glass[@]}" -o alone
ranks 3 "${glass[@]}" -o part --checkpoint of3 --checkpoint-every 33
verdict "a checkpoint of 3 ranks" "exits 0" "same_data alone part"
run "$paising" "${glass[@]}" -o part1 --checkpoint of1 --checkpoint-every 33
for case in "of3 2" "of3 1" "of1 4"; do
    read -r file number <<<"$case"
    cp "$file" "ck$number"
    if [ "$number" -gt 1 ]; then
        ranks "$number" --resume "ck$number" -o "again$number"
    else
        run "$paising" --resume "ck$number" -o "again$number"
    fi
    verdict "$file taken up on $number" "exits 0" "same_data alone again$number"
done

cp of3 spoilt
at=$(LC_ALL=C grep -abo population of3 | tail -n 1 | cut -d: -f1)
printf '\125' | dd of=spoilt bs=1 seek=$((at + 3000)) conv=notrunc 2>/dev/null
ranks 2 --resume spoilt -o never
verdict "a spoilt checkpoint is refused" "exits 2" "says \"altered: section 'population' is not as it was written\"" \
    "[ ! -e never/run.json ]"

# The same of a method of fixed temperatures.
begin
run "$paising" -D cpu --method tempering -L 16 -R 64 "${temperatures[@]}" -o alone --checkpoint of1 --checkpoint-every 7
ranks 2 -D cpu --method tempering -L 16 -R 64 "${temperatures[@]}" -o part --checkpoint of2 --checkpoint-every 7
verdict "a checkpoint of tempering on 2 ranks" "exits 0" "same_data alone part"
run "$paising" --resume of2 -o again1
verdict "it is taken up by one process" "exits 0" "same_data alone again1"
ranks 3 --resume of1 -o again3
verdict "that of one process is taken up on 3" "exits 0" "same_data alone again3"

# The same of graphs and of vectors, by both ways of annealing: of 2 ranks on 3, and of one process on 2.
taken_up() {
    begin
    run "$paising" -D cpu "$@" -o alone --checkpoint of1 --checkpoint-every 7
    ranks 2 -D cpu "$@" -o part --checkpoint of2 --checkpoint-every 7
    verdict "a checkpoint of 2 ranks: ${*@Q}" "exits 0" "same_data alone part" "[ -e of1 ]" "[ -e of2 ]"
    ranks 3 --resume of2 -o again3
    verdict "it is taken up on 3 ranks" "exits 0" "same_data alone again3"
    ranks 2 --resume of1 -o again2
    verdict "that of one process is taken up on 2" "exits 0" "same_data alone again2"
    run "$paising" --resume of2 -o again1
    verdict "that of 2 ranks is taken up by one process" "exits 0" "same_data alone again1"
}

taken_up --graph "$decimal" "${ours[@]}" -c ssc -R 200 -t 2 -d 0.1 -f 1
taken_up --model glass2d -L 4 --field 1/7 -c ssc --method microcanonical -R 200 -t 2 -M 2 --heating
taken_up --model heisenberg-glass2d -c ssc -L 4 -R 200 -t 2 -d 0.1 -f 1 -M 2

begin
ranks 2 -D cpu --graph "$whole" "${ours[@]}" -c ssc -R 200 -t 2 -d 0.1 -f 1 -o r --checkpoint ck --checkpoint-every 7
cp "$whole" "$scratch/other"
echo '1 40 1' >>"$scratch/other"
ranks 2 --resume ck --graph "$scratch/other" -o never
verdict "a checkpoint of another graph is refused once" "exits 2" "says 'allowed is the graph of the checkpoint'" \
    "[ \"\$(grep -c 'allowed is the graph' $err)\" -eq 1 ]" "[ ! -e never/run.json ]"
# The same of walkers, whose windows are divided otherwise.
begin
walks=(--method multicanonical -c ssc -L 4 -R 50 -t 2 --thermalisation 2 --iteration-length 20 --iterations 4 --measurements 40 --windows 2)
run "$paising" -D cpu "${walks[@]}" -o alone --checkpoint of1 --checkpoint-every 50
ranks 3 -D cpu "${walks[@]}" -o part --checkpoint of3 --checkpoint-every 50
verdict "a checkpoint of flat histograms on 3 ranks" "exits 0" "same_data alone part"
run "$paising" --resume of3 -o again1
verdict "it is taken up by one process" "exits 0" "same_data alone again1"
ranks 2 --resume of1 -o again2
verdict "that of one process is taken up on 2" "exits 0" "same_data alone again2"

# --- signals and kills ---

# Starts a long simulation on 3 ranks, with these options, waits for a checkpoint, and sends a signal to one of them.
ended_by() {
    local signal=$1 rank=$2 launcher pids
    shift 2
    timeout -s KILL 300 mpirun --allow-run-as-root --oversubscribe -n 3 "$paising" -D cpu -c ssc -L 16 -t 1 "$@" \
        -o r --checkpoint ck --checkpoint-every 20 >"$out" 2>"$err" &
    launcher=$!
    until [ -e ck ] || [ -z "$(jobs -pr)" ]; do sleep 0.05; done
    mapfile -t pids < <(pgrep -P "$(pgrep -P $launcher mpirun)" -x paising)
    kill "-$signal" "${pids[$rank]}"
    wait $launcher
    status=$?
}

# Whether the checkpoint is whole: a process goes on from it to the next one.
whole() {
    local before
    before=$(stat -c %i ck)
    "$paising" --resume ck >/dev/null 2>&1 &
    until [ "$(stat -c %i ck)" != "$before" ] || [ -z "$(jobs -pr)" ]; do sleep 0.05; done
    kill -KILL $!
    wait $! 2>/dev/null
    [ "$(stat -c %i ck)" != "$before" ]
}

begin
ended_by TERM 2 -R 300 -d 0.0001
verdict "a signal to rank 2 ends the temperature on all" "[ $status -ne 0 ]" "says 'SIGTERM: ended at beta = '" \
    "says 'to go on: --resume ck'" "grep -q '\"interrupted\": true' r/run.json" whole
begin
ended_by TERM 2 --method tempering -R 64 -b 0.2 -f 0.6 -d 0.1 --thermalisation 1 --measurements 1000000
verdict "a signal to rank 2 ends the series on all" "[ $status -ne 0 ]" "says 'SIGTERM: ended at step '" \
    "says 'to go on: --resume ck'" "grep -q '\"interrupted\": true' r/run.json" whole
begin
ended_by TERM 1 --method microcanonical -R 300 -M 200
verdict "a signal to rank 1 ends microcanonical annealing on all" "[ $status -ne 0 ]" "says 'SIGTERM: ended in run '" \
    "says 'to go on: --resume ck'" whole
begin
ended_by KILL 1 -R 300 -d 0.0001
verdict "a rank that is killed ends the job, and is named" "[ $status -ne 0 ]" "says 'process rank 1'" \
    "[ -z \"\$(ls -A r | grep -v lock)\" ]" whole

# A signal to one of the ranks in a walk that takes long: the piece ends on all, and others go on with the rest.
begin
long=(-D cpu --method multicanonical -c ssc -L 8 -R 64 -t 10000 --thermalisation 0 --iterations 1 --iteration-length 1 --measurements 1
    --windows 2)
run "$paising" "${long[@]}" -o alone
for rank in 0 2; do
    : >"$err"
    timeout -s KILL 300 mpirun --allow-run-as-root --oversubscribe -n 3 "$paising" "${long[@]}" -o r --checkpoint ck >"$out" 2>"$err" &
    launcher=$!
    until [ -s "$err" ] || [ -z "$(jobs -pr)" ]; do sleep 0.01; done
    sleep 0.2
    mapfile -t pids < <(pgrep -P "$(pgrep -P $launcher mpirun)" -x paising)
    kill -TERM "${pids[$rank]}"
    wait $launcher
    status=$?
    verdict "a signal to rank $rank in a walk ends it on all" "[ $status -ne 0 ]" "says 'SIGTERM: ended at step 0, '" "[ -e ck ]"
    ranks 2 --resume ck -o again
    verdict "... and others go on with it" "exits 0" "same_data alone again"
    rm -rf ck again
done

# --- what is said ---

begin
ranks 2 -D cpu -L 16 -R 100 -g lcg
verdict "modes that reorder the population are refused" "exits 2" \
    "says '-g lcg: under mpirun allowed: independent, philox, shared'"
ranks 2 -D cpu --method canonical -L 64 -R 8
verdict "lattices in stripes are refused" "exits 2" "says '--stripes 4: under mpirun lattices are not cut'"
ranks 2 -D cpu -c ssc --model glass3d --couplings-type gaussian -L 4 -R 2200000000 --dry-run
verdict "more energies than MPI counts are refused" "exits 2" "says '-R 2200000000: under mpirun energies without levels'"
ranks 2 -D cpu --graph no-such-file -c ssc -R 64
verdict "a graph that is not there is refused once" "exits 2" "[ \"\$(grep -c 'graph no-such-file' $err)\" -eq 1 ]"
ranks 2 -D cpu -L 17 -R 100
verdict "what is wrong is said once" "exits 2" "[ \"\$(grep -c 'lattice edge' $err)\" -eq 1 ]"
run mpirun --allow-run-as-root --oversubscribe -n 2 "$paising" -D cpu -L 16 -R 100 -o r : -n 1 "$paising" -D cpu -L 16 -R 100 -o s
verdict "ranks that were started with other options are named" "exits 2" \
    "[ \"\$(grep -c 'paising: rank 2: started with other options than rank 0' $err)\" -eq 1 ]" "files ''"
run mpirun --allow-run-as-root --oversubscribe -n 1 "$paising" -D cpu -L 16 -R 100 : \
    -n 2 env PAISING_EXCHANGE=fast "$paising" -D cpu -L 16 -R 100
verdict "an unknown way to exchange on some ranks is named once" "exits 2" \
    "[ \"\$(grep -c 'PAISING_EXCHANGE=fast: allowed: host, peer' $err)\" -eq 1 ]" "files ''"
ranks 4 -D cpu -L 16 -R 60 -t 1 -f 0 -o few
verdict "ranks without replicas are named once" "exits 0" \
    "[ \"\$(grep -c '2 of 4 ranks have nothing to do' $err)\" -eq 1 ]"
ranks 4 -D cpu --method canonical -L 16 -R 64 -b 0.2 -f 0.3 -d 0.1 -t 1 --measurements 3 -o cold
verdict "ranks without a temperature are named once" "exits 0" \
    "[ \"\$(grep -c '2 of 4 ranks have nothing to do: shares are of 64 replicas' $err)\" -eq 1 ]"
ranks 4 -D cpu --method multicanonical -c ssc -L 4 -R 20 --windows 3 -t 1 --measurements 3 -o flat
verdict "ranks without walkers are named once" "exits 0" \
    "[ \"\$(grep -c '2 of 4 ranks have nothing to do: shares are of 32 replicas' $err)\" -eq 1 ]"
OMP_NUM_THREADS=9999 ranks 2 -D cpu -L 16 -R 100 -t 1 -f 0 -o threads
verdict "too many threads are named once" "exits 0" "[ \"\$(grep -c 'OMP_NUM_THREADS=9999' $err)\" -eq 1 ]"
PAISING_EXCHANGE=peer ranks 3 -D cpu -L 16 -R 100 -t 1 -f 0 -o peers
verdict "a way for spins that was asked for and is not there is named once" "exits 0" \
    "[ \"\$(grep -c 'PAISING_EXCHANGE=peer: rank 0 has no GPU' $err)\" -eq 1 ]"
ranks 3 -D cpu -L 16 -R 1000 --dry-run
verdict "--dry-run says what each rank needs" "exits 0" "grep -q '^ranks  *3, each with room for 672 replicas\$' $out" \
    "[ \"\$(grep -c '^rank [0-2] ' $out)\" -eq 3 ]" "[ \"\$(grep -c '^  host memory .* needed' $out)\" -eq 3 ]"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
