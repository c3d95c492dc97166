# Liquid helium: the time of a fixed number of macroupdates against those between two analyses, by who analyses.
load "plots/style.gp"
data = folder."/helium.dat"
set output folder."/analysts.png"
set xlabel "m, macroupdates between two analyses"
set ylabel "run time  [s]"
set logscale xy
set key top right
plot data index "analysts" using 1:5 with linespoints ls 1 ps 1.2 title "host, and the GPU waits", \
     data index "analysts" using 1:3 with linespoints lc rgb "#e69f00" pt 5 title "host, masked", \
     data index "analysts" using 1:6 with lines ls 3 title "the same, theory", \
     data index "analysts" using 1:4 with linespoints lc rgb "#009e73" pt 9 title "GPU energies, host g(r), masked", \
     data index "analysts" using 1:2 with linespoints ls 2 title "GPU"
