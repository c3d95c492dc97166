# The distribution of the overlap at the lowest temperature, averaged over samples of the Gaussian glass, with errors as bands.
load "plots/wmk2015_style.gp"
set output folder."/P.png"
set title "3D Gaussian Edwards-Anderson glass, T = 0.2: overlap"
set xlabel "q"
set ylabel "P(q)"
set key top center
set logscale y
set yrange [0.005:20]
least = 0.001 # where a band is open below
plot for [n = 1:words(sizes)] data index "P".word(sizes, n) using 1:($2 > $3 + least ? $2 - $3 : least):($2 + $3) \
         with filledcurves fc rgb colour(n) fs transparent solid 0.25 notitle, \
     for [n = 1:words(sizes)] data index "P".word(sizes, n) using 1:2 with lines lc rgb colour(n) lw 1.5 title "L = ".word(sizes, n)
