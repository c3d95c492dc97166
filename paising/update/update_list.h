/* The list of local updates, for update.h: UPDATE(file, name of the option's value, meaning in --help). */
UPDATE(metropolis, "metropolis", "flips that cost dE have probability min(1, exp(-beta dE))")
UPDATE(heat_bath, "heat-bath", "1 / (1 + exp(beta dE))")
