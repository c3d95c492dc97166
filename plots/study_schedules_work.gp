# Variances for so many sweeps in all: fixed and adaptive steps, and sweeps after a profile.
load "plots/study_style.gp"
data = folder."/schedules.dat"
set output folder."/schedules_work.png"
set title "{/Symbol b}F at {/Symbol b} = 1 (full) and C at the transition (open) for the same work"
set xlabel "sweeps of a replica, all temperatures"
set ylabel "R {/Symbol s}^2"
set logscale xy
set key right top
ways = system("sed -n 's/^# annealed-\\(.*\\)$/\\1/p' ".data)
plot for [n = 1:words(ways)] data index "annealed-".word(ways, n) using 8:2:3 with yerrorlines lc rgb colour(n) pt 7 title word(ways, n), \
     for [n = 1:words(ways)] data index "annealed-".word(ways, n) using 8:6:7 with yerrorlines lc rgb colour(n) pt 6 notitle
