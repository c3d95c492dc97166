# Populations divided among ranks: (a) weak scaling, the time of a flip on one rank over that on each of P; (b) strong
# scaling, the time of a flip on one rank over that on P. `folder` holds weak.dat and strong.dat (perf/method.md).
load "plots/style.gp"
set terminal pngcairo size 1000,1250
set output folder."/scaling.png"
weak = folder."/weak.dat"
strong = folder."/strong.dat"
# The lines of a table, as words MODEL/L/0/theta or MODEL/L/theta/R; rows of threads in place of ranks have a number in the column `threads`.
lines(table, theta) = system("awk '!/^#/ { print $1 \"/\" $2 \"/\" ".(theta ? "$4" : "0")." \"/\" $3 }' ".table." | sort -u -t / -k 1,1r -k 2,2n -k 3,3n -k 4,4n")
part(line, n) = system("echo ".line." | cut -d / -f ".n)
weak_rows(line) = sprintf("<awk '$1 == \"%s\" && $2 == %s && $3 == %s && $5 == \"-\"' %s", part(line, 1), part(line, 2), part(line, 4), weak)
strong_rows(line) = sprintf("<awk '$1 == \"%s\" && $2 == %s && $3 == %s && $4 == %s && $6 == \"-\"' %s", part(line, 1), part(line, 2), part(line, 4), part(line, 3), strong)
name(line) = part(line, 1)." L = ".part(line, 2).", {/Symbol q} = "
most = real(system("awk '!/^#/ && $4 > x { x = $4 } END { print x }' ".weak))
set logscale x 2
set xrange [0.95:most * 1.05]
set key outside right top font ",11"
set multiplot layout 2,1 title "Populations divided among ranks\n".machine_of(weak)
set title "(a) weak scaling: the same population on each rank"
set ylabel "efficiency t_1 / t_P of a flip and rank  [%]"
set yrange [0:115]
line = lines(weak, 0)
plot for [i = 1:words(line)] weak_rows(word(line, i)) using 4:13 with linespoints lc i pt 4 + i ps 0.8 \
         title name(word(line, i)).part(word(line, i), 4), \
     100 with lines lc rgb "#888888" dt 2 title "ideal"
set title "(b) strong scaling: the same population in all"
set xlabel "ranks P"
set ylabel "speed-up t_1 / t_P"
set logscale y 2
set yrange [*:most * 1.1]
line = lines(strong, 1)
plot for [i = 1:words(line)] strong_rows(word(line, i)) using 5:13 with linespoints lc i pt 4 + i ps 0.8 \
         title name(word(line, i)).part(word(line, i), 3).", R = ".part(word(line, i), 4), \
     x with lines lc rgb "#888888" dt 2 title "ideal"
unset multiplot
