# Variance of the free energy for so many steps: fixed and adaptive ones, and the least that any schedule has.
load "plots/study_style.gp"
data = folder."/schedules.dat"
set output folder."/schedules.png"
set title "Free energy at {/Symbol b} = 1: infinitely many sweeps (full) and few (open)"
set xlabel "number of temperature steps"
set ylabel "R {/Symbol s}^2({/Symbol b}F), whole lattice"
set logscale xy
set key right top
ways = system("sed -n 's/^# ideal-\\(.*\\)$/\\1/p' ".data)
plot for [n = 1:words(ways)] data index "ideal-".word(ways, n) using 1:2:3 with yerrorlines lc rgb colour(n) pt 7 title word(ways, n), \
     for [n = 1:words(ways)] data index "annealed-".word(ways, n) using 1:2:3 with yerrorlines lc rgb colour(n) pt 6 dt 2 notitle, \
     data index "bound" using 1:2 with lines ls 4 title "least, infinitely many sweeps: ({/Symbol \362 s}_E d{/Symbol b})^2 / steps"
