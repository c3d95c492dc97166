# Averages over the runs minus exact values in units of the error, at every temperature of every case
# of a validation where the average has enough families to be trusted.
load "plots/style.gp"
set terminal pngcairo size 1000,1200
set output folder."/deviations.png"
cases = system("cd ".folder." && ls *-L*.dat | sed 's/\\.dat$//'")
set xlabel ""
set yrange [-6.8:6.8]
set ytics 2
set key off
set ylabel "z"
set object 1 rectangle from graph 0, first -2 to graph 1, first 2 fc rgb "#eef4fb" fs solid noborder behind
array quantity[4] = ["energy e", "specific heat C", "free energy {/Symbol b}F/N", "entropy S/N"]
set multiplot layout 4,1 title sprintf("(average over runs - exact) / error: %d cases; temperatures of a case are correlated\ndashed: the limit that fails a validation; band: two errors", words(cases))
do for [n = 1:4] {
    if (n == 4) { set xlabel beta_label }
    set title quantity[n] offset 0,-0.7
    plot for [i = 1:words(cases)] folder."/".word(cases, i).".dat" \
             using 1:($41 == 1 ? column(1 + 4 * n) : NaN) with linespoints lw 0.5 pt 7 ps 0.3, \
         6.57 lc rgb "#dd181f" dt 2, -6.57 lc rgb "#dd181f" dt 2
}
unset multiplot
