#!/usr/bin/env bash
# The Ising test of every generator, on all cores, with a verdict: e and C of the L = 1024 lattice at
# beta = 0.4 against the exact values.
#
#   validate/rng/ising.sh [--judge] [quick|long]      long: twenty times the sweeps; --judge runs nothing
#
#   JOBS=N     generators at the same time (default: the number of cores)
#   MINUTES=M  ends after M minutes: what is not done then is left to the next call
#   LOGS=DIR   where the results are (default: build/rng); what is there of these very sources is not
#              done again
# Status 0: every generator is as expected; 1: some is not, or missing; 2: a wrong argument.
set -euo pipefail
cd "$(dirname "$0")/../.."

program=build/rng_ising
judge=
if [ "${1:-}" = --judge ]; then
    judge=yes
    shift
fi
profile=${1:-quick}
jobs=${JOBS:-$(nproc)}
minutes=${MINUTES:-}
case $profile in
quick) factor=1 ;;
long) factor=20 ;;
*)
    echo "ising.sh: profile '$profile': quick or long" >&2
    exit 2
    ;;
esac
for setting in "JOBS=$jobs" "MINUTES=${minutes:-1}"; do
    if ! [[ ${setting#*=} =~ ^[1-9][0-9]*$ ]]; then
        echo "ising.sh: $setting: a whole number from 1 on" >&2
        exit 2
    fi
done
# The order of the names must not depend on the language.
sources=$(export LC_ALL=C && cat paising/*/*.[ch] reference/*.[ch] validate/rng/ising*.[ch] validate/lib/statistics.h | cksum)
results=${LOGS:-build/rng}/ising/$profile.${sources%% *}
mkdir -p "$results"

limit=()
[ -z "$minutes" ] || limit=(timeout "${minutes}m")
export program factor results
export OMP_NUM_THREADS=1
# shellcheck disable=SC2016 # the words are the inner shell's
$program --list | cut -d ' ' -f 1 | while read -r name; do
    [ "$judge" ] || [ -e "$results/$name.dat" ] || echo "$name"
done | "${limit[@]}" xargs -r -P "$jobs" -I NAME bash -c '
    "$program" NAME "$factor" >"$results/NAME.part" && mv "$results/NAME.part" "$results/NAME.dat"' ||
    true

# The table. A z is a failure beyond 5.4: for all of the generators that must pass, 5 of two values
# each, that happens by chance with a probability of 7e-7.
echo "# Ising test ($profile): energy and specific heat per spin, L = 1024, beta = 0.4"
echo "# generator sweeps replicas e error exact deviation/error z C error exact deviation/error z" \
    "expected verdict"
$program --list | while read -r name expected; do
    line=$(cat "$results/$name.dat" 2>/dev/null) || line="$name - - - - - - - - - - - -"
    echo "$line $expected"
done | awk '
    function far(z) { return z > 5.4 || z < -5.4 }
    {
        fails = far($8) || far($13)
        if ($2 == "-") verdict = "missing"
        else if ($14 == "pass") verdict = fails ? "FAILED" : "passed"
        else if ($14 == "fail") verdict = fails ? "fails,as-known" : "NOT-CAUGHT"
        else verdict = fails ? "control,fails" : "control,passes"
        count[verdict]++
        print $0, verdict
    }
    END {
        bad = count["FAILED"] + count["NOT-CAUGHT"] + count["missing"]
        printf "# %d passed, %d failed, %d fail as known, %d should but do not, %d missing\n",
               count["passed"], count["FAILED"], count["fails,as-known"], count["NOT-CAUGHT"],
               count["missing"]
        exit bad > 0
    }'
