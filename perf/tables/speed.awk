# The table of the README: t_SF by theta of MSC and SSC at L = 128, R = 50000, beside the published ones.
BEGIN {
    say(machine)
    columns("theta MSC/ps PAising/H200/ps K80/ps beta_end SSC/ps PAising/H200/ps K80/ps beta_end")
    split("500 100 10 1", thetas)
    for (t = 1; t in thetas; t++) {
        put(thetas[t])
        show("msc 128 50000 " thetas[t] " 32 independent")
        show("ssc 128 50000 " thetas[t] " - -")
        end_row()
    }
    print_table()
}

function show(what,    n) {
    n = place["gpu " what " fused"] + 0
    put(n ? digits(at[n, "t_SF/ps"], 4) : "")
    put(n ? published("h200", "t_SF", n) : "")
    put(n ? published("k80", "t_SF", n) : "")
    put(n ? at[n, "beta_end"] : "")
}
