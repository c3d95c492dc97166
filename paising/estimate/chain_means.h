/* Whether chains that are independent of one another agree. The mean of a series over R chains has an error by its autocorrelation, which
 * does not see what is slower than the series: a chain that stays where it began. The means of the chains over time do: their
 * variance is
 *
 *     B = R err^2 + V / n
 *
 * at most, where err is that error, V the variance of a value, and n values of each chain are at hand, of those that
 * the series has. B (R - 1) over its expectation follows chi-square with R - 1 degrees of freedom. */
#ifndef PAISING_CHAIN_MEANS_H
#define PAISING_CHAIN_MEANS_H

#include "base/section_file.h"

#include <stddef.h>
#include <stdint.h>

/* Values of a chain that are enough: of longer series some are left out. */
#define CHAIN_VALUES 256

/* Chains that agree are found not to with this probability: P, as the standard deviations of a normal variable that it is beyond. */
#define CHAINS_DISAGREE_BEYOND 3.72 /* 1e-4 */

typedef struct {
    size_t temperatures, chains;
    uint32_t values; /* of each chain */
    double *sum;     /* [temperatures][chains] of values */
} chain_means;

/* Makes room. Returns 0, or -1 without memory. */
int chain_means_create(chain_means *c, size_t temperatures, size_t chains);
void chain_means_destroy(chain_means *c);

/* Whether the values of measurement number n = 1, 2, .. of `planned` are taken. */
static inline bool chain_means_take(uint32_t n, uint32_t planned) {
    const uint32_t every = planned / CHAIN_VALUES > 0 ? planned / CHAIN_VALUES : 1;
    return n % every == 0;
}

/* Whether the chains of temperature k agree, with V and err as above. True of a single chain, and without values. */
bool chain_means_agree(const chain_means *c, size_t k, double variance, double error);

/* Writes or reads the sums. Returns false on failure (section_file.h). */
bool chain_means_transfer(section_file *f, chain_means *c);

#endif
