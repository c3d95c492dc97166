# Measured minus exact in units of the error, for e, C and betaF/N; rows whose error one run cannot
# know (R / rho_t below 100) are open symbols.
load "plots/run.gp"
set terminal pngcairo size 1000,1000
set output folder."/residuals.png"
comparison = folder."/comparison.dat"
set multiplot layout 3,1 title "Deviation from the exact solution: ".run
set yrange [-5:7]
set ytics 2
set key top right horizontal
set ylabel "z"
set object 1 rectangle from graph 0, first -2 to graph 1, first 2 fc rgb "#eef4fb" fs solid noborder behind
trusted(z, flag) = flag == 1 ? z : NaN
doubtful(z, flag) = flag == 1 ? NaN : z
array quantity[3] = ["energy e", "specific heat C", "free energy {/Symbol b}F/N"]
do for [n = 1:3] {
    column_of_z = 1 + 3 * n
    set title quantity[n] offset 0,-0.7
    plot comparison using 1:(trusted(column(column_of_z), $12)) with points ls 1 ps 0.7 \
             title "(measured - exact) / error", \
         comparison using 1:(doubtful(column(column_of_z), $12)) with points lc rgb "#999999" pt 6 \
             ps 0.7 title "too few families to know the error", \
         0 with lines lc rgb "black" lw 0.7 notitle
}
unset multiplot
