/* The list of updates, for update.h: UPDATE(file, name of the option's value, meaning in --help). */
UPDATE(metropolis, "metropolis", "flips that cost dE have probability min(1, exp(-beta dE))")
UPDATE(heat_bath, "heat-bath", "1 / (1 + exp(beta dE))")
UPDATE(swendsen_wang, "swendsen-wang",
       "each cluster of bonds set with 1 - exp(-2 beta) flips with probability 1/2; ssc")
UPDATE(wolff, "wolff", "the cluster of one random site flips; ssc")
UPDATE(tiles, "tiles",
       "K local updates of each --tile, those of one colour of a checkerboard first")
UPDATE(sequential, "sequential", "row by row; ssc")
UPDATE(random, "random", "random sites; ssc")
UPDATE(double_tiling, "double-tiling",
       "random sites of a quarter of each --tile, then of the next; ssc")
UPDATE(dead_border, "dead-border", "random sites of each --tile but its border, which moves; ssc")
