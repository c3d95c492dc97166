# What the figures of a run have in common. `folder` is the folder of its result.
load "plots/style.gp"
result = folder."/PA_results_weighted.dat"
exact = folder."/exact.dat"
header(name) = header_of(result, name)
run = sprintf("2D Ising model, L = %s, R = %s, {/Symbol q} = %s, %s", \
              header("size"), header("population"), header("sweeps"), \
              header("coding") eq "msc" ? "multi-spin coding" : "single-spin coding")
set xlabel beta_label
