# A model of a step on P ranks: (a) weak efficiency by theta, (b) what a step takes beside its sweeps at theta = 1,
# (c) replicas that cross a boundary, as counted and if copies were independent. `folder` holds steps.dat, exchange.dat
# (perf/bench/ranks_model.py).
load "plots/style.gp"
set terminal pngcairo size 1000,1500
set output folder."/ranks_model.png"
steps = folder."/steps.dat"
exchange = folder."/exchange.dat"
parts = "order count exchange walk reduce"
named = "'order and copies' 'counts of children' 'exchange' 'walk over all ranks' 'reduction'"
set logscale x
set format x "10^{%T}"
set xrange [1:12000]
set key outside right top font ",11"
set multiplot layout 3,1
set title "(a) weak scaling by the model, L = 64, R = 10^5 a GPU"
set ylabel "efficiency  [%]"
set yrange [0:105]
plot for [i = 1:3] steps using 1:(column(7 + i)) with linespoints lc i pt 4 + i ps 0.7 title "{/Symbol q} = ".word("1 10 100", i)
set title "(b) of a step at {/Symbol q} = 1, beside the sweeps"
set ylabel "time  [{/Symbol m}s]"
set xlabel "ranks P"
set logscale y
set yrange [0.1:*]
plot for [i = 1:words(parts)] steps using 1:(column(1 + i) > 0 ? column(1 + i) : NaN) with linespoints lc i pt 4 + i ps 0.7 title word(named, i), \
     steps using 1:($7 > 0 ? $7 : NaN) with lines lc 3 dt 2 title "exchange, worst step"
set title "(c) replicas over a boundary in a step: counted (points), copies independent (lines)"
set ylabel "replicas"
set yrange [10:*]
runs = system("awk '!/^#/ { print $1 \"/\" $2 \"/\" $3 }' ".exchange." | uniq")
part(line, n) = system("echo ".line." | cut -d / -f ".n)
rows(line) = sprintf("<awk '$1 == %s && $2 == %s && $3 == %s' %s", part(line, 1), part(line, 2), part(line, 3), exchange)
name(line) = "L = ".part(line, 1).", R = ".part(line, 2).", {/Symbol q} = ".part(line, 3)
plot for [i = 1:words(runs)] rows(word(runs, i)) using 4:6 with points lc i pt 4 + i ps 0.9 title name(word(runs, i)), \
     for [i = 1:words(runs)] rows(word(runs, i)) using 4:7 with lines lc i dt 2 notitle
unset multiplot
