/* Sweeps and energies of lattices whose couplings have values, in single-spin coding. Sites draw the numbers that they draw
 * with couplings of +1 and -1 (ssc_lattice.c); a flip of any cost is decided by fine_flips.h. */
#include "base/portable.h"
#include "ssc_lattice.h"

/* The neighbours of a site, and the bonds to them: forwards its own, backwards those of the site before it. */
typedef struct {
    size_t ahead[MODEL_MAX_DIMENSION], behind[MODEL_MAX_DIMENSION];
} neighbours;

TEMPLATE neighbours neighbours_of(const ssc_lattice *l, uint32_t dimension, uint32_t x, uint32_t y,
                                  uint32_t z) {
    const uint32_t at[MODEL_MAX_DIMENSION] = {x, y, z};
    neighbours of = {{0}, {0}};
    size_t site = ((size_t)z * l->edge[1] + y) * l->edge[0] + x, stride = 1;
    for (uint32_t d = 0; d < dimension; d++) {
        const size_t around = (l->edge[d] - 1) * stride;
        of.ahead[d] = at[d] + 1 < l->edge[d] ? site + stride : site - around;
        of.behind[d] = at[d] > 0 ? site - stride : site + around;
        stride *= l->edge[d];
    }
    return of;
}

/* sum_j J_ij s_j over all neighbours of a site, in units of J / unit. */
TEMPLATE int64_t field_at(const ssc_lattice *l, uint32_t dimension, const int8_t *spin, size_t site,
                          const neighbours *of) {
    int64_t field = 0;
    for (uint32_t d = 0; d < dimension; d++) {
        const int32_t *const bond = l->values + d * l->sites;
        field += (int64_t)bond[site] * spin[of->ahead[d]] +
                 (int64_t)bond[of->behind[d]] * spin[of->behind[d]];
    }
    return field;
}

TEMPLATE void sweep_lattice(const ssc_lattice *l, uint32_t dimension, int8_t *spin,
                            const ssc_flips *flips) {
    const uint32_t quads = (uint32_t)(l->sites / 2 + 3) / 4;
    for (uint32_t parity = 0; parity < 2; parity++) {
        stream_block four = {{0}};
        uint32_t n = 0; /* of the sub-lattice */
        for (uint32_t z = 0; z < l->edge[2]; z++)
            for (uint32_t y = 0; y < l->edge[1]; y++)
                for (uint32_t x = (z + y + parity) % 2; x < l->edge[0]; x += 2, n++) {
                    const size_t site = ((size_t)z * l->edge[1] + y) * l->edge[0] + x;
                    const neighbours of = neighbours_of(l, dimension, x, y, z);
                    const int64_t field = field_at(l, dimension, spin, site, &of);
                    if (n % 4 == 0)
                        four = stream_draw(flips->step->key, STREAM_SSC, parity * quads + n / 4,
                                           flips->replica, flips->sweep, flips->step->temperature);
                    if (fine_flip(flips->fine, flips->downhill, 2 * spin[site] * field,
                                  four.number[n % 4], flips->u))
                        spin[site] = (int8_t)-spin[site];
                }
    }
}

void ssc_fine_sweep(const ssc_lattice *l, int8_t *spin, const ssc_flips *flips) {
    if (l->dimension == 2)
        sweep_lattice(l, 2, spin, flips);
    else
        sweep_lattice(l, 3, spin, flips);
}

int64_t ssc_fine_energy(const ssc_lattice *l, const int8_t *spin) {
    int64_t energy = 0;
    size_t site = 0;
    for (uint32_t z = 0; z < l->edge[2]; z++)
        for (uint32_t y = 0; y < l->edge[1]; y++)
            for (uint32_t x = 0; x < l->edge[0]; x++, site++) {
                const neighbours of = neighbours_of(l, l->dimension, x, y, z);
                for (uint32_t d = 0; d < l->dimension; d++)
                    energy -=
                        (int64_t)l->values[d * l->sites + site] * spin[site] * spin[of.ahead[d]];
            }
    return energy;
}
