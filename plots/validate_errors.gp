# Do runs know their errors? The error that a run gives itself over the scatter of independent runs,
# and below it how many independent families there are: an error is trusted from 100 on.
load "plots/style.gp"
set terminal pngcairo size 1000,1100
set output folder."/errors.png"
case = "independent-p32-L16-few-sweeps"
data = folder."/".case.".dat"
describe = system("sed -n '1s/^# [^:]*: //p' ".data)
runs = int(system("sed -n '1s/.* \\([0-9]*\\) runs.*/\\1/p' ".data))
band = 1 / sqrt(2.0 * (runs - 1))
set multiplot layout 2,1 title "Errors of one run, MSC: ".describe
set yrange [0.5:1.5]
set ylabel "error of one run / deviation of the runs"
set arrow 1 from critical, graph 0 to critical, graph 1 nohead ls 3
set object 1 rectangle from graph 0, first 1 - 2 * band to graph 1, first 1 + 2 * band \
    fc rgb "#eef4fb" fs solid noborder behind
set key top left
plot data using 1:($31/$30) with linespoints ls 1 title "e", \
     data using 1:($33/$32) with linespoints lc rgb "#dd181f" pt 5 ps 0.5 title "C", \
     data using 1:($35/$34) with linespoints lc rgb "#009e73" pt 9 ps 0.6 title "{/Symbol b}F", \
     1 lc rgb "black" lw 0.7 title "agreement (band: two errors of the deviation)"
unset object 1
set yrange [10:*]
set logscale y
set ylabel "number of replicas"
set xlabel beta_label
set key bottom left
plot data using 1:36 with lines ls 1 title "R / {/Symbol r}_t, independent families", \
     data using 1:37 with lines lc rgb "#dd181f" title "R_{eff} that a run gives", \
     data using 1:38 with points lc rgb "black" pt 6 ps 0.6 title "R_{eff} from the scatter of the runs", \
     100 lc rgb "#888888" dt 2 title "errors are trusted above"
unset multiplot
