/* The generators of M. Weigel, Monte Carlo methods for massively parallel computers, Table 2, as a block of GPU
 * threads runs them: a number for every thread at a time. A step of each is one function of host and device;
 * generators.c has the blocks on the CPU, tiles.cu on a GPU, with the same bits.
 *
 * A block's state is an array of 32-bit words: `words` of each thread, word k of thread t at [k * threads + t], then
 * `shared` words that the threads have in common. */
#ifndef PAISING_GENERATORS_H
#define PAISING_GENERATORS_H

#include "base/portable.h"
#include "mtgp32.h"

#include <stddef.h>

/* Threads of a block: of tiles of 16 x 16 sites, two sites a thread. */
#define GENERATOR_BLOCK 128

/* Lags of the Fibonacci generators, u_n = u_{n-r} + u_{n-s} mod 2^32. A block draws 128 numbers at a time: s and r - s
 * must not be smaller, or else a thread would read what another one of its block writes. */
#define FIBONACCI_521_S  353
#define FIBONACCI_1279_S 861

/* The odd constant of the Weyl sequence, that of XORWOW: the paper does not say its own. */
#define WEYL_INCREMENT 362437u

typedef enum {
    GENERATOR_LCG32, /* own random seeds: x, then a, c in common */
    GENERATOR_LCG32_SKIPPED, /* one sequence dealt out to all threads: the same, a and c of that many steps */
    GENERATOR_LCG64,
    GENERATOR_LCG64_SKIPPED,
    GENERATOR_MWC, /* x, c, a */
    GENERATOR_FIBONACCI_521,
    GENERATOR_FIBONACCI_1279, /* in common: the last r numbers as a ring, and where the oldest stands */
    GENERATOR_XORWOW,         /* the five words, the Weyl number */
    GENERATOR_MTGP32, /* in common: a ring of 1024 words, where the oldest stands, the parameter set */
    GENERATOR_XORSHIFT_WEYL, /* a word of the 1024 bits of a warp; in common: the Weyl number */
    GENERATOR_PHILOX_7,      /* which thread of all, numbers drawn; in common: the key */
    GENERATOR_PHILOX_10,
    GENERATOR_MRG32K3A, /* two recurrences of three words; not in the table, but one of cuRAND's */
    GENERATOR_EXTERNAL, /* the user's own (external.h), on the CPU */
    GENERATORS
} generator_id;

typedef struct {
    const char *name;  /* of commands */
    const char *title; /* of tables */
    uint32_t words, shared;
    double bits; /* of state a thread, in a block of 128; 0: of the user's own */
    /* Fills the state of block `block` of `blocks` with `threads` threads each, from numbers of Philox. */
    void (*seed)(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks, uint64_t seed);
    /* numbers[t] becomes the next number of thread t. */
    void (*draw)(uint32_t *state, uint32_t threads, uint32_t *numbers);
} generator;

C_DECLARATIONS_BEGIN

/* By generator_id. */
extern const generator generators[GENERATORS];

/* Words of a block's state. threads: 1 to GENERATOR_BLOCK, of XORShift/Weyl a multiple of 32. */
size_t generator_words(const generator *g, uint32_t threads);

/* The n-th multiplier of MWC, from 0: the largest a < 2^32 for which a 2^32 - 1 and a 2^31 - 1 are prime, and downwards.
 * The list is made as far as it is asked for; one thread at a time may ask. Returns 0 if there is not enough memory. */
uint32_t mwc_multiplier(size_t n);

C_DECLARATIONS_END

/* --- A step of each --- */

SHARED_FUNCTION uint32_t lcg32_step(uint32_t *x, uint32_t a, uint32_t c) {
    return *x = *x * a + c;
}

SHARED_FUNCTION uint32_t lcg64_step(uint64_t *x, uint64_t a, uint64_t c) {
    *x = *x * a + c;
    return (uint32_t)(*x >> 32);
}

/* x' + 2^32 c' = a x + c. */
SHARED_FUNCTION uint32_t mwc1_step(uint32_t *x, uint32_t *c, uint32_t a) {
    const uint64_t sum = (uint64_t)a * *x + *c;
    *c = (uint32_t)(sum >> 32);
    return *x = (uint32_t)sum;
}

/* G. Marsaglia, J. Stat. Softw. 8, 14 (2003): five words of xorshift, then the Weyl number. */
SHARED_FUNCTION uint32_t xorwow_step(uint32_t x[6]) {
    const uint32_t t = x[0] ^ x[0] >> 2, v = x[4];
    for (int k = 0; k < 4; k++)
        x[k] = x[k + 1];
    x[4] = (v ^ v << 4) ^ (t ^ t << 1);
    x[5] += 362437;
    return x[4] + x[5];
}

#define MRG32K3A_M1 UINT64_C(4294967087)
#define MRG32K3A_M2 UINT64_C(4294944443)

/* P. L'Ecuyer, Oper. Res. 47, 159 (1999): z - 1 of its numbers z = 1 to m1, u = z / (m1 + 1). */
SHARED_FUNCTION uint32_t mrg32k3a_step(uint32_t x[6]) {
    const uint64_t p = (1403580 * (uint64_t)x[1] + 810728 * (MRG32K3A_M1 - x[0])) % MRG32K3A_M1,
                   q = (527612 * (uint64_t)x[5] + 1370589 * (MRG32K3A_M2 - x[3])) % MRG32K3A_M2;
    x[0] = x[1];
    x[1] = x[2];
    x[2] = (uint32_t)p;
    x[3] = x[4];
    x[4] = x[5];
    x[5] = (uint32_t)q;
    return (uint32_t)((p > q ? p - q : p + MRG32K3A_M1 - q) - 1);
}

/* Word i of x << 9 + 32 w, from words i + w and i + w + 1; and so on. Word 0 is the most significant. */
SHARED_FUNCTION uint32_t words_left(uint32_t word, uint32_t after, int bits) {
    return word << bits | after >> (32 - bits);
}

SHARED_FUNCTION uint32_t words_right(uint32_t word, uint32_t before, int bits) {
    return word >> bits | before << (32 - bits);
}

/* Philox4x32 (Salmon et al., SC11) of so many rounds. */
SHARED_FUNCTION void philox_rounds(uint32_t x[4], uint32_t k0, uint32_t k1, int rounds) {
    for (int n = 0; n < rounds; n++) {
        const uint64_t p = (uint64_t)0xD2511F53u * x[0], q = (uint64_t)0xCD9E8D57u * x[2];
        const uint32_t x1 = x[1], x3 = x[3];
        x[0] = (uint32_t)(q >> 32) ^ x1 ^ k0;
        x[1] = (uint32_t)q;
        x[2] = (uint32_t)(p >> 32) ^ x3 ^ k1;
        x[3] = (uint32_t)p;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

/* Four numbers of a thread: 4 n to 4 n + 3. */
SHARED_FUNCTION void philox_quad(uint32_t x[4], uint32_t thread, uint32_t n, const uint32_t key[2],
                                 int rounds) {
    x[0] = n;
    x[1] = thread;
    x[2] = x[3] = 0;
    philox_rounds(x, key[0], key[1], rounds);
}

#endif
