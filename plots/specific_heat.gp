# Specific heat per spin: population annealing, multi-histogram analysis, exact lattice.
load "plots/run.gp"
set output folder."/specific_heat.png"
set title "Specific heat: ".run
set ylabel "specific heat per spin  C  [k_B]"
set arrow from first critical, graph 0 to first critical, graph 1 nohead ls 3
plot folder."/PA_MHR_results_run_0.dat" using 1:3 with lines lc rgb "#9ad8ab" lw 5 \
         title "multi-histogram analysis", \
     exact using 1:3 with lines ls 2 title "exact (Kaufman, same L)", \
     result using 1:3:12 with yerrorbars ls 1 title "population annealing", \
     NaN ls 3 title "critical {/Symbol b} of the infinite lattice"
