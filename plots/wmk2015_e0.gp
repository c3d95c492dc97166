# The lowest energy of the Gaussian glass at each size, averaged over samples.
load "plots/wmk2015_style.gp"
set output folder."/e0.png"
set title "3D Gaussian Edwards-Anderson glass: ground states"
set xlabel "1 / L^3"
set ylabel "e_0  [J]"
set xrange [-0.0005:*]
set key top left
plot data index "e0" using 1:2:3 with yerrorbars lc rgb "#0060ad" pt 7 title "samples annealed to T = 0.2", \
     data index "limit" using 1:2:3 with yerrorbars lc rgb "#dd181f" pt 6 ps 1.5 title "by e_0 + a / L^3"
