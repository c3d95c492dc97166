# Liquid helium: time times squared error of E, against the number of atoms.
load "plots/style.gp"
data = folder."/helium.dat"
set output folder."/errors.png"
set xlabel "N, atoms"
set ylabel "time {/Symbol \264} error^2 of E  [s K^2]"
set format y "10^{%T}"
set logscale xy
set key top left
plot data index "errors" using 1:5 with linespoints ls 1 ps 1.2 notitle
