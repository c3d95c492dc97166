# The energy after a quench from random spins, by the order of sites.
load "plots/style.gp"
set encoding utf8
data = folder."/quench.dat"
set output folder."/quench.png"
set title "Quench to {/Symbol b} = 0.8, L = 128"
set xlabel "t, sweeps"
set ylabel "e(t) + 2"
set logscale xy
set key bottom left
names = "random double-tiling dead-border sequential checkerboard"
plot for [n = 1:5] data using 1:(column(2 * n) + 2):(column(2 * n + 1)) with yerrorlines pt 7 title word(names, n)
