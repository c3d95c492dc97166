# Mean family size against beta by rule: infinitely many sweeps (points) with exact limits (dotted), and some (lines).
load "plots/study_style.gp"
data = folder."/families.dat"
set output folder."/rho_t.png"
set title "Mean family size: infinitely many sweeps (points) and few (lines)"
set xlabel beta_label
set ylabel "{/Symbol r}_t"
set logscale y
plot for [n = 1:6] data index "ideal-".rule(n) using 1:2 every 5 with points lc rgb colour(n) pt 7 ps 0.7 title rule(n), \
     for [n = 1:6] data index "annealed-".rule(n) using 1:2 with lines lc rgb colour(n) notitle, \
     for [c = 2:4] data index "limit" using 1:c with lines ls 4 title c == 2 ? "exact limits" : "", \
     data index "limit-families" using 1:7 with lines ls 5 title "that of systematic for small steps"
