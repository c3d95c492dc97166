# The Markdown table of results: awk -v results=FOLDER -f table.awk published.dat STREAMS, STREAMS being
# what build/rng_streams prints.
function read_battery(name,    line, part, file) {
    file = results "/" name ".dat"
    while ((getline line < file) > 0) {
        if (line ~ /^#  /) {
            if (line !~ / test [0-9]+,/)
                machines[name] = machines[name] (machines[name] ? "; " : "") substr(line, 5)
        } else if (line !~ /^#/) {
            split(line, part, " ")
            tests[name, part[1]] = part[3]
            failures[name, part[1]] = part[5]
            suspects[name, part[1]] = part[6]
        }
    }
}
function read_ising(    line, part, file) {
    file = results "/ising.dat"
    while ((getline line < file) > 0)
        if (line ~ /^[a-z]/) {
            split(line, part, " ")
            ising[part[1]] = part[7] " / " part[12]
        }
}
# The Ising test's name for the generator of a stream.
function ising_of(stream) {
    if (stream == "lcg32" || stream == "lcg64")
        return stream "-skipped"
    if (stream in ising)
        return stream
    sub(/-.*/, "", stream)
    return stream == "mwc" ? "independent" : stream
}
# Failures, suspects in brackets; the tests done unless all.
function cell(battery, stream,    done, text) {
    if (!((battery, stream) in tests))
        return "-"
    split(tests[battery, stream], done, "/")
    text = failures[battery, stream] > 0 ? failures[battery, stream] : "none"
    if (suspects[battery, stream] > 0)
        text = text " (" suspects[battery, stream] ")"
    return done[1] == done[2] ? text : text ", " tests[battery, stream] " tests"
}
# The same of a stream, and of its reversed bits if they were tested.
function cells(battery, stream) {
    if (!((battery, stream "-reversed") in tests))
        return cell(battery, stream)
    return cell(battery, stream) "; " cell(battery, stream "-reversed")
}
BEGIN {
    read_battery("smallcrush"); read_battery("crush"); read_battery("bigcrush"); read_ising()
    print "# Random numbers: results\n"
    print "Made by `validate/rng/table.sh` from the data beside it. Failures in TestU01 1.2.3, suspicious"
    print "statistics that did not prove so in brackets, after a semicolon those of the reversed bits; the"
    print "Ising test's deviations of e / C in errors; and the published failures (SmallCrush / Crush /"
    print "BigCrush, Ising test; M. Weigel, Monte Carlo methods for massively parallel computers, Table 2)."
    print "\"-\": not tested.\n"
    for (name in machines)
        print "- " name ": " machines[name]
    print "\n| stream | generator | order | SmallCrush | Crush | BigCrush | Ising test | published |"
    print "|---|---|---|---|---|---|---|---|"
}
/^#/ { next }
FNR == NR {
    split($0, part, ";")
    published[part[1]] = part[2] " / " part[3] " / " part[4] ", " part[5]
    next
}
{
    stream = $1
    generator = $0
    sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", generator)
    order = generator
    sub(/;.*/, "", generator)
    sub(/.*; /, "", order)
    print "| `" stream "` | " generator " | " order " | " cells("smallcrush", stream) " | " \
          cells("crush", stream) " | " cells("bigcrush", stream) " | " \
          (ising_of(stream) in ising ? ising[ising_of(stream)] : "-") " | " \
          (generator in published ? published[generator] : "-") " |"
}
