# The variance of the population size against what eq. (2) gives, at every temperature of every case.
load "plots/style.gp"
set output folder."/population.png"
cases = system("cd ".folder." && ls *-L*.dat | sed 's/\\.dat$//'")
set title "Variance of R_i: <(R_i - R)^2> over the runs, beside {/Symbol S}_j f_j (1 - f_j) of eq. (2)"
set xlabel "expected variance"
set ylabel "measured variance"
set logscale xy
set key off
plot for [i = 1:words(cases)] folder."/".word(cases, i).".dat" using 40:39 with points pt 7 ps 0.4, \
     x lc rgb "black" lw 1
