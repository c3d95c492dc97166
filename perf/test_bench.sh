#!/usr/bin/env bash
# Tests of the benchmark, its regression gate and the tables in the READMEs, without a GPU: a script stands
# for the program on one, runs it on the CPU and makes up its time.
#   perf/test_bench.sh build/paising
# One line a case: ok or FAIL. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2016,SC2034,SC2154 # claims, and what they name, are used by `verdict`
set -u

paising=$(realpath "${1:?usage: test_bench.sh build/paising}")
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=validate/command/claims.sh
source validate/command/claims.sh
mkdir "$scratch/programs" "$scratch/baselines"

# The line may stand on either stream.
says() { grep -qF -e "$1" "$out" "$err"; }

# --- a program on a GPU that is not there ---

# make_program NAME FACTOR NOISE FAULT: t_SF is 0.12 ps times FACTOR, and varies from run to run by NOISE
# times -2, -1, 0, 1, 2, over 10^13 flips, of which the device sweeps for 1 s; FAULT is a command that may
# change the result in $folder.
make_program() {
    cat >"$scratch/programs/$1" <<EOF
#!/usr/bin/env bash
set -e
options=()
stages=fused
while [ \$# -gt 0 ]; do
    case \$1 in
    -D) shift ;;
    --stages) stages=\$2 && shift ;;
    -o) folder=\$2 && options+=("\$1") ;;
    *) options+=("\$1") ;;
    esac
    shift
done
calls=\$((\$(cat "$scratch/calls" 2>/dev/null || echo 0) + 1))
echo \$calls >"$scratch/calls"
"$paising" -D cpu "\${options[@]}"
t=\$(awk "BEGIN { print 0.00012 * $2 * (1 + $3 * (\$calls % 5 - 2)) }")
sed -i 's/on the CPU"/on Test GPU 9"/; s/"driver": null/"driver": "1.0"/; s/"t_SF_ns": .*/"t_SF_ns": '\$t'/
    s/"spin_flips": .*/"spin_flips": 1e13,/; s/"\(resample\|measure\|step\)": .*/"\1": null,/
    s/"sweep": .*/"sweep": 1,/' "\$folder/run.json"
$4
EOF
    chmod +x "$scratch/programs/$1"
}

make_program steady 1 0.002 ''
make_program slow 1.2 0.002 ''
make_program fast 0.8 0.002 ''
make_program noisy 1.1 0.1 ''
make_program host 1.2 0.002 'sed -i "s/\"spin_flips\": 1e13/\"spin_flips\": 1e10/" "$folder/run.json"'
make_program kernel 1 0.002 'sed -i "s/\"sweep\": 1,/\"sweep\": 1.05,/" "$folder/run.json"'
make_program wrong 1 0.002 '[ $calls -ne 4 ] || sed -i "\$s/[0-9]/7/g" "$folder/PA_results_run_0.dat"'
make_program unequal 1 0.002 '[ $stages = fused ] || sed -i "/^#/!s/[0-9]/7/g" "$folder/PA_results_run_0.dat"'

cat >"$scratch/points.dat" <<'EOF'
# id device coding L R theta p mode dbeta beta_end stages check tables
gpu-one gpu ssc 16 40 1 - - 0.1 0.5 fused apart 2,3
gpu-two gpu msc 16 64 2 32 independent 0.1 0.5 apart fused 4
cpu-three cpu msc 16 64 2 32 shared 0.1 0.3 - thread 1
EOF
echo 'gpu ratio gpu-one gpu-two 0.5 2 one/two' >"$scratch/limits.dat"
echo 'gpu ratio gpu-one gpu-two 2 - one/two' >"$scratch/narrow.dat"

# Results of a program: measure PROGRAM FOLDER. The ceilings are made up, too.
measure() {
    mkdir -p "$scratch/$2"
    printf 'copy 1000 byte/s nan 0\nphilox 100 call/s nan 0\nplanes 1000 word/s nan 0\n' >"$scratch/$2/ceiling.dat"
    rm -f "$scratch/calls"
    perf/bench.sh --program "$scratch/programs/$1" --points "$scratch/points.dat" --output "$scratch/$2" >"$out" 2>"$err"
    status=$?
}

rows() { grep -v '^#' "$scratch/$1"; }
sums() { (cd "$scratch/$1" && cksum points/*.dat); }

# --- the benchmark ---

measure steady a
verdict "every point is measured five times, and its median, least and largest are right" "exits 0" \
    '[ "$(rows a/results.dat | wc -l)" -eq 3 ]' '[ "$(rows a/points/gpu-two.dat | wc -l)" -eq 5 ]' \
    '[ "$(rows a/results.dat | awk "{ print \$17, \$18, \$19 }" | sort -u)" = "0.12 0.11952 0.12048" ]'
before=$(sums a)
measure steady a
verdict "a complete benchmark is left alone" "exits 0" "says complete" '[ "$before" = "$(sums a)" ]'

rm "$scratch/a/points/gpu-two.dat" "$scratch/a/results.dat"
before=$(sums a)
measure slow a
verdict "an incomplete one goes on where it stopped" "exits 0" \
    '[ "$before" = "$(sums a | grep -v gpu-two)" ]' '[ "$(rows a/results.dat | wc -l)" -eq 3 ]'

make_program waiting 1 0 'sleep 0.2'
(measure waiting stopped) &
while kill -0 $! && ! [ -e "$scratch/stopped/points/gpu-one.dat" ]; do
    sleep 0.02
done
kill -s TERM "$(pgrep -P $!)"
wait $!
verdict "ended by SIGTERM, it leaves whole files only" \
    '[ -z "$(find "$scratch/stopped" -name ".new")" ]' '[ ! -e "$scratch/stopped/results.dat" ]' \
    '[ "$(rows stopped/points/gpu-one.dat | wc -l)" -eq 5 ]' '[ ! -e "$scratch/stopped/points/cpu-three.dat" ]'

measure wrong b
verdict "a run with other bytes is wrong, and no result" "exits 1" "says '#wrong'" \
    'grep -q "^#wrong gpu-one .*run 2 has other" "$scratch/b/results.dat"' '[ "$(rows b/results.dat | wc -l)" -eq 2 ]'
measure unequal c
verdict "stages with other bytes are wrong" "exits 1" 'grep -q "^#wrong gpu-two .*fused" "$scratch/c/results.dat"'
measure steady c
verdict "a wrong point is measured again" "exits 0" '! grep -q "#wrong" "$scratch/c/results.dat"'

sed -i 's/^# device .*/# device another/' "$scratch/c/machine.dat"
measure steady c
verdict "a benchmark begun on another device is refused" "exits 2" "says --force"
perf/bench.sh --profile nonsense >"$out" 2>"$err"
status=$?
verdict "an unknown profile is refused" "exits 2" "says 'quick, paper'"

# --- the gate ---

gate() {
    perf/gate.sh --results "$scratch/$1" --baselines "$scratch/baselines" --limits "$scratch/${2:-limits.dat}" \
        >"$out" 2>"$err"
    status=$?
}

rm -rf "$scratch/a"
measure steady a
gate a
verdict "a GPU without a baseline gets one" "exits 0" "says 'no baseline'" \
    'cmp "$scratch/a/test-gpu-9.dat" "$scratch/a/results.dat"'
cp "$scratch/a/test-gpu-9.dat" "$scratch/baselines"
gate a narrow.dat
verdict "a ratio beyond its limits fails" "exits 1" "says broken"
gate a
verdict "equal times pass" "exits 0" '[ "$(grep -c " same$" "$out")" -eq 3 ]'
measure slow slow
gate slow
verdict "a slowed-down program fails, with every point named" "exits 1" '[ "$(grep -c " slower$" "$out")" -eq 3 ]'
measure kernel kernel
gate kernel
verdict "slower kernels that the host's time hides fail" "exits 1" '[ "$(grep -c " slower$" "$out")" -eq 3 ]'
measure host host
gate host
verdict "20% of a run of some milliseconds are within what hosts differ by" "exits 0" \
    '[ "$(grep -c " same$" "$out")" -eq 3 ]'
measure fast fast
gate fast
verdict "a faster one passes, and is told" "exits 0" '[ "$(grep -c " faster$" "$out")" -eq 3 ]'
measure noisy noisy
gate noisy
verdict "10% are within the noise when runs vary by 40%" "exits 0" '[ "$(grep -c " same$" "$out")" -eq 3 ]'
sed -i '/^gpu-two/s/^/#wrong /' "$scratch/a/results.dat"
gate a
verdict "a wrong point fails" "exits 1" "says 'gpu-two'"
sed -i '/gpu-two/d' "$scratch/a/results.dat"
gate a
verdict "a point that was not measured fails" "exits 1" "says 'gpu-two'"

# --- the tables in the READMEs ---

readme() {
    perf/readme.sh --check "$scratch/README.md" >"$out" 2>"$err"
    status=$?
}

results=$scratch/fast
awk -v format=dat -v folder="$results" -f perf/tables/library.awk -f perf/tables/table3.awk >"$scratch/table3"
{
    echo "<!-- $results: table3 -->"
    awk -v format=md -v folder="$results" -f perf/tables/library.awk -f perf/tables/table3.awk
    printf '<!-- end -->\nmore\n'
} >"$scratch/README.md"
awk -v format=dat -v folder="$results" -f perf/tables/library.awk -f perf/tables/points.awk |
    cat "$scratch/table3" - "$results/ceiling.dat" | cksum >"$results/pictures.cksum"
readme
verdict "tables and pictures of the results" "exits 0" "says '2 passed, 0 failed'"
sed -i 's/| ssc | 16 |/| ssc | 32 |/' "$scratch/README.md"
readme
verdict "a table that has drifted" "exits 1" "says '1 passed, 1 failed'"
sed -i 's/^gpu-one \(.*\) 0.096 /gpu-one \1 0.097 /' "$results/results.dat"
readme
verdict "results that have drifted" "exits 1" "says '0 passed, 2 failed'"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
