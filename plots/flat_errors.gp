# The mean of |ln g - exact| against the time of search and production (validate/physics/flat.py).
load "plots/style.gp"
data = folder."/flat.dat"
set output folder."/errors.png"
set title "Number of states of the 2D Ising model, L = ".header_of(data, "size")
set xlabel "time  [s]"
set ylabel "mean of |ln g - exact|"
set logscale xy
set format xy "10^{%L}"
set key top right
name(n) = word("multicanonical Wang-Landau,_1/t Wang-Landau,_halved", n)
shown(n) = system("echo '".name(n)."' | tr _ ' '")
colour(n) = word("#0060ad #dd181f #2ca02c", n)
methods = system("grep -c 'mean deviation of ln g' ".data) + 0
plot for [n = 1:methods] data index shown(n) using 1:2:3:4 with yerrorlines lc rgb colour(n) pt 7 title shown(n)
