# The device's time by section from nsys' nvtx_gpu_proj_sum in CSV: awk -f perf/profile_csv.awk
# -f perf/profile_sections.awk -v name=RUN FILE. The temperatures are summed in one row. Status 1: no
# section was seen.
{ n = split_csv($0, field) }

!known {
    if (field[1] != "Range")
        next
    known = 1
    for (i = 1; i <= n; i++)
        column[field[i]] = i
    next
}

{
    section = field[column["Range"]]
    sub(/^[^:]*:/, "", section)
    if (section ~ /^temperature_/)
        section = "temperature"
    if (section !~ /^(temperature|randomise|resample|collect|step|sweep|measure|report)$/)
        next
    if (!(section in instances))
        order[++sections] = section
    instances[section] += field[column["Range Instances"]]
    total[section] += field[column["Total Proj Time (ns)"]]
}

END {
    for (i = 1; i <= sections; i++) {
        section = order[i]
        printf "%-24s %-10s %9d %12.4f %12.3f\n", name, section, instances[section],
            1e-6 * total[section], 1e-3 * total[section] / instances[section]
    }
    exit !sections
}
