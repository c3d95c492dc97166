# Many small runs against one large run of the same work: bias and deviation of the energy and of the free energy.
load "plots/study_style.gp"
data = folder."/weighted.dat"
set output folder."/weighted.png"
set title "Averages of runs, R times runs the same: deviation (lines) and bias (points), rule nearest"
set xlabel "runs"
set ylabel "deviation and bias of {/Symbol b}F (whole lattice) and of C"
set logscale xy
set key left top
set xrange [0.8:*]
array kind[2] = ["plain", "weighted"]
plot for [n = 1:2] data index "nearest-".kind[n] using 1:11 with lines lc rgb colour(n == 1 ? 5 : 1) title "{/Symbol b}F, ".kind[n], \
     for [n = 1:2] data index "nearest-".kind[n] using 1:9:10 with yerrorbars lc rgb colour(n == 1 ? 5 : 1) pt 7 notitle, \
     for [n = 1:2] data index "nearest-".kind[n] using 1:8 with lines dt 2 lc rgb colour(n == 1 ? 4 : 2) title "C, ".kind[n], \
     for [n = 1:2] data index "nearest-".kind[n] using 1:6:7 with yerrorbars lc rgb colour(n == 1 ? 4 : 2) pt 6 notitle
