#!/usr/bin/env bash
# Makes the table of results from the logs: validate/rng/results/README.md, with the data beside it:
# smallcrush.dat, crush.dat, bigcrush.dat, ising.dat. LOGS=DIR: where the logs are (default: build/rng).
# PROFILE=quick|long: the Ising test's. What has not been run is left out, and said to be.
set -euo pipefail
cd "$(dirname "$0")/../.."

logs=${LOGS:-build/rng}
folder=validate/rng
results=$folder/results
mkdir -p "$results"

header() { # BATTERY
    echo "# TestU01 1.2.3; run on:"
    sort -u "$logs/$1/machines" 2>/dev/null | sed 's/^/#   /' || echo "#   unknown"
}

for battery in smallcrush crush bigcrush; do
    if [ -d "$logs/$battery" ]; then
        {
            header $battery
            # Streams of which nothing was tested are not results.
            { $folder/rng.sh --judge $battery all reversed || true; } | grep -v ' 0/[0-9]* '
        } >$results/$battery.dat
    fi
done
$folder/ising.sh --judge "${PROFILE:-quick}" >$results/ising.dat || true

# The table: a row for each stream, forward and reversed together.
awk -v results=$results -f $folder/table.awk $folder/published.dat <(build/rng_streams) \
    >$results/README.md
echo "$results/README.md:"
cat $results/README.md
