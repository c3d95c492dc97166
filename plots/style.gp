# What the figures have in common. `folder` is the folder of a result; `result` the file whose header
# says of what.
if (!exists("folder")) exit message "usage: gnuplot -e \"folder='FOLDER'\" FIGURE.gp"
set terminal pngcairo size 1000,700 font "DejaVu Sans,14" linewidth 1.5
if (!exists("result")) result = folder."/PA_results_weighted.dat"
exact = folder."/exact.dat"
# "# size 64" -> 64, from the header of the result
header(name) = system("sed -n 's/^# ".name." //p' ".result)
run = sprintf("2D Ising model, L = %s, R = %s, {/Symbol q} = %s, %s", \
              header("size"), header("population"), header("sweeps"), \
              header("coding") eq "msc" ? "multi-spin coding" : "single-spin coding")
set xlabel "inverse temperature {/Symbol b}  [1/J]"
set grid lc rgb "#dddddd"
set style line 1 lc rgb "#0060ad" pt 7 ps 0.5    # measured
set style line 2 lc rgb "#dd181f" lw 1.5         # exact
set style line 3 lc rgb "#888888" dt 2           # where beta is critical
critical = log(1 + sqrt(2)) / 2
