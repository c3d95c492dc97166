# Autocorrelation times at the critical point against the edge.
load "plots/style.gp"
set encoding utf8
data = folder."/exponents.dat"
set output folder."/exponents.png"
set title "{/Symbol t}_{int} at the critical point: Metropolis (full), Swendsen and Wang (open)"
set xlabel "L"
set ylabel "{/Symbol t}_{int}, sweeps"
set logscale xy
set key top left
plot data index 0 using 1:2:3 with yerrorlines pt 7 lc 1 title "E, Metropolis", data index 0 using 1:4:5 with yerrorlines pt 7 lc 2 title "|M|, Metropolis", \
     data index 1 using 1:2:3 with yerrorlines pt 6 lc 1 title "E, Swendsen and Wang", data index 1 using 1:4:5 with yerrorlines pt 6 lc 2 title "|M|, Swendsen and Wang"
