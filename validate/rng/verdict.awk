# The table and the verdict of a battery from its results:
#   awk -v battery=NAME -v tests=COUNT -v streams="STREAM EXPECTED FINGERPRINT..." -f verdict.awk
# A statistic fails if its p-value is less than 1e-10 from 0 or 1; or if it is less than 1e-4 from
# them and so again in one of two repetitions on fresh sections. A stream must not fail if it is
# expected to pass, and must fail if it is a control that is known to fail in this battery.
BEGIN {
    rank["smallcrush"] = 1; rank["crush"] = 2; rank["bigcrush"] = 3
}
{
    stream = $2; test = $4; repetition = $5; seconds = $7
    p = $6 < 0.5 ? $6 : 1 - $6
    name = $8
    for (n = 9; n <= NF; n++)
        name = name " " $n
    statistic = stream SUBSEP test SUBSEP name
    done[stream, test, repetition] = 1
    if (repetition == 0) {
        statistics[stream]++
        if (!((stream, test) in timed)) {
            timed[stream, test]
            tests_done[stream]++
            time[stream] += seconds
        }
    }
    if (p < 1e-10)
        failed[statistic] = $6
    if (p < 1e-4) {
        if (repetition == 0)
            suspect[statistic] = $6
        else
            again[statistic] = $6
    }
}
END {
    for (statistic in suspect) {
        split(statistic, part, SUBSEP)
        if (statistic in failed) continue
        suspects[part[1]]++
        if (statistic in again)
            failed[statistic] = suspect[statistic]
        else if (!((part[1], part[2], 1) in done && (part[1], part[2], 2) in done))
            open[part[1]]++
    }
    for (statistic in failed) {
        split(statistic, part, SUBSEP)
        failures[part[1]]++
        line[part[1]] = line[part[1]] sprintf("#   %s: test %d, %s: p = %.3g\n", part[1], part[2],
                                              part[3], failed[statistic])
    }
    print "# " battery ": statistics, failures and suspects of each stream"
    print "# stream expected tests statistics failures suspects seconds verdict"
    count = split(streams, word, /[ \n]+/)
    for (n = 1; n < count; n += 3) {
        stream = word[n]; expected = word[n + 1]
        must_fail = expected != "pass" && rank[expected] <= rank[battery]
        if (must_fail && failures[stream] > 0)
            verdict = "fails,as-known"
        else if (tests_done[stream] < tests || open[stream] > 0)
            verdict = "incomplete"
        else if (must_fail)
            verdict = "NOT-CAUGHT"
        else if (expected == "pass")
            verdict = failures[stream] > 0 ? "FAILED" : "passed"
        else
            verdict = "control"
        verdicts[verdict]++
        printf "%-26s %-10s %d/%d %d %d %d %.0f %s\n", stream, expected, tests_done[stream], tests,
               statistics[stream], failures[stream], suspects[stream], time[stream], verdict
    }
    for (n = 1; n < count; n += 3)
        printf "%s", line[word[n]]
    bad = verdicts["FAILED"] + verdicts["NOT-CAUGHT"]
    printf "# %d passed, %d failed, %d fail as known, %d should but do not, %d controls may do either, " \
           "%d incomplete\n", verdicts["passed"], verdicts["FAILED"], verdicts["fails,as-known"],
           verdicts["NOT-CAUGHT"], verdicts["control"], verdicts["incomplete"]
    exit bad + verdicts["incomplete"] > 0
}
