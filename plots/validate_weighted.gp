# Plain and weighted averages (eqs. 6, 7) over groups of runs of few replicas: bias and deviation.
load "plots/style.gp"
set terminal pngcairo size 1200,900
set output folder."/weighted.png"
data = folder."/weighted.dat"
describe = system("sed -n '1s/^# \\(.*\\), for e.*/\\1/p' ".data)
set multiplot layout 2,2 title "Plain and weighted averages: ".describe
set xrange [0.2:*]
array name[2] = ["specific heat C", "free energy {/Symbol b}F/N"]
do for [n = 1:2] {
    c = 2 + 6 * n
    set title name[n]
    set xlabel ""
    set ylabel "average - exact"
    set key top left
    plot data using 1:(column(c)):(column(c + 1)) with yerrorbars lc rgb "#dd181f" pt 5 ps 0.6 \
             title "plain", \
         data using 1:(column(c + 3)):(column(c + 4)) with yerrorbars ls 1 ps 0.7 title "weighted", \
         0 lc rgb "black" lw 0.7 notitle
}
do for [n = 1:2] {
    c = 2 + 6 * n
    set title ""
    set xlabel beta_label
    set ylabel "standard deviation"
    plot data using 1:(column(c + 2)) with linespoints lc rgb "#dd181f" pt 5 ps 0.6 title "plain", \
         data using 1:(column(c + 5)) with linespoints ls 1 ps 0.7 title "weighted"
}
unset multiplot
