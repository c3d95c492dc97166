# What the tables share: reading, derived columns (perf/README.md says how), rows in two formats.
#   awk -v format=dat|md -v folder=FOLDER -f perf/tables/library.awk -f perf/tables/TABLE.awk
# FOLDER holds results.dat and, where they were measured, the device's ceilings, ceiling.dat. Row n of
# the results, 1 to rows, has the values at[n, COLUMN], named as in the header of results.dat; "" is a
# value that is not known. machine holds what the header says of the machine.

BEGIN {
    rows = read_results(folder "/results.dat")
    read_published("perf/published.dat")
    read_ceilings(folder "/ceiling.dat")
}

# --- reading ---

function read_results(file,    line, cells, names, n, c, count) {
    while ((getline line < file) > 0) {
        if (line ~ /^# (device|driver|clocks|cpu|commit|date) /)
            machine = machine (machine == "" ? "" : "; ") substr(line, 3)
        if (line ~ /^#wrong|not measured/)
            missing[++missed] = substr(line, 2)
        if (line ~ /^# id /)
            split(substr(line, 3), names, " ")
        if (line ~ /^#/)
            continue
        count++
        n = split(line, cells, " ")
        for (c = 1; c <= n; c++)
            at[count, names[c]] = cells[c] == "nan" ? "" : cells[c]
        place[key(count, at[count, "device"], at[count, "stages"])] = count
    }
    close(file)
    return count
}

# What a row measures, on a device and with its stages made in some way.
function key(n, device, stages) {
    return device " " at[n, "coding"] " " at[n, "L"] " " at[n, "R"] " " at[n, "theta"] " " \
           at[n, "p"] " " at[n, "mode"] " " stages
}

# The row that differs from row n in its stages only; 0: there is none.
function with_stages(n, stages) {
    return place[key(n, at[n, "device"], stages)] + 0
}

function read_published(file,    line, c) {
    while ((getline line < file) > 0)
        if (line !~ /^#/) {
            split(line, c, " ")
            known[c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8]] = c[9]
        }
    close(file)
}

# A published value at the parameters of row n. The published program's only mode is lcg, which is what
# our independent stands beside.
function published(device, quantity, n,    mode) {
    mode = at[n, "mode"] == "independent" ? "lcg" : at[n, "mode"]
    if (quantity == "t_SF" && mode != "lcg" && mode != "-")
        return ""
    return known[device, quantity, at[n, "coding"], at[n, "L"], at[n, "R"], at[n, "theta"], at[n, "p"], mode]
}

function read_ceilings(file,    line, c) {
    while ((getline line < file) > 0)
        if (line !~ /^#/) {
            split(line, c, " ")
            ceiling[c[1]] = c[2] # in 1e9 a second, which is one a nanosecond
        }
    close(file)
}

function in_table(n, table) {
    return index("," at[n, "tables"] ",", "," table ",") > 0
}

# Sets chosen[1], chosen[2], ... to the rows of a table, "" all rows: by device, coding, mode, p, L, R, theta.
# Returns their number.
function choose(which,    n, i, m, count) {
    for (n = 1; n <= rows; n++) {
        if (which != "" && !in_table(n, which))
            continue
        for (i = ++count; i > 1 && sort_key(n) < sort_key(chosen[i - 1]); i--)
            chosen[i] = chosen[i - 1]
        chosen[i] = n
    }
    return count + 0
}

function sort_key(n) {
    return sprintf("%s %d %s %3s %4s %7s %5s %s", at[n, "device"], at[n, "coding"] == "msc", at[n, "mode"], at[n, "p"], \
                   at[n, "L"], at[n, "R"], at[n, "theta"], at[n, "stages"])
}

# --- derived columns ---

function quotient(a, b) {
    return a == "" || b == "" || b == 0 ? "" : a / b
}

function percent(a, b) {
    return a == "" || b == "" || b == 0 ? "" : 100 * a / b
}

# (max - min) / median
function spread(n) {
    return percent(at[n, "max/ps"] - at[n, "min/ps"], at[n, "t_SF/ps"])
}

# What its random numbers cost a flip, at the rate of the device's ceiling, in ps.
function random_ps(n,    p, mode) {
    p = at[n, "p"]
    mode = at[n, "mode"]
    if (mode == "independent") # planes words decide 32 flips
        return at[n, "device"] == "cpu" ? "" : quotient(1000 * at[n, "planes"] / 32, ceiling["planes"])
    if (at[n, "coding"] == "ssc" || mode == "philox") # a Philox call, 4 flips
        return quotient(1000 / 4, ceiling["philox"])
    if (mode == "lcg") # a number for the p flips of a word, and a multiply-add for each
        return at[n, "device"] == "cpu" ? "" : \
               quotient(1000 / (4 * p), ceiling["philox"]) + quotient(1000, ceiling["multiply_add"])
    return quotient(1000 / (4 * p * at[n, "threads"]), ceiling["philox"])
}

# Device memory that the population's spins take, read and written, in bytes a flip: 1 or 1/8 byte a
# spin, once each way where one kernel makes a step; apart, each stage reads, two of them write.
function bytes(n,    passes) {
    passes = at[n, "stages"] == "fused" || at[n, "device"] == "cpu" && at[n, "coding"] == "msc" ? 2 : 5
    return passes * (at[n, "coding"] == "ssc" ? 1 : 1 / 8) / at[n, "theta"]
}

function random_percent(n) {
    return percent(random_ps(n), at[n, "t_SF/ps"])
}

function memory_percent(n) {
    return percent(quotient(1000 * bytes(n), ceiling["copy"]), at[n, "t_SF/ps"])
}

# --- output ---

# x with so many significant digits, without an exponent.
function digits(x, significant,    decimals, size) {
    if (x == "")
        return ""
    size = x < 0 ? -x : x
    decimals = significant - 1
    for (; size >= 10 && decimals > 0; size /= 10)
        decimals--
    for (; size < 1 && size > 0 && decimals < 12; size *= 10)
        decimals++
    return sprintf("%." decimals "f", x)
}

# A paragraph of the head.
function say(text) {
    print format == "md" ? text "\n" : "# " text
}

# The columns of the table that begins; names are separated by blanks.
function columns(names,    name, c) {
    cells_each = split(names, name, " ")
    lines = 0
    for (c = 1; c <= cells_each; c++)
        table[0, c] = (format == "dat" && c == 1 ? "# " : "") name[c]
}

# A cell of the row in work.
function put(x) {
    table[lines + 1, ++filled] = format == "dat" && x == "" ? "nan" : x
}

function end_row() {
    lines++
    filled = 0
}

# Prints the table, its columns aligned.
function print_table(    c, l, line, width, rule) {
    for (c = 1; c <= cells_each; c++) {
        for (l = 0; l <= lines; l++)
            if (length(table[l, c]) > width[c])
                width[c] = length(table[l, c])
        rule = rule "|---"
    }
    for (l = 0; l <= lines; l++) {
        line = ""
        for (c = 1; c <= cells_each; c++)
            line = line (format == "md" ? "| " table[l, c] " " : sprintf("%s%" width[c] "s", c > 1 ? " " : "", table[l, c]))
        print line (format == "md" ? "|" : "")
        if (l == 0 && format == "md")
            print rule "|"
    }
}

# t_SF and what goes with it.
function put_time(n) {
    put(digits(at[n, "t_SF/ps"], 4))
    put(digits(at[n, "min/ps"], 4))
    put(digits(at[n, "max/ps"], 4))
    put(digits(spread(n), 2))
}

# A published t_SF and how much faster we are.
function put_published(device, n,    theirs) {
    theirs = published(device, "t_SF", n)
    put(theirs)
    put(digits(quotient(theirs, at[n, "t_SF/ps"]), 3))
}
