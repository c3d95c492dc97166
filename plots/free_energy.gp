# Free energy per spin times beta: population annealing against the exact lattice.
load "plots/run.gp"
set output folder."/free_energy.png"
set title "Free energy: ".run
set ylabel "{/Symbol b}F/N"
set arrow from first critical, graph 0 to first critical, graph 1 nohead ls 3
plot exact using 1:4 with lines ls 2 title "exact (Kaufman, same L)", \
     result using 1:7:14 every 4 with yerrorbars ls 1 title "population annealing", \
     NaN ls 3 title "critical {/Symbol b} of the infinite lattice"
