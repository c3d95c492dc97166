# The results of a benchmark, a point a row: medians of the timed runs in FOLDER/points/ID.dat.
#   awk -v folder=FOLDER -f perf/summary.awk FOLDER/points.dat
# The median of an even number of runs is the mean of the two in the middle. planes: what build/planes says
# of the mode independent. energy: of the last timed run, the only one that is asked for it.

function sort(x, n,    i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && x[j] < x[j - 1]; j--) {
            t = x[j]; x[j] = x[j - 1]; x[j - 1] = t
        }
}

# The median of a column; nan if a run has none.
function median(column,    x, n) {
    for (n = 1; n <= runs; n++) {
        if (timing[n, column] == "nan")
            return "nan"
        x[n] = timing[n, column] + 0
    }
    sort(x, runs)
    lowest = x[1]; highest = x[runs]
    return (x[int((runs + 1) / 2)] + x[int(runs / 2) + 1]) / 2
}

BEGIN {
    print "# times: medians over the timed runs; t_SF is that of eq. (11)"
    print "# tables: the paper's tables in which the point stands; D: the published program's default run"
    print "# id device coding L R theta p mode dbeta beta_end stages tables steps threads planes runs " \
          "t_SF/ps min/ps max/ps resample/s sweep/s measure/s step/s round_trip/s total/s flips energy/J"
}

/^#/ { next }

{
    file = folder "/points/" $1 ".dat"
    runs = 0
    remark = "# " $1 ": not measured"
    while ((getline line < file) > 0) {
        if (line ~ /^#wrong|not measured/)
            remark = line
        if (line ~ /^#/)
            continue
        split(line, cells, " ")
        runs++
        for (c = 1; c <= 12; c++)
            timing[runs, c] = cells[c]
    }
    close(file)
    wrong = remark ~ /^#wrong/
    if (runs == 0) {
        print remark
        next
    }
    if (wrong)
        printf "#wrong "
    printf "%s %s %s %s %s %s %s %s %s %s %s %s", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $13
    planes = "nan"
    if ($8 == "independent") {
        command = "build/planes " $9 " " timing[1, 10]
        command | getline planes
        close(command)
    }
    printf " %d %d %s %d", timing[1, 10], timing[1, 11], planes, runs
    t = median(2)
    printf " %.6g %.6g %.6g", t, lowest, highest
    for (c = 3; c <= 7; c++)
        printf " %s", number_or_nan(median(c))
    printf " %s %s %s", number_or_nan(median(8)), number_or_nan(median(9)), number_or_nan(timing[runs, 12])
    print wrong ? " " remark : ""
}

function number_or_nan(x) {
    return x == "nan" ? x : sprintf("%.6g", x)
}
