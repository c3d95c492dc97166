# Bias and standard deviation of the specific heat of a run against R by rule.
load "plots/study_style.gp"
data = folder."/errors.dat"
set output folder."/errors_C.png"
set title "Specific heat at the transition: bias (points) and standard deviation of a run (lines)"
set xlabel "population R"
set ylabel "bias and {/Symbol s} of C  [k_B]"
set logscale xy
set format y "10^{%T}"
set key right top
plot for [n = 1:6] data index rule(n) using 1:6:7 with yerrorbars lc rgb colour(n) pt 7 ps 1 title rule(n), \
     for [n = 1:6] data index rule(n) using 1:(sqrt($8)) with lines lc rgb colour(n) notitle
