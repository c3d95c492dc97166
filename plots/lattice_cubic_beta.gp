# Autocorrelation times of the energy of cubic lattices against beta, by the hits of a tile.
load "plots/style.gp"
set encoding utf8
data = folder."/cubic_beta.dat"
set output folder."/cubic_beta.png"
set title "{/Symbol t}_{int}(E) of tiles with k hits, and of the checkerboard, three dimensions"
set xlabel beta_label
set ylabel "{/Symbol t}_{int}(E), sweeps"
set logscale y
set key top left
critical_cubic = 0.221654626
set arrow from critical_cubic, graph 0 to critical_cubic, graph 1 nohead ls 3
stats data nooutput
names = "checkerboard k=1 k=10 k=100"
plot for [n = 1:(STATS_columns - 1) / 2] data using 1:(column(2 * n)):(column(2 * n + 1)) with yerrorlines pt 7 title word(names, n)
