#!/usr/bin/env bash
# Graphs, fields and odd edges as a user types them: what equals what, files, checkpoints, refusals.
#   test_graph.sh build/paising
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, passed, failed are those of claims.sh
set -u

paising=$(realpath "${1:?usage: test_graph.sh build/paising}")
source "$(dirname "$0")/../lib/claims.sh"
status=0

# Bonds of a periodic lattice Lx Ly: J in x and in y, and a field.
lattice() {
    awk -v lx="$1" -v ly="$2" -v jx="$3" -v jy="$4" -v h="$5" 'BEGIN { for (i = 0; i < lx * ly; i++) {
        x = i % lx; y = int(i / lx); print i, y * lx + (x + 1) % lx, jx; print i, (y + 1) % ly * lx + x, jy; if (h != 0) print i, i, h } }'
}

# The rows of run 0, or of a series.
steps='-d 0.1'
rows_of() {
    local folder=$1
    shift
    # shellcheck disable=SC2086 # an option and its value
    "$paising" -D cpu -R 200 -t 2 -f 0.6 $steps "$@" -o "$folder" >"$out" 2>"$err" || return 1
    grep -hv '^#' "$folder"/PA_results_run_0.dat "$folder"/PA_MHR_results_run_0.dat "$folder"/MC_series.dat "$folder"/FH_*.dat 2>/dev/null >"$folder".rows
    [ -s "$folder".rows ]
}

# Two sets of options, a word each, with the same bytes, and a third one with others.
equal() {
    local name=$1 one=$2 two=$3 other=$4
    begin
    lattice 5 5 1 1 0 >odd
    lattice 4 3 1 1 0.3 >field
    lattice 4 3 1 1 -0.3 >reversed
    lattice 5 4 1 -1 0.5 >glass
    lattice 8 8 1 1 0 >even
    awk 'BEGIN { for (i = 0; i < 15; i++) { if (i % 5 < 4) print i, i + 1, 1; if (i < 10) print i, i + 5, 1 } }' >open
    awk 'BEGIN { for (i = 0; i < 20; i++) for (d = 0; d < 2; d++) print i % 5, int(i / 5), 0, d, d ? -1 : 1 }' >couplings
    printf '%s\n' '0 1 1' '1 2 1' '0 2 1' '1 1 2' >triangle
    printf '%s\n' '0 1 1' '1 2 1' '0 2 1' '1 1 -2' >other
    printf '%s\n' '# vartype=SPIN' '0 1 -1' '1 2 -1' '0 2 -1' '1 1 -2' >coo
    printf '%s\n' '%%MatrixMarket matrix coordinate integer symmetric' '3 3 4' '2 1 1' '3 2 1' '3 1 1' '2 2 2' >market
    printf '%s\n' 'three' '1 2 -1' '2 3 -1' '1 3 -1' '2 2 -2' >isakov
    printf '%s\n' '3 3' '1 2 -1' '2 3 -1' '1 3 -1' >rudy
    printf '%s\n' '0 1 1' '1 2 1' '0 2 1' >no_field
    # shellcheck disable=SC2086 # options
    verdict "$name" "rows_of a $one" "rows_of b $two" "rows_of c $other" "same a.rows b.rows" "! same a.rows c.rows"
}

equal "an odd lattice is its graph" "-L 5 -c ssc" "--graph odd" "-L 5x7 -c ssc"
equal "a lattice in a field is its graph" "-L 4x3 --field 3/10 -m" "--graph field -m" "-L 4x3 --field 31/100 -m"
equal "a field may be written in several ways" "-L 4x3 --field 6/20" "-L 4x3 --field +3/10" "-L 4x3 --field 3/11"
equal "a field may be a decimal number" "-L 4x3 --field -1.25" "-L 4x3 --field -5/4" "-L 4x3 --field -1.2"
equal "a glass in a field is its graph" "--model glass2d -L 5x4 --couplings couplings --field 1/2" "--graph glass" \
    "--model glass2d -L 5x4 --field 1/2"
equal "open and antiperiodic boundaries" "-L 6x4 --boundary open,antiperiodic --field 0" "-L 6x4 --boundary open,antiperiodic -c ssc" \
    "-L 6x4 --boundary antiperiodic,open --field 0"
equal "no field is no field" "-L 8 --field 0/7" "-L 8 -c ssc" "-L 8 --field 1/7"
equal "no field is no field" "-L 4 --model cubic --random-field 0" "-L 4 -c ssc --model cubic" "-L 4 --model cubic --random-field 1/2"
equal "the seed of a random field" "-L 8 --random-field 1" "-L 8 --random-field 1 --field-seed 1" "-L 8 --random-field 1 --field-seed 2"
equal "fields are added" "-L 8 --random-field 1/2 --field 1/3" "-L 8 --random-field 3/6 --field 2/6" "-L 8 --random-field 1/2"
for update in metropolis heat-bath; do
    equal "canonical, $update" "--method canonical --measurements 5 --graph even --update $update" \
        "--method canonical --measurements 5 -L 8 -c ssc --update $update" "--method canonical --measurements 5 -L 8 -c ssc -s 1 --update $update"
    equal "tempering, $update" "--method tempering --measurements 5 --graph even --update $update" \
        "--method tempering --measurements 5 -L 8 -c ssc --update $update" "--method tempering --measurements 5 -L 8 -c ssc -s 1 --update $update"
done
for file in coo market isakov; do
    equal "a triangle with a field: $file" "--graph triangle" "--graph $file" "--graph no_field"
done
flat="--method multicanonical --measurements 60 --divergence 0.2 -c ssc"
equal "flat histograms: an even lattice is its graph" "$flat --graph even" "$flat -L 8" "$flat -L 8 -s 1"
equal "flat histograms: an odd lattice is its graph" "$flat --graph odd" "$flat -L 5" "$flat -L 5x7"
equal "flat histograms: a lattice in a field is its graph" "$flat --graph field" "$flat -L 4x3 --field 3/10" "$flat -L 4x3 --field 31/100"
equal "flat histograms: a glass in a field is its graph" "$flat --graph glass" "$flat --model glass2d -L 5x4 --couplings couplings --field 1/2" \
    "$flat --model glass2d -L 5x4 --field 1/2"
equal "flat histograms: open boundaries" "$flat -L 5x3 --boundary open" "$flat --graph open" "$flat -L 5x3 --boundary antiperiodic"
equal "flat histograms: a diluted glass" "$flat --model glass2d -L 4 --dilution 0.2 --field 0" "$flat --model glass2d -L 4 --dilution 0.2 --field 0/3" \
    "$flat --model glass2d -L 4 --dilution 0.3 --field 0"
equal "a triangle: rudy" "--graph no_field" "--graph rudy" "--graph triangle"
steps='-a 0.8'
equal "adaptive steps" "--graph even" "-L 8 -c ssc" "--graph even -s 1"
steps='-d 0.1'

# Real couplings, more levels than a graph may count: on the lattice, in no field, and as a graph.
begin
awk 'BEGIN { for (i = 0; i < 64; i++) { x = i % 4; y = int(i / 4) % 4; z = int(i / 16)
    j[0] = z * 16 + y * 4 + (x + 1) % 4; j[1] = z * 16 + (y + 1) % 4 * 4 + x; j[2] = (z + 1) % 4 * 16 + y * 4 + x
    for (d = 0; d < 3; d++) printf "%d %d %.8f\n", i, j[d], ((i * 7919 + d * 21001) % 65537 - 32768) / 256 } }' >real
awk 'NR == 1 { $3 = "1.5" } { print }' real >other
energies_of() { rows_of "$@" -f 0.03 -d 0.002 && cut -d' ' -f 1-3 "$1".rows >"$1".energies; }
given=(-c ssc --model glass3d -L 4 --couplings real --couplings-type real)
verdict "a lattice of real couplings is its graph" "energies_of a ${given[*]}" "energies_of b ${given[*]} --field 0" \
    "energies_of c --graph real" "energies_of d --graph other" "same a.energies b.energies" "same a.energies c.energies" \
    "! same a.energies d.energies"

# With a field the energy is that of the enumeration: ln Z of one site in the field h is ln 2 cosh(beta h).
begin
printf '0 0 0.3\n' >site
run "$paising" -D cpu --graph site -R 20000 -t 3 -f 2 -d 0.25 -o r
verdict "one site in a field of 0.3" "exits 0" "grep -q '^# lowest energy: -0.3$' r/PA_results_run_0.dat" \
    "last_row r/PA_results_run_0.dat | awk '{ exit !(\$2 + 0.3 * 0.53704957 < 0.01 && \$2 + 0.3 * 0.53704957 > -0.01) }'"

begin
printf '%s\n' '9 1' '1 2 -50' >tens
run "$paising" -D cpu --graph tens -R 100 -t 2 -f 1 -d 0.05 -o r
verdict "energies and cuts have no exponents" "exits 0" "grep -q '^# lowest energy: -50$' r/PA_results_run_0.dat" \
    "grep -q '^# largest cut: 0 = .* W = -50 and the lowest energy E = -50$' r/PA_results_run_0.dat"

begin
printf '%s\n' '0 1 0.12345678' '1 2 -0.87654321' '2 0 0.33333333' >digits
run "$paising" -D cpu --graph digits -R 100 -t 2 -f 1 -d 0.05 -o r
verdict "numbers of eight digits need no tables of flips" "exits 0" "grep -q '^# lowest energy: -1[.]08641976$' r/PA_results_run_0.dat"

# --- files and checkpoints ---

begin
lattice 5 5 1 1 0.3 >graph
lattice 5 5 1 1 0.2 >other
options=(-D cpu -R 300 -t 2 -f 1 -d 0.05 -M 2 -m --graph graph)
"$paising" "${options[@]}" -o whole >/dev/null 2>&1
"$paising" "${options[@]}" -o r --checkpoint ck --checkpoint-every 7 >/dev/null 2>&1
run "$paising" --resume ck --graph other -o s
verdict "a checkpoint refuses another graph" "exits 2" "says '--graph other: fingerprint'" "same_data whole r" "! [ -e s ]"
run "$paising" --resume ck --graph graph -o s
verdict "a resumed run has the same bytes" "exits 0" "same_data whole s"

# Flat histograms: checkpoints, threads, and weights of an earlier run, which are of this graph, or of this field.
begin
lattice 5 4 1 -1 0.5 >graph
lattice 5 4 1 -1 0.25 >other
flat=(-D cpu --method multicanonical -R 8 -t 3 --thermalisation 4 --iteration-length 50 --measurements 100 --windows 2 --lowest-energy -30 --highest-energy 20 -P 17)
"$paising" "${flat[@]}" --graph graph -o whole >/dev/null 2>&1
OMP_NUM_THREADS=2 "$paising" "${flat[@]}" --graph graph -o r --checkpoint ck --checkpoint-every 70 >/dev/null 2>&1
run "$paising" --resume ck --graph other -o s
verdict "flat histograms: a checkpoint refuses another graph" "exits 2" "says '--graph other: fingerprint'" "same_data whole r" "! [ -e s ]"
OMP_NUM_THREADS=1 run "$paising" --resume ck --graph graph -o s
verdict "flat histograms: a resumed run has the same bytes" "exits 0" "same_data whole s"
run "$paising" "${flat[@]}" --graph graph --weights whole/FH_density.dat -o t
verdict "flat histograms: weights of this graph" "exits 0" "grep -q '^# weights-fingerprint' t/FH_density.dat" \
    "[ \$(grep -vc '^#' t/FH_iterations.dat) -lt \$(grep -vc '^#' whole/FH_iterations.dat) ]" "grep -q '^# graph-fingerprint' t/FH_density.dat"
run "$paising" "${flat[@]}" --graph other --weights whole/FH_density.dat -o u
verdict "refused: weights of another graph" "exits 2" "says 'not the lattice of this run'" "! [ -e u ]"
rm -rf u
run "$paising" "${flat[@]}" -c ssc -L 5x4 --field 1/2 --random-field 1/4 -o v
verdict "flat histograms: a lattice in a field" "exits 0" "grep -q '^# field 1/2' v/FH_density.dat" "grep -q '^# size 5x4' v/FH_density.dat"
for other in '--field 1/2' '--field 1/4 --random-field 1/4' '--field 1/2 --random-field 1/2' '--field 1/2 --random-field 1/4 --field-seed 2'; do
    # shellcheck disable=SC2086 # an option and its value
    run "$paising" "${flat[@]}" -c ssc -L 5x4 $other --weights v/FH_density.dat -o u
    verdict "refused: weights of other fields than $other" "exits 2" one_line "says 'of this run'" "! [ -e u ]"
    rm -rf u
done
awk '!/^#/ && !n++ { $1 = "0.3" } { print }' v/FH_density.dat >off
run "$paising" "${flat[@]}" -c ssc -L 5x4 --field 1/2 --random-field 1/4 --weights off -o u
verdict "refused: weights of an energy that is no level" "exits 2" one_line "says '0.3 J is not an energy of this lattice'" "! [ -e u ]"

# Two energies with a valley between them: spins that are all bound to each other; where they are down, others are bound to them. A graph has no interface.
begin
awk 'BEGIN { n = 12; for (i = 0; i < n; i++) { for (j = 0; j < i; j++) print i, j, 4
    print i, i, 16; print i, n + i, 20; print n + i, n + i, -20 }
    for (i = 0; i < 80; i++) print 2 * n + i, 2 * n + i, i < 60 ? 1 : 5 }' >graph
run "$paising" -D cpu --method multicanonical --graph graph -R 8 -t 3 --iterations 8 --measurements 60 -d 0.5 --lowest-energy -720 \
    --highest-energy -430 -o r
verdict "a transition of a graph has no interface tension" "exits 0" \
    "awk '!/^#/ { exit !(\$1 > 0 && \$3 > 5 * \$4 && \$5 == \"nan\" && \$6 == \"nan\" && \$15 > 0) }' r/FH_transition.dat"

begin
printf '%s\n' '1 2 1' '2 3 1' '1 3 -1' >weights
run "$paising" -D cpu --graph weights --couplings-format rudy -R 100 -t 2 -f 1 -d 0.25
verdict "the name of a folder, and a cut" "exits 0" "[ -d dataSSC_graph_N3_R100_EqSw2_dB0.250000_graph-fingerprint* ]" \
    "grep -q '^# largest cut: 2 = ' data*/PA_results_run_0.dat" "grep -q 'largest_cut.: 2' data*/run.json" \
    "grep -q '^# graph-fingerprint' data*/PA_results_run_0.dat" "! grep -q '^# size' data*/PA_results_run_0.dat"

begin
printf '%s\n' '1 2 1' '2 3 1' '1 3 -1' >weights
run "$paising" -D cpu --method microcanonical --graph weights --couplings-format rudy -R 100 -t 2 -f 1 -d 0.5 -o r
verdict "run.json of microcanonical annealing says how a file was read" "exits 0" "grep -q 'read_as.: .rudy' r/run.json" \
    "grep -q 'largest_cut.: 2' r/run.json"

# The lowest energy of a graph of up to 16 sites, and how many of all states have it.
enumerate() {
    awk '{ i[NR] = $1; j[NR] = $2; v[NR] = $3; n = $1 > n ? $1 : n; n = $2 > n ? $2 : n }
        END { for (s = 0; s < 2 ^ (n + 1); s++) {
            for (k = 0; k <= n; k++) up[k] = int(s / 2 ^ k) % 2 ? 1 : -1
            e = 0
            for (k = 1; k <= NR; k++) e -= v[k] * up[i[k]] * (i[k] == j[k] ? 1 : up[j[k]])
            if (s == 0 || e < least) { least = e; g = 0 }
            g += e == least }
            print least, g }' "$1"
}
# The energy of the state in a file, by the lines of a graph.
energy_of_state() {
    awk 'FNR == NR { if (!/^#/) up[$1] = $2; next } { e -= $3 * up[$1] * ($1 == $2 ? 1 : up[$2]) } END { print e }' "$2" "$1"
}
number() { sed -n "s/^# $1\\(-*[0-9.e-]*\\).*/\\1/p" r/PA_ground_states.dat; }
for fields in 0 1; do
    begin
    awk -v fields=$fields 'BEGIN { for (i = 0; i < 12; i++) { print i, (i + 1) % 12, i * 7 % 5 - 2.5; print i, (i + 5) % 12, i * 5 % 3 - 0.5
        if (fields) print i, i, i * 3 % 7 % 3 - 1 } }' >graph
    read -r least states <<<"$(enumerate graph)"
    run "$paising" -D cpu --graph graph -R 200 -t 5 --ground-states --miss-width 0.3 -o r
    verdict "the lowest energy of a graph, fields $fields, is that of all states" "exits 0" "[ $(number 'lowest energy seen: ') = $least ]" \
        "[ \$(energy_of_state graph r/PA_ground_state_run_0.dat) = $least ]" "[ \$(grep -c '^[0-9]' r/PA_ground_state_run_0.dat) -eq 12 ]" \
        "sed -n 's/^# ln g.*them: //p' r/PA_ground_states.dat | awk '{ d = \$1 - log($states); exit !(d * d < 25 * \$3 * \$3 && \$3 < 0.2) }'"
done

begin
run "$paising" -D cpu --model glass3d -L 6 -R 1000 -t 1 -d 0.2 -f 2 -o r
verdict "an error of ln g by fewer than ten families is not known" "exits 0" "grep -q '^# ln g.*: -15.337 +- nan' r/PA_ground_state_run_0.dat"

begin
run "$paising" -D cpu -c ssc -L 5x3 --random-field 3/2 -R 100 -t 3 --ground-states --miss-width 0.5 -o r
verdict "a lattice in a random field: a line for each site" "exits 0" "grep -q '^# x y z spin\$' r/PA_ground_state_run_0.dat" \
    "grep -q '^4 2 0 -*1\$' r/PA_ground_state_run_0.dat" "! [ -e r/PA_couplings.dat ]" \
    "grep -q '^lowest energy seen -37\.5, ' $out" "[ $(number 'lowest energy seen: ') = -37.5 ]"
begin
run "$paising" -D cpu -L 6 --ground-states
verdict "refused: the lowest energy of a ferromagnet" "exits 2" one_line "says '--graph, --field and --random-field only'"

begin
lattice 6 6 1 1 1 >graph
run "$paising" -D cpu --graph graph -R 100 -t 2 --dry-run
verdict "a dry run" "exits 0" one_line "grep -q '^spin flips' ${out@Q}" "files ./graph"

# --- what is refused ---

refused() {
    local says=$1
    shift
    begin
    lattice 4 4 1 1 0 >graph
    printf '0 1 1\n1 0 1\n' >twice
    printf '0 1 1000001\n1 2 1000000\n' >levels
    printf '0 1 20001\n1 2 20000\n' >table
    run "$paising" -D cpu -R 32 -t 1 "$@" -o r
    verdict "refused: $*" "exits 2" one_line silent "says ${says@Q}" "! [ -e r ]"
}

refused "--graph graph: allowed with -c ssc only" --graph graph -c msc
refused "--model cubic: not allowed with --graph graph" --graph graph --model cubic
refused "-L 8: not allowed with --graph graph" --graph graph -L 8
refused "--field 1: not allowed with --graph graph" --graph graph --field 1
refused "--graph nothing: " --graph nothing
refused "--graph twice" --graph twice
refused "-m: allowed with --method annealing only where energies have no levels" --graph levels --method tempering -f 1 -d 0.5 -m
refused "--method multicanonical: not allowed with a graph of more than 1048576 energy levels" --graph levels --method multicanonical
refused "--method wang-landau: 40002 energies with 80003 changes of each are too many, 67108863 are allowed: a smaller graph" \
    --graph table --method wang-landau
refused "0 energies between them, and 4 are needed; those of the graph are from -32 to 32, 4 apart" --graph graph --method multicanonical --lowest-energy 100
refused "--boundary open: not allowed with --method multicanonical on a lattice with even edges" -c ssc -L 4 --method multicanonical --boundary open
refused "--dilution: not allowed with --method multicanonical on a lattice with even edges" -c ssc --model glass2d -L 4 --method multicanonical --dilution 0.1
refused "--field 1/0: a fraction" --field 1/0
refused "--field x: a fraction" --field x
refused "--random-field 1/2/3: a fraction" --random-field 1/2/3
refused "-L 2: an edge of the model square in a field, below an energy ceiling, or one that is odd, must be from 3" -L 2 --field 1
refused "-L 4x5x6: " -L 4x5x6 --field 1
refused "--couplings-format coo: allowed with --couplings or --graph only" --couplings-format coo
refused "--couplings-from 1: allowed with --couplings or --graph only" --couplings-from 1
refused "-R 4294967294: the population must be from 1 to" --graph graph -R 4294967294

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
