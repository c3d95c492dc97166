#!/usr/bin/env bash
# By how much multi-spin coding inflates statistical errors (Barash et al. 2017, Sec. 4): the last
# column of Table 1 and Fig. 2. `make inflation` calls it from the top folder.
#   inflation.sh                    all of the following
#   inflation.sh curves [CURVE...]  makes the curves named, or all, that are not there yet
#   inflation.sh table              judges what is there: inflation.dat and inflation.md
#   inflation.sh figures [FOLDER]   draws the pictures of an inflation.dat
# Results go to build/inflation/PROFILE. Environment:
#   PROFILE=quick    some minutes on two cores (default)
#   PROFILE=paper    the parameters of Fig. 2, for a GPU
#   PROFILE=table1   those of Table 1: 90 s of an H200 for a run of each curve
#   PROFILE=brief    some of the curves, for make check
#   RUNS=200         runs of each curve
#   DEVICE=auto      auto (default), cpu or cuda:N
#
# An interrupted command goes on where it stopped. Several GPUs are given different curves. Status 1: something failed, curves are missing or a claim does not hold.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/../../ci/usage.sh"
usage "validate/inflation/inflation.sh [curves [CURVE...] | table | figures [FOLDER]]" 99 "$@"
cd "$(dirname "$0")/../.."
self=validate/inflation/inflation.sh
profile=${PROFILE:-quick}
device=${DEVICE:-auto}
folder=build/inflation/$profile
runs=${RUNS:-200}

refuse() {
    echo "inflation: $1" >&2
    exit 2
}

[[ $runs =~ ^([2-9]|[1-9][0-9]{1,3})$ ]] || refuse "RUNS=$runs; allowed are 2 to 9999"

# The simulations of each model: L, R, theta, dbeta, the last beta, and the seed of a glass. The paper has the first.
case $profile in
brief) plans='square 16 128 4 0.05 1 -
glass3d 6 64 4 0.05 1 2026' ;;
quick) plans='square 16 1024 4 0.025 1 -
cubic 6 1024 4 0.025 0.5 -
glass3d 6 1024 5 0.05 1 2026' ;;
paper) plans='square 64 10000 100 0.002 1 -
cubic 16 10000 20 0.005 0.5 -
glass3d 8 10000 50 0.02 1 2026' ;;
table1) plans='square 128 80000 500 0.02 1 -' ;;
*) refuse "PROFILE=$profile; allowed are brief, quick, paper and table1" ;;
esac

# Name, coding, p, mode and model of each curve; of a model the longest first. Curve n of them has the seed
# 20170000 + n: the curves are independent. The bits of philox and independent do not depend on p.
curves='ssc ssc - - square
philox msc 32 philox square
shared-8 msc 8 shared square
shared-16 msc 16 shared square
shared-32 msc 32 shared square
shared-64 msc 64 shared square
lcg-8 msc 8 lcg square
lcg-16 msc 16 lcg square
lcg-32 msc 32 lcg square
lcg-64 msc 64 lcg square
independent msc 32 independent square
shared-reorder-8 msc 8 shared-reorder square
shared-reorder-16 msc 16 shared-reorder square
shared-reorder-32 msc 32 shared-reorder square
shared-reorder-64 msc 64 shared-reorder square
cubic-ssc ssc - - cubic
cubic-independent msc 32 independent cubic
glass3d-ssc ssc - - glass3d
glass3d-independent msc 32 independent glass3d'
mapfile -t names < <(cut -d ' ' -f 1 <<<"$curves")
if [ "$profile" = brief ]; then
    names=(ssc shared-8 shared-reorder-8 independent glass3d-ssc glass3d-independent)
elif [ "$profile" = table1 ]; then
    names=(ssc philox shared-8 shared-16 shared-32 shared-64 lcg-8 lcg-16 lcg-32 lcg-64)
fi

# --- curves ---

# The header lines of a result that say how it was made: parameters of a curve, one "name value" each.
parameters_of() {
    local number name coding word rng model size population sweeps dbeta end disorder
    read -r number name coding word rng model < <(cat -n <<<"$curves" | awk -v name="$1" '$2 == name')
    read -r size population sweeps dbeta end disorder < <(sed -n "s/^$model //p" <<<"$plans")
    printf '%s\n' "size $size" "population $population" "sweeps $sweeps" 'beta-start 0' "beta-end $end" \
        "dbeta $dbeta" "runs $runs" "seed $((20170000 + number))" "coding $coding"
    if [ "$model" != square ]; then
        printf '%s\n' "model $model"
    fi
    if [ "$disorder" != - ]; then
        printf '%s\n' "disorder $disorder"
    fi
    if [ "$coding" = msc ]; then
        printf '%s\n' "word $word" "rng $rng"
    fi
}

# Makes one curve, or what an interruption left of it, or says that it is there: whole, with run.json and no checkpoint.
make_curve() {
    local curve=$folder/$1 line options=() start=$SECONDS
    if [ -e "$curve/run.json" ] && [ ! -e "$curve/checkpoint" ]; then
        while read -r line; do
            grep -Fqx "# $line" "$curve/PA_results_weighted.dat" || {
                echo "inflation: $curve is a result of other parameters (not of $line);" \
                    "move or remove it" >&2
                return 1
            }
        done < <(parameters_of "$1")
        echo "$1: there already"
        return
    fi
    mkdir -p "$curve"
    exec 9<"$curve"
    if ! flock -n 9; then
        echo "$1: left to another process that makes it"
        return
    fi
    while read -r line; do
        options+=("--${line/ /=}")
    done < <(parameters_of "$1")
    build/paising "${options[@]}" --device="$device" --output="$curve" --checkpoint="$curve/checkpoint" --continue >/dev/null
    rm -f "$curve/checkpoint"
    echo "$1: made in $((SECONDS - start)) s"
}

# That a curve of philox or independent stands for every p: short runs give the same rows, byte for
# byte, while those of lcg differ, or else the comparison would see nothing. Leaves one in $scratch/run.
check_words() {
    local mode p differ
    for mode in philox independent lcg; do
        differ=0
        for p in 32 8 16 64; do
            build/paising -L 16 -R 1000 -t 3 -f 0.6 -d 0.1 -s 1 -g $mode -p $p --device="$device" \
                -o "$scratch/run" --force >/dev/null
            if [ "$device" = auto ] && grep -q '"driver": null' "$scratch/run/run.json"; then
                device=cpu
            fi
            grep -v '^#' "$scratch/run/PA_results_run_0.dat" >"$scratch/$p"
            cmp -s "$scratch/$p" "$scratch/32" || differ=$((differ + 1))
        done
        case $mode-$differ in
        lcg-3 | philox-0 | independent-0) ;;
        *)
            echo "inflation: $mode: $differ of 3 word sizes give rows other than p = 32" >&2
            return 1
            ;;
        esac
    done
    echo "philox, independent: the same rows for p = 8, 16, 32, 64"
}

# Makes the curves named: one after the other on a GPU, one on each core of a CPU.
make_curves() {
    local name jobs=1
    for name in "$@"; do
        grep -q "^$name " <<<"$curves" || refuse "curve $name; allowed are ${names[*]}"
    done
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    check_words
    export DEVICE=$device
    if [ "$device" = cpu ]; then
        jobs=$(nproc)
        export OMP_NUM_THREADS=1
    fi
    mkdir -p "$folder"
    # The progress of several at a time would be a muddle; it is shown on a terminal only.
    if [ "$jobs" -gt 1 ]; then
        printf '%s\n' "$@" | xargs -P "$jobs" -n 1 $self one 2> >(cat >&2) || return 1
    else
        printf '%s\n' "$@" | xargs -n 1 $self one || return 1
    fi
}

# --- results ---

# A table of before goes first: what is shown is of now.
table() {
    local status=0
    rm -f "$folder/inflation.md" "$folder/inflation.dat"
    build/inflation_table "$folder" "${names[@]}" || status=$?
    [ ! -e "$folder/inflation.md" ] || cat "$folder/inflation.md"
    return $status
}

# The pictures of FOLDER/inflation.dat, beside it.
figures() {
    local figure
    if [ ! -e "$1/inflation.dat" ]; then
        echo "inflation: $1/inflation.dat is not there: no pictures" >&2
        return 1
    fi
    if ! command -v gnuplot >/dev/null; then
        echo "SKIP: pictures: gnuplot is not there"
        return
    fi
    for figure in shared modes ratio; do
        gnuplot -e "folder='$1'" plots/inflation_$figure.gp
        echo "$1/inflation_$figure.png"
    done
}

verb=${1:-all}
[ $# -eq 0 ] || shift
case $verb in
all)
    status=0
    $self curves || status=$?
    [ $status -lt 2 ] || exit $status
    $self table || status=1
    $self figures || status=1
    exit $status
    ;;
curves)
    [ $# -gt 0 ] || set -- "${names[@]}"
    make_curves "$@"
    ;;
one) make_curve "$1" ;; # called by make_curves
table) table ;;
figures) figures "${1:-$folder}" ;;
*) refuse "unknown word $verb; allowed are curves, table and figures" ;;
esac
