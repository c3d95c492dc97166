/* Random numbers of the plain programs. A random number is a function of what it is for; there is no generator with a state.
 * Results therefore do not depend on the order of the work. */
#ifndef PLAIN_RANDOM_H
#define PLAIN_RANDOM_H

#include <math.h>
#include <stdint.h>

/* What numbers are for. */
enum {
    RUN_KEY,
    RANDOMISE, /* first spins */
    RESAMPLE,
    SPINS,     /* decisions about spins of a replica */
    STRIP = 7, /* seeds of a strip's generator, plain_msc.h */
    ROUNDING,
    DISORDER,
    EXCHANGE,
    BONDS = 12, /* of clusters */
    SITE,       /* which one is next */
    WALK,
    HELIUM
};

typedef struct {
    uint32_t purpose;  /* one of these constants */
    uint32_t position; /* the number of the call, where a lattice needs several; below 2^28 */
    /* the replica; or the group that shares a call: of four replicas in resampling, of 32 in multi-spin coding */
    uint32_t owner;
    uint32_t sweep; /* its number in the step */
    uint32_t step;  /* of the simulation: i of beta_i in an annealing */
} use;

typedef struct {
    uint32_t r[4];
} four_numbers;

/* Philox4x32-10 (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, SC11): ten rounds of two multiplications turn a counter of 128
 * bits into four random numbers of 32 bits. */
static inline four_numbers philox(uint64_t key, use u) {
    uint32_t a = u.purpose << 28 | u.position, b = u.owner, c = u.sweep, d = u.step;
    uint32_t key_0 = (uint32_t)key, key_1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t from_a = UINT64_C(0xD2511F53) * a, from_c = UINT64_C(0xCD9E8D57) * c;
        a = (uint32_t)(from_c >> 32) ^ b ^ key_0;
        b = (uint32_t)from_c;
        c = (uint32_t)(from_a >> 32) ^ d ^ key_1;
        d = (uint32_t)from_a;
        key_0 += 0x9E3779B9;
        key_1 += 0xBB67AE85;
    }
    return (four_numbers){{a, b, c, d}};
}

/* One of the two whole numbers next to 2^32 p, chosen at random so that a random number of 32 bits is below it with
 * probability p. One call of Philox a step serves all replicas and sweeps: its u, below 2^64, is shifted by fixed amounts
 * for each replica and for each 16 sweeps. */
static inline uint32_t round_at_random(double p, uint64_t key, use v) {
    const four_numbers random = philox(key, (use){.purpose = ROUNDING, .step = v.step});
    const uint64_t u = ((uint64_t)random.r[1] << 32 | random.r[0]) + v.owner * 0xC13FA9A902A6328F +
                       v.sweep / 16 * 0x91E10DA5C79E7B1D;
    const uint64_t u_of_rest = (uint64_t)random.r[3] << 32 | random.r[2];
    const double scaled = 0x1p32 * fmin(p, 1 - 0x1p-32), whole = floor(scaled);
    const double fraction = floor(0x1p64 * (scaled - whole));
    const double rest = 0x1p64 * (0x1p64 * (scaled - whole) - fraction);
    return (uint32_t)whole + (u < (uint64_t)fraction + (u_of_rest < (uint64_t)rest));
}

#endif
