/* Claims: sweeps of cubes by thresholds of patterns (cuda/fine/patterns.cuh) flip the spins that are flipped one by one, site for site, also
 * where numbers are thresholds and further digits decide. The host makes them; nvcc must be there. */
#include "engine/fine_flips.h"
#include "engine/streams.h"
#include "patterns_cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define MOST_EDGE 12
#define MOST      (MOST_EDGE * MOST_EDGE * MOST_EDGE)
#define PATTERNS  64
#define SWEEPS    6
#define DIGITS    UINT64_C(0x9e3779b97f4a7c15) /* further ones */

#ifdef PAISING_CUDA

typedef struct {
    uint32_t edge, parity;
    int32_t bond[MOST][3];
    int8_t spin[MOST];
    uint32_t row[MOST_EDGE * MOST_EDGE], threshold[MOST / 2][PATTERNS], number[MOST / 2];
    fine_flips flips;
} cube;

static uint32_t site_at(const cube *c, uint32_t x, uint32_t y, uint32_t z) {
    return ((z % c->edge) * c->edge + y % c->edge) * c->edge + x % c->edge;
}

/* Neighbours of the n-th site of the colour and J of the bonds to them, in the order of the bits of a pattern. Returns the site. */
static uint32_t look_around(const cube *c, uint32_t n, uint32_t at[6], int32_t bond[6]) {
    const uint32_t l = c->edge, row = n / (l / 2), y = row % l, z = row / l,
                   x = 2 * (n % (l / 2)) + (y + z + c->parity) % 2, here = site_at(c, x, y, z);
    const uint32_t found[6] = {site_at(c, x + 1, y, z), site_at(c, x + l - 1, y, z),
                               site_at(c, x, y + 1, z), site_at(c, x, y + l - 1, z),
                               site_at(c, x, y, z + 1), site_at(c, x, y, z + l - 1)};
    for (uint32_t k = 0; k < 6; k++) {
        at[k] = found[k];
        bond[k] = c->bond[k % 2 == 0 ? here : found[k]][k / 2];
    }
    return here;
}

/* What a flip costs, halved, where the neighbours of the pattern differ. */
static int64_t half_cost(const cube *c, uint32_t n, uint32_t pattern) {
    uint32_t at[6];
    int32_t bond[6];
    int64_t sum = 0;
    look_around(c, n, at, bond);
    for (uint32_t k = 0; k < 6; k++)
        sum += pattern >> k & 1 ? -bond[k] : bond[k];
    return sum;
}

static int decide(void *state, uint32_t site, uint32_t pattern, uint32_t number) {
    const cube *const c = state;
    return fine_flip(&c->flips, DOWNHILL_ALWAYS, 2 * half_cost(c, site, pattern), number, DIGITS);
}

/* The pattern of the n-th site. */
static uint32_t pattern_of(const cube *c, uint32_t n) {
    uint32_t at[6], pattern = 0;
    int32_t bond[6];
    const uint32_t here = look_around(c, n, at, bond);
    for (uint32_t k = 0; k < 6; k++)
        pattern |= (uint32_t)(c->spin[at[k]] != c->spin[here]) << k;
    return pattern;
}

static void draw_cube(cube *c, uint32_t edge, double beta) {
    const stream_key key = stream_run_key(edge, 0);
    c->edge = edge;
    fine_weights_fill(c->flips.weight, FINE_BYTES, beta / (1 << 20));
    for (uint32_t i = 0; i < edge * edge * edge; i++) {
        const stream_block four = stream_draw(key, STREAM_RANDOMISE, i, 0, 0, 0);
        for (uint32_t d = 0; d < 3; d++)
            c->bond[i][d] = (int32_t)four.number[d] / 1024;
        c->spin[i] = four.number[3] & 1 ? 1 : -1;
    }
}

/* Thresholds and numbers of a colour; one number of eight is the threshold of its site. */
static void prepare(cube *c, uint32_t sweep) {
    for (uint32_t n = 0; n < c->edge * c->edge * c->edge / 2; n++) {
        const stream_block four =
            stream_draw(stream_run_key(1, 0), STREAM_SSC, n, c->parity, sweep, 0);
        for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
            const int64_t half = half_cost(c, n, pattern);
            c->threshold[n][pattern] =
                half <= 0 ? UINT32_MAX
                          : (uint32_t)(fine_weight(&c->flips, 2 * (uint32_t)half) >> 32);
        }
        c->number[n] = four.number[1] % 8 == 0 ? c->threshold[n][pattern_of(c, n)] : four.number[0];
    }
}

/* Returns whether a sweep of the colour by patterns gives what flips one by one give. */
static int sweeps_are_alike(cube *c) {
    const uint32_t l = c->edge, half = l * l * l / 2;
    for (uint32_t r = 0; r < l * l; r++) {
        c->row[r] = 0;
        for (uint32_t x = 0; x < l; x++)
            c->row[r] |= (uint32_t)(c->spin[l * r + x] > 0) << x;
    }
    assert_int_equal(patterns_sweep(l, c->row, c->threshold[0], c->parity, c->number, decide, c),
                     0);
    for (uint32_t n = 0; n < half; n++) {
        uint32_t at[6];
        int32_t bond[6];
        const uint32_t here = look_around(c, n, at, bond);
        if (decide(c, n, pattern_of(c, n), c->number[n]))
            c->spin[here] = (int8_t)-c->spin[here];
    }
    int alike = 1;
    for (uint32_t i = 0; i < 2 * half; i++)
        alike = alike && (c->row[i / l] >> i % l & 1) == (c->spin[i] > 0);
    return alike;
}

static void patterns_flip_what_costs_flip(void **state) {
    (void)state;
    cube *const c = calloc(1, sizeof *c);
    assert_non_null(c);
    for (uint32_t edge = 4; edge <= MOST_EDGE; edge += 2)
        for (uint32_t k = 0; k < 2; k++) {
            draw_cube(c, edge, k == 0 ? 0.3 : 2);
            for (uint32_t sweep = 0; sweep < SWEEPS; sweep++)
                for (c->parity = 0; c->parity < 2; c->parity++) {
                    prepare(c, sweep);
                    assert_true(sweeps_are_alike(c));
                }
        }
    free(c);
}

#else

static void patterns_flip_what_costs_flip(void **state) {
    (void)state;
    print_message("SKIP: built without CUDA\n");
    skip();
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(patterns_flip_what_costs_flip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
