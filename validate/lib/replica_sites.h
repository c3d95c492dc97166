/* Where the spins of a replica stand in what engine->save writes. */
#ifndef PAISING_REPLICA_SITES_H
#define PAISING_REPLICA_SITES_H

#include <stdint.h>

/* Index of the site in column x and row y: even sub-lattice first, each row by row. */
static inline uint32_t site_index(uint32_t size, uint32_t x, uint32_t y) {
    return ((x + y) % 2 * size + y) * (size / 2) + x / 2;
}

/* 1 if the spin with this index is up. */
static inline int bit_of_site(const uint8_t *spins, uint32_t index) {
    return spins[index / 8] >> index % 8 & 1;
}

#endif
