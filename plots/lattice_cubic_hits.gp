# Autocorrelation time of the energy times the time of a flip, against the hits of a tile, of cubic lattices.
load "plots/style.gp"
set encoding utf8
data = folder."/cubic_hits.dat"
set output folder."/cubic_hits.png"
set title "Cost of an independent energy at the critical point, three dimensions"
set xlabel "hits k"
set ylabel "{/Symbol t}_{int}(E) t_f, relative to k = 1"
set logscale xy
set key top left
names = system("sed -n 's/^# L = \\([0-9]*\\), T = \\([0-9]*\\):.*/L=\\1,T=\\2/p' ".data)
plot for [n = 0:words(names) - 1] first = NaN data index n using 1:(first = $1 == 1 ? $4 : first, $4 / first) with linespoints pt 7 title word(names, n + 1).": t_f measured here"
