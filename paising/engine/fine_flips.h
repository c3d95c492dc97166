/* What decides the flips at one temperature where energies have no levels: a function of whole numbers, the same on every
 * machine and device.
 *
 * A flip costs `cost`, in units of J / unit, |cost| < 2^32. Its weight w = exp(-beta |cost| / unit) is a product of four
 * factors, one for each byte of |cost|, from tables of 2^64 w. A factor is right to 2^-53 of itself, and a product is cut off by less
 * than 2^-62: w has an error below 2^-50 w + 2^-61. Exchanges of replicas (rounds.h) have a rate beta' - beta and costs of eight bytes.
 *
 * A number x of 64 bits decides, that of the spin before that of its replica and turn (rounding.h). With DOWNHILL_ALWAYS
 * (Metropolis) a flip of cost > 0 is made if x < w. With DOWNHILL_COMPLEMENT (heat bath) it is made if x < w - x w, which has the
 * probability w / (1 + w), and one of cost < 0 where that of -cost would not be made. */
#ifndef PAISING_FINE_FLIPS_H
#define PAISING_FINE_FLIPS_H

#include "base/portable.h"
#include "base/wide.h"
#include "update/update.h"

#include <stdint.h>

#define FINE_BYTES      4 /* of a cost */
#define FINE_MOST_BYTES 8 /* of a difference of two energies */

typedef struct fine_flips {
    uint64_t weight[FINE_BYTES][256]; /* 2^64 exp(-beta b 256^n / unit), at most 2^64 - 1 */
    double rate; /* beta / unit, for estimates that decide nothing that is near */
} fine_flips;

C_DECLARATIONS_BEGIN

/* The table at inverse temperature beta of energies in units of J / unit. It is made when it is first asked for, and stays until
 * fine_flips_forget. Threads may call it at a time. NULL: no memory. */
const fine_flips *fine_flips_at(double beta, uint32_t unit);

/* Frees all tables. */
void fine_flips_forget(void);

/* Fills weight[bytes] with 2^64 exp(-rate b 256^n), at most 2^64 - 1. */
void fine_weights_fill(uint64_t weight[][256], int bytes, double rate);

C_DECLARATIONS_END

/* 2^64 w of a cost of so many bytes, from tables weight[bytes]. */
SHARED_FUNCTION uint64_t fine_product(const uint64_t weight[][256], int bytes, uint64_t cost) {
    uint64_t w = weight[0][cost & 255];
    for (int n = 1; n < bytes; n++)
        w = (uint64_t)((uint128)w * weight[n][cost >> 8 * n & 255] >> 64);
    return w;
}

/* 2^64 w of a cost below 2^32. */
SHARED_FUNCTION uint64_t fine_weight(const fine_flips *t, uint32_t cost) {
    return fine_product(t->weight, FINE_BYTES, cost);
}

/* Whether a spin flips, by its random number r and that of its replica and turn. */
SHARED_FUNCTION int fine_flip(const fine_flips *t, downhill_flips downhill, int64_t cost,
                              uint32_t r, uint64_t u) {
    if (downhill == DOWNHILL_ALWAYS && cost <= 0)
        return 1;
    const uint64_t x = (uint64_t)r << 32 | u >> 32;
    const uint64_t w = fine_weight(t, (uint32_t)(cost < 0 ? -cost : cost));
    if (downhill == DOWNHILL_ALWAYS)
        return x < w;
    const int below = x < w - (uint64_t)((uint128)x * w >> 64);
    return cost < 0 ? !below : below;
}

#endif
