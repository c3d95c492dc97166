# What all figures have in common. `folder` is the folder of the data, and where the picture goes.
if (!exists("folder")) exit message "usage: gnuplot -e \"folder='FOLDER'\" FIGURE.gp"
set terminal pngcairo size 1000,700 font "DejaVu Sans,14" linewidth 1.5
beta_label = "inverse temperature {/Symbol b}  [1/J]"
# "# size 64" -> 64, from the header of a data file
header_of(file, name) = system("sed -n 's/^# ".name." //p' ".file)
# The device in the first line of a table of perf/, with @ (a mark of enhanced text) escaped
machine_of(file) = system("sed -n '1s/^# device \\([^;]*\\).*/\\1/p' ".file." | sed 's/@/\\\\@/g'")
set grid lc rgb "#dddddd"
set style line 1 lc rgb "#0060ad" pt 7 ps 0.5    # measured
set style line 2 lc rgb "#dd181f" lw 1.5         # exact
set style line 3 lc rgb "#888888" dt 2           # where beta is critical
critical = log(1 + sqrt(2)) / 2
