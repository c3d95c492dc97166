# Liquid helium: the time of a macroupdate of all walkers against the number of atoms.
load "plots/style.gp"
data = folder."/helium.dat"
set output folder."/sizes.png"
set xlabel "N, atoms"
set ylabel "ms a macroupdate and walker"
set format x "10^{%T}"
set format y "10^{%T}"
set logscale xy
set key top left
plot data index "sizes" using 1:($3/$2) with linespoints ls 1 ps 1.2 title "moves", \
     data index "sizes" using 1:($4/$2) with linespoints lc rgb "#e69f00" pt 5 title "an analysis"
