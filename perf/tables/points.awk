# Every point that was measured, with every column.
BEGIN {
    say(machine)
    say("t_SF of eq. (11): median, least and largest of the timed runs; spread: (max - min) / median. beta " \
        "from 0 to beta_end in steps of dbeta. random-% and memory-%: of the time, what the random " \
        "numbers and the population's memory traffic alone would take at the measured rates of this device. " \
        "pJ/flip: of the whole process, its idle start included. K80: published; PAising/H200: the " \
        "published program on an H200; faster: their t_SF over ours.")
    columns("device coding stages L R theta p mode dbeta beta_end threads runs t_SF/ps min/ps max/ps " \
            "spread-% flips/ns random-% memory-% pJ/flip flip/byte random/ps K80/ps faster PAising/H200/ps faster")
    count = choose("")
    for (i = 1; i <= count; i++) {
        n = chosen[i]
        for (c = split("device coding stages L R theta p mode dbeta beta_end threads runs", names); c >= 1; c--)
            cells[c] = at[n, names[c]]
        for (c = 1; c in names; c++)
            put(cells[c])
        put_time(n)
        put(digits(quotient(1000, at[n, "t_SF/ps"]), 4))
        put(digits(random_percent(n), 3))
        put(digits(memory_percent(n), 3))
        put(digits(quotient(1e12 * at[n, "energy/J"], at[n, "energy/J"] == "" ? "" : at[n, "flips"]), 3))
        put(digits(1 / bytes(n), 4))
        put(digits(random_ps(n), 4))
        put_published("k80", n)
        put_published("h200", n)
        end_row()
    }
    print_table()
    for (n = 1; n <= missed; n++)
        say(missing[n])
}
