# A table of hardware counters from ncu's raw page (one kernel a line, units in the line after the
# header): awk -f perf/profile_csv.awk -f perf/profile_counters.awk -v name=RUN -v population=R_i
# -v options="-c msc -L 128 ..." FILE; with -v head=1 its header. Status 1: there is no kernel.
#
# A spin's share of a kernel is what the kernel does divided by the spins that it passes: L^2 R_i, times
# theta in the sections that sweep (step, sweep). An instruction counts for each of its 32 threads.

# The value in the column of a metric; nan: this device or version does not have it.
function value(metric,    x) {
    x = metric in column ? field[column[metric]] : ""
    gsub(/,/, "", x)
    return x ~ /^-?[0-9.]/ ? x + 0 : "nan"
}

function per(x, y) {
    return x == "nan" ? x : x / y
}

function times(x, y) {
    return x == "nan" ? x : x * y
}

# A number, or nan, in a column; awks differ in what they make of nan.
function show(x, width) {
    return sprintf("%" width "s", x == "nan" ? x : sprintf("%." (width > 8 ? 6 : 4) "g", x))
}

# The innermost of the program's sections; other libraries name theirs too.
function section_of(ranges,    found) {
    found = "-"
    while (match(ranges, /:(randomise|resample|collect|step|sweep|measure|report):/)) {
        found = substr(ranges, RSTART + 1, RLENGTH - 2)
        ranges = substr(ranges, RSTART + RLENGTH - 1)
    }
    return found
}

BEGIN {
    peak = ".avg.pct_of_peak_sustained_active"
    if (head) {
        print "# flips: spin-flip attempts of the kernel, or spins that it passes where it does not sweep"
        print "# inst: executed, for each of 32 threads; issue, alu, mul, lsu, dram: % of the device's peak"
        printf "# %-22s %-10s %-18s %10s %12s %9s %11s %11s %9s %9s %6s %6s %6s %6s %6s %6s %6s %5s\n",
            "run", "section", "kernel", "time/us", "flips", "ps/flip", "read/byte", "write/byte",
            "byte/flip", "inst/flip", "issue%", "alu%", "mul%", "lsu%", "dram%", "occ%", "GHz", "regs"
        exit
    }
    n = split(options, word, " ")
    for (i = 1; i < n; i++)
        option[word[i]] = word[i + 1]
    spins = option["-L"] * option["-L"] * population
}

!/^"/ { next }

{ split_csv($0, field) }

!known {
    known = 1
    for (i = 1; i in field; i++) {
        column[field[i]] = i
        if (field[i] ~ /Push\/Pop_Range/)
            ranges = i
    }
    next
}

field[column["ID"]] !~ /^[0-9]/ { next } # units

{
    kernels++
    section = ranges ? section_of(field[ranges]) : "-"
    flips = spins * (section == "step" || section == "sweep" ? option["-t"] : 1)
    time = value("gpu__time_duration.sum") # ns
    bytes_read = value("dram__bytes_read.sum")
    bytes_written = value("dram__bytes_write.sum")
    print sprintf("%-24s %-10s %-18s", name, section, substr(field[column["Kernel Name"]], 1, 18)),
        show(per(time, 1e3), 10), show(flips, 12), show(per(times(time, 1e3), flips), 9),
        show(bytes_read, 11), show(bytes_written, 11),
        show(bytes_read == "nan" ? "nan" : (bytes_read + bytes_written) / flips, 9),
        show(per(times(value("smsp__inst_executed.sum"), 32), flips), 9),
        show(value("smsp__issue_active" peak), 6),
        show(value("sm__inst_executed_pipe_alu" peak), 6),
        show(value("sm__pipe_fmaheavy_cycles_active" peak), 6),
        show(value("sm__inst_executed_pipe_lsu" peak), 6),
        show(value("dram__throughput.avg.pct_of_peak_sustained_elapsed"), 6),
        show(value("sm__warps_active" peak), 6),
        show(per(value("sm__cycles_elapsed.avg.per_second"), 1e9), 6),
        show(value("launch__registers_per_thread"), 5)
}

END { exit !(head || kernels) }
