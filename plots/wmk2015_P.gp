# The distribution of the overlap at the lowest temperature, averaged over samples of the Gaussian glass.
load "plots/wmk2015_style.gp"
set output folder."/P.png"
set title "3D Gaussian Edwards-Anderson glass, T = 0.2: overlap"
set xlabel "q"
set ylabel "P(q)"
set key top center
plot for [n = 1:words(sizes)] data index "P".word(sizes, n) using 1:2:3 with yerrorlines lc rgb colour(n) pt 7 ps 0.5 \
         title "L = ".word(sizes, n)
