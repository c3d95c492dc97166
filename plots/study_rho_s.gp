# The same of the family entropy.
load "plots/study_style.gp"
data = folder."/families.dat"
set output folder."/rho_s.png"
set title "Family size by entropy: infinitely many sweeps (points; dotted: exact limits) and few (lines)"
set xlabel beta_label
set ylabel "{/Symbol r}_s = R exp(-S_f)"
set logscale y
plot for [n = 1:6] data index "ideal-".rule(n) using 1:4 every 5 with points lc rgb colour(n) pt 7 ps 0.7 title rule(n), \
     for [n = 1:6] data index "annealed-".rule(n) using 1:4 with lines lc rgb colour(n) notitle, \
     for [c = 2:4] data index "limit-families" using 1:c with lines ls 4 notitle, \
     data index "limit-families" using 1:6 with lines ls 4 notitle
