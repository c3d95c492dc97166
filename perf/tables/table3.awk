# Table 3: t_SF by theta and R, and Fig. 3: over that of the largest theta at the same R.

function same_line(n, m) {
    return in_table(m, 3) && at[n, "device"] == at[m, "device"] && at[n, "coding"] == at[m, "coding"] && \
           at[n, "R"] == at[m, "R"]
}

# The row of the largest theta.
function last_of(n,    m, last) {
    last = n
    for (m = 1; m <= rows; m++)
        if (same_line(n, m) && at[m, "theta"] + 0 > at[last, "theta"] + 0)
            last = m
    return last
}

BEGIN {
    say(machine)
    say("beta from 0 to beta_end in steps of dbeta. relative: over t_SF of the largest theta. K80: published; " \
        "PAising/H200: the published program on an H200; faster: their t_SF over ours.")
    columns("device coding L R theta dbeta beta_end t_SF/ps min/ps max/ps spread-% relative K80/ps faster " \
            "PAising/H200/ps faster")
    count = choose(3)
    for (i = 1; i <= count; i++) {
        n = chosen[i]
        put(at[n, "device"])
        put(at[n, "coding"])
        put(at[n, "L"])
        put(at[n, "R"])
        put(at[n, "theta"])
        put(at[n, "dbeta"])
        put(at[n, "beta_end"])
        put_time(n)
        put(digits(at[n, "t_SF/ps"] / at[last_of(n), "t_SF/ps"], 4))
        put_published("k80", n)
        put_published("h200", n)
        end_row()
    }
    print_table()
}
