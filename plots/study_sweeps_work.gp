# Variances for the same work against theta, by rule.
load "plots/study_style.gp"
data = folder."/sweeps.dat"
set output folder."/sweeps_work.png"
set title "Variance for the same work at the transition: {/Symbol b}F of the lattice (full), C (open)"
set xlabel "sweeps a temperature {/Symbol q}"
set ylabel "{/Symbol q} R {/Symbol s}^2"
set logscale xy
set key left top
array some[3] = ["nearest", "systematic", "multinomial"]
array place[3] = [1, 2, 5]
plot for [n = 1:3] data index some[n]."-critical" using 1:($1 * $12):($1 * $13) with yerrorlines lc rgb colour(place[n]) pt 7 title some[n], \
     for [n = 1:3] data index some[n]."-critical" using 1:($1 * $10):($1 * $11) with yerrorlines lc rgb colour(place[n]) pt 6 notitle
