#!/usr/bin/env bash
# The plain programs of reference/ print the bytes that build/paising writes with the same options, and end with the same
# status.
# - plain.c is population annealing, with plain_msc.h for multi-spin coding. It prints the first ten columns.
# - plain_series.c is canonical simulation and parallel tempering. It prints the rows of MC_series.dat and the acceptances
#   of MC_exchanges.dat.
# - Further programs of canonical simulation: plain_clusters.c by cluster updates, plain_states.c for models whose spins
#   are not Ising's, plain_vectors.c for vectors.
# - plain_visits.c visits the sites in other orders. plain_stripes.c and plain_cubes.c have stripes and tiles in MSC.
# - plain_flat.c is multicanonical and Wang-Landau simulation, plain_ceilings.c microcanonical annealing.
#
#   test_plain.sh build
#
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, status and so on are those of claims.sh
set -u

build=$(realpath "${1:?usage: test_plain.sh BUILD}")
source "$(dirname "$0")/../lib/claims.sh"

# Both programs with the same options, this coding and this update: status and columns of each.
coding=ssc update=metropolis
run_both() {
    "$build/paising" -c $coding --update $update -D cpu -o r "$@" >"$out" 2>"$err"
    paising_status=$?
    "$build/plain" -c $coding -u $update "$@" >plain.out 2>plain.err
    status=$?
    grep -v '^#' plain.out >plain.dat
    [ $paising_status -ne 0 ] || grep -v '^#' r/PA_results_run_0.dat | cut -d ' ' -f 1-10 >paising.dat
}

# The same rows, one for each temperature.
agree() {
    local temperatures=$1
    shift
    begin
    run_both "$@"
    verdict "the same bytes: $coding $update $*" "exits 0" "[ $paising_status -eq 0 ]" "rows plain.dat $temperatures" \
        "columns plain.dat 10" "same plain.dat paising.dat"
}

agree 21 -L 4 -R 1 -t 1 -d 0.05
agree 8 -L 4 -R 3 -t 7 -f 0.56 -d 0.08 -s 0
agree 201 -L 4 -R 50 -t 1
agree 5 -L 4 -R 5000 -t 3 -f 0.5 -d 0.125
agree 21 -L 6 -R 50 -t 2 -d 0.05 -s 1
agree 41 -L 6 -R 1000 -t 1 -d 0.025 -P 17
agree 6 -L 10 -R 1000 -t 2 -f 0.44 -d 0.1
agree 16 -L 10 -R 3 -t 20 -d 0.07 -s 4294967296 -P 17
agree 5 -L 14 -R 200 -t 1 -f 1 -d 0.3 -P 1
agree 21 -L 16 -R 500 -t 5 -d 0.05 -s 9007199254740991 -P 17
agree 8 -L 16 -R 50 -t 3 -f 7 -d 1
agree 2 -L 16 -R 1e3 -t 1 -f 0.01 -d 0.5
agree 3 -L 64 -R 20 -t 2 -f 0.88 -d 0.44 -P 17
agree 1 -L 8 -R 10 -t 1 -f 0

# One group of 16 strips, and of 32; four and a half; rows that are not whole strips; some lanes, and some words, and one; up to no plane and few points.
coding=msc
agree 21 -L 16 -R 500 -t 5 -d 0.05 -s 9007199254740991 -P 17
agree 121 -L 16 -R 1 -t 5 -d 0.1 -f 12
agree 16 -L 32 -R 50 -t 40 -d 0.2 -f 3 -s 9 -P 17
agree 5 -L 48 -R 64 -t 17 -d 0.3 -s 5
agree 41 -L 16 -R 33 -t 7 -d 0.025 -s 1 -P 17
agree 3 -L 64 -R 20 -t 2 -f 0.88 -d 0.44
agree 1 -L 16 -R 10 -t 1 -f 0
agree 21 -L 4 -R 500 -t 5 -d 0.05
agree 9 -L 6 -R 70 -t 7 -d 0.125 -P 17
agree 11 -L 12 -R 100 -t 20 -d 0.2 -f 2 -s 3
agree 5 -L 26 -R 33 -t 3 -d 0.25

update=heat-bath
agree 21 -L 16 -R 500 -t 5 -d 0.05 -s 9007199254740991 -P 17
agree 121 -L 16 -R 1 -t 5 -d 0.1 -f 12
agree 16 -L 32 -R 50 -t 40 -d 0.2 -f 3 -s 9 -P 17
agree 5 -L 48 -R 64 -t 17 -d 0.3 -s 5
agree 3 -L 64 -R 20 -t 2 -f 0.88 -d 0.44
agree 11 -L 10 -R 100 -t 9 -d 0.1 -P 17
coding=ssc
agree 21 -L 4 -R 1 -t 1 -d 0.05
agree 41 -L 6 -R 1000 -t 1 -d 0.025 -P 17
agree 16 -L 10 -R 3 -t 20 -d 0.07 -s 4294967296 -P 17
agree 8 -L 16 -R 50 -t 3 -f 7 -d 1
agree 3 -L 64 -R 20 -t 2 -f 0.88 -d 0.44 -P 17
update=metropolis

begin
run_both -L 6 -R 50 -t 2 -d 0.05 -s 1
"$build/plain" -L 6 -R 50 -t 2 -d 0.05 -s 2 | grep -v '^#' >other.dat
verdict "another seed, other bytes" "rows other.dat 21" "! same other.dat paising.dat"

begin
run_both -L 4 -R 2 -t 1 -d 0.05 -s 2
verdict "a population that dies out: the same status" "exits 1" "[ $paising_status -eq 1 ]" \
    "says 'died out at beta = 0.65'" "grep -q 'died out .* at beta = 0.65' plain.err" \
    "same <(cut -d ' ' -f 1 plain.dat) <(seq 0 0.05 0.6 | sed 's/\.*0*$//')"

# What both refuse; plain says in one line how it is to be used.
for options in '-L 2' '-L x' '-R 0' '-R 1.5' '-t 0' '-f -1' '-f nan' '-d 0' '-d 1e-9' '-s -1' '-P 18' \
    '-P 0' '-X 1' '-c x' '-L' 'word'; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run_both $options
    verdict "refused: $options" "exits 2" "[ $paising_status -eq 2 ]" "[ \$(wc -l <plain.err) -eq 1 ]" \
        "grep -q '^plain: usage: ' plain.err" "! [ -s plain.out ]"
done

# --- graphs ---

# Both programs with a graph: arguments FILE, TEMPERATURES, and options of both.
run_graph() {
    local file=$1
    shift
    run "$build/paising" --graph "$file" --update $update -D cpu -o r "$@"
    "$build/plain_graph" -u $update "$@" "$file" >plain.out || status=1
    grep -v '^#' plain.out >plain.dat
    grep -v '^#' r/PA_results_run_0.dat | cut -d ' ' -f 1-10 >paising.dat
}

agree_graph() {
    local file=$1 temperatures=$2
    shift 2
    begin
    make_graphs
    run_graph "$file" "$@"
    verdict "the same bytes: $file $update $*" "exits 0" "rows plain.dat $temperatures" "columns plain.dat 10" \
        "same plain.dat paising.dat"
}

# Six graphs: the triangle with a field; a complete graph of five; sites without neighbours; energies far apart; a lattice;
# random bonds. The third has sites with and without a field, and a bond of 0. The last needs more than two colours and
# has an odd number of sites.
make_graphs() {
    printf '%s\n' '# a triangle' '0 1 1' '2 1 1 # J' '0 2 1' '1 1 1' >triangle
    printf '%s\n' '0 1 2' '0 2 -1' '0 3 3' '0 4 1' '1 2 -2' '1 3 1' '1 4 -3' '2 3 1' '2 4 2' '3 4 -1' '3 3 -2' >complete
    printf '%s\n' '0 1 -3' '2 2 5' '3 3 0' '4 0 0' '4 1 7' >apart
    printf '%s\n' '0 1 1000' '1 2 -3000' '2 0 5000' '0 0 500' >far
    awk 'BEGIN {for (i = 0; i < 36; i++) {print i, int(i / 6) * 6 + (i + 1) % 6, 1; print i, (i + 6) % 36, 1}}' >square
    awk 'BEGIN {srand(7); for (i = 1; i < 151; i++) for (n = 0; n < 3 && n < i; n++) {do j = int(i * rand()); while ((i, j) in seen);
        seen[i, j] = 1; print i, j, int(7 * rand()) - 3}; for (i = 0; i < 151; i += 2) print i, i, int(5 * rand()) - 2}' >random
}

for update in metropolis heat-bath; do
    agree_graph triangle 21 -R 50 -t 1 -d 0.05
    agree_graph complete 11 -R 1000 -t 2 -d 0.1 -s 1 -P 17
    agree_graph apart 6 -R 33 -t 20 -f 2 -d 0.4 -s 0
    agree_graph far 5 -R 100 -t 3 -f 0.001 -d 0.00025 -P 17
    agree_graph square 21 -R 100 -t 2 -d 0.05 -s 9007199254740991 -P 17
    agree_graph random 11 -R 40 -t 17 -d 0.1 -s 5 -P 17
done

# With the sub-lattices of a lattice it is a lattice whose bonds may be missing: boundaries, dilution.
columns=1-3,7-10 # glasses have q in place of m
run_lattice() {
    local model=$1 edges=$2 bonds=$3
    shift 3
    # shellcheck disable=SC2086 # several options
    run "$build/paising" -c ssc --model $model -L "$edges" $bonds --update $update -D cpu -o r "$@"
    awk -v lattice="$edges" 'BEGIN {split(lattice, L, "x"); if (L[3] == "") L[3] = 1; N = L[1] * L[2] * L[3]; print N - 1, N - 1, 0}
        function site(x, y, z) {return ((z % L[3]) * L[2] + y % L[2]) * L[1] + x % L[1]}
        !/^#/ {print site($1, $2, $3), site($1 + ($4 == 0), $2 + ($4 == 1), $3 + ($4 == 2)), $5}' r/PA_couplings.dat >bonds
    "$build/plain_graph" -u $update -X "$(cut -d x -f 1 <<<"$edges")" -Y "$(cut -d x -f 2 <<<"$edges")" "$@" bonds >plain.out || status=1
    grep -v '^#' plain.out | cut -d ' ' -f "$columns" >plain.dat
    grep -v '^#' r/PA_results_run_0.dat | cut -d ' ' -f "$columns" >paising.dat
}

agree_lattice() {
    begin
    run_lattice "$@"
    verdict "the same bytes: $* $update" "exits 0" "rows plain.dat 11" "columns plain.dat 7" "same plain.dat paising.dat"
}

for update in metropolis heat-bath; do
    agree_lattice glass2d 6x4 "--boundary open,antiperiodic --dilution 0.3" -R 100 -t 2 -d 0.1 -P 17
    agree_lattice glass3d 4x6x4 "--boundary open,periodic,antiperiodic" -R 50 -t 3 -d 0.1 -s 3 -P 17
    agree_lattice glass2d 8x10 "--boundary antiperiodic --dilution 0.05" -R 33 -t 5 -d 0.2 -f 2 -P 17
    agree_lattice square 10x6 "--boundary open" -R 33 -t 5 -d 0.1 -P 17
done
begin
run_lattice glass2d 6x4 "--dilution 0.3" -R 100 -t 2 -d 0.1 -P 17
"$build/plain_graph" -u $update -R 100 -t 2 -d 0.1 -P 17 bonds | grep -v '^#' | cut -d ' ' -f "$columns" >other.dat
verdict "of sites in another order, other bytes" "same plain.dat paising.dat" "! same other.dat paising.dat"

# On a lattice it is plain.c.
begin
make_graphs
"$build/plain_graph" -R 100 -t 3 -d 0.05 square >graph.dat
"$build/plain" -c ssc -L 6 -R 100 -t 3 -d 0.05 >lattice.dat
"$build/plain_graph" -R 100 -t 3 -d 0.05 -s 1 square >other.dat
verdict "the graph of a lattice is the lattice" "rows graph.dat 21" "same graph.dat lattice.dat" "! same other.dat lattice.dat"
update=metropolis

for options in '-R 0' 'nothing' '-X 1' ''; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run "$build/plain_graph" $options
    verdict "plain_graph refuses: $options" "exits 2" one_line "grep -q '^plain_graph: ' ${err@Q}" silent
done

# --- methods of fixed temperatures ---

# Both programs with a method: arguments METHOD, TEMPERATURES, THERMALISATION, MEASUREMENTS, and options of both. Method houdayer is
# tempering of a glass with cluster moves.
run_series() {
    local method=$1 before=$3 measured=$4 how=(--method "$1")
    shift 4
    [ "$method" != houdayer ] || how=(--method tempering --model glass2d --moves houdayer)
    run "$build/paising" "${how[@]}" -c ssc -D cpu -o r --thermalisation "$before" --measurements "$measured" "$@"
    "$build/plain_series" -m "$method" -w "$before" -n "$measured" "$@" >plain.out || status=1
    grep -v '^#' plain.out >plain.dat
    grep -v '^#' r/MC_series.dat >paising.dat
    # The error of the acceptance is not in plain_series.c.
    [ "$method" = canonical ] || grep -v '^#' r/MC_exchanges.dat | cut -d ' ' -f 1-3,5 >exchanges.paising
    sed -n 's/^# \([0-9]\)/\1/p' plain.out >exchanges.plain
    trips=$(sed -n 's/^# round trips: //p' plain.out)
}

agree_series() {
    local claims=() columns=7
    begin
    run_series "$@"
    [ "$1" != houdayer ] || columns=4
    [ "$1" = canonical ] || claims=("rows exchanges.plain $(($2 - 1))" "same exchanges.plain exchanges.paising"
        "grep -q '^# $trips round trips' r/MC_exchanges.dat")
    verdict "the same bytes: $*" "exits 0" "rows plain.dat $(($2 * $4))" "columns plain.dat $columns" \
        "same plain.dat paising.dat" "${claims[@]}"
}

for method in canonical tempering; do
    agree_series $method 5 7 20 -L 4 -R 1 -t 1 -b 0.2 -f 0.6 -d 0.1
    agree_series $method 4 0 9 -L 6 -R 33 -t 3 -b 0 -f 0.7 -d 0.3 -s 0 -P 17
    agree_series $method 19 10 30 -L 8 -R 7 -t 2 -b 0.1 -f 1 -d 0.05 -s 9007199254740991 -P 17
    agree_series $method 2 3 4 -L 16 -R 20 -t 40 -b 0.4 -f 0.44 -d 1 -P 3
    agree_series $method 3 1 2 -L 64 -R 3 -t 2 -b 0.43 -f 0.45 -d 0.01 -s 5
done
agree_series houdayer 5 5 30 -L 8 -R 6 -t 2 -b 0.3 -f 1.5 -d 0.3 -s 3
agree_series houdayer 3 5 30 -L 16 -R 10 -t 3 -b 0.2 -f 2 -d 0.9 -P 17
agree_series houdayer 3 0 40 -L 4 -R 2 -t 1 -b 0.5 -f 1 -d 0.25
agree_series canonical 1 5 5 -L 8 -R 40 -t 1 -b 0.44 -f 0.44 -d 0.1

begin
run_series tempering 3 5 40 -L 4 -R 50 -t 1 -b 0.3 -f 0.5 -d 0.1 -s 1
"$build/plain_series" -m tempering -w 5 -n 40 -L 4 -R 50 -t 1 -b 0.3 -f 0.5 -d 0.1 -s 2 | sed -n 's/^# \([0-9]\)/\1/p' >other
"$build/plain_series" -m canonical -w 5 -n 40 -L 4 -R 50 -t 1 -b 0.3 -f 0.5 -d 0.1 -s 1 | grep -v '^#' >canonical.dat
verdict "another seed or method, other bytes" "[ $trips -gt 9 ]" "rows other 2" "! same other exchanges.paising" "rows canonical.dat 120" \
    "! same canonical.dat paising.dat"

# Lattices of stripes: arguments EDGE, LATTICES, STRIPES, SWEEPS, BETA, and options of both.
agree_stripes() {
    local L=$1 R=$2 K=$3 t=$4 b=$5
    shift 5
    begin
    run "$build/paising" --method canonical -D cpu -L "$L" -R "$R" --stripes "$K" -t "$t" -b "$b" -f "$b" --thermalisation 2 \
        --measurements 6 -P 17 -o r "$@"
    "$build/plain_stripes" -L "$L" -R "$R" -K "$K" -t "$t" -b "$b" -w 2 -n 6 -P 17 "${@/--update/-u}" >plain.out || status=1
    grep -v '^#' plain.out >plain.dat
    grep -v '^#' r/MC_series.dat >paising.dat
    verdict "stripes, the same bytes: L = $L, R = $R, $K stripes, $t sweeps, beta = $b $*" "exits 0" "rows plain.dat 6" \
        "columns plain.dat 7" "same plain.dat paising.dat"
}

agree_stripes 16 32 1 3 0.44
agree_stripes 32 16 2 2 0.3 -s 7
agree_stripes 64 8 4 3 0.44
agree_stripes 64 24 4 2 1 --update heat-bath
agree_stripes 128 4 8 1 0.5 -s 3
agree_stripes 256 2 16 1 0 -s 4
agree_stripes 512 1 32 2 0.7 -s 5
agree_stripes 512 2 32 1 0.44 --update heat-bath

# Updates of stripes, and of 32 lattices, by tiles: arguments as above, then TILE, HITS.
agree_tiles() {
    local L=$1 R=$2 K=$3 t=$4 b=$5 T=$6 k=$7
    shift 7
    begin
    run "$build/paising" --method canonical -D cpu -L "$L" -R "$R" --stripes "$K" -t "$t" -b "$b" -f "$b" --thermalisation 2 \
        --measurements 4 -P 11 -o r --update tiles --tile "$T" --hits "$k" "$@"
    set -- "${@/--palindrome/-p}"
    "$build/plain_stripes" -L "$L" -R "$R" -K "$K" -t "$t" -b "$b" -w 2 -n 4 -T "$T" -k "$k" "${@/--acceptance/-u}" >plain.out || status=1
    grep -v '^#' plain.out >plain.dat
    grep -v '^#' r/MC_series.dat >paising.dat
    verdict "tiles, the same bytes: L = $L, R = $R, $K stripes, T = $T, k = $k, beta = $b $*" "exits 0" "rows plain.dat 4" \
        "columns plain.dat 7" "same plain.dat paising.dat"
}

agree_tiles 16 32 1 2 0.44 8 3
agree_tiles 48 32 1 1 0.44 8 4 --palindrome --acceptance heat-bath
agree_tiles 128 32 1 1 0.5 64 2 -s 9
agree_tiles 64 16 2 2 0.44 16 5
agree_tiles 128 16 2 1 0 32 2 --palindrome
agree_tiles 512 1 32 1 0.7 8 3 --acceptance heat-bath

# Cubic lattices in MSC: EDGE, LATTICES, STRIPES, SWEEPS, BETA, TILE (0: the checkerboard), HITS, UPDATE, then options of both.
agree_cubes() {
    local L=$1 R=$2 K=$3 t=$4 b=$5 T=$6 k=$7 update=$8 order
    shift 8
    order=(--update "$update")
    [ "$T" -eq 0 ] || order=(--update tiles --tile "$T" --hits "$k" --acceptance "$update")
    begin
    run "$build/paising" --model cubic --method canonical -D cpu -L "$L" -R "$R" --stripes "$K" -t "$t" -b "$b" -f "$b" \
        --thermalisation 1 --measurements 3 -P 11 -o r "${order[@]}" "$@"
    "$build/plain_cubes" -L "$L" -R "$R" -K "$K" -t "$t" -b "$b" -w 1 -n 3 -T "$T" -k "$k" -u "$update" \
        "${@/--palindrome/-p}" >plain.out || status=1
    grep -v '^#' plain.out >plain.dat
    grep -v '^#' r/MC_series.dat >paising.dat
    verdict "cubes, the same bytes: L = $L, R = $R, $K stripes, T = $T, k = $k, beta = $b $update $*" "exits 0" \
        "rows plain.dat 3" "columns plain.dat 7" "same plain.dat paising.dat"
}

agree_cubes 4 32 1 3 0.22 0 1 metropolis
agree_cubes 12 16 2 2 0.3 0 1 heat-bath -s 3
agree_cubes 16 32 1 2 0.22 8 3 metropolis
agree_cubes 32 16 2 1 0.1 8 2 heat-bath --palindrome
agree_cubes 32 32 1 1 1 16 2 metropolis -s 4

# What comes behind the first rows tells other tiles, hits and orders apart.
begin
run "$build/paising" --method canonical -D cpu -L 32 -R 32 --stripes 1 -t 1 -b 0.44 -f 0.44 --measurements 4 --thermalisation 2 -P 11 -o r \
    --update tiles --tile 8 --hits 2
for other in '-T 16 -k 2' '-T 8 -k 2 -p' '-T 8 -k 1' '-k 2'; do
    # shellcheck disable=SC2086 # options and their values
    "$build/plain_stripes" -L 32 -R 32 -K 1 -t 1 -b 0.44 -w 2 -n 4 $other | grep -v '^#' >other.dat
    same other.dat <(grep -v '^#' r/MC_series.dat) && echo "$other" >>alike
done
verdict "other tiles, other bytes" "exits 0" "rows other.dat 4" "[ ! -e alike ]"

begin
run "$build/paising" --method canonical -D cpu -L 64 -R 8 --stripes 4 -t 3 -b 0.44 -f 0.44 --measurements 6 -o r
"$build/plain_stripes" -L 64 -R 16 -K 2 -t 3 -b 0.44 -w 100 -n 6 | grep -v '^#' >two.dat
verdict "another number of stripes, other bytes" "exits 0" "rows two.dat 6" "! same two.dat <(grep -v '^#' r/MC_series.dat)"

for options in '-T 12' '-T 32 -L 64' '-T 8 -k 3 -p' '-K 3' '-K 8 -L 64' '-L 64 -R 3' '-L 48 -K 4' '-b -1' 'word'; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run "$build/plain_stripes" $options
    verdict "plain_stripes refuses: $options" "exits 2" one_line "grep -q '^plain_stripes: usage: ' ${err@Q}" silent
done

for options in '-T 12' '-T 16 -L 16' '-T 8 -k 3 -p' '-K 3' '-L 6' '-L 16 -R 3' '-b -1' 'word'; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run "$build/plain_cubes" $options
    verdict "plain_cubes refuses: $options" "exits 2" one_line "grep -q '^plain_cubes: usage: ' ${err@Q}" silent
done

for options in '-m annealing' '-m tempering -b 0.5 -f 0.5' '-m houdayer -R 5' '-L 5' '-R 0' '-n 0' '-w -1' '-b 1 -f 0.5' '-X 1' 'word'; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run "$build/plain_series" $options
    verdict "plain_series refuses: $options" "exits 2" one_line "grep -q '^plain_series: usage: ' ${err@Q}" silent
done

# --- cluster updates ---

# Both programs: arguments THREADS, MODEL, THERMALISATION, MEASUREMENTS, beta, and options of both.
run_clusters() {
    local model=$2 before=$3 measured=$4 beta=$5 dimension=2
    [ "$model" = square ] || dimension=3
    export OMP_NUM_THREADS=$1
    shift 5
    run "$build/paising" --method canonical --update $update --model "$model" -c ssc -D cpu -o r --thermalisation "$before" \
        --measurements "$measured" -b "$beta" -f "$beta" "$@"
    export -n OMP_NUM_THREADS
    "$build/plain_clusters" -u $update -D $dimension -w "$before" -n "$measured" -b "$beta" "$@" >plain.out || status=1
    grep -v '^#' plain.out >plain.dat
    grep -v '^#' r/MC_series.dat >paising.dat
}

agree_clusters() {
    begin
    run_clusters "$@"
    verdict "the same bytes: $update, $1 threads, ${*:2}" "exits 0" "rows plain.dat $4" "columns plain.dat 7" "same plain.dat paising.dat"
}

# Hot, critical and cold; a replica a thread, and two threads for a lattice, of which the last strip is joined with the first.
for update in swendsen-wang wolff; do
    agree_clusters 1 square 0 30 0 -L 4 -R 3 -t 1
    agree_clusters 2 square 3 50 0.44 -L 6 -R 7 -t 17 -s 0 -P 17
    agree_clusters 1 square 2 20 0.4406868 -L 16 -R 5 -t 2 -s 9007199254740991 -P 17
    agree_clusters 2 square 2 4 0.4406868 -L 80 -R 1 -t 3 -s 5
    agree_clusters 2 square 2 4 3 -L 64 -R 3 -t 40 -s 5 -P 17
    agree_clusters 1 cubic 3 30 0.2216546 -L 4 -R 6 -t 1 -P 17
    agree_clusters 2 cubic 1 10 0.25 -L 6 -R 5 -t 17 -s 1 -P 17
    agree_clusters 2 cubic 1 4 0.2216546 -L 16 -R 1 -t 3 -s 2 -P 17
done

begin
run_clusters 1 square 2 20 0.44 -L 8 -R 5 -t 2 -s 1
for other in "-u $update -s 2" '-u swendsen-wang -s 1' "-u $update -s 1 -b 0.45"; do
    # shellcheck disable=SC2086 # options and their values
    "$build/plain_clusters" -w 2 -n 20 -b 0.44 -L 8 -R 5 -t 2 $other | grep -v '^#'
done >other.dat
verdict "another seed, update or temperature, other bytes" "exits 0" "rows paising.dat 20" "rows other.dat 60" \
    "! same <(sed -n 1,20p other.dat) paising.dat" "! same <(sed -n 21,40p other.dat) paising.dat" \
    "! same <(sed -n 41,60p other.dat | sed 's/ 0.45 / 0.44 /') paising.dat"

for options in '-u metropolis' '-D 4' '-L 5' '-R 0' '-n 0' '-X 1' 'word'; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run "$build/plain_clusters" $options
    verdict "plain_clusters refuses: $options" "exits 2" one_line "grep -q '^plain_clusters: usage: ' ${err@Q}" silent
done

# --- models whose spins are not Ising's ---

# Both programs: THREADS, the model of one and of the other, THERMALISATION, MEASUREMENTS, beta, and options of both. The
# dimension is in the model's name.
run_states() {
    local model=$2 plain=$3 before=$4 measured=$5 beta=$6 dimension=2
    [[ $model != *3d* ]] || dimension=3
    export OMP_NUM_THREADS=$1
    shift 6
    # shellcheck disable=SC2086 # options and their values
    run "$build/paising" --method canonical --update $update --model $model -D cpu -o r --thermalisation "$before" \
        --measurements "$measured" -b "$beta" -f "$beta" "$@"
    export -n OMP_NUM_THREADS
    # shellcheck disable=SC2086 # options and their values
    "$build/plain_states" -u $update -m $plain -D $dimension -w "$before" -n "$measured" -b "$beta" "$@" >plain.out || status=1
    grep -v '^#' plain.out >plain.dat
    grep -v '^#' r/MC_series.dat >paising.dat
}

agree_states() {
    begin
    run_states "$@"
    verdict "the same bytes: $update, $1 threads, ${*:2}" "exits 0" "rows plain.dat $5" "columns plain.dat 7" "same plain.dat paising.dat"
}

# Two and three colours, edges that no pair of sites divides, two states and many.
for update in heat-bath metropolis swendsen-wang wolff; do
    agree_states 1 'potts2d --states 3' 'potts -q 3' 2 20 0.8 -L 3 -R 5 -t 3 -P 17
    agree_states 2 'potts2d --states 2' 'potts -q 2' 0 20 0 -L 6 -R 4 -t 2 -s 0
    agree_states 2 'potts2d --states 10' 'potts -q 10' 2 10 1.42606 -L 16 -R 5 -t 18 -s 9007199254740991 -P 17
    agree_states 1 'potts2d --states 64' 'potts -q 64' 2 10 2.3 -L 7 -R 5 -t 2 -P 17
    agree_states 2 'potts3d --states 5' 'potts -q 5' 2 10 0.7 -L 6 -R 3 -t 4 -s 3 -P 17
    agree_states 1 'potts3d' 'potts' 2 10 100 -L 5 -R 3 -t 1 -s 3 -P 17
done
for update in heat-bath metropolis; do
    agree_states 1 'blume-capel2d' 'blume-capel' 2 20 0.6 -L 3 -R 5 -t 3 -P 17
    agree_states 2 'blume-capel2d --crystal-field 3931/2000' 'blume-capel -F 3931 -U 2000' 2 20 1.6393 -L 8 -R 5 -t 3 -P 17
    agree_states 1 'blume-capel3d --crystal-field -1/2' 'blume-capel -F -1 -U 2' 2 10 0.4 -L 6 -R 3 -t 5 -s 4 -P 17
    agree_states 1 'blume-capel3d --crystal-field 6/2' 'blume-capel -F 3' 2 10 1 -L 5 -R 3 -t 5 -s 4 -P 17
    agree_states 1 'baxter-wu' 'baxter-wu' 0 20 0.3 -L 3 -R 5 -t 3 -P 17
    agree_states 2 'baxter-wu' 'baxter-wu' 2 10 0.44068679 -L 12 -R 5 -t 5 -s 1 -P 17
done

begin
update=heat-bath
run_states 1 'potts2d --states 4' 'potts -q 4' 2 20 1 -L 8 -R 5 -t 2 -s 1
for other in '-u heat-bath -q 4 -s 2' '-u metropolis -q 4 -s 1' '-u heat-bath -q 5 -s 1'; do
    # shellcheck disable=SC2086 # options and their values
    "$build/plain_states" -w 2 -n 20 -b 1 -L 8 -R 5 -t 2 $other | grep -v '^#'
done >other.dat
verdict "another seed, update or number of states, other bytes" "exits 0" "rows paising.dat 20" "rows other.dat 60" \
    "! same <(sed -n 1,20p other.dat) paising.dat" "! same <(sed -n 21,40p other.dat) paising.dat" \
    "! same <(sed -n 41,60p other.dat) paising.dat"

for options in '-m ising' '-u random' '-m baxter-wu -L 4' '-m blume-capel -u wolff' '-q 65' '-R 0' '-X 1' 'word'; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run "$build/plain_states" $options
    verdict "plain_states refuses: $options" "exits 2" one_line "grep -q '^plain_states: usage: ' ${err@Q}" silent
done

# --- vectors ---

# THREADS, model, that of the plain program, dimension, and options of both, each by its short name in either.
agree_vectors() {
    local model=$2 plain=$3 dimension=$4 beta=$5 reflections=$6
    begin
    export OMP_NUM_THREADS=$1
    shift 6
    run "$build/paising" --method canonical --update "$update" --model "$model" --real "$real" --over-relaxation "$reflections" \
        -D cpu -o r --thermalisation 2 --measurements 10 -b "$beta" -f "$beta" -P 17 "$@"
    export -n OMP_NUM_THREADS
    "$build/plain_vectors" -u "$update" -m "$plain" -r "$real" -k "$reflections" -D "$dimension" -w 2 -n 10 -b "$beta" -P 17 "$@" \
        >plain.out || status=1
    grep -v '^#' plain.out >plain.dat
    grep -v '^#' r/MC_series.dat >paising.dat
    verdict "the same bytes: $model, $update, $real, beta $beta" "exits 0" "rows plain.dat 10" "columns plain.dat 7" \
        "same plain.dat paising.dat"
}

for update in metropolis heat-bath swendsen-wang wolff; do
    for real in float double; do
        agree_vectors 1 heisenberg2d heisenberg 2 1.1 2 -L 6 -R 5 -t 3
        agree_vectors 2 xy2d xy 2 0.7 0 -L 8 -R 5 -t 3 -s 3
        agree_vectors 2 heisenberg3d heisenberg 3 0.005 1 -L 2 -R 5 -t 3 -s 9007199254740991
        agree_vectors 2 xy3d xy 3 30 1 -L 4 -R 1 -t 4
    done
done

# Glasses: the couplings of the run.
agree_glass() {
    local plain=$1 dimension=$2
    shift 2
    begin
    run "$build/paising" --method canonical --update "$update" --model "$plain-glass${dimension}d" --real "$real" --over-relaxation 1 \
        -D cpu -o r --thermalisation 2 --measurements 10 -b 1.3 -f 1.3 -L 4 -R 5 -P 17 "$@"
    "$build/plain_vectors" -j r/PA_couplings.dat -u "$update" -m "$plain" -r "$real" -k 1 -D "$dimension" -w 2 -n 10 -b 1.3 -L 4 \
        -R 5 -P 17 >plain.out || status=1
    grep -v '^#' plain.out | cut -d ' ' -f -4 >plain.dat # without |M|, whose sums a glass does not show
    grep -v '^#' r/MC_series.dat >paising.dat
    verdict "the same bytes: $plain glass, $update, $real" "exits 0" "rows plain.dat 10" "same plain.dat paising.dat"
}
for update in metropolis heat-bath; do
    real=float
    agree_glass xy 2 -t 1
    agree_glass heisenberg 3 -t 1 --couplings-type gaussian --dilution 0.2
    real=double
    agree_glass xy 3 -t 1 --couplings-type gaussian
    agree_glass heisenberg 2 -t 1 --disorder 3
done
verdict "float and double, metropolis and heat bath: other bytes" "exits 0" \
    "! same <(\"$build/plain_vectors\" -w 2 -n 3 -L 4) <(\"$build/plain_vectors\" -w 2 -n 3 -L 4 -r double -u heat-bath)"

for options in '-m ising' '-u random' '-D 4' '-L 5' '-r fast' '-R 0' '-X 1' 'word' '-j none -u wolff'; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run "$build/plain_vectors" $options
    verdict "plain_vectors refuses: $options" "exits 2" one_line "grep -q '^plain_vectors: usage: ' ${err@Q}" silent
done

# --- orders of sites ---

# Both programs: arguments THREADS, MODEL, beta, those of either as LONG=SHORT with commas for spaces, and options of both.
run_visits() {
    local model=$2 beta=$3 dimension=2 long=${4%%=*} short=${4#*=}
    [ "$model" = square ] || dimension=3
    export OMP_NUM_THREADS=$1
    shift 4
    # shellcheck disable=SC2086 # options and their values
    run "$build/paising" --method canonical --model "$model" -c ssc -D cpu -o r --thermalisation 1 --measurements 6 \
        -b "$beta" -f "$beta" --update ${long//,/ } "$@"
    export -n OMP_NUM_THREADS
    # shellcheck disable=SC2086 # options and their values
    "$build/plain_visits" -D $dimension -w 1 -n 6 -b "$beta" -u ${short//,/ } "$@" >plain.out || status=1
    grep -v '^#' plain.out >plain.dat
    grep -v '^#' r/MC_series.dat >paising.dat
}

agree_visits() {
    begin
    run_visits "$@"
    verdict "the same bytes: $*" "exits 0" "rows plain.dat 6" "columns plain.dat 7" "same plain.dat paising.dat"
}

# Critical and cold, up to several turns of rounding; a replica a thread, and two threads for the tiles of a lattice.
for how in metropolis heat-bath; do
    of_both=--acceptance,$how
    agree_visits 1 square 0.44 tiles,--tile,2,--hits,3,$of_both=tiles,-T,2,-k,3,-a,$how -L 8 -R 5 -t 3 -P 17
    agree_visits 2 square 1.5 tiles,--tile,6,--hits,20,--palindrome,$of_both=tiles,-T,6,-k,20,-p,-a,$how -L 24 -R 1 -t 2 -P 17
    agree_visits 1 square 0.44 sequential,$of_both=sequential,-a,$how -L 6 -R 3 -t 20 -s 0 -P 17
    agree_visits 1 square 0.44 random,$of_both=random,-a,$how -L 10 -R 3 -t 17 -s 9007199254740991 -P 17
    agree_visits 2 square 0.44 double-tiling,--tile,8,--hits,3,$of_both=double-tiling,-T,8,-k,3,-a,$how -L 16 -R 1 -t 2 -P 17
    agree_visits 1 square 0.44 dead-border,--tile,6,--hits,9,--common-sites,$of_both=dead-border,-T,6,-k,9,-c,-a,$how -L 18 -R 3 -t 2 -P 17
    agree_visits 2 cubic 0.22 tiles,--tile,4,--hits,2,$of_both=tiles,-T,4,-k,2,-a,$how -L 8 -R 3 -t 2 -P 17
    agree_visits 1 cubic 0 sequential,$of_both=sequential,-a,$how -L 6 -R 3 -t 2 -P 17
    agree_visits 1 cubic 0.22 double-tiling,--tile,4,--common-sites,$of_both=double-tiling,-T,4,-c,-a,$how -L 8 -R 3 -t 2 -P 17
    agree_visits 2 cubic 0.22 dead-border,--tile,6,--hits,3,$of_both=dead-border,-T,6,-k,3,-a,$how -L 12 -R 1 -t 1 -P 17
done

begin
run_visits 1 square 0.44 tiles,--tile,4,--hits,2=tiles,-T,4,-k,2 -L 8 -R 5 -t 2
for other in '-T 2 -k 2' '-T 4 -k 2 -p' '-T 8 -k 2' '-T 4 -k 2 -s 1'; do
    # shellcheck disable=SC2086 # options and their values
    "$build/plain_visits" -u tiles -w 1 -n 6 -b 0.44 -L 8 -R 5 -t 2 $other | grep -v '^#' >other.dat
    same other.dat paising.dat && echo "$other" >>alike
done
verdict "other tiles, order or seed, other bytes" "exits 0" "rows other.dat 6" "! [ -e alike ]"

for options in '-u metropolis' '-u tiles -T 3' '-u tiles -T 32 -L 32 -k 1 -p' '-u tiles -T 8 -L 24' '-u random -k 2' '-a x' 'word'; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run "$build/plain_visits" $options
    verdict "plain_visits refuses: $options" "exits 2" one_line "grep -q '^plain_visits: usage: ' ${err@Q}" silent
done

# --- flat histograms ---

# Both programs: threads, method, options of plain_flat, and those of paising that mean the same.
agree_flat() {
    begin
    # shellcheck disable=SC2086 # options and their values
    OMP_NUM_THREADS=$1 run "$build/paising" -D cpu --method "$2" -o r $4
    # shellcheck disable=SC2086
    "$build/plain_flat" -m "$2" $3 >plain.out || status=1
    sed -n 's/^# exchanges: //p' plain.out >exchanges.plain
    [[ $4 != *--windows* ]] || grep -v '^#' r/FH_exchanges.dat | cut -d ' ' -f 1,4,5 >exchanges.paising
    [[ $4 == *--windows* ]] || : >exchanges.paising # a single window has none
    verdict "the same bytes: $2, $1 threads, $4" "exits 0" "[ \$(grep -vc '^#' r/FH_density.dat) -ge 15 ]" \
        "same <(grep -v '^#' plain.out) <(grep -v '^#' r/FH_density.dat | cut -d ' ' -f 1,2,4-9)" \
        "same <(sed -n 's/^# \([0-9]\)/\1/p' plain.out) <(grep -v '^#' r/FH_iterations.dat | cut -d ' ' -f 1-7)" \
        "same <(sed -n 's/^# round trips: //p' plain.out) <(sed -n 's/^# \([0-9]*\) round trips .*/\1/p' r/FH_density.dat)" \
        "same exchanges.plain exchanges.paising" \
        "same <(awk '{ t += \$2; a += \$3 } END { if (NR) print a \" of \" t }' exchanges.plain) \
            <(sed -n 's/^# \([0-9]* of [0-9]*\) exchanges .*/\1/p' r/FH_iterations.dat)"
}

few="-L 4 -R 5 -t 3 -w 4 -i 100 -n 240 -I 20"
few_of_paising="-L 4 -R 5 -t 3 --thermalisation 4 --iteration-length 100 --measurements 240 --iterations 20"
agree_flat 1 multicanonical "$few" "$few_of_paising"
agree_flat 2 multicanonical "$few -W 3 -v 0.6 -P 17 -s 3" "$few_of_paising --windows 3 --window-overlap 0.6 -P 17 -s 3"
agree_flat 2 multicanonical "-L 8 -R 3 -t 2 -w 2 -i 12 -n 50 -I 40 -P 17" \
    "-L 8 -R 3 -t 2 --thermalisation 2 --iteration-length 12 --measurements 50 --iterations 40 -P 17"
agree_flat 1 wang-landau "-L 4 -R 5 -t 3 -w 400 -i 100 -n 20 -I 20 -l 1e-2" \
    "-L 4 -R 5 -t 3 --thermalisation 400 --iteration-length 100 --measurements 20 --iterations 20 --last-ln-f 1e-2"
agree_flat 2 wang-landau "$few -l 1e-4" "$few_of_paising --last-ln-f 1e-4"
agree_flat 2 multicanonical "-L 8 -R 3 -t 2 -w 2 -i 12 -n 50 -I 40 -P 17 -A -110 -B -20" \
    "-L 8 -R 3 -t 2 --thermalisation 2 --iteration-length 12 --measurements 50 --iterations 40 -P 17 --lowest-energy -110 --highest-energy -20"
agree_flat 1 wang-landau "-L 8 -R 3 -t 2 -w 2 -i 12 -n 50 -I 40 -P 17 -A -8 -W 3" \
    "-L 8 -R 3 -t 2 --thermalisation 2 --iteration-length 12 --measurements 50 --iterations 40 -P 17 --lowest-energy -8 --windows 3"
agree_flat 1 wang-landau "$few -l 1e-3 -y 0 -b 37 -x 0.6 -W 3" \
    "$few_of_paising --last-ln-f 1e-3 --refinement halved --block-attempts 37 --flatness 0.6 --windows 3"

# Graphs: a triangular antiferromagnet in a field, squares with couplings of next-nearest neighbours, too, and isolated sites, whose levels
# have most of the changes never; and the bonds of an even lattice, whose random states are those of the lattice.
awk 'BEGIN { for (i = 0; i < 36; i++) { x = i % 6; y = int(i / 6); up = (y + 1) % 6 * 6
    print i, y * 6 + (x + 1) % 6, -1; print i, up + x, -1; print i, up + (x + 1) % 6, -1; print i, i, 1 } }' >../triangular
awk 'BEGIN { for (i = 0; i < 16; i++) { x = i % 4; y = int(i / 4); up = (y + 1) % 4 * 4
    print i, y * 4 + (x + 1) % 4, 3; print i, up + x, 3; print i, up + (x + 1) % 4, -2; print i, up + (x + 3) % 4, -2 }
    print 18, 18, 5; print 17, 4, 0 }' >../squares
awk 'BEGIN { for (i = 0; i < 64; i++) { x = i % 8; y = int(i / 8); print i, y * 8 + (x + 1) % 8, 1; print i, (y + 1) % 8 * 8 + x, 1 } }' \
    >../even
few="-R 5 -t 3 -w 4 -i 100 -n 240 -I 20 -P 17"
few_of_paising="-R 5 -t 3 --thermalisation 4 --iteration-length 100 --measurements 240 --iterations 20 -P 17"
for threads in 1 2; do
    agree_flat $threads multicanonical "$few -G ../triangular" "$few_of_paising --graph ../triangular"
done
agree_flat 2 wang-landau "$few -l 1e-4 -G ../squares" "$few_of_paising --last-ln-f 1e-4 --graph ../squares"
agree_flat 1 multicanonical "$few -G ../squares -W 3 -A -38 -B 60" \
    "$few_of_paising --graph ../squares --windows 3 --lowest-energy -38 --highest-energy 60"
agree_flat 2 wang-landau "$few -l 1e-3 -G ../triangular -W 5 -v 0.7 -A -30 -B 0" \
    "$few_of_paising --last-ln-f 1e-3 --graph ../triangular --windows 5 --window-overlap 0.7 --lowest-energy -30 --highest-energy 0"
agree_flat 1 multicanonical "$few -L 8" "$few_of_paising --graph ../even"
# Steps that are walked in pieces.
agree_flat 2 multicanonical "-R 2 -t 400 -w 1 -i 4 -n 8 -I 3 -P 17 -G ../triangular" \
    "-R 2 -t 400 --thermalisation 1 --iteration-length 4 --measurements 8 --iterations 3 -P 17 --graph ../triangular"
few="-L 4 -R 5 -t 3 -w 4 -i 100 -n 240 -I 20"

begin
# shellcheck disable=SC2086
for seed in 1 2; do "$build/plain_flat" $few -s $seed >$seed.out; done
verdict "another seed, other bytes" "exits 0" "! same <(grep -v '^#' 1.out) <(grep -v '^#' 2.out)"
for options in '-m canonical' '-L 5' '-W 0' '-v 1' '-A 120' '-n 0' '-X 1' 'word'; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run "$build/plain_flat" $options
    verdict "plain_flat refuses: $options" "exits 2" one_line "grep -q '^plain_flat: usage: ' ${err@Q}" silent
done
begin
run "$build/plain_flat" -G none
verdict "plain_flat refuses a graph that is not there" "exits 2" one_line "grep -q '^plain_flat: none: not a graph' ${err@Q}" silent

# --- microcanonical annealing ---

# Both programs: threads, model of plain_ceilings, that of paising, and options of both.
agree_ceilings() {
    local threads=$1 model=$2 same_model=$3
    shift 3
    begin
    # shellcheck disable=SC2086 # options and their values
    OMP_NUM_THREADS=$threads run "$build/paising" -D cpu --method microcanonical $same_model -d 1 -M 1 -o r "${@/#-c/--cull}"
    # shellcheck disable=SC2086
    "$build/plain_ceilings" $model "$@" >plain.out || status=1
    verdict "the same bytes: microcanonical, $threads threads, $model $*" "exits 0" "[ \$(wc -l <plain.out) -ge 20 ]" \
        "same <(sed -n 's/^# //p' plain.out) <(grep -v '^#' r/MA_ceilings.dat | cut -d ' ' -f 2,3,5)" \
        "same <(grep -v '^#' plain.out) <(grep -v '^#' r/MA_entropy.dat | cut -d ' ' -f 1,2,4)"
}

agree_ceilings 1 "-m ising" "--model square" -L 4 -R 200 -t 2 -f 1 -s 3
agree_ceilings 2 "-m ising" "--model square" -L 10 -R 33 -t 3 -f 0.6 -c 0.3 -P 17
agree_ceilings 1 "-m potts -q 3" "--model potts2d --states 3" -L 6 -R 100 -t 1 -f 1 -c 0.4
agree_ceilings 2 "-m potts -q 10" "--model potts2d --states 10" -L 8 -R 20 -t 2 -f 1.5 -c 0.5 -s 5 -P 17
agree_ceilings 1 "-m potts -q 64" "--model potts2d --states 64" -L 4 -R 5 -t 1 -f 3 -c 0.9 -s 7

begin
for options in '-c 0.1 -s 1' '-c 0.1 -s 2' '-c 0.7 -s 1'; do
    # shellcheck disable=SC2086
    "$build/plain_ceilings" -m ising -L 4 -R 20 -t 1 $options | cksum
done | sort | uniq -d >alike
verdict "another seed or ceiling, other bytes" "exits 0" "! [ -s alike ]"
for options in '-m xy' '-L 5' '-c 1' '-q 65' '-X 1' 'word'; do
    begin
    # shellcheck disable=SC2086 # each is an option and its value
    run "$build/plain_ceilings" $options
    verdict "plain_ceilings refuses: $options" "exits 2" one_line "grep -q '^plain_ceilings: usage: ' ${err@Q}" silent
done

if [ -w /dev/full ]; then
    begin
    "$build/plain" -L 4 -R 3 -t 1 >/dev/full 2>"$err"
    status=$?
    verdict "standard output on a full disk" "exits 1"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
