/* Means over replicas (moments.h). */
#include "moments.h"

#include "base/wide.h"

#include <stdlib.h>

__extension__ typedef __int128 int128;

moments moments_of(const histogram *h, uint64_t spins) {
    int128 energy = 0, energy2 = 0;
    uint128 abs_m = 0, m2 = 0, q = 0;
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        energy += h->block[b].energy;
        energy2 += h->block[b].energy2;
        abs_m += h->block[b].abs_m;
        m2 += h->block[b].m2;
        q += h->block[b].q_low + ((uint128)h->block[b].q_high << 32);
    }
    const double n = (double)spins, replicas = (double)h->population;
    return (moments){.e = (double)energy / replicas / n,
                     .e2 = (double)energy2 / replicas / (n * n),
                     .abs_m = (double)abs_m / replicas / n,
                     .m2 = (double)m2 / replicas / (n * n),
                     .m4 = histogram_m4_unit(h) * ((double)q / replicas) / (n * n * n * n)};
}

int moment_series_create(moment_series *s, size_t temperatures, size_t room) {
    *s = (moment_series){.temperatures = temperatures, .room = room};
    s->of = calloc(room * temperatures, sizeof *s->of);
    return s->of != NULL ? 0 : -1;
}

void moment_series_destroy(moment_series *s) {
    free(s->of);
    *s = (moment_series){.of = NULL};
}

void moment_series_add(moment_series *s, const histogram h[], uint64_t spins) {
    for (size_t k = 0; k < s->temperatures; k++)
        s->of[s->count * s->temperatures + k] = moments_of(&h[k], spins);
    s->count++;
}

bool moment_series_transfer(section_file *f, moment_series *s) {
    uint64_t count = s->count;
    if (!section_choice(f, &count, s->room))
        return false;
    s->count = count;
    return section_transfer(f, s->of, count * s->temperatures * sizeof *s->of);
}
