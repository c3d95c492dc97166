# Energy per spin: population annealing against the exact lattice.
load "plots/run.gp"
set output folder."/energy.png"
set title "Energy: ".run
set ylabel "energy per spin  e  [J]"
set arrow from first critical, graph 0 to first critical, graph 1 nohead ls 3
plot exact using 1:2 with lines ls 2 title "exact (Kaufman, same L)", \
     result using 1:2:11 every 2 with yerrorbars ls 1 title "population annealing", \
     NaN ls 3 title "critical {/Symbol b} of the infinite lattice"
