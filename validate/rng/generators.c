/* Blocks of threads of each generator on the CPU: seeds, and a number for every thread. */
#include "generators.h"

#include "base/message.h"
#include "engine/streams.h"
#include "external.h"
#include "streams_under_test.h"

#include <stdlib.h>
#include <string.h>

/* --- Seeds --- */

/* What numbers of Philox are for: the first counter word. */
enum { SEED_THREAD, SEED_SEQUENCE, SEED_BLOCK };

/* Numbers of thread t of block b: 4 n to 4 n + 3. */
static stream_block seed_numbers(uint64_t seed, uint32_t use, uint32_t block, uint32_t thread,
                                 uint32_t n) {
    return stream_philox(stream_run_key(seed, 0), n, thread, block, use);
}

static uint64_t seed_64(uint64_t seed, uint32_t use, uint32_t block, uint32_t thread) {
    const stream_block b = seed_numbers(seed, use, block, thread, 0);
    return (uint64_t)b.number[1] << 32 | b.number[0];
}

static uint64_t word_pair(const uint32_t *low, const uint32_t *high) {
    return (uint64_t)*high << 32 | *low;
}

static void put_pair(uint64_t x, uint32_t *low, uint32_t *high) {
    *low = (uint32_t)x;
    *high = (uint32_t)(x >> 32);
}

/* --- Linear congruential generators --- */

/* x' = a x + c, n times at once: both modulo 2^64, and so modulo 2^32, too. */
static void lcg_power(uint64_t *a, uint64_t *c, uint64_t n) {
    uint64_t power_a = 1, power_c = 0, a2 = *a, c2 = *c;
    for (; n > 0; n /= 2) {
        if (n % 2) {
            power_c = power_c * a2 + c2;
            power_a *= a2;
        }
        c2 = c2 * a2 + c2;
        a2 *= a2;
    }
    *a = power_a;
    *c = power_c;
}

/* The start of thread t of all: its own, or the place t of the common sequence. */
static uint64_t lcg_start(uint64_t seed, uint64_t a, uint64_t c, bool skipped, uint32_t threads,
                          uint32_t block, uint32_t t) {
    if (!skipped)
        return seed_64(seed, SEED_THREAD, block, t);
    lcg_power(&a, &c, (uint64_t)block * threads + t);
    return seed_64(seed, SEED_SEQUENCE, 0, 0) * a + c;
}

static void seed_lcg32(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                       uint64_t seed, bool skipped) {
    uint64_t a = LCG_MULTIPLIER, c = LCG_INCREMENT;
    for (uint32_t t = 0; t < threads; t++)
        state[t] = (uint32_t)lcg_start(seed, a, c, skipped, threads, block, t);
    if (skipped)
        lcg_power(&a, &c, (uint64_t)blocks * threads);
    state[threads] = (uint32_t)a;
    state[threads + 1] = (uint32_t)c;
}

static void seed_lcg64(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                       uint64_t seed, bool skipped) {
    uint64_t a = LCG64_MULTIPLIER, c = LCG64_INCREMENT;
    uint32_t *const shared = state + 2 * threads;
    for (uint32_t t = 0; t < threads; t++)
        put_pair(lcg_start(seed, a, c, skipped, threads, block, t), &state[t], &state[threads + t]);
    if (skipped)
        lcg_power(&a, &c, (uint64_t)blocks * threads);
    put_pair(a, &shared[0], &shared[1]);
    put_pair(c, &shared[2], &shared[3]);
}

static void seed_lcg32_own(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                           uint64_t seed) {
    seed_lcg32(state, threads, block, blocks, seed, false);
}

static void seed_lcg32_skipped(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                               uint64_t seed) {
    seed_lcg32(state, threads, block, blocks, seed, true);
}

static void seed_lcg64_own(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                           uint64_t seed) {
    seed_lcg64(state, threads, block, blocks, seed, false);
}

static void seed_lcg64_skipped(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                               uint64_t seed) {
    seed_lcg64(state, threads, block, blocks, seed, true);
}

static void draw_lcg32(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    const uint32_t a = state[threads], c = state[threads + 1];
    for (uint32_t t = 0; t < threads; t++)
        numbers[t] = lcg32_step(&state[t], a, c);
}

static void draw_lcg64(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    const uint32_t *const shared = state + 2 * threads;
    const uint64_t a = word_pair(&shared[0], &shared[1]), c = word_pair(&shared[2], &shared[3]);
    for (uint32_t t = 0; t < threads; t++) {
        uint64_t x = word_pair(&state[t], &state[threads + t]);
        numbers[t] = lcg64_step(&x, a, c);
        put_pair(x, &state[t], &state[threads + t]);
    }
}

/* --- Multiply with carry --- */

static void seed_mwc(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                     uint64_t seed) {
    (void)blocks;
    for (uint32_t t = 0; t < threads; t++) {
        const stream_block b = seed_numbers(seed, SEED_THREAD, block, t, 0);
        const uint32_t a = mwc_multiplier((size_t)block * threads + t);
        state[t] = b.number[0] | 1;                                       /* x != 0 */
        state[threads + t] = (uint32_t)((uint64_t)b.number[1] * a >> 32); /* c < a */
        state[2 * threads + t] = a;
    }
}

static void draw_mwc(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    for (uint32_t t = 0; t < threads; t++)
        numbers[t] = mwc1_step(&state[t], &state[threads + t], state[2 * threads + t]);
}

/* --- Fibonacci --- */

static void seed_ring(uint32_t *ring, uint32_t count, uint32_t block, uint64_t seed) {
    for (uint32_t n = 0; n < count; n++)
        ring[n] = seed_numbers(seed, SEED_BLOCK, block, 0, n / 4).number[n % 4];
    ring[0] |= 1; /* the period is full if one of them is odd */
}

static void draw_fibonacci(uint32_t *state, uint32_t threads, uint32_t *numbers, uint32_t r,
                           uint32_t s) {
    uint32_t at = state[r];
    for (uint32_t t = 0; t < threads; t++) {
        const uint32_t other = at + r - s;
        numbers[t] = state[at] += state[other < r ? other : other - r];
        at = at + 1 < r ? at + 1 : 0;
    }
    state[r] = at;
}

static void seed_fibonacci_521(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                               uint64_t seed) {
    (void)threads, (void)blocks;
    seed_ring(state, 521, block, seed);
    state[521] = 0;
}

static void seed_fibonacci_1279(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                                uint64_t seed) {
    (void)threads, (void)blocks;
    seed_ring(state, 1279, block, seed);
    state[1279] = 0;
}

static void draw_fibonacci_521(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    draw_fibonacci(state, threads, numbers, 521, FIBONACCI_521_S);
}

static void draw_fibonacci_1279(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    draw_fibonacci(state, threads, numbers, 1279, FIBONACCI_1279_S);
}

/* --- XORWOW, MTGP32 --- */

static void seed_xorwow(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                        uint64_t seed) {
    (void)blocks;
    for (uint32_t k = 0; k < 6; k++)
        for (uint32_t t = 0; t < threads; t++)
            state[k * threads + t] =
                seed_numbers(seed, SEED_THREAD, block, t, k / 4).number[k % 4] | (k == 0);
}

/* Of generators with six words a thread. */
TEMPLATE void draw_six(uint32_t *state, uint32_t threads, uint32_t *numbers,
                       uint32_t (*step)(uint32_t x[6])) {
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t x[6];
        for (uint32_t k = 0; k < 6; k++)
            x[k] = state[k * threads + t];
        numbers[t] = step(x);
        for (uint32_t k = 0; k < 6; k++)
            state[k * threads + t] = x[k];
    }
}

static void draw_xorwow(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    draw_six(state, threads, numbers, xorwow_step);
}

static void draw_mrg32k3a(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    draw_six(state, threads, numbers, mrg32k3a_step);
}

/* Words below the moduli; of either recurrence the first is not 0. */
static void seed_mrg32k3a(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                          uint64_t seed) {
    (void)blocks;
    for (uint32_t k = 0; k < 6; k++)
        for (uint32_t t = 0; t < threads; t++) {
            const uint64_t number = seed_numbers(seed, SEED_THREAD, block, t, k / 4).number[k % 4],
                           m = k < 3 ? MRG32K3A_M1 : MRG32K3A_M2, least = k % 3 == 0;
            state[k * threads + t] = (uint32_t)(least + (number * (m - least) >> 32));
        }
}

/* Block b has set b modulo 200, and a seed of its own. */
static void seed_mtgp32(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                        uint64_t seed) {
    (void)threads, (void)blocks;
    memset(state, 0, (MTGP32_RING + 2) * sizeof *state);
    if (mtgp32_sets() == 0)
        return;
    const mtgp32_set set = mtgp32_set_at(block % mtgp32_sets());
    mtgp32_seed(state, &set, (uint32_t)seed_64(seed, SEED_BLOCK, block, 0));
    state[MTGP32_RING + 1] = block % mtgp32_sets();
}

static void draw_mtgp32(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    const mtgp32_set set = mtgp32_set_at(state[MTGP32_RING + 1]);
    const uint32_t first = state[MTGP32_RING], mask = MTGP32_RING - 1;
    for (uint32_t t = 0; t < threads; t++) {
        const uint32_t at = first + t;
        uint32_t x = (state[at & mask] & set.mask) ^ state[(at + 1) & mask];
        x ^= x << set.sh1;
        const uint32_t y = x ^ state[(at + set.pos) & mask] >> set.sh2, r = y ^ set.table[y & 15];
        uint32_t temper = state[(at + set.pos - 1) & mask];
        temper ^= temper >> 16;
        temper ^= temper >> 8;
        state[(at + MTGP32_WORDS) & mask] = r;
        numbers[t] = r ^ set.temper[temper & 15];
    }
    state[MTGP32_RING] = (first + threads) & mask;
}

/* --- XORShift/Weyl --- */

static void seed_xorshift(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                          uint64_t seed) {
    (void)blocks;
    for (uint32_t t = 0; t < threads; t++)
        state[t] = seed_numbers(seed, SEED_THREAD, block, t, 0).number[0] | (t % 32 == 0);
    state[threads] = seed_numbers(seed, SEED_BLOCK, block, 0, 0).number[0];
}

/* x ^= x << 329; x ^= x >> 347; x ^= x << 344 of the 1024 bits of a warp. */
static void xorshift_warp(uint32_t x[32]) {
    for (uint32_t n = 0; n < 32; n++) /* words after n have not changed yet */
        x[n] ^= words_left(n + 10 < 32 ? x[n + 10] : 0, n + 11 < 32 ? x[n + 11] : 0, 9);
    for (uint32_t n = 32; n-- > 0;) /* nor those before it */
        x[n] ^= words_right(n >= 10 ? x[n - 10] : 0, n >= 11 ? x[n - 11] : 0, 27);
    for (uint32_t n = 0; n < 32; n++)
        x[n] ^= words_left(n + 10 < 32 ? x[n + 10] : 0, n + 11 < 32 ? x[n + 11] : 0, 24);
}

static void draw_xorshift(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    state[threads] += WEYL_INCREMENT;
    for (uint32_t warp = 0; warp + 32 <= threads; warp += 32)
        xorshift_warp(state + warp);
    for (uint32_t t = 0; t < threads; t++)
        numbers[t] = state[t] + state[threads];
}

/* --- Philox --- */

static void seed_philox(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                        uint64_t seed) {
    (void)blocks;
    const stream_key key = stream_run_key(seed, 0);
    for (uint32_t t = 0; t < threads; t++) {
        state[t] = block * threads + t;
        state[threads + t] = 0;
    }
    state[2 * threads] = key.word[0];
    state[2 * threads + 1] = key.word[1];
}

static void draw_philox(uint32_t *state, uint32_t threads, uint32_t *numbers, int rounds) {
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t x[4], *const drawn = &state[threads + t];
        philox_quad(x, state[t], *drawn / 4, state + 2 * threads, rounds);
        numbers[t] = x[(*drawn)++ % 4];
    }
}

static void draw_philox_7(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    draw_philox(state, threads, numbers, 7);
}

static void draw_philox_10(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    draw_philox(state, threads, numbers, 10);
}

/* --- The user's own --- */

/* Whole pairs of words, so that every thread's state is aligned to 8 bytes. */
static size_t external_words(void) {
    return (external_state_bytes + 7) / 8 * 2;
}

/* Whether this thread is in the user's code. Who ends the program there has failed, with whatever status. */
static _Thread_local bool within;

static void complain_of_exit(void) {
    if (within)
        _Exit((int)complain(STATUS_FAILED, "the user's own generator ended the program"));
}

static void watch_exits(void) {
    static bool watched;
    if (!watched)
        atexit(complain_of_exit);
    watched = true;
}

static void seed_external(uint32_t *state, uint32_t threads, uint32_t block, uint32_t blocks,
                          uint64_t seed) {
    (void)blocks;
    watch_exits();
    within = true;
    for (uint32_t t = 0; t < threads; t++)
        external_seed(state + t * external_words(), seed, (uint64_t)block * threads + t);
    within = false;
}

static void draw_external(uint32_t *state, uint32_t threads, uint32_t *numbers) {
    within = true;
    for (uint32_t t = 0; t < threads; t++)
        numbers[t] = external_next(state + t * external_words());
    within = false;
}

/* --- The table --- */

size_t generator_words(const generator *g, uint32_t threads) {
    if (g == &generators[GENERATOR_EXTERNAL])
        return threads * external_words();
    return (size_t)g->words * threads + g->shared;
}

/* Bits of a block's common words, shared out to its threads. */
#define SHARED_OUT(words) (32.0 * (words) / GENERATOR_BLOCK)

const generator generators[GENERATORS] = {
    [GENERATOR_LCG32] = {"lcg32", "LCG32, random seeds", 1, 2, 32, seed_lcg32_own, draw_lcg32},
    [GENERATOR_LCG32_SKIPPED] = {"lcg32-skipped", "LCG32", 1, 2, 32, seed_lcg32_skipped,
                                 draw_lcg32},
    [GENERATOR_LCG64] = {"lcg64", "LCG64, random seeds", 2, 4, 64, seed_lcg64_own, draw_lcg64},
    [GENERATOR_LCG64_SKIPPED] = {"lcg64-skipped", "LCG64", 2, 4, 64, seed_lcg64_skipped,
                                 draw_lcg64},
    [GENERATOR_MWC] = {"mwc1", "MWC", 3, 0, 96, seed_mwc, draw_mwc},
    [GENERATOR_FIBONACCI_521] = {"fibonacci-521", "Fibonacci, r = 521", 0, 522, SHARED_OUT(521),
                                 seed_fibonacci_521, draw_fibonacci_521},
    [GENERATOR_FIBONACCI_1279] = {"fibonacci-1279", "Fibonacci, r = 1279", 0, 1280,
                                  SHARED_OUT(1279), seed_fibonacci_1279, draw_fibonacci_1279},
    [GENERATOR_XORWOW] = {"xorwow", "XORWOW", 6, 0, 192, seed_xorwow, draw_xorwow},
    [GENERATOR_MTGP32] = {"mtgp32", "MTGP32", 0, MTGP32_RING + 2, SHARED_OUT(MTGP32_WORDS),
                          seed_mtgp32, draw_mtgp32},
    [GENERATOR_XORSHIFT_WEYL] = {"xorshift-weyl", "XORShift/Weyl", 1, 1, 32 + SHARED_OUT(1),
                                 seed_xorshift, draw_xorshift},
    [GENERATOR_PHILOX_7] = {"philox-7", "Philox4x32-7", 2, 2, 128, seed_philox, draw_philox_7},
    [GENERATOR_PHILOX_10] = {"philox-10", "Philox4x32-10", 2, 2, 128, seed_philox, draw_philox_10},
    [GENERATOR_MRG32K3A] = {"mrg32k3a", "MRG32k3a", 6, 0, 192, seed_mrg32k3a, draw_mrg32k3a},
    [GENERATOR_EXTERNAL] = {"external", "the user's own", 0, 0, 0, seed_external, draw_external},
};
