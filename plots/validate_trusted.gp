# Is a trusted row right? Coverage of e at two sigma, of those rows alone that are trusted: by the flag, and by
# R / rho_t alone, as it once was; below it the part of the rows that is trusted; and what betaF has less within one
# sigma where so many of the runs trust a row: few of them are chosen by chance.
load "plots/style.gp"
set terminal pngcairo size 1000,1600
set output folder."/trusted.png"
data = folder."/trusted.dat"
array name[7] = ["L = 16, R = 4000, {/Symbol q} = 2, coarse", "L = 32, R = 3000, {/Symbol q} = 3", \
                 "L = 16, 40 runs of R = 200", "L = 16, R = 4000, {/Symbol q} = 2", \
                 "L = 16, R = 1000, {/Symbol q} = 20", "L = 8, R = 2000, {/Symbol q} = 5", \
                 "L = 16, R = 2000, {/Symbol q} = 5, systematic"]
array colour[7] = ["#0060ad", "#dd181f", "#009e73", "#e69f00", "#8856a7", "#555555", "#a05a2c"]
set xrange [0:0.82]
set multiplot layout 3,1 title "Rows that are trusted"
set ylabel "coverage of e at 2 {/Symbol s}, of trusted rows"
set yrange [0.3:1.02]
set arrow 1 from critical, graph 0 to critical, graph 1 nohead ls 3
set key bottom left font ",11"
plot for [n = 1:7] data index n - 1 using 1:4 with linespoints lc rgb colour[n] pt 7 ps 0.6 title name[n], \
     for [n = 1:7] data index n - 1 using 1:15 with points lc rgb colour[n] pt 6 ps 1.2 notitle, \
     for [n = 1:7] data index n - 1 using 1:12 with lines lc rgb colour[n] dt 3 notitle, \
     NaN with lines lc rgb "black" dt 3 title "Student's t (rings: where R / {/Symbol r}_t is 100 and more)"
set ylabel "part of the rows that is trusted"
set yrange [-0.02:1.02]
set xlabel beta_label
plot for [n = 1:7] data index n - 1 using 1:2 with linespoints lc rgb colour[n] pt 7 ps 0.6 notitle, \
     for [n = 1:7] data index n - 1 using 1:13 with points lc rgb colour[n] pt 6 ps 1.2 notitle
unset arrow 1
set logscale x
set xrange [0.009:1.1]
set yrange [*:*]
set xlabel "part of the runs that trust the row"
set ylabel "{/Symbol b}F: coverage at 1 {/Symbol s}, short of Student's t by"
set key top right font ",11"
plot 0 with lines ls 3 notitle, \
     for [n = 1:7] data index n - 1 using 2:($11 - $7) with points lc rgb colour[n] pt 7 ps 0.6 notitle, \
     data index 7 using (sqrt($1 * $2)):8:1:2:($8 - $9):($8 + $9) with xyerrorbars lc rgb "black" lw 2 pt 5 \
         title "all temperatures of single runs together"
unset multiplot
