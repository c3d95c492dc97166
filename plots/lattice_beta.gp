# Autocorrelation times of the energy against beta, by the hits of a tile.
load "plots/style.gp"
set encoding utf8
data = folder."/beta.dat"
set output folder."/beta.png"
set title "{/Symbol t}_{int}(E) of tiles with k hits, and of the checkerboard"
set xlabel beta_label
set ylabel "{/Symbol t}_{int}(E), sweeps"
set logscale y
set key top left
set arrow from critical, graph 0 to critical, graph 1 nohead ls 3
stats data nooutput
names = "checkerboard k=1 k=10 k=100"
plot for [n = 1:(STATS_columns - 1) / 2] data using 1:(column(2 * n)):(column(2 * n + 1)) with yerrorlines pt 7 title word(names, n)
