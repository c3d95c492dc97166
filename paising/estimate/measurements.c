/* Means over replicas (measurements.h). */
#include "measurements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 int128;

void energy_powers(const histogram *h, uint64_t spins, double *e3, double *e4) {
    const double unit = level_unit(h->levels);
    double sum3 = 0, sum4 = 0; /* in registers, unlike *e3 */
    for (size_t n = h->first; n < h->end; n++) {
        const double energy = (double)histogram_energy(h, n),
                     scaled =
                         unit > 1 ? energy / unit : energy, /* divisions take most of the time */
            e = scaled / (double)spins,
                     cubes = (double)histogram_level(h, n)->replicas * (e * e * e);
        sum3 += cubes;
        sum4 += cubes * e;
    }
    *e3 = sum3 / (double)h->population;
    *e4 = sum4 / (double)h->population;
}

measurement measurement_of(const histogram *h, uint64_t spins) {
    int128 energy = 0, energy2 = 0;
    uint128 abs_m = 0, m2 = 0, q = 0;
    uint64_t counted = 0; /* replicas of the blocks so far: totals are all in the first */
    for (size_t b = 0; b < POPULATION_BLOCKS && counted < h->population; b++) {
        counted += h->block[b].replicas;
        energy += h->block[b].energy;
        energy2 += h->block[b].energy2;
        if (h->energy2_high != NULL)
            energy2 += (int128)h->energy2_high[b] << 64;
        abs_m += h->block[b].abs_m;
        m2 += h->block[b].m2;
        q += histogram_fourth(h, h->block[b].q_low, h->block[b].q_high);
    }
    const double n = (double)spins, replicas = (double)h->population, unit = level_unit(h->levels),
                 most = histogram_largest_order(h, n);
    double e3, e4;
    energy_powers(h, spins, &e3, &e4);
    return (measurement){.e = (double)energy / replicas / unit / n,
                         .e3 = e3,
                         .e4 = e4,
                         .e2 = (double)energy2 / replicas / (unit * unit) / (n * n),
                         .abs_m = (double)abs_m / replicas / most,
                         .m2 = (double)m2 / replicas / (most * most),
                         .m4 = histogram_m4_unit(h) * ((double)q / replicas) /
                               (most * most * most * most)};
}

measurement measurement_of_stripes(const uint32_t *unsatisfied, const uint32_t *up,
                                   uint64_t replicas, uint32_t stripes, const spin_model *lattice) {
    measurement sum = {0};
    const double sites = (double)lattice->sites;
    for (uint64_t k = 0; k < replicas; k++) {
        uint64_t bonds = 0, spins = 0;
        for (uint64_t n = k * stripes; n < (k + 1) * stripes; n++) {
            bonds += unsatisfied[n];
            spins += up[n];
        }
        const double e = (double)(2 * (int64_t)bonds - (int64_t)lattice->bonds) / sites,
                     m = (double)(2 * (int64_t)spins - (int64_t)lattice->sites) / sites;
        sum.e += e;
        sum.e2 += e * e;
        sum.e3 += e * e * e;
        sum.e4 += e * e * e * e;
        sum.abs_m += fabs(m);
        sum.m2 += m * m;
        sum.m4 += m * m * m * m;
    }
    const double r = (double)replicas;
    return (measurement){sum.e / r,     sum.e2 / r, sum.e3 / r, sum.e4 / r,
                         sum.abs_m / r, sum.m2 / r, sum.m4 / r, 0};
}

int measurement_series_create(measurement_series *s, size_t temperatures, size_t room) {
    *s = (measurement_series){.temperatures = temperatures, .room = room};
    s->of = calloc(room * temperatures, sizeof *s->of);
    return s->of != NULL ? 0 : -1;
}

void measurement_series_destroy(measurement_series *s) {
    free(s->of);
    *s = (measurement_series){.of = NULL};
}

void measurement_series_add(measurement_series *s, const measurement now[]) {
    memcpy(s->of + s->count * s->temperatures, now, s->temperatures * sizeof *now);
    s->count++;
}

bool measurement_series_transfer(section_file *f, measurement_series *s) {
    uint64_t count = s->count;
    if (!section_choice(f, &count, s->room))
        return false;
    s->count = count;
    return section_transfer(f, s->of, count * s->temperatures * sizeof *s->of);
}
