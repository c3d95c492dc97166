# Mean family size at the end against the step by rule: what diverges as steps become small.
load "plots/study_style.gp"
data = folder."/steps.dat"
set output folder."/steps.png"
set title "Mean family size at {/Symbol b} = 1: infinitely many sweeps (full) and few (open)"
set xlabel "step {/Symbol Db}  [1/J]"
set ylabel "{/Symbol r}_t"
set logscale xy
set key left bottom
plot for [n = 1:6] data index "ideal-".rule(n) using 1:2:3 with yerrorlines lc rgb colour(n) pt 7 ps 0.9 title rule(n), \
     for [n = 1:6] data index "annealed-".rule(n) using 1:2:3 with yerrorbars lc rgb colour(n) pt 6 ps 1.1 notitle, \
     for [c = 2:6] data index "limit" using 1:c with lines ls 4 title c == 2 ? "exact limits; horizontal: for small steps" : ""
