#!/usr/bin/env bash
# The regression gate: measures the quick profile and holds it against perf/baselines/DEVICE.dat, the
# results of the same profile on a GPU of this model (perf/gate.awk), and its ratios against the limits
# that stand for every device (perf/limits.dat). Of a GPU without a baseline it keeps the results as one,
# and says where to commit it. `make bench-check` calls it.
#
#   perf/gate.sh [--device auto|cpu|cuda|cuda:N] [--results FOLDER] [--baselines FOLDER] [--limits FILE]
#
# --results: those of a benchmark made before, instead of measuring.
# Status 0: nothing is slower; 1: something is slower, wrong or beyond a limit; 2: refused.
set -euo pipefail
cd "$(dirname "$0")/.."

device=auto results='' baselines=perf/baselines limits=perf/limits.dat
while [ $# -gt 0 ]; do
    case $1 in
    --device | --results | --baselines | --limits)
        [ $# -ge 2 ] || { echo "gate: $1: a value is missing" >&2 && exit 2; }
        case $1 in
        --device) device=$2 ;;
        --results) results=$2 ;;
        --baselines) baselines=$2 ;;
        --limits) limits=$2 ;;
        esac
        shift
        ;;
    *)
        echo "gate: $1: unknown option; allowed are --device, --results, --baselines, --limits" >&2
        exit 2
        ;;
    esac
    shift
done

if [ -z "$results" ]; then
    results=build/bench/quick
    perf/bench.sh --profile quick --device "$device" --output "$results" --force >/dev/null
fi
[ -r "$results/results.dat" ] || { echo "gate: --results $results: there is no results.dat" >&2 && exit 2; }

model=$(sed -n 's/^# device //p' "$results/results.dat" | head -n 1)
name=$(tr '[:upper:]' '[:lower:]' <<<"$model" | sed 's/[^a-z0-9]\{1,\}/-/g; s/^-//; s/-$//')
machine=cpu
! grep -q '^# driver' "$results/results.dat" || machine=gpu
status=0

if [ $machine = cpu ]; then
    echo "# $model: times are held against a baseline on GPUs only"
elif [ -e "$baselines/$name.dat" ]; then
    echo "# $model: against $baselines/$name.dat"
    awk -f perf/gate.awk "$baselines/$name.dat" "$results/results.dat" || status=1
else
    cp "$results/results.dat" "$results/$name.dat"
    echo "# $model has no baseline; these results are one: commit $results/$name.dat as perf/baselines/$name.dat"
fi

echo "# Ratios within this run"
awk -v format=dat -v folder="$results" -v limits="$limits" -v machine_kind=$machine \
    -f perf/tables/library.awk -f perf/tables/limits.awk || status=1
! grep '^#wrong' "$results/results.dat" || status=1
[ $status -eq 0 ] || echo "gate: $model: the gate fails" >&2
exit $status
