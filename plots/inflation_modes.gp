# Fig. 2(b) of Barash et al. 2017: relative error of the specific heat for p = 64, by the way in which
# the spins of a word get their random numbers.
load "plots/inflation_style.gp"
set output folder."/inflation_modes.png"
set title "p = 64: ".run
set ylabel "{/Symbol s}(C) / C"
set yrange [0:*]
array curve[5] = ["shared-64", "shared-reorder-64", "lcg-64", "philox", "independent"]
array mode[5] = ["one number a word", "one, reordering", "one, reordering, LCG", \
                 "64 numbers a word", "independent (ours)"]
plot for [n = 1:5] result index curve[n] using 1:($3 - $4):($3 + $4) with filledcurves \
         lc rgb colour(n) notitle, \
     for [n = 1:5] result index curve[n] using 1:3 with lines lc rgb colour(n) title mode[n], \
     result index "ssc" using 1:(8 * $3) with lines ls 4 title "8 times SSC", \
     result index "ssc" using 1:3 with lines lc rgb "black" title "single-spin coding (SSC)", \
     NaN ls 3 title "critical {/Symbol b} of the infinite lattice"
