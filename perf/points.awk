# Prints the points of a benchmark, one a row: what perf/bench.sh measures, and in which order.
#   awk -v profile=quick|paper -v machine=gpu|cpu -f perf/points.awk
# tables   in which of the paper's tables a point stands; D: the published program's default run
# check    whose results its first temperatures must equal: a run on the `cpu`, with the stages
#          `fused` or `apart`, or on one `thread`; -: of no other run
# beta goes from 0 in steps of 0.005, which keeps the population healthy at L = 128, as far as a run of
# some tenths of a second gets, or to 1. In mode `independent` a sweep costs 12 bit planes a spin at
# small beta and 9 on the average from 0 to 1 (9.5 to 0.5): there the range is to be long.

BEGIN {
    dbeta = 0.005
    most_steps = 200
    split("1 5 10 50 100 200 500", thetas)
    split("2000 10000 50000 100000", populations)
    split("16 32 64 128 256", sizes)
    split("8 16 32 64", words)

    # ps a spin-flip attempt, to choose the number of steps from; on the CPU with two cores.
    ps["gpu", "ssc"] = 1.15; ps["gpu", "independent"] = 0.12; ps["gpu", "philox"] = 1.5
    ps["gpu", "shared"] = 0.1; ps["gpu", "lcg"] = 0.22
    ps["cpu", "ssc"] = 7000; ps["cpu", "independent"] = 70; ps["cpu", "philox"] = 2700
    ps["cpu", "shared"] = 350; ps["cpu", "lcg"] = 3500

    print "# id device coding L R theta p mode dbeta beta_end stages check tables"
    if (profile == "paper" && machine == "gpu")
        paper_gpu()
    else if (profile == "paper" && machine == "cpu")
        paper_cpu()
    else if (profile == "quick" && machine == "gpu")
        quick_gpu()
    else if (profile == "quick" && machine == "cpu")
        quick_cpu()
    else {
        print "points: profile '" profile "', machine '" machine "': allowed are quick, paper; gpu, cpu" >"/dev/stderr"
        exit 2
    }
    for (n = 1; n <= points; n++)
        print row[n], tables[n]
}

# A point whose runs take some `seconds`, but make at least `least` steps. A point that several tables
# show is measured once.
function point(table, device, coding, L, R, theta, p, mode, stages, check, seconds, least,
               id, cost, steps) {
    id = device "-" coding "-L" L "-R" R "-t" theta
    if (coding == "msc")
        id = id "-p" p "-" mode
    if (device == "gpu")
        id = id "-" stages
    if (id in number) {
        tables[number[id]] = tables[number[id]] "," table
        return
    }
    cost = L * L * R * (theta * ps[device, coding == "msc" ? mode : "ssc"] + \
                        (device == "gpu" ? (stages == "hybrid" ? 500 : 0.4) : 200)) * 1e-12
    if (device == "gpu")
        cost += 5e-5
    steps = int(seconds / cost)
    if (steps < least)
        steps = least
    if (steps > most_steps)
        steps = most_steps
    number[id] = ++points
    row[points] = id " " device " " coding " " L " " R " " theta " " p " " mode " " dbeta " " \
                  dbeta * steps " " stages " " check
    tables[points] = table
}

function ssc(table, L, R, theta, stages, check, seconds, least) {
    point(table, "gpu", "ssc", L, R, theta, "-", "-", stages, check, seconds, least)
}

function msc(table, L, R, theta, p, mode, stages, check, seconds, least) {
    point(table, "gpu", "msc", L, R, theta, p, mode, stages, check, seconds, least)
}

function cpu(table, coding, L, R, theta, p, mode, seconds, least) {
    point(table, "cpu", coding, L, R, theta, p, mode, "-", coding == "msc" ? "thread" : "-",
          seconds, least)
}

function paper_gpu(    t, r, s, w, theta, R, L, m, mode) {
    for (t = 1; t in thetas; t++)
        for (r = 1; r in populations; r++) {
            theta = thetas[t]; R = populations[r]
            check = theta == 1 && R == 2000 ? "cpu" : "-"
            ssc("3", 128, R, theta, "fused", check, 0.5, 8)
            msc("3", 128, R, theta, 32, "independent", "fused", check, 1.2, 100)
        }
    for (s = 1; s in sizes; s++) {
        L = sizes[s]
        ssc("2", L, L == 256 ? 2500 : 10000, 500, "fused", "apart", 0.5, 8)
        msc("2", L, L == 256 ? 12500 : 50000, 500, 32, "independent", "fused", "apart", 1, 100)
    }
    for (t = 1; t in thetas; t++)
        for (r = 1; r in populations; r++) {
            ssc("4", 128, populations[r], thetas[t], "apart", "fused", 0.25, 4)
            msc("4", 128, populations[r], thetas[t], 32, "independent", "apart", "fused", 0.25, 4)
        }
    for (t = 1; t in thetas; t++)
        if (thetas[t] != 200) {
            ssc("5", 128, 50000, thetas[t], "fused", "-", 0.5, 8)
            ssc("5", 128, 50000, thetas[t], "apart", "fused", 0.25, 4)
            ssc("5", 128, 50000, thetas[t], "hybrid", "fused", 1, 4)
        }
    ssc("1", 128, 80000, 100, "fused", "apart", 0.5, 8)
    for (m = split("philox shared lcg independent", modes); m >= 1; m--)
        for (w = 1; w in words; w++)
            msc("1", 128, 80000, 100, words[w], modes[m], "fused", words[w] == 32 ? "apart" : "-",
                modes[m] == "independent" ? 1 : 0.3, modes[m] == "independent" ? 100 : 8)
    ssc("D", 64, 20000, 100, "fused", "-", 5, 200)
    msc("D", 64, 20000, 100, 32, "independent", "fused", "-", 5, 200)
    cpu_columns()
}

# The CPU's column of Table 2 and its line in Fig. 3. t_SF does not depend on R there, but the threads
# of MSC want a machine word each.
function cpu_columns(    s, t, L) {
    for (s = 1; s in sizes; s++) {
        L = sizes[s]
        cpu("2", "ssc", L, L == 256 ? 4 : 8 * 128 * 128 / (L * L), 100, "-", "-", 0.6, 2)
        cpu("2", "msc", L, L == 256 ? 512 : 1024 * 128 * 128 / (L * L), 100, 32, "independent", 1, 40)
    }
    for (t = 1; t in thetas; t++) {
        cpu("3", "ssc", 128, 8, thetas[t], "-", "-", 0.6, 2)
        cpu("3", "msc", 128, 1024, thetas[t], 32, "independent", 1, thetas[t] < 100 ? 40 : 20)
    }
}

function paper_cpu() {
    cpu_columns()
    cpu_modes()
}

function cpu_modes(    m) {
    cpu("1", "ssc", 64, 128, 10, "-", "-", 0.5, 8)
    for (m = split("philox shared lcg independent", modes); m >= 1; m--) {
        cpu("1", "msc", 64, modes[m] == "independent" ? 2048 : 128, 10, 8, modes[m], 0.5, 8)
        cpu("1", "msc", 64, modes[m] == "independent" ? 2048 : 128, 10, 32, modes[m], 0.5, 8)
    }
}

function quick_gpu(    t, m) {
    for (t = 1; t <= 3; t++) {
        theta = 10 ^ (t - 1)
        ssc("3", 128, 2000, theta, "fused", theta == 1 ? "cpu" : "-", 0.5, 8)
        ssc("3", 128, 10000, theta, "fused", "-", 0.5, 8)
        msc("3", 128, 2000, theta, 32, "independent", "fused", theta == 1 ? "cpu" : "-", 0.5, 100)
        msc("3", 128, 50000, theta, 32, "independent", "fused", "-", 0.5, 100)
    }
    msc("2", 16, 50000, 100, 32, "independent", "fused", "apart", 0.5, 100)
    msc("2", 64, 20000, 100, 32, "independent", "fused", "apart", 0.5, 100)
    msc("2", 256, 2500, 100, 32, "independent", "fused", "apart", 0.5, 100)
    ssc("2", 64, 10000, 100, "fused", "apart", 0.5, 8)
    for (t = 1; t <= 2; t++) {
        theta = t == 1 ? 1 : 100
        ssc("4", 128, 10000, theta, "apart", "fused", 0.25, 4)
        msc("4", 128, 50000, theta, 32, "independent", "apart", "fused", 0.25, 4)
    }
    ssc("5", 128, 10000, 1, "fused", "-", 0.5, 8)
    ssc("5", 128, 10000, 1, "apart", "fused", 0.25, 4)
    ssc("5", 128, 10000, 1, "hybrid", "fused", 0.5, 4)
    ssc("1", 128, 10000, 100, "fused", "-", 0.5, 8)
    for (m = split("philox shared lcg independent", modes); m >= 1; m--)
        msc("1", 128, 10000, 100, 32, modes[m], "fused", "apart", 0.3, 8)
}

function quick_cpu(    s, t, r) {
    for (s = 1; s <= 4; s++) {
        L = sizes[s]
        cpu("2", "ssc", L, 16 * 64 * 64 / (L * L), 100, "-", "-", 0.5, 4)
        cpu("2", "msc", L, 512 * 64 * 64 / (L * L), 100, 32, "independent", 0.7, 20)
    }
    for (t = 1; t <= 3; t++)
        for (r = 1; r <= 2; r++) {
            theta = 10 ^ (t - 1)
            cpu("3,4", "ssc", 64, r == 1 ? 16 : 64, theta, "-", "-", 0.5, 4)
            cpu("3,4", "msc", 64, r == 1 ? 128 : 512, theta, 32, "independent", 0.7, 20)
        }
    cpu_modes()
}
