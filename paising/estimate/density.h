/* The density of states from histograms that weights have made flat: g(E) = H(E) / W(E) in each window of levels, the windows joined
 * where they overlap; and canonical averages of it at any temperature. */
#ifndef PAISING_DENSITY_H
#define PAISING_DENSITY_H

#include "model/levels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The levels lowest .. lowest + levels - 1 with weights W. */
typedef struct {
    uint32_t lowest, levels;
    const double *ln_w; /* [levels] */
} density_window;

/* ln g of each level, NAN where no walker was: ln_g[levels]. visits[]: those of each window one after the other. The windows are in
 * rising order; the next one joins those before by the mean of its ln g less theirs over common levels, with the weight H H' / (H +
 * H'). Common levels have the mean by H. Normalised so that the g add up to exp(ln_states). total[levels]: room for the visits of each
 * level. Returns false if windows have no level with visits in common, or there are no visits. */
bool density_of_states(const density_window window[], size_t windows, const uint64_t visits[],
                       double ln_states, size_t levels, double total[], double ln_g[]);

/* Averages over the Boltzmann distribution at beta. */
typedef struct {
    double e, c, beta_f,
        s;           /* per spin: energy in J, specific heat, beta times free energy, entropy */
    double variance; /* of the energy per spin */
    double edge;     /* probability of the lowest level that was visited, */
    double top;      /* and of the highest one */
} density_averages;

density_averages density_at(const double ln_g[], energy_levels levels, uint64_t spins, double beta);

/* The attempts that counts of groups are worth: sum of h (1 - h) over that of the variances of the mean shares h, over all levels of
 * all windows. counts[groups][rows]. NAN for a single group, or without a variance. */
double density_effective_attempts(const uint64_t counts[], size_t groups, size_t rows,
                                  const density_window window[], size_t windows);

/* The jackknife error of a number from its values without each of some groups; NAN of one group. */
double density_error(const double without[], size_t groups);

#endif
