# Liquid helium: time, and time times squared error, against the macroupdates between two analyses.
load "plots/style.gp"
data = folder."/helium.dat"
set output folder."/macroupdates.png"
set xlabel "m, macroupdates between two analyses"
set ylabel "relative to m = 1"
set logscale x
set key top left
plot data index "macroupdates" using 1:5 with points ls 1 ps 1.2 title "error^2 {/Symbol \264} time", \
     data index "macroupdates" using 1:6 with lines ls 2 title "theory", \
     data index "macroupdates" using 1:7 with lines ls 3 title "theory, analyses masked"
