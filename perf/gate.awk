# Compares the results of a benchmark with those of a baseline, point by point.
#   awk -f perf/gate.awk BASELINE RESULTS
# A point is slower (or faster) when its t_SF differs from the baseline's by more than 3% and by more than
# four standard deviations of the two medians. Those follow from the ranges of the five timed runs: the
# range of five normal numbers is 2.326 standard deviations on the average, and the standard deviation of
# their median is 0.536 times theirs. Status 1: a point is slower, or missing.

function deviation(file, id) {
    return 0.536 * (largest[file, id] - least[file, id]) / 2.326
}

FNR == 1 { file++ }

/^# id / {
    for (c = 3; c <= NF; c++)
        column[$c] = c - 1
    column["id"] = 1
}

/^#/ { next }

{
    id = $1
    time[file, id] = $column["t_SF/ps"]
    least[file, id] = $column["min/ps"]
    largest[file, id] = $column["max/ps"]
    # The same work: a changed list of points asks for a new baseline.
    work[file, id] = $column["dbeta"] " " $column["beta_end"] " " $column["runs"]
    if (file == 1)
        order[++points] = id
    else if (!((1, id) in time))
        added[++news] = id
}

END {
    print "# id baseline/ps now/ps change-% standard-deviations tolerance-% verdict"
    for (n = 1; n <= points; n++) {
        id = order[n]
        was = time[1, id]
        if (!((2, id) in time) || work[1, id] != work[2, id]) {
            printf "# %s %.4g: not measured as the baseline was\n", id, was
            failed++
            continue
        }
        change = time[2, id] - was
        sigma = sqrt(deviation(1, id) ^ 2 + deviation(2, id) ^ 2)
        tolerance = 4 * sigma > 0.03 * was ? 4 * sigma : 0.03 * was
        verdict = change > tolerance ? "slower" : change < -tolerance ? "faster" : "same"
        if (verdict == "slower")
            failed++
        printf("%-48s %9.4g %9.4g %7.2f %7.1f %6.2f %s\n", id, was, time[2, id], 100 * change / was,
               sigma > 0 ? change / sigma : 0, 100 * tolerance / was, verdict)
    }
    for (n = 1; n <= news; n++)
        printf "# %s: not in the baseline\n", added[n]
    exit failed > 0
}
