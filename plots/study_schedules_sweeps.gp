# Sweeps times variances, for so many sweeps in all, of the last lattice: one theta, a profile, adaptive sweeps.
load "plots/study_style.gp"
data = folder."/schedules.dat"
set output folder."/schedules_sweeps.png"
lattice = system("sed -n 's/^# \\(work-.*\\)-fixed$/\\1/p' ".data." | tail -n 1")
set title "{/Symbol b}F at {/Symbol b} = 1 (full) and e at the transition (open) at equal work, L = ".system("echo ".lattice." | cut -d- -f2")
set xlabel "sweeps of a replica, all temperatures"
set ylabel "sweeps R {/Symbol s}^2"
set logscale xy
set key right top
ways = "fixed relaxation adaptive"
plot for [n = 1:words(ways)] data index lattice."-".word(ways, n) using 1:3:4 with yerrorlines lc rgb colour(n) pt 7 title word(ways, n), \
     for [n = 1:words(ways)] data index lattice."-".word(ways, n) using 1:5:6 with yerrorlines lc rgb colour(n) pt 6 notitle
