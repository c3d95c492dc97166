# Lowest energy per spin of the 3D glass, J = +1 or -1, over 1 / L^3, beside the literature (validate/ground/).
load "plots/style.gp"
data = folder."/ground.dat"
set output folder."/e0.png"
set title "3D Edwards-Anderson glass, J = +1 or -1: lowest energies"
set xlabel "1 / L^3"
set ylabel "e_0  [J]"
set xrange [0:0.017]
set key top left
plot data index 0 using 1:2:3 with yerrorbars lc rgb "#0060ad" pt 7 ps 1 title "paising", \
     data index 1 using 1:2:3 with yerrorbars lc rgb "#dd181f" pt 6 ps 1.6 title "Pal 1996 (a recollection)"
