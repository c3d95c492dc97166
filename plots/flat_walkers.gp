# Multicanonical weights of the 2D Ising model: speed-up over one core until they are ready, against the number of walkers (validate/physics/flat.py).
load "plots/style.gp"
data = folder."/flat.dat"
set output folder."/walkers.png"
set title "Multicanonical weights of the 2D Ising model, L = ".header_of(data, "size")
set xlabel "walkers"
set ylabel "speed-up over one core"
set logscale xy
set format x "10^{%L}"
set key bottom right
plot data index "walkers" using 1:3:4 with filledcurves fc rgb "#0060ad" fs transparent solid 0.25 title "middle two thirds", \
     data index "walkers" using 1:2 with linespoints lc rgb "#0060ad" pt 7 title "median"
