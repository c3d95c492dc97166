# Compares the results of a benchmark with those of a baseline, point by point.
#   awk -f perf/gate.awk BASELINE RESULTS
# t_SF has changed when the two medians differ by more than 3%, by more than four of their standard
# deviations, and by more than hosts of one GPU do: 60 us a step and 5 ms a run, which is much in short
# steps of small populations. The standard deviations follow from the ranges of the five timed runs: the
# range of five normal numbers is 2.326 standard deviations on the average, and the standard deviation of
# their median is 0.536 times theirs. The time of the device alone, by its own clock, has changed when it
# differs by more than 3% plus 10 us a step. A point is slower when one of the two is, and faster when one is
# and none is slower. Status 1: a point is slower, or missing.

function deviation(file, id) {
    return 0.536 * (largest[file, id] - least[file, id]) / 2.326
}

# The time of the stages that the device does, in seconds; nan if it is not known.
function device_time(    stage, n, sum, known) {
    split("resample/s sweep/s measure/s step/s", stage, " ")
    for (n = 1; n <= 4; n++)
        if ($column[stage[n]] != "nan") {
            sum += $column[stage[n]]
            known++
        }
    return known && $column["stages"] != "hybrid" ? sum : "nan"
}

function greater(a, b) {
    return a > b ? a : b
}

function verdict_of(change, tolerance) {
    return change > tolerance ? "slower" : change < -tolerance ? "faster" : "same"
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
    device[file, id] = device_time()
    steps[id] = $column["steps"]
    flips[id] = $column["flips"]
    # The same work: a changed list of points asks for a new baseline.
    work[file, id] = $column["dbeta"] " " $column["beta_end"] " " $column["runs"]
    if (file == 1)
        order[++points] = id
    else if (!((1, id) in time))
        added[++news] = id
}

END {
    print "# id baseline/ps now/ps change-% standard-deviations tolerance-% device-% tolerance-% verdict"
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
        host = 1e12 * (60e-6 * steps[id] + 5e-3) / flips[id]
        tolerance = greater(greater(4 * sigma, 0.03 * was), host)
        verdict = verdict_of(change, tolerance)

        device_was = device[1, id]
        device_change = device_tolerance = "nan"
        if (device_was != "nan" && device[2, id] != "nan") {
            device_change = 100 * (device[2, id] / device_was - 1)
            device_tolerance = 100 * (0.03 + 10e-6 * steps[id] / device_was)
            device_verdict = verdict_of(device_change, device_tolerance)
            if (verdict == "same" || device_verdict == "slower")
                verdict = device_verdict
        }
        if (verdict == "slower")
            failed++
        printf("%-48s %9.4g %9.4g %7.2f %7.1f %6.2f %7.4g %5.3g %s\n", id, was, time[2, id], 100 * change / was,
               sigma > 0 ? change / sigma : 0, 100 * tolerance / was, device_change, device_tolerance, verdict)
    }
    for (n = 1; n <= news; n++)
        printf "# %s: not in the baseline\n", added[n]
    exit failed > 0
}
