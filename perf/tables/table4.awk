# Table 4: what share of the time the stages take when they are made apart, and what share of the sweep
# the fused step implies: a straight line t_SF = a + b / theta through all its theta at the same R, with
# relative weights, whose a is the sweep's.

# Sets slope_a and slope_b for the fused rows beside row n; returns 0 where there are fewer than two.
function fit(n,    m, w, x, s, sx, sxx, sy, sxy, count) {
    for (m = 1; m <= rows; m++) {
        if (at[m, "device"] != at[n, "device"] || at[m, "coding"] != at[n, "coding"] || \
            at[m, "stages"] != "fused" || at[m, "L"] != at[n, "L"] || at[m, "R"] != at[n, "R"] || \
            at[m, "p"] != at[n, "p"] || at[m, "mode"] != at[n, "mode"])
            continue
        w = 1 / at[m, "t_SF/ps"] ^ 2
        x = 1 / at[m, "theta"]
        s += w; sx += w * x; sxx += w * x * x; sy += w * at[m, "t_SF/ps"]; sxy += w * x * at[m, "t_SF/ps"]
        count++
    }
    if (count < 2)
        return 0
    slope_b = (s * sxy - sx * sy) / (s * sxx - sx * sx)
    slope_a = (sy - slope_b * sx) / s
    return count
}

BEGIN {
    say(machine)
    say("Shares of the time of all steps, the stages one after the other (on a GPU: --stages apart, device events). " \
        "implied: the sweep's share in the fused step, a / (a + b / theta) from t_SF = a + b / theta. paper: the " \
        "sweep's share on a K80. beta from 0 to beta_end in steps of dbeta.")
    columns("device coding L R theta dbeta beta_end resample-% sweep-% measure-% round_trip-% paper-% implied-% " \
            "apart/ps fused/ps")
    count = choose(4)
    for (i = 1; i <= count; i++) {
        n = chosen[i]
        time = at[n, "resample/s"] + at[n, "sweep/s"] + at[n, "measure/s"] + at[n, "round_trip/s"]
        put(at[n, "device"])
        put(at[n, "coding"])
        put(at[n, "L"])
        put(at[n, "R"])
        put(at[n, "theta"])
        put(at[n, "dbeta"])
        put(at[n, "beta_end"])
        put(digits(percent(at[n, "resample/s"], time), 3))
        put(digits(percent(at[n, "sweep/s"], time), 4))
        put(digits(percent(at[n, "measure/s"], time), 3))
        put(digits(percent(at[n, "round_trip/s"], time), 3))
        put(published("k80", "share", n))
        put(fit(n) ? digits(100 * slope_a / (slope_a + slope_b / at[n, "theta"]), 4) : "")
        put(digits(at[n, "t_SF/ps"], 4))
        fused = with_stages(n, "fused")
        put(fused ? digits(at[fused, "t_SF/ps"], 4) : "")
        end_row()
    }
    print_table()
}
