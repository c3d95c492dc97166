# What the figures of the Gaussian glass (validate/wmk2015/) have in common: a curve for each size L.
load "plots/style.gp"
data = folder."/wmk2015.dat"
sizes = system("sed -n 's/^# P\\([0-9]*\\)$/\\1/p' ".data)
colour(n) = word("#e69f00 #2ca02c #0060ad #7b3fa0 #dd181f", n)
