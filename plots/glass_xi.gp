# The correlation length of the 3D glass over L at each size, which cross at T_c.
load "plots/glass_style.gp"
set output folder."/xi.png"
set title "3D Edwards-Anderson glass, J = +1 or -1"
set ylabel "{/Symbol x} / L"
set key top right
plot for [n = 1:words(sizes)] data index "L".word(sizes, n) using 1:4:5 with yerrorlines lc rgb colour(n) pt 7 ps 0.7 \
         title "L = ".word(sizes, n), \
     0.6516 with lines ls 3 title "T_c and {/Symbol x} / L there, Baity-Jesi et al. 2013"
