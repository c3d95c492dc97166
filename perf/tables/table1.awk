# Table 1: how much faster MSC is than SSC, by word size and mode.
BEGIN {
    say(machine)
    say("Speed-up: t_SF of SSC over that of MSC, at the same L, R and theta; theirs at theta = 500, R = 80000, " \
        "dbeta = 0.02 on a K80, where their MSC has no mode independent. beta from 0 to beta_end in steps of dbeta.")
    columns("device mode p n_RNG L R theta dbeta beta_end t_SF/ps min/ps max/ps spread-% speed-up paper " \
            "PAising/H200/ps faster")
    count = choose(1)
    ssc = chosen[1]
    for (i = 1; i <= count; i++) {
        n = chosen[i]
        mode = at[n, "mode"]
        p = at[n, "p"]
        put(at[n, "device"])
        put(n == ssc ? "SSC" : mode)
        put(p)
        put(n == ssc ? "-" : mode == "independent" || mode == "philox" ? p : 1)
        put(at[n, "L"])
        put(at[n, "R"])
        put(at[n, "theta"])
        put(at[n, "dbeta"])
        put(at[n, "beta_end"])
        put_time(n)
        put(digits(quotient(at[ssc, "t_SF/ps"], at[n, "t_SF/ps"]), 3))
        put(n == ssc ? 1 : known["k80", "speedup", "msc", 128, 80000, 500, p, mode])
        put_published("h200", n)
        end_row()
    }
    print_table()
}
