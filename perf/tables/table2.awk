# Table 2: the peak t_SF by L.

# theta is 500 in the paper; the published CPU has no R.
function theirs(n) {
    return known[at[n, "device"] == "cpu" ? "xeon" : "k80", "t_SF", at[n, "coding"], at[n, "L"], 50000, 500, \
                 at[n, "p"], at[n, "coding"] == "ssc" ? "-" : "lcg"]
}

BEGIN {
    say(machine)
    say("beta from 0 to beta_end in steps of dbeta. Paper: R = 50000, theta = 500; one core of a Xeon E5-2683 v4, " \
        "and a K80.")
    columns("coding device threads L R theta dbeta beta_end t_SF/ps min/ps max/ps spread-% flips/ns paper/ps " \
            "faster PAising/H200/ps faster")
    count = choose(2)
    for (i = 1; i <= count; i++) {
        n = chosen[i]
        put(at[n, "coding"])
        put(at[n, "device"])
        put(at[n, "threads"])
        put(at[n, "L"])
        put(at[n, "R"])
        put(at[n, "theta"])
        put(at[n, "dbeta"])
        put(at[n, "beta_end"])
        put_time(n)
        put(digits(quotient(1000, at[n, "t_SF/ps"]), 4))
        put(theirs(n))
        put(digits(quotient(theirs(n), at[n, "t_SF/ps"]), 3))
        put_published("h200", n)
        end_row()
    }
    print_table()
}
