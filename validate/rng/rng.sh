#!/usr/bin/env bash
# Runs a TestU01 battery over random streams, one test after the other on all cores, and judges.
#
#   validate/rng/rng.sh [--judge] [smallcrush|crush|bigcrush] [STREAM...]
#
# Streams are those of `build/rng_streams`, with "-reversed" appended for the bits of each
# number in reverse order; `all` are all of them, `reversed` the reversed ones of the generators in
# use. SmallCrush takes both of these by default, Crush all, BigCrush one order of each generator.
# Each test of a stream is a unit of work with a log of its own, which gets its name when it is
# complete: what is there is not done again, so that a run can be ended at any time and repeated. Logs
# of a stream whose numbers have changed do not count. --judge runs nothing.
#   JOBS=N     units at the same time (default: the number of cores)
#   MINUTES=M  ends after M minutes: what is not done then is left to the next call
#   LOGS=DIR   where the logs are (default: build/rng)
# Status 0: every stream is as expected, or SKIP was said, as TestU01 is not there; 1: some is not, or work is left; 2: a wrong argument.
set -euo pipefail
cd "$(dirname "$0")/../.."

program=build/rng_battery
folder=validate/rng
logs=${LOGS:-build/rng}
jobs=${JOBS:-$(nproc)}
minutes=${MINUTES:-}
judge=
if [ "${1:-}" = --judge ]; then
    judge=yes
    shift
fi
battery=${1:-smallcrush}
shift || true

case $battery in
smallcrush) tests=10 default=(all reversed) ;;
crush) tests=96 default=(all) ;;
bigcrush) tests=106 default=(ssc-sites philox7-sites lcg-sites mwc-strips mwc-lane xorwow) ;;
*)
    echo "rng.sh: battery '$battery': smallcrush, crush or bigcrush" >&2
    exit 2
    ;;
esac
for setting in "JOBS=$jobs" "MINUTES=${minutes:-1}"; do
    if ! [[ ${setting#*=} =~ ^[1-9][0-9]*$ ]]; then
        echo "rng.sh: $setting: a whole number from 1 on" >&2
        exit 2
    fi
done

# The streams to test, a line each: name, expectation, fingerprint.
list=$(build/rng_streams | grep -v '^#' | cut -d ' ' -f 1-3)
streams=
for word in "${@:-${default[@]}}"; do
    case $word in
    all) streams+=$list$'\n' ;;
    reversed) streams+=$(sed -n '/^philox7/d; s/ pass /-reversed&/p' <<<"$list")$'\n' ;;
    *)
        if ! line=$(grep "^${word%-reversed} " <<<"$list"); then
            echo "rng.sh: stream '$word': not one of those that build/rng_streams names" >&2
            exit 2
        fi
        streams+="$word ${line#* }"$'\n'
        ;;
    esac
done
streams=$(grep . <<<"$streams" | sort -u)

if [ ! "$judge" ] && [ ! -x "$program" ]; then
    echo "SKIP: $battery of $(wc -l <<<"$streams") streams: TestU01 is not there;" \
        "ci/setup.sh testu01 says how to get it"
    exit 0
fi

declare -A fingerprint
while read -r stream _ sum; do
    fingerprint[$stream]=$sum
    mkdir -p "$logs/$battery/$stream.$sum"
done <<<"$streams"

end=$((minutes ? SECONDS + 60 * minutes : 0))

log_of() { # STREAM TEST REPETITION
    printf '%s/%s/%s/%03d.%d.log' "$logs" "$battery" "$1.${fingerprint[$1]}" "$2" "$3"
}

# Does one unit, in a shell of its own: STREAM TEST REPETITION.
run_unit() {
    local log limit=() child
    log=$(log_of "$@")
    ((end == 0)) || limit=(timeout "$((end > SECONDS ? end - SECONDS : 1))")
    "${limit[@]}" "$program" "$1" "$battery" "$2" "$3" >"$log.part" 2>&1 &
    child=$!
    trap 'kill $child; rm -f "$log.part"; exit 1' TERM
    if wait $child; then
        mv "$log.part" "$log"
    elif ((end == 0 || SECONDS < end)); then
        echo "rng.sh: $1, $battery test $2 failed; see $log.part" >&2
    else
        rm -f "$log.part"
    fi
}

# Does the given units, "SECONDS STREAM TEST REPETITION" each, whose logs are missing: the longest
# first, and none that would not end in time.
run_units() {
    local unit units seconds stream test repetition running=0
    mapfile -t units < <(printf '%s\n' "$@" | sort -k1,1nr -k3,3n -k2,2)
    for unit in "${units[@]}"; do
        read -r seconds stream test repetition <<<"$unit"
        [ ! -e "$(log_of "$stream" "$test" "$repetition")" ] || continue
        if ((running == jobs)); then
            wait -n || true
            running=$((running - 1))
        fi
        ((end == 0 || SECONDS + seconds * 3 / 2 < end)) || continue
        run_unit "$stream" "$test" "$repetition" &
        running=$((running + 1))
    done
    wait
}

# The units of repetition 0 of all streams, with the seconds that their tests have been seen to take.
first_units() {
    awk -v battery="$battery" -v tests="$tests" '
        /^#/ { next }
        FILENAME != "-" { if ($1 == battery) seconds[$2] = $3; next }
        { for (test = 1; test <= tests; test++)
              print seconds[test] + 0, $1, test, 0 }
    ' $folder/seconds.dat - <<<"$streams"
}

# The results so far, a line for each p-value.
results() {
    local stream
    for stream in "${!fingerprint[@]}"; do
        find "$logs/$battery/$stream.${fingerprint[$stream]}" -name '*.log' \
            -exec sed -n '/^result /p' {} +
    done
}

# Does everything, and once more twice what looks suspicious.
run_battery() {
    local units
    # On which machines, for the table of results.
    echo "$(date -u +%F), $(sed -n 's/^model name\t*: //p' /proc/cpuinfo | head -n 1), $jobs jobs," \
        "$(git describe --always --dirty 2>/dev/null || echo unknown)" >>"$logs/$battery/machines"
    trap 'kill $(jobs -p) 2>/dev/null || true; exit 130' INT TERM
    mapfile -t units < <(first_units)
    run_units "${units[@]}"
    mapfile -t units < <(results | awk -f $folder/suspects.awk)
    [ ${#units[@]} -eq 0 ] || run_units "${units[@]}"
    trap - INT TERM
}

[ "$judge" ] || run_battery
results | awk -v battery="$battery" -v tests="$tests" -v streams="$streams" -f $folder/verdict.awk
