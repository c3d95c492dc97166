# Variance of the free energy for so many steps at infinitely many sweeps: fixed and adaptive ones, and the least of any.
load "plots/study_style.gp"
data = folder."/schedules.dat"
set output folder."/schedules.png"
set title "Free energy at {/Symbol b} = 1, infinitely many sweeps"
set xlabel "number of temperature steps"
set ylabel "R {/Symbol s}^2({/Symbol b}F), whole lattice"
set logscale xy
set key right top
ways = system("sed -n 's/^# ideal-\\(.*\\)$/\\1/p' ".data)
plot for [n = 1:words(ways)] data index "ideal-".word(ways, n) using 1:2:3 with yerrorlines lc rgb colour(n) pt 7 title word(ways, n), \
     data index "bound" using 1:2 with lines ls 4 title "the least that any schedule has"
