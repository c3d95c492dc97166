# The Binder parameter of the 3D glass: U4 = [q^4] / [q^2]^2 at each size, which cross at T_c.
load "plots/glass_style.gp"
set output folder."/U4.png"
set title "3D Edwards-Anderson glass, J = +1 or -1"
set ylabel "U_4 = [q^4] / [q^2]^2"
set key bottom right
plot for [n = 1:words(sizes)] data index "L".word(sizes, n) using 1:2:3 with yerrorlines lc rgb colour(n) pt 7 ps 0.7 \
         title "L = ".word(sizes, n), \
     1.4899 with lines ls 3 title "T_c and U_4 there, Baity-Jesi et al. 2013"
