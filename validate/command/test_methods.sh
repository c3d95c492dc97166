#!/usr/bin/env bash
# Canonical simulation and parallel tempering as a user types them: statuses, messages, files, interruptions, checkpoints.
#   test_methods.sh build/paising
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

paising=$(realpath "${1:?usage: test_methods.sh build/paising}")
source "$(dirname "$0")/../lib/claims.sh"

# --- what is refused ---

# Options that must be refused, and what the line on stderr says.
refused() {
    local says=$1
    shift
    begin
    run "$paising" -D cpu -L 16 -R 32 "$@" -o r
    verdict "refused: $*" "exits 2" one_line silent "says ${says@Q}" "files ''"
}

for method in canonical tempering; do
    refused "-R 33: --method $method takes whole machine words: a multiple of 32, or -c ssc" --method $method -R 33
    refused "a multiple of 64, or -c ssc" --method $method -R 32 -p 64
    refused "-g lcg: " --method $method -g lcg
    refused "-g shared-reorder: " --method $method -g shared-reorder
    refused "--stages hybrid: " --method $method -c ssc --stages hybrid
    for option in '--plan 10s' '--in-flight 2' '--resampling poisson' \
        '-a 0.8' '--culling 0.1' '--energy-step 0.1' '--adaptive-sweeps 0.1'; do
        # shellcheck disable=SC2086 # an option and its value
        refused "${option%%[ 0-9]*}" --method $method $option
    done
    refused "--measurements 0: the number of measurements must be from 1" --method $method --measurements 0
    refused "the population must be from 1 to" --method $method -R 4e9 -c ssc
done
refused "--samples 2: " --method canonical --model glass2d --samples 2
refused "--method tempering: two temperatures are needed" --method tempering -b 0.5 -f 0.5
refused "-m: lattices with less than 2^32 energies" --method canonical -L 131072 -R 1 -m
refused "-M 2: " --method tempering -M 2
refused "--correlation-length: an odd edge" --method canonical -c ssc -L 5x8 --correlation-length
refused "--correlation-length: allowed with --method canonical, tempering only" --correlation-length
refused "--correlation-length: allowed with --model" --method tempering --model glass2d --correlation-length
refused "--correlation-length: not allowed with --boundary" --method canonical --boundary open --correlation-length
refused "--geometric 11: the step must be from 1e-5 to 10, and -b 0.1 above 0" --method tempering --geometric 11 -b 0.1
refused "--geometric 5: the step must be from 1e-5 to 10, and -b 0 above 0" --method tempering --geometric 5
refused "--geometric 5: allowed with --method canonical, tempering only" --geometric 5 -b 0.1
refused "-d 0.1: not allowed with --geometric 5" --method tempering --geometric 5 -b 0.1 -d 0.1
refused "--moves houdayer: allowed with --method tempering only" --method canonical --model glass2d --moves houdayer
refused "--moves houdayer: allowed with --model glass2d, glass3d only" --method tempering --moves houdayer
refused "--words samples: allowed with --model glass2d, glass3d only" --method tempering --words samples
refused "--words samples: not allowed with -p 64: a word has 32 samples" --method tempering --model glass2d --words samples -p 64
refused "--record bins: Metropolis' rule, which flips every spin at beta = 0, is the only one" --method tempering --model glass2d --words samples --record bins --samples 2 -R 2
refused "--moves houdayer pairs chains" --method tempering --model glass2d -c ssc -R 9 --moves houdayer
refused "an odd edge" --method tempering --model glass2d -c ssc -L 5 -R 8 --moves houdayer
refused "--moves-from 2: allowed with --moves houdayer only" --method tempering --model glass2d --moves-from 2
refused "--moves houdayer: moves begin at beta = 1 (--moves-from), and temperatures end at 0.8" --method tempering --model glass3d -L 4 -R 64 -b 0.2 -f 0.8 -d 0.2 --moves houdayer
refused "--resampling none: not allowed with --plan 10s" --resampling none --plan 10s
refused "--resampling none: not allowed with --adaptive-sweeps 0.5" --resampling none -a 0.7 --adaptive-sweeps 0.5
refused "--measurements" --measurements 5
refused "--thermalisation" --thermalisation 5
refused "--method 'x'" --method x

# Stripes: what cannot be cut.
refused "-R 3: --method canonical takes whole machine words: a multiple of 8, or -c ssc" --method canonical -L 64 -R 3
refused "with --stripes 8 the last edge must be a multiple of 128" --method canonical -L 64 -R 4 --stripes 8
refused "the first one of 16" --method canonical -L 40x64 -R 8 --stripes 4
refused "--stripes 3: allowed: 1, 2, 4, 8, 16, 32" --method canonical -L 96 --stripes 3
refused "with --stripes 32 the last edge" --method canonical -L 131584 -R 1
refused "with --stripes 16 the last edge must be a multiple of 32, the first one of 4" --method canonical --model cubic -L 6x8x32 -R 2
refused "--stripes 4 the last edge must be a multiple of 8" --method canonical --model cubic -L 8x8x12 -R 8 --stripes 4
refused "--stripes" --method tempering -L 64 -R 8 --stripes 4 -b 0.3 -f 0.4
refused "--stripes" -L 64 --stripes 4
refused "--stripes" --method canonical -L 64 --stripes 4 -c ssc
refused "--stripes" --method canonical --model glass2d -L 64 --stripes 4
refused "--stripes" --method canonical -L 64 --stripes 4 -g philox

# Clusters: the line names what is allowed, and nothing that is refused then.
refused "--update wolff: allowed with --model square, cubic, potts2d, potts3d, heisenberg2d, heisenberg3d, xy2d, xy3d only" --method canonical --model blume-capel2d -c ssc --update wolff
refused "--stripes" --method canonical -L 64 --stripes 4 --boundary open

for record in walkers states; do
    for method in annealing canonical tempering microcanonical; do
        refused "--record $record: allowed with --method multicanonical, wang-landau only" --method $method --record $record
    done
done
refused "--spin-observables: allowed with --method microcanonical only" --method multicanonical --spin-observables
refused "clusters of equal spins say nothing of a glass" --method microcanonical --model glass2d --spin-observables
refused "--method microcanonical: not allowed with --model xy2d: ceilings are levels of the energy" --method microcanonical --model xy2d

# Flat histograms.
for method in multicanonical wang-landau; do
    refused "MB of memory" --method $method -R 1e7 --measurements 1e6 --record states
    refused "--method $method: allowed with -c ssc only" --method $method -c msc
    refused "--update heat-bath: not allowed with --method $method" --method $method --update heat-bath
    refused "--boundary open: not allowed with --method $method" --method $method --boundary open
    refused "--iterations 0: allowed with --weights only: without a search there are no others" --method $method --iterations 0
    refused "--windows 200: with 257 energies a window has 3, and 4 are needed" --method $method --windows 200
    refused "-M 2: " --method $method -M 2
    refused "--lowest-energy 8: must not be above --highest-energy -8" --method $method --lowest-energy 8 --highest-energy -8
    refused "0 energies between them, and 4 are needed; those of the lattice are from -512 to 512, 4 apart" \
        --method $method --lowest-energy 1 --highest-energy 3
    refused "--lowest-energy 0, --highest-energy 8: 3 energies between them" --method $method --lowest-energy 0 --highest-energy 8
    refused "--lowest-energy 'nan': not allowed: " --method $method --lowest-energy nan
    refused "--highest-energy 1e+16: the highest energy must be from -1e+15 to 1e+15" --method $method --highest-energy 1e16
    refused "--windows 5: with 5 energies a window has 2, and 4 are needed" --method $method --lowest-energy 0 --highest-energy 16 --windows 5
done

# Memory of 10^7 rows is that of two observables, not of all that some model has.
begin
run "$paising" -D cpu --method multicanonical --model potts2d -L 4 -c ssc -R 1e5 --measurements 100 --record walkers --dry-run
verdict "--dry-run: memory of the observables that the model has" "exits 0" \
    "awk '/host memory/ { exit !(\$3 > 320 && \$3 < 420) }' \"\$out\" \"\$err\""
begin
run "$paising" -D cpu --method microcanonical --model potts2d -L 64 -c ssc -R 100 -M 2000 --spin-observables --dry-run
cp "$out" with
run "$paising" -D cpu --method microcanonical --model potts2d -L 64 -c ssc -R 100 -M 2000 --dry-run
verdict "--dry-run: the same below a ceiling: one observable" "exits 0" \
    "awk '/host memory/ { mb[++n] = \$3 } END { exit !(mb[1] > mb[2] && mb[1] < 4 * mb[2]) }' with \"\$out\""
refused "--lowest-energy 0: allowed with --method multicanonical, wang-landau only" --method canonical --lowest-energy 0
refused "--highest-energy 0: allowed with --method multicanonical, wang-landau only" --highest-energy 0
refused "--divergence 0.1: " --method wang-landau --divergence 0.1
refused "--flatness 0.5: " --method multicanonical --flatness 0.5
refused "--windows 2: " --method canonical --windows 2

# --- files ---

# The mean of a column over all rows of some files, to six digits.
mean_of() {
    local column=$1
    shift
    grep -hv '^#' "$@" | awk -v n="$column" '{sum += $n; rows++} END {printf "%.6g\n", sum / rows}'
}

# Whether the shares of a file of histograms are the means of those of other files: are_means FILE OF...
are_means() {
    awk '!/^#/ && NF {bin = $1 " " $2 " " $3; if (FILENAME == ARGV[1]) mean[bin] = $5; else sum[bin] += $5}
         END {for (bin in mean) {
                  rows++; off = mean[bin] - sum[bin] / (ARGC - 2); if (off < -1e-9 || off > 1e-9) exit 1}
              exit rows < 10}' "$@"
}

canonical=("$paising" -D cpu --method canonical -L 8 -c ssc -R 10 -t 2 -b 0.3 -f 0.5 -d 0.1 --thermalisation 5)
tempering=("$paising" -D cpu --method tempering -L 16 -R 32 -t 1 -b 0.3 -f 0.4 -d 0.05 --thermalisation 5)

begin
run "${canonical[@]}" -o r --measurements 60
verdict "canonical: a row for each temperature, and for each measurement at each" "exits 0" "lines 1" \
    "says 'warning: 3 of 3 temperatures have a series that is too short'" \
    "files './r ./r/MC_results.dat ./r/MC_series.dat ./r/run.json'" "rows r/MC_results.dat 3" "columns r/MC_results.dat 20" \
    "rows r/MC_series.dat 180" "columns r/MC_series.dat 7" "grep -q '^# paising .*: canonical simulation of ' r/MC_series.dat" \
    "[ \"\$(last_row r/MC_series.dat | cut -d ' ' -f 1-2)\" = '60 0.5' ]" "grep -q '^# measurements 60' r/MC_results.dat"
cp -r r first
run "${canonical[@]}" -o r --measurements 60
verdict "a second run into the same folder" "exits 2" one_line "says --force" "diff -r first r"
run "${canonical[@]}" -o r --measurements 60 --force
verdict "--force: the same bytes" "exits 0" "same_data first r"
run "${canonical[@]}" -o other --measurements 60 -s 1
verdict "another seed, other numbers" "exits 0" "! same_data first other"
printf '0.3\n0.4\n0.5\n' >given
run "$paising" -D cpu --method canonical -L 8 -c ssc -R 10 -t 2 --betas given --thermalisation 5 --measurements 60 -o file
verdict "--betas FILE: the rows of the same temperatures" "exits 0" \
    "same <(grep -v '^#' r/MC_series.dat) <(grep -v '^#' file/MC_series.dat)" \
    "same <(grep -v '^#' r/MC_results.dat) <(grep -v '^#' file/MC_results.dat)"
run "${canonical[@]}" -o dry --measurements 60 --dry-run
verdict "--dry-run: temperatures, spin flips, nothing written" "exits 0" no_line "grep -q '^temperatures *3\$' $out" \
    "grep -q '^spin flips *249600\$' $out" "! [ -e dry ]"

begin
several=(--method canonical -L 16 -R 32 -t 1 -b 0.3 -f 0.4 -d 0.1 --measurements 30 -M 3 --correlation-length -P 17)
run "$paising" -D cpu "${several[@]}" -o r
verdict "-M 3: rows and series of each run, and averages over the runs" "exits 0" \
    "files './r ./r/MC_results.dat ./r/MC_results_run_0.dat ./r/MC_results_run_1.dat ./r/MC_results_run_2.dat ./r/MC_series_run_0.dat ./r/MC_series_run_1.dat ./r/MC_series_run_2.dat ./r/run.json'" \
    "rows r/MC_results.dat 2" "columns r/MC_results.dat 24" "columns r/MC_series_run_1.dat 8" \
    "grep -q '^# averages over 3 runs' r/MC_results.dat" "! same_data r/MC_series_run_0.dat r/MC_series_run_1.dat" \
    "grep -q '\"spin_flips\": 6.38976e+06,' r/run.json"
run "$paising" -D cpu "${several[@]}" -M 1 -o one
verdict "... the first of which is that of -M 1" "exits 0" \
    "same <(grep -v '^#' r/MC_series_run_0.dat) <(grep -v '^#' one/MC_series.dat)"

begin
one=("$paising" -D cpu --method canonical -t 1 -b 0.4 -f 0.5 -d 0.1 --thermalisation 2 --measurements 8)
run "${one[@]}" -L 512 -R 1 -o r
verdict "one lattice: cut into as many stripes as it can have" "exits 0" "grep -q '^# stripes 32' r/MC_series.dat" \
    "grep -q '^# size 512' r/MC_series.dat" "rows r/MC_series.dat 16" "grep -q '\"spin_flips\": 5.24288e+06,' r/run.json"
run "${one[@]}" -L 512 -R 1 -o again --stripes 32
OMP_NUM_THREADS=1 run "${one[@]}" -L 512 -R 1 -o other
verdict "... the same bytes where that is said, and on one thread" "exits 0" "same_data r again" "same_data r other"
run "${one[@]}" -L 64 -R 32 -o whole
verdict "32 lattices of one word are not cut" "exits 0" "! grep -q stripes whole/MC_series.dat"

begin
run "${tempering[@]}" -o r --measurements 60
verdict "tempering: a row for each pair, too" "exits 0" "lines 1" "says 'temperatures have a series that is too short'" \
    "files './r ./r/MC_equilibration.dat ./r/MC_exchanges.dat ./r/MC_free_energy.dat ./r/MC_results.dat ./r/MC_schedule_acceptance.dat ./r/MC_schedule_round_trips.dat ./r/MC_series.dat ./r/run.json'" \
    "rows r/MC_exchanges.dat 2" "rows r/MC_free_energy.dat 3" "rows r/MC_schedule_acceptance.dat 3" \
    "columns r/MC_exchanges.dat 5" "grep -q '^# [1-9][0-9]* round trips ' r/MC_exchanges.dat" \
    "[ \"\$(last_row r/MC_exchanges.dat | cut -d ' ' -f 5)\" = 960 ]"
OMP_NUM_THREADS=1 run "${tempering[@]}" -o one --measurements 60
verdict "the bytes of one thread" "exits 0" "same_data r one"
run "${tempering[@]}" -o none --measurements 1 --thermalisation 0
verdict "one measurement: errors and a pair that was not tried are not known" "exits 0" \
    "[ \"\$(last_row none/MC_exchanges.dat)\" = '0.35 0.4 nan nan 0' ]" "last_row none/MC_results.dat | grep -q 'nan 0\$'"

# Whether files of two results have the same rows.
same_rows() {
    local file
    for file in "${@:3}"; do
        cmp -s <(grep -v '^#' "$1/$file") <(grep -v '^#' "$2/$file") || return 1
    done
}

begin
glass=("$paising" -D cpu --method tempering --model glass3d -L 4 -R 64 -t 1 -b 0.5 -f 2 --geometric 0.41421356 --thermalisation 30 --moves houdayer --moves-from 0.9 -m0.5)
OMP_NUM_THREADS=2 run "${glass[@]}" -o r --measurements 60
verdict "a glass: overlaps, clusters, the analysis, on a geometric grid" "exits 0" "rows r/MC_overlap_results.dat 5" \
    "rows r/MC_clusters.dat 3" "rows r/MC_MHR_results.dat 4" "[ \"\$(last_row r/MC_free_energy.dat | cut -d ' ' -f 1)\" = 2 ]" \
    "grep -q '^0.99999' r/MC_free_energy.dat" "grep -q '# beta = 0.5: P(q) of 1920 pairs' r/MC_overlap.dat"
OMP_NUM_THREADS=1 run "${glass[@]}" -o one --measurements 60
verdict "a glass: the bytes of one thread" "exits 0" "same_data r one"
run "${glass[@]}" -o kept --measurements 60 --checkpoint state --checkpoint-every 50
run "$paising" -D cpu --resume state -o resumed
verdict "a glass: resumed at step 50, the same bytes" "exits 0" "same_data r resumed"

begin
plain=("${glass[@]:0:${#glass[@]}-1}" -c ssc --measurements 60 -P 8)
run "${plain[@]}" -o r
run "${plain[@]}" -o signs --couplings r/PA_couplings.dat
run "${plain[@]}" -o values --couplings r/PA_couplings.dat --couplings-type real
verdict "a glass: J = +1 and -1 as real numbers, the rows of levels" "exits 0" "rows values/MC_clusters.dat 3" \
    "same_rows signs values MC_series.dat MC_exchanges.dat MC_overlap.dat MC_overlap_results.dat MC_clusters.dat MC_results.dat MC_free_energy.dat"

begin
many=("$paising" -D cpu --method tempering --model glass3d -L 4 -R 64 -t 1 -b 0.5 -f 1 -d 0.25 --thermalisation 20 --measurements 40)
OMP_NUM_THREADS=2 run "${many[@]}" -o r --samples 3 --sample 2
verdict "samples: a whole result each, averages, a row each" "exits 0" "rows r/MC_disorder_averages.dat 3" "rows r/MC_samples.dat 3" \
    "columns r/MC_disorder_averages.dat 26" "rows r/sample_0004/MC_overlap_results.dat 3" \
    "same <(mean_of 4 r/sample_000*/MC_overlap_results.dat) <(mean_of 10 r/MC_disorder_averages.dat)"
verdict "samples: averages of P(q)" "are_means r/MC_disorder_overlap.dat r/sample_000*/MC_overlap.dat" \
    "! are_means r/MC_disorder_overlap.dat r/sample_000[23]/MC_overlap.dat" \
    "grep -q '^# beta = 0.5: P(q) of 3840 pairs of 3 samples' r/MC_disorder_overlap.dat"
run "${many[@]}" -o alone --sample 3
verdict "samples: the bytes of one alone" "exits 0" "same_data alone r/sample_0003"
rm -r r/sample_0003
cp -r r/sample_0002 before
OMP_NUM_THREADS=1 run "${many[@]}" -o r --samples 3 --sample 2
verdict "samples: one that is missing is made again, others stay" "exits 0" "same_data alone r/sample_0003" \
    "same before/run.json r/sample_0002/run.json"
cp r/MC_disorder_averages.dat three
run "${many[@]}" -o r --samples 4 --sample 2
verdict "samples: one more" "exits 0" "rows r/MC_samples.dat 4" "! same three r/MC_disorder_averages.dat"
OMP_NUM_THREADS=1 run "${many[@]}" -R 32 -o pairless --samples 2
verdict "samples without pairs of chains: no overlaps" "exits 0" "columns pairless/MC_disorder_averages.dat 8" \
    "! [ -e pairless/MC_disorder_overlap.dat ]"

begin
run "$paising" -D cpu --method multicanonical -L 4 -R 5 -t 50 -b 0.4 -f 0.4 --measurements 1 -o r
verdict "flat histograms, one measurement: a row, whose errors are not known" "exits 0" "rows r/FH_results.dat 1" \
    "last_row r/FH_results.dat | grep -q '^0.4 [^ ]* nan '" "files './r ./r/FH_density.dat ./r/FH_iterations.dat ./r/FH_results.dat ./r/FH_transition.dat ./r/run.json'"

for model in glass2d glass3d; do
    begin
    run "$paising" -D cpu --method tempering --model $model -c ssc -L 4 -R 9 -t 1 -d 0.5 --measurements 40 -o r
    verdict "$model: no columns of the magnetisation" "exits 0" "columns r/MC_results.dat 8" "columns r/MC_series.dat 4" \
        "! grep -q '|m|' r/MC_results.dat" "rows r/MC_exchanges.dat 2"
done

# --- checkpoints ---

# A run, the same one with checkpoints, and taken up from the last of them, on another number of threads. Arguments: steps
# between checkpoints, options.
taken_up() {
    local every=$1
    shift
    begin
    run "$paising" -D cpu "$@" -P 17 -o whole
    OMP_NUM_THREADS=2 run "$paising" -D cpu "$@" -P 17 -o part --checkpoint ck --checkpoint-every "$every"
    verdict "$*: checkpoints every $every steps change nothing" "exits 0" "same_data whole part"
    rm -rf part
    cp ck before
    OMP_NUM_THREADS=1 run "$paising" --resume ck
    verdict "$*: taken up from the last of them" "exits 0" "same_data whole part" "grep -q '\"parts\": 2' part/run.json"
    run "$paising" --resume ck
    verdict "$*: taken up when the result is there" "exits 0" one_line "says 'is there already, whole'"
}

small="-L 8 -c ssc -R 5 -t 1 -b 0.3 -f 0.6 -d 0.1 --thermalisation 20 --measurements 41"
words="-L 16 -R 64 -p 64 -t 2 -b 0.4 -f 0.5 -d 0.05 --thermalisation 20 --measurements 41"
for method in canonical tempering; do
    # In the thermalisation; at its end; at odd and even steps behind it; at the last step but one.
    for every in 13 20 31 44 60; do
        # shellcheck disable=SC2086 # options
        taken_up $every --method $method $small
    done
    # shellcheck disable=SC2086
    [ $method = tempering ] || taken_up 31 --method $method $small -M 2 --correlation-length -m
    # shellcheck disable=SC2086
    [ $method = tempering ] || taken_up 31 --method $method --model xy2d --vector-observables $small
    # shellcheck disable=SC2086
    [ $method = tempering ] || taken_up 44 --method $method -L 64x128 -R 8 --stripes 8 -t 2 -b 0.4 -f 0.5 -d 0.05 \
        --thermalisation 20 --measurements 41 -m
    # shellcheck disable=SC2086
    taken_up 44 --method $method $words
    # shellcheck disable=SC2086
    taken_up 31 --method $method --model glass3d $small
    # shellcheck disable=SC2086
    [ $method = canonical ] || taken_up 31 --method $method --model glass3d --couplings-type gaussian $small
done

# Flat histograms: in the first iteration, behind it, while production is under way; windows; a glass.
walkers="-L 4 -R 5 -t 2 --thermalisation 2 --iteration-length 20 --iterations 4 --measurements 40"
for every in 13 50; do
    # shellcheck disable=SC2086
    taken_up $every --method multicanonical $walkers --windows 2
done
# Iterations that grow: in one of 160 steps, with two ends of iterations to come.
# shellcheck disable=SC2086
taken_up 340 --method multicanonical $walkers --iterations 28 --divergence 0 --windows 2
# shellcheck disable=SC2086
taken_up 100 --method wang-landau $walkers --iterations 20 --windows 2 --flatness 0.4 --last-ln-f 2e-4 --block-attempts 8
# shellcheck disable=SC2086
taken_up 60 --method multicanonical $walkers --model glass2d --disorder 2
# Graphs.
# shellcheck disable=SC2086
taken_up 60 --method multicanonical $walkers -c ssc -L 5x3 --field 1/2
# shellcheck disable=SC2086
taken_up 100 --method wang-landau $walkers -c ssc --model glass2d -L 5x3 --iterations 20 --windows 2 --lowest-energy -14 \
    --highest-energy 14 --last-ln-f 2e-4 --block-attempts 8
# shellcheck disable=SC2086
taken_up 60 --method multicanonical $walkers --lowest-energy -16 --highest-energy 12
# Series and states of production: in the search, and behind some measurements.
for every in 13 90; do
    # shellcheck disable=SC2086
    taken_up $every --method multicanonical $walkers --windows 2 --record states
done
begin
# shellcheck disable=SC2086
run "$paising" -D cpu --method multicanonical $walkers --record walkers -o r
verdict "series of production" "exits 0" "rows r/FH_series.dat 200" "! [ -e r/FH_spins.npy ]"
begin
# shellcheck disable=SC2086
run "$paising" -D cpu --method multicanonical $walkers --record states -o r
verdict "states of production" "exits 0" "rows r/FH_series.dat 200" "[ \$(stat -c %s r/FH_spins.npy) -eq \$((128 + 200 * 2)) ]"
begin
# shellcheck disable=SC2086
run "$paising" -D cpu --method multicanonical $walkers -o r
verdict "neither without --record" "exits 0" "files './r ./r/FH_density.dat ./r/FH_iterations.dat ./r/FH_results.dat ./r/FH_transition.dat ./r/run.json'"
begin
# shellcheck disable=SC2086
run "$paising" -D cpu --method multicanonical $walkers --lowest-energy -16 -o r --checkpoint ck --checkpoint-every 60 -b 0 -f 0
verdict "a range of energies: what is not known" "exits 0" "rows r/FH_density.dat 12" \
    "grep -q '^# .* ln_g is known but for a constant: ' r/FH_density.dat" "last_row r/FH_results.dat | cut -d ' ' -f 6-9 | grep -qx 'nan nan nan nan'"
rm -r r
for option in '--lowest-energy -12' '--highest-energy 12'; do
    # shellcheck disable=SC2086
    run "$paising" --resume ck -o r $option
    verdict "refused: --resume with $option" "exits 2" one_line silent "says '${option% *}'" "! [ -e r ]"
done

# Weights of an earlier run: a run that goes on needs them no more, and takes no others.
begin
# shellcheck disable=SC2086
run "$paising" -D cpu --method multicanonical $walkers -s 3 -o earlier
mv earlier/FH_density.dat earlier.dat
sed 's/crc32/CRC32/' earlier.dat >other.dat
# shellcheck disable=SC2086
run "$paising" -D cpu --method wang-landau $walkers --weights earlier.dat -o whole
# shellcheck disable=SC2086
run "$paising" -D cpu --method wang-landau $walkers --weights earlier.dat -o part --checkpoint ck --checkpoint-every 50
verdict "weights of an earlier run: checkpoints change nothing" "exits 0" "same_data whole part" \
    "grep -q '^# weights-fingerprint [0-9]' whole/FH_density.dat" "grep -q '\"weights\": \"earlier.dat\"' whole/run.json"
cp ck before
mv earlier.dat moved.dat
rm -rf part
run "$paising" --resume ck
verdict "weights of an earlier run: taken up without them" "exits 0" "same_data whole part"
rm -rf part
cp before ck
run "$paising" --resume ck --weights moved.dat
verdict "weights of an earlier run: taken up with the same ones" "exits 0" "same_data whole part"
rm -rf part
cp before ck
run "$paising" --resume ck --weights other.dat
verdict "refused: --resume with other weights" "exits 2" one_line silent "says '--weights other.dat: the checkpoint ck has earlier.dat'" "! [ -e part ]"
run "$paising" --resume ck --weights earlier.dat
verdict "refused: --resume with weights that are not there" "exits 2" one_line silent "says '--weights earlier.dat: No such file'" "! [ -e part ]"

# Weights that stay fixed: nothing is looked for, before a checkpoint and behind it, on one thread and on two.
rm -rf whole part
fixed="--method multicanonical $walkers --windows 2 --weights moved.dat --iterations 0"
# shellcheck disable=SC2086
OMP_NUM_THREADS=1 run "$paising" -D cpu $fixed -o whole
# shellcheck disable=SC2086
OMP_NUM_THREADS=2 run "$paising" -D cpu $fixed -o part --checkpoint ck --force --checkpoint-every 13
verdict "weights that stay fixed: two threads and checkpoints change nothing" "exits 0" "same_data whole part" \
    "rows whole/FH_iterations.dat 0" "! says 'were not ready'" "grep -q 'spin_flips.: 1.344e+04' whole/run.json" # 42 steps
rm -rf part
run "$paising" --resume ck
verdict "weights that stay fixed: taken up" "exits 0" "same_data whole part"
run "$paising" --resume ck --iterations 4 -o other
verdict "refused: --resume with another search" "exits 2" one_line silent "says '--iterations 4: '" "! [ -e other ]"

# Files that have no weights of this lattice: command of sed, and what is said.
not_weights() {
    sed "$1" moved.dat >off.dat
    # shellcheck disable=SC2086
    run "$paising" -D cpu --method multicanonical $walkers --weights off.dat -o r
    verdict "refused: weights behind sed '$1'" "exits 2" one_line silent "says ${2@Q}" "! [ -e r ]"
}
not_weights '1d' 'off.dat: not a file FH_density.dat: columns E and ln_g are missing'
not_weights 's/^# size 4/# size 6/' "'size 6': not the lattice of this run"
not_weights 's/^# size 4/# size 40/' "'size 40': not the lattice of this run"
not_weights '/^# size/d' 'off.dat: not of the lattice of this run'
not_weights 's/^# size/# sample 3\n# size/' "'sample 3': not the lattice of this run"
not_weights '/^[-0-9]/d' 'off.dat: no energy and ln g'
not_weights 's/^-32 /-31 /' '-31 J is not an energy of this lattice'
not_weights 's/^32 /36 /' '36 J is not an energy of this lattice'
not_weights 's/^-32 [^ ]*/-32 nan/' 'not an energy and its ln g'
not_weights 's/^-32 .*/-32/' 'not an energy and its ln g'
# shellcheck disable=SC2086
run "$paising" -D cpu --method multicanonical $walkers -L 40 --weights moved.dat -o r
verdict "refused: weights of 4 x 4 for 40 x 40" "exits 2" one_line silent "says \"'size 4': not the lattice of this run\"" "! [ -e r ]"
# Of Blume and Capel the crystal field of sixteen sites does not add up to that of the energy 1/200.
fine="$walkers --model blume-capel2d --crystal-field 393/200 -d 1"
# shellcheck disable=SC2086
run "$paising" -D cpu --method multicanonical $fine -o fine
sed '0,/^[-0-9]/s/^[-0-9.]* /0.005 /' fine/FH_density.dat >off.dat
# shellcheck disable=SC2086
run "$paising" -D cpu --method multicanonical $fine --weights off.dat -o r
verdict "refused: weights of an energy without states" "exits 2" one_line silent "says '0.005 J is not an energy of this lattice'" "! [ -e r ]"
# shellcheck disable=SC2086
run "$paising" -D cpu --method multicanonical $fine --weights fine/FH_density.dat -o r
verdict "weights of Blume and Capel" "exits 0" "[ -e r/FH_density.dat ]"
rm -r r
# shellcheck disable=SC2086
run "$paising" -D cpu --method multicanonical $walkers --weights . -o r
verdict "refused: a folder in place of weights" "exits 2" one_line silent "says '--weights .: not a file'" "! [ -e r ]"
refused "--weights w: allowed with --method multicanonical, wang-landau only" --method canonical --weights w

# No state of Blume and Capel has one of these four energies.
begin
run "$paising" -D cpu --method multicanonical --model blume-capel2d --crystal-field 1.9 -L 4 -R 2 -t 1 --lowest-energy 0.1 \
    --highest-energy 0.4 -o r
verdict "a range of energies without states" "exits 1" "says 'walkers have not come into their windows in 10000 sweeps'" "! [ -e r ]"

# Of a glass walks cool on the way to their windows: a walker that only goes down stays at an energy above the lowest window of this sample.
begin
run "$paising" -D cpu --method multicanonical --model glass2d -L 6 --disorder 8 -R 1 -t 5 --thermalisation 2 --iterations 10 \
    --iteration-length 20 --measurements 200 --windows 11 -f 1 -d 0.5 -o r
verdict "one walker of a glass comes into each of eleven windows" "exits 0" "[ \$(grep -vc '^#' r/FH_density.dat) -gt 20 ]"

# A histogram that is flat over the few energies which its walkers know is not ready: it has none in common with the window beside it.
begin
run "$paising" -D cpu --method multicanonical --model potts2d --states 20 -L 8 -R 24 -t 3 --thermalisation 1 --iteration-length 6 \
    --divergence 0.3 --iterations 100 --measurements 60 --windows 5 -f 1.4 -d 0.7 -o r
verdict "windows that begin with few energies are joined" "exits 0" "[ \$(grep -vc '^#' r/FH_density.dat) -gt 120 ]"

begin
# shellcheck disable=SC2086
run "$paising" -D cpu --method tempering $small -o r --checkpoint ck --checkpoint-every 31
rm -r r
for option in '--measurements 42' '--thermalisation 21' '--method canonical' '-R 6' '-s 1'; do
    # shellcheck disable=SC2086
    run "$paising" --resume ck -o r $option
    verdict "refused: --resume with $option" "exits 2" one_line silent "says '${option% *}'" "! [ -e r ]"
done
printf '\377' | dd of=ck bs=1 seek=$(($(stat -c %s ck) / 2)) conv=notrunc status=none
run "$paising" --resume ck -o r
verdict "refused: a checkpoint with a byte that was changed" "exits 2" one_line silent "! [ -e r ]"

# Checkpoints are too large for this limit on file sizes, and data files are not.
begin
large=("$paising" -D cpu --method canonical -L 128 -R 128 -t 1 -b 0.4 -f 0.4 --thermalisation 1 --measurements 9)
run "${large[@]}" -o whole
run prlimit --fsize=6144 "${large[@]}" -o r --checkpoint ck --checkpoint-every 3
verdict "checkpoints that cannot be written: the run goes on, and status 1" "exits 1" "same_data whole r" "says 'ck: '" \
    "! [ -e ck ]"

# --- signals ---

# Ends a run by SIGTERM: once it catches signals and, if a file is named, that file is there.
interrupted() {
    local there=$1 caught=0
    shift
    "$@" >"$out" 2>"$err" &
    until [ $((0x$caught >> 14 & 1)) -eq 1 ] && [ -e "${there:-.}" ] || [ -z "$(jobs -pr)" ]; do
        sleep 0.01
        [ ! "/proc/$!/exe" -ef "$paising" ] || caught=$(sed -n 's/^SigCgt:\t//p' "/proc/$!/status")
    done
    kill -TERM $!
    wait $! 2>/dev/null
    status=$?
}

# A run of a few seconds that is interrupted, and ends sooner than the whole one.
long=(-c ssc -L 16 -R 20 -t 1 -b 0.3 -f 0.6 -d 0.1 --measurements 4000 -P 9)
for method in canonical tempering; do
    begin
    run "$paising" -D cpu --method $method "${long[@]}" -o whole
    interrupted ck "$paising" -D cpu --method $method "${long[@]}" -o r --checkpoint ck --checkpoint-every 151
    rows=$(grep -vc '^#' r/MC_series.dat)
    verdict "$method, SIGTERM: a checkpoint and the measurements so far, marked" "exits 143" \
        "says 'SIGTERM: ended at step '" "says 'to go on: --resume '" "[ $rows -gt 0 ]" "[ $rows -lt 16000 ]" \
        "grep -q '^# interrupted after measurement $((rows / 4)) of 4000' r/MC_series.dat" \
        "grep -q '\"interrupted\": true' r/run.json" \
        "same <(grep -v '^#' r/MC_series.dat) <(grep -v '^#' whole/MC_series.dat | head -n $rows)"
    run "$paising" --resume ck
    verdict "$method: the resumed run replaces them by the whole result" "exits 0" "same_data whole r" \
        "grep -q '\"interrupted\": false' r/run.json"
done

begin
interrupted "" "$paising" -D cpu --method canonical "${long[@]}" --thermalisation 0 -o r
verdict "SIGTERM without a checkpoint: the measurements so far" "exits 143" "says 'SIGTERM: ended at step '" \
    "! grep -q -e --resume $err" "[ -s r/MC_results.dat ]"
interrupted "" "$paising" -D cpu --method tempering "${long[@]}" --thermalisation 1e8 -o s --checkpoint ck
verdict "SIGTERM in the thermalisation: a checkpoint, and no result" "exits 143" "grep -q 'with a checkpoint and what is measured so far' $err" "! [ -e s/run.json ]" "[ -s ck ]" \
    "! grep -q '^s\$' $out"
interrupted flat "$paising" -D cpu --method multicanonical -L 8 -R 8 -t 2 --measurements 1e6 -o f --checkpoint flat --checkpoint-every 1
verdict "SIGTERM while walkers are on their way: how long the step takes is said" "exits 143" "grep -q ', in about [0-9]* s, it ends, with a checkpoint' $err"

# What is recorded until then: the measurements so far, whole, of 4 bytes a state behind 128 of the head.
begin
interrupted flat "$paising" -D cpu --method multicanonical -L 4x8 -R 8 -t 200 --iterations 1 --iteration-length 1 --thermalisation 1 --measurements 6400 \
    --record states -o f --checkpoint flat --checkpoint-every 300
rows_there=$(grep -vc '^#' f/FH_series.dat)
verdict "SIGTERM while walkers are recorded: as many states as rows" "exits 143" "[ $rows_there -gt 0 ]" "[ $((rows_there % 8)) -eq 0 ]" \
    "[ \"\$(stat -c %s f/FH_spins.npy)\" = $((128 + 4 * rows_there)) ]"

# Of 16 sites 10 have no bond in this sample. A site of a graph has neither bond nor field; in the second one it has a field.
begin
printf '%s\n' '0 1 1' '1 2 -1' '3 4 1' '0 3 1' >graph
free=(--method tempering -R 64 -t 1 -b 0.1 -d 0.1 -f 0.3 --measurements 20)
warns() { # CLAIM OPTIONS: of sites that Metropolis flips in each sweep
    local claim=$1
    shift
    run "$paising" -D cpu "${free[@]}" "$@" -o r --force
    verdict "sites without bonds: $*" "exits 0" "$claim"
}
warns "says '10 of 16 sites have no bond and no field'" --model glass2d -L 4 --dilution 0.8 --sample 2
warns "! says 'no bond'" --model glass2d -L 4 --dilution 0.8 --sample 2 --update heat-bath
warns "! says 'no bond'" --graph graph
sed 's/3 4 1/5 5 0/' graph >second
warns "says '2 of 6 sites have no bond and no field'" --graph second
sed 's/3 4 1/5 5 2/' graph >second
warns "says '1 of 6 sites have no bond and no field'" --graph second

# Pairs are of different words of 32 chains.
begin
pairs() { # CLAIM OPTIONS
    local claim=$1
    shift
    run "$paising" -D cpu --method tempering -t 1 -b 0.1 -d 0.1 -f 0.3 --measurements 20 -L 4 "$@" -o r --force
    verdict "pairs of chains: $*" "exits 0" "$claim"
}
pairs "says '32 chains (-R) have no pairs'" --model glass2d -R 32
pairs "says '32 chains (-R) have no pairs'" --model glass2d -R 32 --samples 2
pairs "! says 'no pairs'" --model glass2d -R 64
pairs "! says 'no pairs'" --model square -R 32

# Of the 16 states of a ring of four sites Metropolis never leaves four. Each of 64 replicas begins in one with probability 1/4: none with 1e-8.
begin
printf '%s\n' '0 1 1' '1 2 1' '2 3 1' '3 0 1' >ring
sed 's/3 0 1/3 4 1/' ring >odd
printf '%s\n' '4 5 1' '5 0 1' >>odd
ends_with() { [ "$(awk '!/^#/{print $NF}' r/MC_results.dat)" = "$1" ]; }
trusts() { # 0 OR 1, CLAIM, OPTIONS: the only row is trusted, and whether a warning says which replicas stay
    local trusted=$1 claim=$2
    shift 2
    run "$paising" -D cpu --method canonical -R 64 -t 1 -b 0.4 -f 0.4 --measurements 400 "$@" -o r --force
    verdict "states that are never left: $*" "exits 0" "$claim" "ends_with $trusted"
}
trusts 0 "says 'replicas never leave states of energy 0'" --graph ring
trusts 0 "says 'replicas never leave states of energy 0'" --graph ring -M 8
trusts 1 "! says 'never leave'" --graph ring --update heat-bath
trusts 1 "! says 'never leave'" --graph odd

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
