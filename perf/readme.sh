#!/usr/bin/env bash
# Writes the tables of committed results into Markdown files, each between its markers
#     <!-- FOLDER: TABLE -->  ...  <!-- end -->
# and draws the pictures of the folder. `make readme` calls it, and `make check` with --check, which
# writes nothing: status 1 where a table, or the data of a picture, is no longer that of the results.
#   perf/readme.sh [--check] [FILE...]    [README.md perf/README.md]
# TABLE: speed, points, table1 to table5; figure3, roofline: links to the pictures. A picture's data are known by pictures.cksum beside it.
set -euo pipefail
cd "$(dirname "$0")/.."

check=no
if [ "${1-}" = --check ]; then
    check=yes
    shift
fi
files=("$@")
[ ${#files[@]} -gt 0 ] || files=(README.md perf/README.md)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0

table() {
    awk -v format="$3" -v folder="$1" -f perf/tables/library.awk -f "perf/tables/$2.awk"
}

# A link to a picture, in a file of a folder.
picture() {
    echo "![$3]($(realpath --relative-to="$1" "$2"))"
}

# The file with its tables made anew; those of a folder without results stay as they are.
renew() {
    local line skip=no folder name beside
    beside=$(dirname "$1")
    while IFS= read -r line; do
        if [ "$line" = '<!-- end -->' ]; then
            skip=no
        fi
        [ $skip = yes ] || printf '%s\n' "$line"
        if [[ $line =~ ^'<!-- '([^ :]+)': '([a-z0-9]+)' -->'$ ]]; then
            folder=${BASH_REMATCH[1]} name=${BASH_REMATCH[2]}
            [ -r "$folder/results.dat" ] || continue
            echo "$folder" >>"$scratch/folders"
            case $name in
            figure3) picture "$beside" "$folder/figure3.png" 'Fig. 3: t_SF against theta' ;;
            roofline) picture "$beside" "$folder/roofline.png" 'Roofline' ;;
            *) table "$folder" "$name" md ;;
            esac
            skip=yes
        fi
    done <"$1"
}

# Tells the end of a case, as the other tests do: tell ok|FAIL|SKIP TEXT
tell() {
    echo "$1 $2"
    case $1 in
    ok) passed=$((passed + 1)) ;;
    FAIL) failed=$((failed + 1)) ;;
    SKIP) skipped=$((skipped + 1)) ;;
    esac
}

# The checksum of what the pictures of a folder are drawn from.
drawn_from() {
    { table "$1" table3 dat && table "$1" points dat && cat "$1/ceiling.dat"; } | cksum
}

draw() {
    cp "$1/results.dat" "$1/ceiling.dat" "$scratch"
    perf/tables.sh "$scratch" >/dev/null
    perf/plots.sh "$scratch" >/dev/null
    cp "$scratch"/{figure3,roofline}.png "$1"
    drawn_from "$1" >"$1/pictures.cksum"
}

: >"$scratch/folders"
for file in "${files[@]}"; do
    renew "$file" >"$scratch/new"
    if [ $check = no ]; then
        cmp -s "$scratch/new" "$file" || mv "$scratch/new" "$file"
    elif ! [ -s "$scratch/folders" ]; then
        tell SKIP "$file: there are no results for its tables"
    elif diff "$file" "$scratch/new"; then
        tell ok "$file has the tables of its results"
    else
        tell FAIL "$file: its tables are not those of the results; make readme writes them"
    fi
done
while read -r folder; do
    if [ $check = no ]; then
        draw "$folder"
    elif drawn_from "$folder" | cmp -s - "$folder/pictures.cksum"; then
        tell ok "$folder: pictures are of its results"
    else
        tell FAIL "$folder: pictures are not those of its results; make readme draws them"
    fi
done < <(sort -u "$scratch/folders")
[ $check = no ] || echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
