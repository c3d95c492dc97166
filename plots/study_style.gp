# What the figures of the study (validate/study/) have in common: a colour for each rule.
load "plots/style.gp"
set encoding utf8
rules = "nearest systematic stratified residual multinomial poisson"
rule(n) = word(rules, n)
colour(n) = word("#0060ad #2ca02c #17becf #e69f00 #dd181f #7b3fa0", n)
set style line 4 lc rgb "black" lw 1 dt 3                      # exact limits
set style line 5 lc rgb "black" lw 1 dt 2                      # that of another step
set key left Left reverse samplen 2
