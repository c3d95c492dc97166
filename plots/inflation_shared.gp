# Fig. 2(a) of Barash et al. 2017: relative error of the specific heat with one random number for the
# p spins of a word. Dotted: what p-fold variance would give, sqrt(p) times that of single-spin coding.
load "plots/inflation_style.gp"
set output folder."/inflation_shared.png"
set title "One random number for the p spins of a word: ".run
set ylabel "{/Symbol s}(C) / C"
set yrange [0:*]
array p[4] = [64, 32, 16, 8]
curve(n) = sprintf("shared-%d", p[n])
plot for [n = 1:4] result index "ssc" using 1:(sqrt(p[n]) * $3) with lines ls 4 lc rgb colour(n) \
         notitle, \
     for [n = 1:4] result index curve(n) using 1:($3 - $4):($3 + $4) with filledcurves \
         lc rgb colour(n) notitle, \
     for [n = 1:4] result index curve(n) using 1:3 with lines lc rgb colour(n) \
         title sprintf("p = %d", p[n]), \
     result index "ssc" using 1:3 with lines lc rgb "black" title "single-spin coding (SSC)", \
     NaN with lines ls 4 title "√p times SSC", \
     NaN ls 3 title "critical {/Symbol b} of the infinite lattice"
