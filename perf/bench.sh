#!/usr/bin/env bash
# Measures t_SF (eq. 11) of the program at every point of a list. Each point: a run to warm up, five
# timed runs, and the check that every one of them wrote the same bytes as the first, and the same first
# temperatures as a run made in another way. A point ends in one file, so that an interrupted benchmark
# goes on where it stopped; a complete one is left alone.
#
#   perf/bench.sh [--profile quick|paper] [--device auto|cpu|cuda|cuda:N] [--output FOLDER] [--force]
#                 [--points FILE] [--program build/paising]
#
# FOLDER [build/bench/PROFILE]: machine.dat, points.dat (the list), ceiling.dat (perf/ceiling.cu),
# points/ID.dat (the timed runs) and, at the end, results.dat: the medians, a point a row, from which
# perf/tables.sh makes the tables. --force begins anew.
# Status 0: everything was measured and is right; 1: a result was wrong or a run failed; 2: refused.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly timed_runs=5
readonly check_steps=4 # temperatures compared with a run made in another way

refuse() {
    echo "bench: $1" >&2
    exit 2
}

fail() {
    echo "bench: $1" >&2
    exit 1
}

profile=quick device=auto folder='' points='' program=build/paising force=no
while [ $# -gt 0 ]; do
    case $1 in
    --force) force=yes ;;
    --profile | --device | --output | --points | --program)
        [ $# -ge 2 ] || refuse "$1: a value is missing"
        case $1 in
        --profile) profile=$2 ;;
        --device) device=$2 ;;
        --output) folder=$2 ;;
        --points) points=$2 ;;
        --program) program=$2 ;;
        esac
        shift
        ;;
    *) refuse "$1: unknown option; allowed are --profile, --device, --output, --points, --program, --force" ;;
    esac
    shift
done
case $profile in quick | paper) ;; *) refuse "--profile $profile: allowed are quick, paper" ;; esac
[[ $device =~ ^(auto|cpu|cuda(:[0-9]+)?)$ ]] || refuse "--device $device: allowed are auto, cpu, cuda, cuda:N"
[ -z "$points" ] || [ -r "$points" ] || refuse "--points $points: cannot be read"
[ -x "$program" ] || refuse "--program $program: is not there; make builds it"
folder=${folder:-build/bench/$profile}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Gives a file its final name, once it is whole: publish NAME < CONTENT
publish() {
    cat >"$folder/.new"
    mv "$folder/.new" "$folder/$1"
}

# A member of a run.json: json FILE NAME
json() {
    sed -n "s/^ *\"$2\": \"\{0,1\}\([^\"]*[^\",]\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" | head -n 1
}

# --- the machine ---

# Sets machine, gpu or cpu, and number, of the GPU; writes what results depend on to $scratch/machine.
find_machine() {
    "$program" -D "$device" -L 16 -R 1 -t 1 -f 0 -o "$scratch/probe" >"$scratch/log" 2>&1 ||
        refuse "--device $device: $(tail -n 1 "$scratch/log")"
    local json=$scratch/probe/run.json driver processor name
    driver=$(json "$json" driver)
    processor=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
    processor=${processor:-unknown CPU}
    machine=gpu number=0
    case $device in cuda:*) number=${device#cuda:} ;; esac
    name=$(json "$json" engine)
    name=${name#* on }
    [ "$driver" != null ] || { machine=cpu && name=$processor; }
    {
        echo "# device $name"
        [ $machine = cpu ] || echo "# driver $driver"
        if [ $machine = gpu ] && command -v nvidia-smi >/dev/null; then
            nvidia-smi -i "$number" --format=csv,noheader \
                --query-gpu=clocks.max.sm,clocks.max.mem,power.limit |
                awk -F ', ' '{ print "# clocks at most " $1 ", memory " $2 "; power at most " $3 }'
        fi
        echo "# cpu $processor, $(nproc) threads"
        echo "# commit $(json "$json" commit)"
    } >"$scratch/machine"
}

# --- one point ---

metered=() # what runs the program

# Sets `options` from a row of the list.
options_of() {
    read -r id on coding size population sweeps word mode dbeta beta_end stages check _ <<<"$1"
    options=(-c "$coding" -L "$size" -R "$population" -t "$sweeps" -d "$dbeta" -f "$beta_end")
    [ "$coding" = ssc ] || options+=(-p "$word" -g "$mode")
    if [ "$on" = cpu ]; then
        options+=(-D cpu)
    else
        options+=(-D "cuda:$number")
        [ "$stages" = fused ] || options+=(--stages "$stages")
    fi
}

# Runs the program with the point's options and more; the result goes to $scratch/$1.
run() {
    local to=$scratch/$1
    shift
    "${metered[@]}" "$program" "${options[@]}" "$@" -o "$to" --force >"$scratch/log" 2>&1
}

# The same for a timed run, metered when that is asked for: prints its row.
timed_run() {
    local joules=nan
    [ "$2" = no ] || metered=(build/energy -D "cuda:$number" -o "$scratch/joules" --)
    run timed || fail "$id: $(tail -n 1 "$scratch/log")"
    [ "$2" = no ] || joules=$(awk '!/^#/ { print $1 }' "$scratch/joules")
    metered=()
    timings "$1" "$scratch/timed" "$joules"
    same_results "$scratch/warm" "$scratch/timed" ||
        echo "#wrong: run $1 has other results than the warm-up"
}

# Whether the energy of a run like the warm-up is worth asking for: on a GPU, and long beside the start
# of its process, which the meter counts too.
worth_metering() {
    [ "$on" = gpu ] && [ -x build/energy ] &&
        awk -v total="$(json "$scratch/warm/run.json" total)" 'BEGIN { exit !(total >= 0.4) }'
}

# The first rows of a result, those of `check_steps` temperatures above beta = 0.
first_rows() {
    grep -v '^#' "$1" | head -n $((check_steps + 1))
}

# What a timed run took, as a row: its number, t_SF in ps, seconds by stage and in total, joules.
timings() {
    awk -F ': *' -v number="$1" -v joules="$3" '
        { gsub(/[ ",]/, ""); sub(/null$/, "nan"); value[$1] = $2 }
        function second(name) { return name in value ? value[name] : "nan" }
        END {
            printf "%d %.6g %s %s %s %s %s %s %s %s %s %s\n", number, 1000 * value["t_SF_ns"],
                second("resample"), second("sweep"), second("measure"), second("step"),
                second("round_trip"), value["total"], value["spin_flips"], value["temperatures"] - 1,
                value["threads"], joules
        }' "$2/run.json"
}

# Whether every data file of two results is the same.
same_results() {
    local file
    for file in "$1"/*.dat; do
        cmp -s "$file" "$2/${file##*/}" || return 1
    done
}

# Makes the same first temperatures in another way and compares them; says what is wrong, if anything.
check_otherwise() {
    local way=() other threads=${OMP_NUM_THREADS-}
    case $check in
    -) return ;;
    cpu) way=(-D cpu) ;;
    fused | apart) way=(--stages "$check") ;;
    thread) export OMP_NUM_THREADS=1 ;;
    *) fail "$id: check '$check' is unknown" ;;
    esac
    # The last -D and --stages count; the CPU knows no stages.
    [ "$check" != cpu ] || [ "$stages" = fused ] || fail "$id: check cpu is for fused stages"
    other=0
    run other "${way[@]}" -f "$(awk "BEGIN { n = $check_steps * $dbeta; print n < $beta_end ? n : $beta_end }")" ||
        other=$?
    if [ -n "$threads" ]; then export OMP_NUM_THREADS=$threads; else unset OMP_NUM_THREADS; fi
    [ $other -eq 0 ] || fail "$id, check $check: $(tail -n 1 "$scratch/log")"
    cmp -s <(first_rows "$scratch/other/PA_results_run_0.dat") \
        <(first_rows "$scratch/warm/PA_results_run_0.dat") ||
        echo "#wrong: other results than with $check"
}

# Measures the point of a row of the list and publishes it.
measure() {
    local n status=0 meter=no
    options_of "$1"
    run warm || status=$?
    if [ $status -eq 2 ]; then # what this machine cannot do, such as hold the population
        echo "# $id: not measured: $(tail -n 1 "$scratch/log")" | publish "points/$id.dat"
        return
    fi
    [ $status -eq 0 ] || fail "$id: $(tail -n 1 "$scratch/log")"
    ! worth_metering || meter=yes
    {
        echo "# $1"
        echo "# run t_SF/ps resample/s sweep/s measure/s step/s round_trip/s total/s flips steps threads energy/J"
        for ((n = 1; n < timed_runs; n++)); do
            timed_run $n no
        done
        timed_run $timed_runs $meter
        check_otherwise
    } >"$scratch/point"
    publish "points/$id.dat" <"$scratch/point"
}

# Whether a point has been measured, and was right.
is_done() {
    [ -e "$folder/points/$1.dat" ] && ! grep -q '^#wrong' "$folder/points/$1.dat"
}

# --- the whole ---

# Makes the folder, or finds the one that was begun, and sees that it is of this machine and program.
open_folder() {
    [ $force = no ] || rm -rf "$folder"/{points,{machine,points,ceiling,results}.dat}
    mkdir -p "$folder/points" 2>/dev/null || refuse "--output $folder: cannot be made"
    if [ -z "$points" ]; then
        awk -v profile="$profile" -v machine=$machine -f perf/points.awk >"$scratch/points.dat"
    else
        cp "$points" "$scratch/points.dat"
    fi
    if [ -e "$folder/machine.dat" ]; then
        grep -v '^# date' "$folder/machine.dat" | cmp -s - "$scratch/machine" ||
            refuse "--output $folder: begun on another device or with another program; --force begins anew"
        cmp -s "$scratch/points.dat" "$folder/points.dat" ||
            refuse "--output $folder: begun for other points; --force begins anew"
    else
        publish points.dat <"$scratch/points.dat"
        if [ -x build/ceiling ] && ! [ -e "$folder/ceiling.dat" ]; then
            build/ceiling -D "$([ $machine = cpu ] && echo cpu || echo "cuda:$number")" >"$scratch/ceiling" 2>"$scratch/log" ||
                fail "build/ceiling: $(tail -n 1 "$scratch/log")"
            publish ceiling.dat <"$scratch/ceiling"
        fi
        { cat "$scratch/machine" && date -u '+# date %F'; } | publish machine.dat
    fi
}

# The medians of all points, in the order of the list.
summarise() {
    cat "$folder/machine.dat"
    awk -v folder="$folder" -f perf/summary.awk "$folder/points.dat"
}

# Says on stderr how a point ended.
report() {
    awk -v seconds=$SECONDS -v place="$1" -v id="$2" '
        /^#wrong|not measured/ { remark = "  " $0 }
        !/^#/ { sum += $2; n++ }
        END { printf "%4d s %8s  %-48s %s%s\n", seconds, place, id, n ? sum / n " ps" : "", remark }
        ' "$folder/points/$2.dat" >&2
}

find_machine
open_folder
mapfile -t list < <(grep -v '^#' "$folder/points.dat")
measured=0
for n in "${!list[@]}"; do
    id=${list[n]%% *}
    is_done "$id" && continue
    measure "${list[n]}"
    measured=$((measured + 1))
    report "$((n + 1))/${#list[@]}" "$id"
done
[ $measured -gt 0 ] || echo "bench: $folder is complete; --force measures it again" >&2
summarise | publish results.dat

awk -v format=dat -v folder="$folder" -f perf/tables/library.awk -f perf/tables/points.awk
! grep -q '^#wrong' "$folder/results.dat" || fail "$folder/results.dat: there are wrong results"
