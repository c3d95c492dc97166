# Reads a line of comma-separated values, quoted or not, doubled quotes within: fields go to field[1..n].
function split_csv(line, field,    n, at, c, quoted) {
    n = 1
    field[n] = ""
    quoted = 0
    for (at = 1; at <= length(line); at++) {
        c = substr(line, at, 1)
        if (c == "\"" && quoted && substr(line, at + 1, 1) == "\"") {
            field[n] = field[n] c
            at++
        } else if (c == "\"") {
            quoted = !quoted
        } else if (c == "," && !quoted) {
            field[++n] = ""
        } else {
            field[n] = field[n] c
        }
    }
    return n
}
