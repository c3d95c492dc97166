#!/usr/bin/env bash
# Makes the tables of a benchmark, ours beside the paper's: table1 to table5 and all points, each as
# NAME.md (Markdown) and NAME.dat (gnuplot). `make tables` calls it.
#   perf/tables.sh FOLDER    the folder of its results.dat, where the tables go too
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?usage: tables.sh FOLDER}
if ! [ -r "$folder/results.dat" ]; then
    echo "tables: $folder: there is no results.dat; make bench makes one" >&2
    exit 2
fi
for table in points table1 table2 table3 table4 table5; do
    for format in md dat; do
        awk -v format=$format -v folder="$folder" -f perf/tables/library.awk -f "perf/tables/$table.awk" \
            >"$folder/.new"
        mv "$folder/.new" "$folder/$table.$format"
    done
done
echo "The tables are"
ls "$folder"/{points,table?}.{md,dat}
