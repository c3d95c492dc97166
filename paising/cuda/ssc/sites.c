/* Tables of sites (sites.h). */
#include "cuda/ssc/sites.h"

#include "cuda/engine/bytes.h"

/* Returns bit `bond` if the bond from a site in a direction has this J. */
static unsigned has_sign(const spin_model *m, int sign, uint32_t x, uint32_t y, uint32_t z,
                         uint32_t direction, site_bond bond) {
    const uint64_t n = ((uint64_t)z * m->edge[1] + y) * m->edge[0] + x;
    return (unsigned)(couplings_sign(m->sample, n, direction) == sign) << bond;
}

/* Returns the bonds of a site that have this J, bit b for bond b. */
static unsigned bonds_with(const spin_model *m, int sign, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t left = (x ? x : m->edge[0]) - 1, above = (y ? y : m->edge[1]) - 1,
                   before = (z ? z : m->edge[2]) - 1;
    unsigned bits = has_sign(m, sign, x, y, z, 0, x % 2 ? TO_NEXT : TO_ACROSS) |
                    has_sign(m, sign, left, y, z, 0, x % 2 ? TO_ACROSS : TO_NEXT) |
                    has_sign(m, sign, x, y, z, 1, TO_BELOW) |
                    has_sign(m, sign, x, above, z, 1, TO_ABOVE);
    if (m->dimension == 3)
        bits |= has_sign(m, sign, x, y, z, 2, TO_BEHIND) |
                has_sign(m, sign, x, y, before, 2, TO_BEFORE);
    return bits;
}

/* Returns the bonds with J = -1, and half of those that are missing, rounded down. */
static unsigned negative_bonds(const spin_model *m, uint32_t x, uint32_t y, uint32_t z) {
    unsigned bits = bonds_with(m, -1, x, y, z), missing = bonds_with(m, 0, x, y, z);
    for (int n = __builtin_popcount(missing) / 2; n > 0; n--) {
        bits |= missing & -missing; /* the lowest bit */
        missing &= missing - 1;
    }
    return bits;
}

static unsigned edges_at(const spin_model *m, uint32_t x, uint32_t y, uint32_t z) {
    return (y == 0 ? SITE_FIRST_ROW : 0) | (y == m->edge[1] - 1 ? SITE_LAST_ROW : 0) |
           (z == 0 ? SITE_FIRST_LAYER : 0) | (z == m->edge[2] - 1 ? SITE_LAST_LAYER : 0) |
           (x % 2 ? SITE_RIGHT : 0) | (x == 0 || x == m->edge[0] - 1 ? SITE_AT_END : 0);
}

void cuda_ssc_fill_sites(const spin_model *m, uint16_t *site) {
    for (uint32_t parity = 0; parity < 2; parity++) {
        uint16_t *next = site + parity * cuda_ssc_half_bytes(m);
        for (uint32_t z = 0; z < m->edge[2]; z++)
            for (uint32_t y = 0; y < m->edge[1]; y++)
                for (uint32_t x = (y + z + parity) % 2; x < m->edge[0]; x += 2)
                    *next++ =
                        (uint16_t)(edges_at(m, x, y, z) |
                                   (m->sample ? negative_bonds(m, x, y, z) << SITE_BONDS : 0));
        while (next < site + (parity + 1) * cuda_ssc_half_bytes(m))
            *next++ = SITE_LAST_ROW;
    }
}

/* Returns the strides of a lattice. */
static site_strides strides_of(const spin_model *m) {
    const uint32_t row = m->edge[0] / 2, layer = m->edge[1] * row;
    return (site_strides){row, layer, m->edge[2] * layer};
}

void cuda_ssc_fill_neighbours(const spin_model *m, const uint16_t *site, site_neighbours *word) {
    const uint32_t half_bytes = cuda_ssc_half_bytes(m);
    const site_strides strides = strides_of(m);
    for (uint32_t parity = 0; parity < 2; parity++)
        for (uint32_t i = 0; i < half_bytes; i++) {
            const uint32_t bits = site[parity * half_bytes + i];
            site_neighbours around = {{0}, 0};
            for (uint32_t b = TO_NEXT, n = 0; b < m->coordination; b++, n++) {
                const uint32_t to =
                    i < strides.all ? site_neighbour(strides, i, bits, (site_bond)b) : i;
                around.words[n / 2] |= site_word(half_bytes, 1 - parity, to) << 16 * (n % 2);
            }
            for (uint32_t b = 0; b < m->coordination; b++)
                around.negative |= (bits >> (SITE_BONDS + b) & 1) << (8 * (b % 4) + 7 - b / 4);
            word[site_word(half_bytes, parity, i)] = around;
        }
}

void cuda_ssc_fill_missing(const spin_model *m, uint8_t *missing) {
    for (uint32_t parity = 0; parity < 2 && m->sample; parity++) {
        uint8_t *next = missing + parity * cuda_ssc_half_bytes(m);
        for (uint32_t z = 0; z < m->edge[2]; z++)
            for (uint32_t y = 0; y < m->edge[1]; y++)
                for (uint32_t x = (y + z + parity) % 2; x < m->edge[0]; x += 2) {
                    const unsigned bits = bonds_with(m, 0, x, y, z);
                    *next++ = (uint8_t)(bits | (__builtin_popcount(bits) % 2 ? SITE_IS_ODD : 0));
                }
    }
}

void cuda_ssc_add_missing(const spin_model *m, const uint8_t *missing, site_neighbours *word) {
    const uint32_t half_bytes = cuda_ssc_half_bytes(m);
    for (uint32_t parity = 0; parity < 2; parity++)
        for (uint32_t i = 0; i < half_bytes; i++) {
            const uint32_t bits = missing[parity * half_bytes + i];
            uint32_t *const to = &word[site_word(half_bytes, parity, i)].negative;
            for (uint32_t b = 0; b < m->coordination; b++)
                *to |= (bits >> b & 1) << (8 * (b % 4) + 5 - b / 4);
            *to |= (bits & SITE_IS_ODD) != 0;
        }
}
