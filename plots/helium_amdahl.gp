# Liquid helium: the law of Amdahl where the host's share is masked, and where it is not; Fig. 1 of the paper.
load "plots/style.gp"
data = folder."/helium.dat"
set output folder."/amdahl.png"
set xlabel "P, how much faster the parallel share is"
set ylabel "acceleration"
set format x "10^{%T}"
set logscale x
set key top left
plot data index "amdahl" using 1:2 with lines ls 2 title "synchronous", \
     data index "amdahl" using 1:3 with lines ls 1 lw 2 title "masked"
