# What the figures of the glass (validate/glass/) have in common: curves of sizes L that cross at T_c.
load "plots/style.gp"
data = folder."/glass.dat"
sizes = system("sed -n 's/^# L\\([0-9]*\\)$/\\1/p' ".data)
set xlabel "temperature T  [J / k_B]"
set xrange [0.8:1.6]
colour(n) = word("#e69f00 #2ca02c #0060ad #7b3fa0", n)
# The literature: Baity-Jesi et al., Phys. Rev. B 88, 224416 (2013)
T_c = 1.1019
set arrow from first T_c, graph 0 to first T_c, graph 1 nohead ls 3
