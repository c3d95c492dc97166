# What the figures of the MSC error inflation (validate/inflation/) have in common.
load "plots/style.gp"
result = folder."/inflation.dat"
header(name) = header_of(result, name)
set xlabel beta_label
set terminal pngcairo size 1000,800 font "DejaVu Sans,14" linewidth 1.5
set encoding utf8
run = sprintf("L = %s, {/Symbol q} = %s, {/Symbol Db} = %s, R = %s, %s runs", \
              header("size"), header("sweeps"), header("dbeta"), header("population"), \
              header("runs"))
set key below Left reverse samplen 3
set bmargin 8
set arrow from first critical, graph 0 to first critical, graph 1 nohead ls 3
set xrange [0:1]
set style fill transparent solid 0.25 noborder                   # bands of one standard deviation
set style line 4 lc rgb "black" lw 0.7 dt 3                      # expected
colour(n) = word("#dd181f #e69f00 #2ca02c #0060ad #7b3fa0", n)
