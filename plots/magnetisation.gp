# Absolute magnetisation per spin, and the spontaneous one of the infinite lattice (Yang 1952).
load "plots/run.gp"
set output folder."/magnetisation.png"
set title "Magnetisation: ".run
set ylabel "|m| per spin"
set key bottom right
set samples 2000
set arrow from first critical, graph 0 to first critical, graph 1 nohead ls 3
yang(beta) = beta > critical ? (1 - sinh(2 * beta)**-4)**0.125 : 0
plot [0:1][-0.02:1.05] yang(x) with lines ls 2 title "exact, infinite lattice (Yang)", \
     result using 1:4:13 with yerrorbars ls 1 title "population annealing", \
     NaN ls 3 title "critical {/Symbol b} of the infinite lattice"
