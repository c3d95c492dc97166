# How rho_t, the mean family size at the lowest temperature, is distributed over samples of the Gaussian glass.
load "plots/wmk2015_style.gp"
set output folder."/rho_t.png"
set title "3D Gaussian Edwards-Anderson glass, T = 0.2: mean family size"
set xlabel "log_{10} {/Symbol r}_t"
set ylabel "density of samples"
set key top right
plot for [n = 1:words(sizes)] data index "rho_t".word(sizes, n) using 1:2 with histeps lc rgb colour(n) lw 1.5 \
         title "L = ".word(sizes, n)
