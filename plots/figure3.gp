# Fig. 3: t_SF over that of the largest theta against theta, for each R; (a) SSC, (b) MSC; the CPU is the
# reference line. `folder` holds table3.dat.
load "plots/style.gp"
set terminal pngcairo size 1000,1150
set output folder."/figure3.png"
table = folder."/table3.dat"
# The lines of a coding, as words DEVICE/R.
lines(coding) = system("awk '$2 == \"".coding."\" { print $1 \"/\" $4 }' ".table." | sort -u | sort -t / -k 1,1r -k 2,2n")
device(line) = line[1:3]
R(line) = line[5:]
rows(coding, line) = sprintf("<awk '$1 == \"%s\" && $2 == \"%s\" && $4 == %s' %s", device(line), coding, R(line), table)
edge = system("awk '!/^#/ { print $3; exit }' ".table)
colours = "#0060ad #dd181f #009e73 #e69f00"
shade(line, i) = device(line) eq "gpu" ? word(colours, i) : "#555555"
mark(line, i) = device(line) eq "gpu" ? 7 : 3 + i
label(line) = (device(line) eq "gpu" ? "" : "CPU, ")."R = ".R(line)
set logscale xy
set xrange [0.9:600]
set yrange [0.8:*]
set ytics (1, 1.5, 2, 3, 5, 10, 20, 50)
set ylabel "t_{SF} / t_{SF}(largest {/Symbol q})"
set key top right
set multiplot layout 2,1 title "Spin-flip time against the sweeps per temperature, L = ".edge."\n".machine_of(table)
do for [coding in "ssc msc"] {
    line = lines(coding)
    set title coding eq "ssc" ? "(a) single-spin coding" : "(b) multi-spin coding"
    set xlabel coding eq "msc" ? "sweeps per temperature {/Symbol q}" : ""
    plot for [i = 1:words(line)] rows(coding, word(line, i)) using 5:12 with linespoints \
             lc rgb shade(word(line, i), i) pt mark(word(line, i), i) ps 0.8 title label(word(line, i))
}
unset multiplot
