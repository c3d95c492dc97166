# The roofline: spin flips a nanosecond against spin flips for a byte of memory traffic, below what the
# memory and the random numbers alone would allow at the measured rates of this device (perf/method.md).
# `folder` holds points.dat and ceiling.dat.
load "plots/style.gp"
set terminal pngcairo size 1000,850
set output folder."/roofline.png"
points = folder."/points.dat"
ceilings = folder."/ceiling.dat"
on = words(system("awk '$1 == \"gpu\"' ".points)) ? "gpu" : "cpu"
ceiling(name) = real(system("awk '$1 == \"".name."\" { value = $2 } END { print value + 0 }' ".ceilings))
# Points of a kind; $18: flips/ns, $22: flips/byte, $23: ps that the random numbers of a flip take.
points_of(test) = "awk '$1 == \"".on."\" && $4 == \"square\" && ".test."' ".points
least_random(test) = real(system(points_of(test)." | awk '$23 != \"nan\" && (!n++ || $23 < x) { x = $23 } END { print x + 0 }'"))
array test[5] = ["$2 == \"ssc\" && ($3 == \"fused\" || $3 == \"-\")", \
    "$9 == \"independent\" && ($3 == \"fused\" || $3 == \"-\")", \
    "$2 == \"ssc\" && $3 != \"fused\" && $3 != \"-\"", "$9 == \"independent\" && $3 == \"apart\"", \
    "$2 == \"msc\" && $9 != \"independent\""]
array name[5] = ["SSC", "MSC, independent", "SSC, stages apart or hybrid", "MSC, stages apart", "MSC, other modes"]
array colour[5] = ["#dd181f", "#0060ad", "#dd181f", "#0060ad", "#009e73"]
array mark[5] = [7, 7, 6, 6, 4]
kinds = ""
do for [i = 1:5] { if (system(points_of(test[i])." | wc -l") > 0) { kinds = kinds." ".i } }
kind(i) = int(word(kinds, i))
bandwidth = ceiling("copy")
ssc = least_random(test[1])
msc = least_random(test[2])
fastest = real(system("awk '$1 == \"".on."\" && $18 > x { x = $18 } END { print x }' ".points))
set title "Roofline: whole runs on ".machine_of(points)
set logscale xy
set format "10^{%T}"
set xlabel "spin flips for a byte of the population read or written  (grows with {/Symbol q})"
set ylabel "spin flips a nanosecond"
set key below Left reverse maxrows 4 font ",12"
set bmargin 8.5 # for the key, below the label
set xrange [0.1:5000]
set yrange [*:6 * (msc > 0 ? 1000 / msc : fastest)]
plot for [i = 1:words(kinds)] "<".points_of(test[kind(i)]) using 22:18:(1000 / $16):(1000 / $15) with yerrorbars \
         lc rgb colour[kind(i)] pt mark[kind(i)] ps 0.8 title name[kind(i)], \
     bandwidth > 0 ? bandwidth * x : NaN lc rgb "black" title sprintf("memory: %.4g GB/s", bandwidth), \
     ssc > 0 ? 1000 / ssc : NaN lc rgb "#dd181f" dt 2 title ssc > 0 ? "random numbers of SSC" : "", \
     msc > 0 ? 1000 / msc : NaN lc rgb "#0060ad" dt 2 title msc > 0 ? "random numbers of MSC, independent" : ""
