#!/usr/bin/env bash
# Holds the engines against exact results and draws the pictures; `make validate` calls it from the
# top folder. PROFILE=short|quick|full, DEVICE=auto|cpu|cuda|cuda:N. The status is that of build/validate.
set -euo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/../../ci/usage.sh"
usage "validate/physics/validate.sh" 0 "$@"
profile=${PROFILE:-quick} figures=(deviations)
folder=build/validation/$profile

mkdir -p "$folder"
status=0
build/validate --profile "$profile" --device "${DEVICE:-auto}" --output "$folder" |
    tee "$folder/findings.new" || status=$?
[ $status -lt 2 ] || exit $status
mv "$folder/findings.new" "$folder/findings.dat"
# The others are of cases that the short profile does not have.
[ "$profile" = short ] || figures+=(errors bias weighted population trusted)
for figure in "${figures[@]}"; do
    gnuplot -e "folder='$folder'" "plots/validate_$figure.gp"
done
echo "The table is $folder/findings.dat, the pictures are"
ls "$folder"/*.png
exit $status
