# Fig. 2(c) of Barash et al. 2017: variance of the specific heat for p = 64 over that of single-spin
# coding. Dotted: 1, and p.
load "plots/inflation_style.gp"
set output folder."/inflation_ratio.png"
set title "p = 64: ".run
set ylabel "{/Symbol s}^2_{MSC}(C) / {/Symbol s}^2_{SSC}(C)"
set logscale y
set yrange [0.5:200]
array curve[4] = ["shared-64", "shared-reorder-64", "lcg-64", "independent"]
array mode[4] = ["one number a word", "one, reordering", "one, reordering, LCG", \
                 "independent (ours)"]
plot for [n = 1:4] result index curve[n] using 1:($5 - $6):($5 + $6) with filledcurves \
         lc rgb colour(n == 4 ? 5 : n) notitle, \
     for [n = 1:4] result index curve[n] using 1:5 with lines lc rgb colour(n == 4 ? 5 : n) \
         title mode[n], \
     1 with lines ls 4 notitle, \
     64 with lines ls 4 title "1, and p = 64", \
     NaN ls 3 title "critical {/Symbol b} of the infinite lattice"
