# Table 5: the hybrid variant, with the population copied to the CPU for resampling.
BEGIN {
    say(machine)
    say("t_SF of SSC; hybrid: the population is copied to the CPU at every temperature and resampled there by one " \
        "core. Its few steps are charged with the allocation of pinned memory; steps/ps is the time of the steps alone, by " \
        "device events, and over fused it is hybrid/fused. The paper's column: theirs of hybrid over all on the GPU, on a K80. beta from 0 to beta_end in steps of dbeta.")
    columns("L R theta dbeta beta_end fused/ps apart/ps hybrid/ps min/ps max/ps spread-% steps/ps hybrid/fused paper " \
            "K80/ps K80-hybrid/ps faster")
    count = choose(5)
    for (i = 1; i <= count; i++) {
        n = chosen[i]
        if (at[n, "stages"] != "hybrid")
            continue
        found = 1
        fused = with_stages(n, "fused")
        apart = with_stages(n, "apart")
        theirs = published("k80", "hybrid", n)
        put(at[n, "L"])
        put(at[n, "R"])
        put(at[n, "theta"])
        put(at[n, "dbeta"])
        put(at[n, "beta_end"])
        put(fused ? digits(at[fused, "t_SF/ps"], 4) : "")
        put(apart ? digits(at[apart, "t_SF/ps"], 4) : "")
        put_time(n)
        steps = at[n, "resample/s"] + at[n, "sweep/s"] + at[n, "measure/s"] + at[n, "round_trip/s"]
        steps *= 1e12 / at[n, "flips"]
        put(digits(steps, 4))
        put(fused ? digits(steps / at[fused, "t_SF/ps"], 3) : "")
        put(digits(quotient(theirs, published("k80", "t_SF", n)), 3))
        put(published("k80", "t_SF", n))
        put(theirs)
        put(digits(quotient(theirs, at[n, "t_SF/ps"]), 3))
        end_row()
    }
    if (found)
        print_table()
    else
        say("No GPU: the hybrid variant is one of a GPU.")
}
