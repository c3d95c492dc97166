/* The redundancy of a population, and adaptive sweeps (sweep_control.h). */
#include "sweep_control.h"

#include "resampling.h"

#include <math.h>

/* If all R replicas are independent, the energy of a block of n about the common mean has (1 - n /
 * R) n times the variance of one replica. */
double sweep_control_redundancy(const histogram *h) {
    const double population = (double)h->population,
                 spread = level_unit(h->levels) * resampling_spread(h);
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
    if (!(shares < 1)) /* all descend from one block, and no other block remains to compare with */
        return population;
    return fmin(population, fmax(1, squares / (population * spread * spread * (1 - shares))));
}

sweep_control sweep_control_start(double gain, uint32_t most) {
    return (sweep_control){.gain = gain, .most = most, .theta = 1, .redundancy = 1};
}

uint32_t sweep_control_next(sweep_control *c, double redundancy) {
    const double expected = redundancy * (redundancy / c->redundancy);
    const double factor = expected / (1 + c->gain * c->theta), most = SWEEP_CONTROL_LARGEST_FACTOR;
    c->theta = fmin(c->most, fmax(1, c->theta * fmin(most, fmax(1 / most, factor))));
    c->redundancy = redundancy;
    return (uint32_t)(c->theta + 0.5);
}
