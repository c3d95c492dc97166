/* The effective share of a population, and the sweeps that keep it. */
#include "sweep_control.h"

#include "resampling.h"

#include <math.h>

/* A block of n of R strangers has (1 - n / R) n times the variance of one replica about the mean of all. */
double sweep_control_kept(const histogram *h) {
    const double population = (double)h->population, spread = resampling_spread(h);
    int64_t energy = 0;
    double squares = 0, shares = 0;
    for (size_t b = 0; b < POPULATION_BLOCKS; b++)
        energy += h->founder[b].energy;
    const double mean = (double)energy / population;
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        const double replicas = (double)h->founder[b].replicas;
        const double off = (double)h->founder[b].energy - replicas * mean;
        squares += off * off;
        shares += replicas / population * (replicas / population);
    }
    if (!(spread > 0))
        return 1;
    if (!(shares < 1)) /* all descend from one block, which then is all that there is */
        return 1 / population;
    const double strangers = population * spread * spread * (1 - shares);
    return fmax(1 / population, strangers < squares ? strangers / squares : 1);
}

sweep_control sweep_control_start(double fraction, uint32_t most) {
    return (sweep_control){.fraction = fraction, .most = most, .theta = 1, .kept = 1};
}

uint32_t sweep_control_next(sweep_control *c, double kept) {
    const double expected = kept * (kept / c->kept), factor = c->fraction / expected;
    const double most = SWEEP_CONTROL_LARGEST_FACTOR;
    c->theta = fmin(c->most, fmax(1, c->theta * fmin(most, fmax(1 / most, factor))));
    c->kept = kept;
    return (uint32_t)(c->theta + 0.5);
}
