# Bias of the free energy, and half of its variance, against R by rule.
load "plots/study_style.gp"
data = folder."/errors.dat"
set output folder."/errors_betaF.png"
set title "Free energy at the transition: bias (points) and half of the variance (lines)"
set xlabel "population R"
set ylabel "bias and variance / 2 of {/Symbol b}F, whole lattice"
set logscale xy
set format y "10^{%T}"
set key right top
plot for [n = 1:6] data index rule(n) using 1:10:11 with yerrorbars lc rgb colour(n) pt 7 ps 1 title rule(n), \
     for [n = 1:6] data index rule(n) using 1:($12 / 2) with lines lc rgb colour(n) notitle
