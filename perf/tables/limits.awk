# The ratios within a run beside their limits (perf/limits.dat). Status 1: one is outside them.
#   awk -v format=dat -v folder=FOLDER -v limits=FILE -v machine_kind=gpu|cpu -f perf/tables/library.awk -f THIS

# t_SF of a point, times its threads.
function work_time(id) {
    return id in row_of ? at[row_of[id], "t_SF/ps"] * at[row_of[id], "threads"] : ""
}

BEGIN {
    for (n = 1; n <= rows; n++)
        row_of[at[n, "id"]] = n
    columns("machine what value least most verdict")
    while ((getline line < limits) > 0) {
        split(line, c, " ")
        if (c[1] != machine_kind)
            continue
        if (c[2] == "ratio")
            value = quotient(work_time(c[3]), work_time(c[4]))
        else
            value = c[3] in row_of ? random_percent(row_of[c[3]]) : ""
        holds = value != "" && (c[5] == "-" || value >= c[5] + 0) && (c[6] == "-" || value <= c[6] + 0)
        if (!holds)
            failed++
        put(c[1])
        put(c[7])
        put(digits(value, 3))
        put(c[5])
        put(c[6])
        put(value == "" ? "not-measured" : holds ? "holds" : "broken")
        end_row()
    }
    print_table()
    exit failed > 0
}
