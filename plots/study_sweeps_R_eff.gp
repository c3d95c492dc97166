# Effective population sizes against theta: by blocking, from the scatter of the runs, and by families.
load "plots/study_style.gp"
data = folder."/sweeps.dat"
set output folder."/sweeps_R_eff.png"
set title "Effective share of the population at the transition, rule nearest"
set xlabel "sweeps a temperature {/Symbol q}"
set ylabel "R_{eff} / R"
set logscale xy
set key right bottom
plot data index "nearest-critical" using 1:2:3 with yerrorlines lc rgb colour(1) pt 7 title "R_{eff} / R by blocking", \
     "" index "nearest-critical" using 1:4:5 with yerrorbars lc rgb "black" pt 6 title "R_{eff} / R from the scatter of e", \
     "" index "nearest-critical" using 1:6:7 with yerrorlines lc rgb colour(4) pt 7 title "1 / {/Symbol r}_t", \
     "" index "nearest-critical" using 1:8:9 with yerrorlines lc rgb colour(2) pt 7 title "1 / {/Symbol r}_s"
