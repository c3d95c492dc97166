/* Counts the states of the even spins of the 4 x 4 x 4 lattice (checkerboard.h), 256 states at a
 * time: a bit of a vector is a state, and numbers are bit planes. */
#include "checkerboard.h"

#include <stdlib.h>
#include <string.h>

#define EVEN      CHECKERBOARD_HALF
#define ODD       CHECKERBOARD_HALF
#define NUMBERS   (CHECKERBOARD_MOST_CLASSES - 1) /* the last number follows from the others */
#define PLANES    6                               /* bit planes of a number up to 32 */
#define WORDS     4
#define LANE_BITS 8 /* 2^8 lanes: the first 8 spins take all their states within a vector */

typedef uint64_t vector __attribute__((vector_size(8 * WORDS)));

static const struct {
    uint32_t numbers;
    size_t bins;
} sizes[] = {[CHECKERBOARD_BY_FIELD] = {3, CHECKERBOARD_FIELD_BINS},
             [CHECKERBOARD_BY_K] = {6, CHECKERBOARD_K_BINS}};

/* --- Bins --- */

/* C(n, k) */
static size_t binomial(size_t n, size_t k) {
    size_t c = 1;
    for (size_t i = 1; i <= k; i++)
        c = c * (n - k + i) / i;
    return c;
}

/* The index of the partial sums s_0 <= s_1 <= ... of the numbers is the sum over i of C(s_i + i, i
 * + 1). This is the term of one i. */
static size_t place(uint32_t i, uint32_t partial_sum) {
    return binomial(partial_sum + i, i + 1);
}

size_t checkerboard_bin(checkerboard_classes classes, const uint32_t *n) {
    size_t bin = 0;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < sizes[classes].numbers; i++) {
        sum += n[i];
        bin += place(i, sum);
    }
    return bin;
}

/* --- Counting --- */

/* Tables common to all states. */
typedef struct {
    uint8_t neighbour[ODD][CHECKERBOARD_NEIGHBOURS]; /* numbers of even sites, counted among
                                                      * the even sites */
    vector flipped[ODD][CHECKERBOARD_NEIGHBOURS];    /* all ones where J = -1 */
    vector first[LANE_BITS];                         /* the first spins in each lane; 1: down */
    uint64_t spread[256];                            /* moves bit n of a byte to byte n */
    uint32_t place[NUMBERS][ODD + 1];
} tables;

static bool is_odd(uint64_t site) {
    return (site ^ site / 4 ^ site / 16) & 1;
}

static void fill_tables(tables *t, const couplings *c) {
    uint32_t odd = 0;
    for (uint64_t site = 0; site < c->sites; site++)
        for (uint32_t d = 0; is_odd(site) && d < c->dimension; d++) {
            uint64_t before = site; /* the site whose bond in direction d leads here */
            for (uint32_t n = 1; n < CHECKERBOARD_EDGE; n++)
                before = couplings_neighbour(c, before, d);
            const uint64_t ends[2] = {couplings_neighbour(c, site, d), before};
            const int sign[2] = {couplings_sign(c, site, d), couplings_sign(c, before, d)};
            for (uint32_t n = 0; n < 2; n++) {
                t->neighbour[odd][2 * d + n] =
                    (uint8_t)(ends[n] / 2); /* of each pair of sites one is even */
                t->flipped[odd][2 * d + n] = (vector){0} - (uint64_t)(sign[n] < 0);
            }
            odd += d == c->dimension - 1;
        }
    for (uint32_t lane = 0; lane < 1u << LANE_BITS; lane++)
        for (uint32_t n = 0; n < LANE_BITS; n++)
            t->first[n][lane / 64] |= (uint64_t)(lane >> n & 1) << lane % 64;
    for (uint32_t byte = 0; byte < 256; byte++)
        for (uint32_t n = 0; n < 8; n++)
            t->spread[byte] |= (uint64_t)(byte >> n & 1) << 8 * n;
    for (uint32_t i = 0; i < NUMBERS; i++)
        for (uint32_t sum = 0; sum <= ODD; sum++)
            t->place[i][sum] = (uint32_t)place(i, sum);
}

/* Adds a bit to a number below 2^planes - 1. */
static inline void count_bit(vector number[PLANES], int planes, const vector *bit) {
    vector carry = *bit;
    for (int n = 0; n < planes; n++) {
        const vector both = number[n] & carry;
        number[n] ^= carry;
        carry = both;
    }
}

/* Counts the odd sites in each class of k, in bit planes. */
static inline void count_sites(const tables *t, const vector spin[EVEN],
                               checkerboard_classes classes, vector number[NUMBERS][PLANES]) {
    memset(number, 0, NUMBERS * sizeof *number);
    for (uint32_t odd = 0; odd < ODD; odd++) {
        vector b[CHECKERBOARD_NEIGHBOURS];
        for (int n = 0; n < CHECKERBOARD_NEIGHBOURS; n++)
            b[n] = spin[t->neighbour[odd][n]] ^ t->flipped[odd][n];
        /* k in three planes: two full adders, and a third one for their carries. */
        const vector x = b[0] ^ b[1], y = b[3] ^ b[4];
        const vector sum_x = x ^ b[2], sum_y = y ^ b[5];
        const vector c0 = (b[0] & b[1]) | (x & b[2]), c1 = (b[3] & b[4]) | (y & b[5]);
        const vector c2 = sum_x & sum_y, z = c0 ^ c1;
        const vector k0 = sum_x ^ sum_y, k1 = z ^ c2, k2 = (c0 & c1) | (z & c2);
        const int planes = 32 - __builtin_clz(odd + 1);
        const vector differ = k1 ^ k2, low = ~k1 & ~k2;
        const vector of_field[] = {~k0 & ~differ, k0 & ~k1, ~k0 & differ}; /* |k - 3| = 3, 2, 1 */
        const vector of_k[] = {~k0 & low,     k0 & low,       ~k0 & k1 & ~k2,
                               k0 & k1 & ~k2, ~k0 & ~k1 & k2, k0 & ~k1 & k2};
        for (uint32_t i = 0; i < sizes[classes].numbers; i++)
            count_bit(number[i], planes,
                      classes == CHECKERBOARD_BY_FIELD ? &of_field[i] : &of_k[i]);
    }
}

/* Adds the lanes of a vector to the bins, 8 lanes at a time in the bytes of a word. */
static inline void count_lanes(const tables *t, checkerboard_classes classes,
                               vector number[NUMBERS][PLANES], uint64_t *bins) {
    const uint32_t numbers = sizes[classes].numbers;
    for (uint32_t eighth = 0; eighth < 8 * WORDS; eighth++) {
        uint64_t sum[NUMBERS], n = 0;
        for (uint32_t i = 0; i < numbers; i++) {
            for (uint32_t p = 0; p < PLANES; p++)
                n += t->spread[number[i][p][eighth / 8] >> eighth % 8 * 8 & 0xff] << p;
            sum[i] = n; /* no byte exceeds 32 */
        }
        for (uint32_t lane = 0; lane < 8; lane++) {
            uint32_t bin = 0;
            for (uint32_t i = 0; i < numbers; i++)
                bin += t->place[i][sum[i] >> 8 * lane & 0xff];
            bins[bin]++;
        }
    }
}

static inline void count_some(const tables *t, checkerboard_classes classes, uint32_t rest,
                              uint64_t *bins) {
    vector spin[EVEN], number[NUMBERS][PLANES];
    for (uint32_t n = 0; n < EVEN; n++)
        spin[n] =
            n < LANE_BITS ? t->first[n] : (vector){0} - (uint64_t)(rest >> (n - LANE_BITS) & 1);
    count_sites(t, spin, classes, number);
    count_lanes(t, classes, number, bins);
}

uint64_t *checkerboard_count(const couplings *c, checkerboard_classes classes) {
    const size_t bins = sizes[classes].bins;
    uint64_t *const total = calloc(bins, sizeof *total);
    tables *const t = aligned_alloc(sizeof(vector), sizeof *t);
    bool good = total != NULL && t != NULL;
    if (good) {
        memset(t, 0, sizeof *t);
        fill_tables(t, c);
#pragma omp parallel
        {
            uint64_t *const own = calloc(bins, sizeof *own);
#pragma omp for schedule(static)
            for (uint32_t rest = 0; rest < 1u << (EVEN - 1 - LANE_BITS); rest++)
                if (own == NULL)
                    continue;
                else if (classes == CHECKERBOARD_BY_FIELD)
                    count_some(t, CHECKERBOARD_BY_FIELD, rest, own);
                else
                    count_some(t, CHECKERBOARD_BY_K, rest, own);
#pragma omp critical
            {
                good = good && own != NULL;
                for (size_t n = 0; n < bins && own != NULL; n++)
                    total[n] += own[n];
            }
            free(own);
        }
    }
    free(t);
    if (good)
        return total;
    free(total);
    return NULL;
}
