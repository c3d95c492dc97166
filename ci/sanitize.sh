#!/usr/bin/env bash
# The CUDA engines under compute-sanitizer: memcheck (accesses out of bounds), racecheck (shared
# memory), initcheck (memory read before it was written), synccheck (barriers). Short runs, some minutes
# in all, of every kernel: both codings, lattices of every way to hold them, every p and mode, the
# stages fused, apart and hybrid, and checkpoints. DEVICE=auto|cuda|cuda:N; TOOLS= picks some of the
# tools. LIMIT= is the most seconds of a run, 120 by default; one that takes longer is ended, and is not clean.
# The line of each tool names the run that took longest.
# check: without a GPU and without the tools, whether the program takes the options of each run, on the CPU.
# Status 1: a tool found something, or a run was refused or not over; its report stands above the line that says FAILED.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/usage.sh"
usage "ci/sanitize.sh [check]" 1 "$@"
if [ "${1-check}" != check ]; then
    echo "sanitize: '$1': allowed: ci/sanitize.sh [check]" >&2
    exit 2
fi
cd "$(dirname "$0")/.."
program=${BUILD:-build}/paising
device=${DEVICE:-auto}
limit=${LIMIT:-120}
read -ra tools <<<"${TOOLS:-memcheck racecheck initcheck synccheck}"

case $device in
auto) device=cuda ;;
cuda | cuda:*) ;;
*)
    echo "sanitize: DEVICE=$device: allowed are auto, cuda, cuda:N" >&2
    exit 2
    ;;
esac
if ! [[ $limit =~ ^[1-9][0-9]{0,5}$ ]]; then
    echo "sanitize: LIMIT=$limit: allowed are whole seconds, from 1 to 999999" >&2
    exit 2
fi

# Options of the program, which reach every kernel.
# - MSC: L = 16, 32, 64, 128 have a kernel of their own in the modes independent and lcg. Other lattices lie in shared
#   memory up to L of about 208 (on 227 kB a block), larger ones in device memory.
# - SSC: L = 16 to 256 by powers of two on the square, other lattices in octets of replicas, and beyond shared memory.
# - Pairs of replicas of a glass overlap in both codings.
# - Energies without levels: cubes of L = 4 to 12 with Metropolis' rule have kernels by patterns. The heat bath and two
#   dimensions have kernels by words.
# - Graphs have kernels by slices, those with fields by quads.
# - Other methods and updates with kernels of their own: vectors, one lattice in strips or stripes, clusters, words of
#   samples, walks, ceilings.
# - Walks of flat histograms: a walker's attempts are made one behind the other, and each reads memory some ten times. So what a tool
#   takes goes with N, whatever -R is. Lattices have all in shared memory at L = 8, the words alone at 16x16x18. Graphs and
#   other spins have all there at 35 sites, the histogram alone at 43x45 and at L = 36, the spins alone at 45x47 and at L = 38
#   (on 227 kB a block): fields of tenths have many levels. Lattices whose words do not fit have 57000 sites and
#   more, and are not here.
# - 70 replicas are two words and a part of a third. 5000 are two tiles of parents and a part of a third
#   (cuda/select/selection.cu).
runs='-c msc -L 16 -R 70
-c msc -L 32 -R 70
-c msc -L 64 -R 70
-c msc -L 128 -R 70
-c msc -L 16 -R 5000
-c msc -L 48 -R 70
-c msc -L 256 -R 40
-c msc -L 16 -R 70 --stages apart
-c msc -L 48 -R 70 --stages apart
-c msc -L 256 -R 40 --stages apart
-c msc -L 16 -R 70 -g lcg -p 8
-c msc -L 32 -R 70 -g lcg -p 16
-c msc -L 64 -R 70 -g lcg -p 32
-c msc -L 16 -R 70 -g lcg -p 64
-c msc -L 48 -R 70 -g lcg -p 64
-c msc -L 32 -R 70 -g philox -p 32
-c msc -L 32 -R 70 -g philox -p 64
-c msc -L 32 -R 70 -g shared -p 8
-c msc -L 32 -R 70 -g shared -p 64
-c msc -L 32 -R 70 -g shared-reorder -p 16
-c msc -L 32 -R 70 -g shared-reorder -p 32
-c ssc -L 6 -R 70
-c ssc -L 16 -R 70
-c ssc -L 24 -R 70
-c ssc -L 32 -R 70
-c ssc -L 64 -R 20
-c ssc -L 128 -R 10
-c ssc -L 256 -R 5
-c ssc -L 512 -R 3
-c ssc -L 16 -R 70 --stages apart
-c ssc -L 24 -R 70 --stages apart
-c ssc -L 16 -R 70 --stages hybrid
-c ssc --model cubic -L 6 -R 70
-c ssc --model cubic -L 32 -R 11
-c ssc --model glass2d -L 4x6 -R 300
-c ssc --model glass3d -L 8x8x12 -R 70
-c ssc --model glass3d -L 40 -R 9 --stages apart
-c msc --model cubic -L 16 -R 70
-c msc --model glass2d -L 32 -R 70
-c msc --model glass3d -L 6 -R 300
-c msc --model glass3d -L 8x8x12 -R 70
-c msc --model glass2d -L 16x32 -R 70 -g philox
-c msc --model glass3d -L 32 -R 70
-c msc --model glass3d -L 40 -R 70 --stages apart
-c msc -L 16 -R 70 --checkpoint-every 1
-c ssc -L 6 -R 70 --checkpoint-every 1
-c ssc --model glass3d --couplings-type gaussian -L 4 -R 6000
-c ssc --model glass3d --couplings-type gaussian -L 4 -R 70 --update heat-bath
-c ssc --model glass2d --couplings-type gaussian -L 6 -R 70
-c ssc -L 5 -R 70
-c ssc -L 5 -R 70 --update heat-bath
-c ssc -L 6 -R 70 --field 3/10
-c ssc --method microcanonical --model glass2d -L 6 -R 70 -M 1
-c ssc --model heisenberg3d -L 4 -R 70
-c msc --method canonical -L 768 -R 2 --thermalisation 1 --measurements 2
-c msc --method canonical -L 64x512 -R 1 --thermalisation 1 --measurements 2
-c ssc --method canonical -L 320 -R 1 --thermalisation 1 --measurements 2
-c ssc --method canonical --update swendsen-wang -L 32 -R 3 --thermalisation 1 --measurements 2
-c ssc --method tempering --model glass3d --couplings-type gaussian -L 4 -R 70 --thermalisation 1 --measurements 4
-c msc --method tempering --words samples --record bins -b 0.02 --model glass3d -L 4 -R 2 --samples 64 --thermalisation 0 --measurements 4
-c ssc --method multicanonical -L 8 -R 64 --iterations 2 --iteration-length 2 --thermalisation 1 --measurements 2
-c ssc --method multicanonical -L 5x7 -R 70 --random-field 1/2 --windows 2 --iterations 2 --iteration-length 2 --thermalisation 1 --measurements 2
-c ssc --method multicanonical --model cubic -L 16x16x18 -R 33 --iterations 1 --iteration-length 1 --thermalisation 0 --measurements 1
-c ssc --method multicanonical -L 43x45 --field 9/10 -R 33 --iterations 1 --iteration-length 1 --thermalisation 0 --measurements 1
-c ssc --method multicanonical -L 45x47 --field 9/10 -R 33 --iterations 1 --iteration-length 1 --thermalisation 0 --measurements 1
-c ssc --method multicanonical --model potts2d --states 5 -L 6 -R 70 --iterations 2 --iteration-length 2 --thermalisation 1 --measurements 2
-c ssc --method multicanonical --model blume-capel2d --crystal-field 9/10 -L 36 -R 33 --iterations 1 --iteration-length 1 --thermalisation 0 --measurements 1
-c ssc --method multicanonical --model blume-capel2d --crystal-field 9/10 -L 38 -R 33 --iterations 1 --iteration-length 1 --thermalisation 0 --measurements 1
-c ssc --method microcanonical --model potts2d --states 5 -L 6 -R 70 -M 1'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Ends the runs that are under way, each of which has a process group of its own, made by `timeout`.
stop() {
    local started
    trap '' INT TERM
    exec 2>/dev/null # the shell names the jobs that are killed
    for started in $(jobs -pr); do
        kill -KILL "$started" "-$started" || true
    done
    wait
    exit "$1"
}
trap 'stop 130' INT
trap 'stop 143' TERM

# Begins a run, alone or under a tool: its name, and the command. What it says is in the log of that name.
begin() {
    local name=$1 checkpoint=()
    shift
    [[ $* != *--checkpoint-every* ]] || checkpoint=(--checkpoint "$scratch/ck.$name")
    timeout -s KILL "$limit" "$@" -D "$device" -t 2 -d 0.02 -f 0.06 -o "$scratch/out.$name" "${checkpoint[@]}" \
        >"$scratch/log.$name" 2>&1 &
}
run() {
    begin "$@"
    wait $!
}

# Options end with --stages, if it is there: the CPU refuses it.
if [ $# -gt 0 ]; then
    device=cpu
    passed=0 refused=0
    while read -r line; do
        read -ra options <<<"${line%--stages *}"
        number=$((passed + refused))
        if run $number "$program" "${options[@]}"; then
            passed=$((passed + 1))
        else
            refused=$((refused + 1))
            tail -n 5 "$scratch/log.$number"
            echo "FAILED: paising $line"
        fi
    done <<<"$runs"
    echo "$passed passed, $refused failed"
    [ $refused -eq 0 ]
    exit
fi

skip() {
    echo "SKIP: sanitize: $*"
    exit 0
}

run alone "$program" -L 16 -R 1 || skip "no GPU can be used: $(tail -n 1 "$scratch/log.alone")"
command -v compute-sanitizer >/dev/null ||
    skip 'compute-sanitizer is not there; it comes with the CUDA toolkit (package cuda-sanitizer-13-0)'
if ! run tool compute-sanitizer "$program" -L 16 -R 1 && grep -q 'Device not supported' "$scratch/log.tool"; then
    skip 'compute-sanitizer does not support this device or the way it is lent'
fi

# Waits for the end of one of the runs of a tool, and says what was wrong with it.
declare -A name_of=() begun=()
longest=0 slowest='' not_clean=0
collect() {
    local tool=$1 ended status=0 seconds name
    wait -n -p ended "${!name_of[@]}" 2>/dev/null || status=$?
    name=${name_of[$ended]}
    seconds=$((SECONDS - begun[$ended]))
    unset "name_of[$ended]" "begun[$ended]"
    if [ $seconds -ge $longest ]; then
        longest=$seconds
        slowest=${lines[${name#"$tool."}]}
    fi
    [ $status -ne 0 ] || return 0
    not_clean=$((not_clean + 1))
    head -n 60 "$scratch/log.$name"
    [ $seconds -lt "$limit" ] || echo "It was not over after $limit s, and was ended; LIMIT= allows more."
    echo "FAILED $tool: $program ${lines[${name#"$tool."}]}"
}

# As many runs at a time as there are processors, but no more than eight: each has the device to itself for a moment.
most=$(nproc)
[ "$most" -le 8 ] || most=8
mapfile -t lines <<<"$runs"
all_clean=true
for tool in "${tools[@]}"; do
    longest=0 not_clean=0
    for number in "${!lines[@]}"; do
        [ ${#name_of[@]} -lt "$most" ] || collect "$tool"
        read -ra options <<<"${lines[$number]}"
        begin "$tool.$number" compute-sanitizer --tool "$tool" --error-exitcode 99 "$program" "${options[@]}"
        name_of[$!]=$tool.$number
        begun[$!]=$SECONDS
    done
    while [ ${#name_of[@]} -gt 0 ]; do
        collect "$tool"
    done
    echo "$tool: ${#lines[@]} runs, $not_clean of them not clean; $longest s for the longest: $slowest"
    [ $not_clean -eq 0 ] || all_clean=false
done
$all_clean
