# A glass at equal work: families and the error of the free energy against theta, by rule.
load "plots/study_style.gp"
data = folder."/glass.dat"
set output folder."/glass.png"
set title "3D glass, R {/Symbol q} the same: families R / {/Symbol r}_t (full), variance of {/Symbol b}F (open)"
set xlabel "sweeps a temperature {/Symbol q}"
set ylabel "R / {/Symbol r}_t;  {/Symbol s}^2({/Symbol b}F), whole lattice"
set logscale xy
set key left center
set xrange [0.8:*]
array some[3] = ["nearest", "systematic", "multinomial"]
array place[3] = [1, 2, 5]
plot for [n = 1:3] data index some[n] using 1:3:4 with yerrorlines lc rgb colour(place[n]) pt 7 title some[n], \
     for [n = 1:3] data index some[n] using 1:5:6 with yerrorlines lc rgb colour(place[n]) pt 6 dt 2 notitle
