# The bias of single runs against the population size, at the temperature where that of C is large.
load "plots/style.gp"
set output folder."/bias.png"
data = folder."/bias.dat"
at = 0.4
set title "Bias of a single run, L = 16, {/Symbol q} = 2, at {/Symbol b} = 0.4"
set logscale xy
set xlabel "population size R"
set ylabel "|average over runs - exact|"
set xrange [100:1400]
set key top right
array name[3] = ["energy e", "specific heat C", "free energy {/Symbol b}F/N"]
array colour[3] = ["#0060ad", "#dd181f", "#009e73"]
here(x, y) = abs(x - at) < 1e-6 ? y : NaN
do for [n = 1:3] {
    stats data using (here($2, abs(column(1 + 2 * n)) * $1)) nooutput
    eval sprintf("a%d = STATS_mean", n)
}
plot for [n = 1:3] data using 1:(here($2, abs(column(1 + 2 * n)))):(column(2 + 2 * n)) \
         with yerrorbars lc rgb colour[n] pt 7 title name[n], \
     a1 / x lc rgb colour[1] dt 2 notitle, a2 / x lc rgb colour[2] dt 2 notitle, \
     a3 / x lc rgb colour[3] dt 2 title "a / R"
