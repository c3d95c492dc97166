# How the family entropy at the lowest temperature is distributed over samples of the Gaussian glass.
load "plots/wmk2015_style.gp"
set output folder."/S_f.png"
set title "3D Gaussian Edwards-Anderson glass, T = 0.2: family entropy"
set xlabel "S_f"
set ylabel "density of samples"
set key top left
set offsets graph 0, graph 0.05, 0, 0 # steps end half of a bin behind the last point
set arrow from first log(100), graph 0 to first log(100), graph 1 nohead ls 3
plot for [n = 1:words(sizes)] data index "S_f".word(sizes, n) using 1:2 with histeps lc rgb colour(n) lw 1.5 \
         title "L = ".word(sizes, n)
