#!/usr/bin/env bash
# The demo: anneals the L = 32 lattice with the default coding, holds every temperature against the
# exact solution and draws the pictures. `make demo` calls it from the top folder.
#   demo.sh          all of that, in build/demo
#   demo.sh readme   and then puts its table into the page how-to.md and the pictures in their places (make readme)
#   demo.sh check    anneals, writes nothing: status 1 where the page has other numbers, or pictures are of others
# What the pictures were drawn from is known by plots/images/demo.cksum.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/../ci/usage.sh"
usage "validate/demo.sh [readme | check]" 1 "$@"
case ${1-} in '' | readme | check) ;; *) usage "validate/demo.sh [readme | check]" 0 "$1" ;; esac
cd "$(dirname "$0")/.."
folder=${BUILD:-build}/demo
[ "${1-}" != check ] || folder=${BUILD:-build}/demo-check
program=${BUILD:-build}
size=32 population=50000 sweeps=10
betas='0.1 0.2 0.3 0.4 0.44 0.5 0.6 0.8 1'
known=plots/images/demo.cksum
page=paising/docs/how-to.md

anneal() {
    "$program/paising" -L $size -R $population -t $sweeps "$@" -o "$folder" --force
}

# The rows of a data file, without what its header says.
rows() { grep -v '^#' "$1"; }

checksum() { rows "$folder/PA_results_run_0.dat" | cksum; }

# The table of the page: value(error of its last digits) beside the exact value.
table() {
    echo "L = $size, R = $population, theta = $sweeps, one run."
    echo
    echo '| beta | e | exact | C | exact | betaF/N | exact |'
    echo '|---|---|---|---|---|---|---|'
    # shellcheck disable=SC2086 # betas are words
    LC_ALL=C awk '
        function bracket(x, error,   digits) { # two digits of the error
            for (digits = 0; error * 10 ^ digits < 9.5 && digits < 12;) digits++
            return sprintf("%.*f(%.0f)", digits, x, error * 10 ^ digits)
        }
        /^#/ { next }
        NR == FNR { e[$1 + 0] = bracket($2, $11); c[$1 + 0] = bracket($3, $12); f[$1 + 0] = bracket($7, $14); next }
        { beta = $1 + 0
          printf "| %s | %s | %.6f | %s | %.5f | %s | %.7f |\n", beta, e[beta], $2, c[beta], $3, f[beta], $4 }
    ' "$folder/PA_results_run_0.dat" <("$program/exact" -L $size $betas)
}

# The page with the table between its markers; status 1 if they are not there.
page_with_table() {
    table >"$folder/table.md"
    awk -v table="$folder/table.md" '
        $0 == "<!-- end -->" { skip = 0 }
        !skip { print }
        $0 == "<!-- validate/demo.sh: table -->" {
            while ((getline line <table) > 0) print line
            skip = found = 1
        }
        END { exit skip || !found }' $page
}

if [ "${1-}" = check ]; then
    failed=0
    anneal >/dev/null
    if page_with_table | diff $page -; then echo "ok   $page has the table of the demo"; else
        echo "FAIL $page: its table is not that of the demo; make readme writes it"
        failed=$((failed + 1))
    fi
    if [ "$(checksum)" = "$(cat $known)" ]; then echo "ok   the demo's pictures are of its result"; else
        echo "FAIL the demo's pictures are not those of its result; make readme draws them"
        failed=$((failed + 1))
    fi
    echo "$((2 - failed)) passed, $failed failed"
    exit $((failed > 0))
fi

echo "Population annealing of the $size x $size Ising model: $population replicas are cooled from beta = 0 to 1."
echo "At each temperature step replicas are copied or removed by their weights, then each gets $sweeps sweeps."
echo "z: difference from the exact solution in units of the run's own error."
echo
anneal -m >/dev/null
mapfile -t every < <(LC_ALL=C seq 0 0.0025 1)
"$program/exact" -L $size "${every[@]}" >"$folder/exact.dat"
agrees=0
"$program/compare" "$folder" >"$folder/comparison.dat" || agrees=$?
shown=" 0 $betas " # ten temperatures
awk -v shown="$shown" '/^# beta / || index(shown, " " $1 " ")' "$folder/comparison.dat"
tail -n 1 "$folder/comparison.dat"
for figure in energy specific_heat free_energy magnetisation residuals; do
    gnuplot -e "folder='$folder'" plots/$figure.gp
done
echo
echo "All temperatures: $folder/comparison.dat. Pictures:" "$(basename -a "$folder"/*.png | paste -sd ' ')"
if [ "${1-}" = readme ]; then
    page_with_table >"$folder/page.md"
    cat "$folder/page.md" >$page
    cp "$folder"/{specific_heat,residuals}.png plots/images
    checksum >$known
fi
exit $agrees
