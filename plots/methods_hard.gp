# rho_t of annealing against the longest tau of tempering, a point a sample (make compare-methods).
load "plots/style.gp"
set encoding utf8
set output folder."/hard.png"
set title "Is a sample hard for both methods?"
set xlabel "{/Symbol t} of q^2, tempering, sweeps"
set ylabel "{/Symbol r}_t of annealing"
set logscale xy
plot folder."/hard.dat" using 3:2 with points lc rgb "#0060ad" pt 7 ps 0.8 notitle
