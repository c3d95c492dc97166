#!/usr/bin/env bash
# The same bits everywhere, at scale; `make identity` calls it from the top folder.
#   CASES=200   engines against each other, case by case of a random grid (build/identity)
#   SETS=24     then the whole program: the data files of random sets of options, byte for byte;
#               24 sets have every p in every mode, and both codings
#   SEED=...    of the grid and the sets, a decimal number below 2^63; default: a new one, printed
#   DEVICE=...  cuda or cuda:N, held against the CPU; cpu: one thread against all; default: cuda, or
#               without a GPU, after a line that says so, cpu
# Status 1 if anything differs, or a planted fault is missed; 2 if a value is not allowed.
set -euo pipefail

refuse() {
    echo "identity: $1" >&2
    exit 2
}

cases=${CASES:-200} sets=${SETS:-24} device=${DEVICE:-}
seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
[[ $sets =~ ^[0-9]{1,6}$ ]] || refuse "SETS='$sets': allowed: 0 to 999999"
[[ $seed =~ ^[0-9]{1,18}$ ]] || refuse "SEED='$seed': allowed: a decimal number of up to 18 digits"
[[ $device =~ ^(|cpu|cuda|cuda:[0-9]{1,4})$ ]] ||
    refuse "DEVICE='$device': allowed: cpu, cuda, cuda:N"
threads=$(nproc)
[ "$threads" -gt 1 ] || threads=2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# --- engines ---

case $device in
'') devices=() ;;
cpu) devices=(--devices "cpu:1,cpu:$threads") ;;
*) devices=(--devices "cpu,$device") ;;
esac
engines=0
build/identity --cases "$cases" --seed "$seed" "${devices[@]}" || engines=$?
[ $engines -ne 2 ] || exit 2

# --- the program ---

# What the two sides of the comparison are.
one=(env build/paising -D cpu) other=(env build/paising -D "${device:-cuda}")
skipped=''
if [ -z "$device" ] && ! skipped=$("${other[@]}" -L 16 -R 1 -t 1 -f 0 -o "$scratch/there" 2>&1 >/dev/null); then
    device=cpu
fi
if [ "$device" = cpu ]; then
    one=(env OMP_NUM_THREADS=1 build/paising -D cpu)
    other=(env OMP_NUM_THREADS="$threads" build/paising -D cpu)
fi

# A random number from 0 to $1 - 1, in `drawn`: the high bits of an LCG (Knuth's MMIX), so that every
# bash draws the same.
state=$seed drawn=0
draw() {
    state=$((state * 6364136223846793005 + 1442695040888963407))
    drawn=$(((state >> 33 & 0x3fffffff) % $1))
}

# One of the words given, in `drawn`.
pick() {
    draw $#
    drawn=${*:drawn+1:1}
}

# The options of set number $1, in `options`: of 24 sets, four are ssc and the others have every p and
# mode. A population that dies is one, too: the program must then say the same.
draw_options() {
    local msc=$(($1 - ($1 + 1) / 6)) modes=(independent philox shared shared-reorder lcg)
    if [ $(($1 % 6)) -eq 5 ]; then
        pick 4 6 10 16 22 32 40 64
        options=(-c ssc -L "$drawn")
    else
        pick 16 16 32 32 48 64 80 128
        options=(-c msc -L "$drawn" -p $((8 << msc / 5 % 4)) -g "${modes[msc % 5]}")
    fi
    local sites=$((drawn * drawn)) population
    pick 1 1 2 3 5 8
    options+=(-t "$drawn")
    population=$((1000000 / sites / drawn)) # some second on one core
    draw $((population < 5000 ? population : 5000))
    population=$((drawn + 1))
    options+=(-R "$population")
    pick 0.6 1 1.3
    options+=(-f "$drawn")
    draw 3
    if [ "$drawn" -eq 0 ] && [ $population -ge 100 ]; then
        pick 0.75 0.85 0.9
        options+=(-a "$drawn")
    else
        pick 0.01 0.025 0.05 0.1
        options+=(-d "$drawn")
    fi
    draw 3
    [ "$drawn" -gt 0 ] || options+=(-b 0.35)
    draw 3
    options+=(-M $((drawn + 1)))
    draw 2
    [ "$drawn" -gt 0 ] || options+=(-m0.02)
    draw 1000000
    options+=(-P 17 -s "$drawn")
}

# Runs the program of a side ($1: one, other) into its folder.
run_side() {
    local -n command=$1
    local status=0
    "${command[@]}" "${options[@]}" -o "$scratch/$1" --force >/dev/null 2>"$scratch/$1.err" || status=$?
    echo $status >"$scratch/$1.status"
}

# The data files of a folder; a run that fails leaves none.
data_files() {
    [ ! -d "$1" ] || find "$1" -type f ! -name run.json -printf '%P\n' | sort
}

# Compares the files of two folders; prints the first difference. Status 1: there is one.
compare_folders() {
    local file
    if [ "$(data_files "$1")" != "$(data_files "$2")" ]; then
        echo "other files: $(data_files "$1" | tr '\n' ' ')against $(data_files "$2" | tr '\n' ' ')"
        return 1
    fi
    for file in $(data_files "$1"); do
        cmp "$1/$file" "$2/$file" 2>&1 || return 1
    done
}

# The same for all that the two sides left.
compare_sides() {
    local what
    for what in status err; do
        if ! cmp -s "$scratch/one.$what" "$scratch/other.$what"; then
            echo "$what: $(head -n 1 "$scratch/one.$what") against $(head -n 1 "$scratch/other.$what")"
            return 1
        fi
    done
    compare_folders "$scratch/one" "$scratch/other"
}

# Negative controls: one digit of one file changed, and a file missing.
find_planted_faults() {
    local file
    options=(-L 16 -R 50 -t 1 -d 0.25 -M 2 -m)
    run_side one
    for file in $(data_files "$scratch/one"); do
        rm -rf "$scratch/spoilt"
        cp -r "$scratch/one" "$scratch/spoilt"
        compare_folders "$scratch/one" "$scratch/spoilt" || return 1
        sed -i '$ s/\(.*\)[0-8]/\19/' "$scratch/spoilt/$file"
        ! compare_folders "$scratch/one" "$scratch/spoilt" >/dev/null || return 1
        rm "$scratch/spoilt/$file"
        ! compare_folders "$scratch/one" "$scratch/spoilt" >/dev/null || return 1
    done
}

echo
echo "# the whole program, seed $seed: ${one[*]:1} against ${other[*]:1}"
[ -z "$skipped" ] || echo "# SKIP: CUDA against CPU: $skipped"
missed=0
find_planted_faults || missed=1
echo "# controls: a changed digit and a missing file are $([ $missed -eq 0 ] && echo found || echo MISSED)"
same=0 different=0 files=0
echo "# set result status files options"
for ((set = 0; set < sets; set++)); do
    draw_options "$set"
    rm -rf "$scratch/one" "$scratch/other"
    run_side one
    run_side other
    result=same
    difference=$(compare_sides) || result=DIFFERENT
    count=$(data_files "$scratch/one" | wc -l)
    printf '%5d %-9s %d %2d   %s\n' "$set" $result "$(<"$scratch/one.status")" "$count" "${options[*]}"
    if [ $result = same ]; then
        same=$((same + 1)) files=$((files + count))
    else
        different=$((different + 1))
        echo "# ${difference//"$scratch/"/}"
    fi
done
echo "# repeat: make identity SEED=$seed CASES=$cases SETS=$sets${DEVICE:+ DEVICE=$DEVICE}"
echo "# ${skipped:+SKIP: CUDA against CPU; }${one[*]:1} against ${other[*]:1}: $same sets of options the same ($files files), $different different"
[ $engines -eq 0 ] && [ $missed -eq 0 ] && [ $different -eq 0 ]
