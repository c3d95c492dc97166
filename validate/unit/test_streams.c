/* The random streams (streams.h): Philox4x32-10 gives the published answers, on the device too, and
 * those of a second implementation; those made in parts are the same; counters of different purposes differ; keys of different runs differ; the MWC is
 * the Lehmer generator that it should be, never seeded at a fixed point; the LCG is that of Sec. 4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/wide.h"
#include "engine/mwc.h"
#include "engine/ssc_numbers.h"
#include "philox_cuda.h"

#define VECTORS      "validate/unit/philox_vectors.txt"
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint32_t edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};

/* Numbers to try things with; xorshift64* (S. Vigna). */
static uint64_t any_number(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717u;
}

/* --- Philox --- */

/* Philox4x32 as the paper of its authors describes it, of any number of rounds. */
static stream_block philox(stream_key key, const uint32_t counter[4], int rounds) {
    uint32_t x[4], k[2] = {key.word[0], key.word[1]};
    memcpy(x, counter, sizeof x);
    for (int round = 0; round < rounds; round++) {
        const uint64_t a = (uint64_t)x[0] * 0xD2511F53, b = (uint64_t)x[2] * 0xCD9E8D57;
        const uint32_t y[4] = {(uint32_t)(b >> 32) ^ x[1] ^ k[0], (uint32_t)b,
                               (uint32_t)(a >> 32) ^ x[3] ^ k[1], (uint32_t)a};
        memcpy(x, y, sizeof x);
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
    return (stream_block){{x[0], x[1], x[2], x[3]}};
}

/* Prints both if they differ. */
static int differ(const char *what, stream_block computed, stream_block expected) {
    const uint32_t *const c = computed.number, *const e = expected.number;
    if (!memcmp(c, e, sizeof computed.number))
        return 0;
    print_error("%s: expected %08x %08x %08x %08x, computed %08x %08x %08x %08x\n", what, e[0],
                e[1], e[2], e[3], c[0], c[1], c[2], c[3]);
    return 1;
}

/* The known answers as the file says them; returns how many there are, at most `room`. */
static size_t read_vectors(philox_vector vector[], size_t room) {
    FILE *const file = fopen(VECTORS, "r");
    if (!file)
        fail_msg("cannot open %s: tests run from the root of the repository", VECTORS);
    size_t count = 0;
    for (char line[300]; fgets(line, sizeof line, file);) {
        int rounds;
        if (line[0] == '#')
            continue;
        assert_true(count < room);
        philox_vector *const v = &vector[count++];
        uint32_t *const c = v->counter, *const k = v->key.word, *const e = v->answer.number;
        assert_int_equal(11,
                         sscanf(line, "philox4x32 %d %x %x %x %x %x %x %x %x %x %x", &rounds, &c[0],
                                &c[1], &c[2], &c[3], &k[0], &k[1], &e[0], &e[1], &e[2], &e[3]));
        assert_int_equal(rounds, 10);
    }
    fclose(file);
    return count;
}

/* Computes the numbers at the counters of vector[count]; may leave a reason why it could not. */
typedef philox_status philox_implementation(const philox_vector vector[], stream_block computed[],
                                            size_t count, char *reason, size_t size);

static philox_status streams_h(const philox_vector vector[], stream_block computed[], size_t count,
                               char *reason, size_t size) {
    (void)reason, (void)size;
    for (size_t n = 0; n < count; n++) {
        const uint32_t *const c = vector[n].counter;
        computed[n] = stream_philox(vector[n].key, c[0], c[1], c[2], c[3]);
    }
    return PHILOX_COMPUTED;
}

static philox_status second(const philox_vector vector[], stream_block computed[], size_t count,
                            char *reason, size_t size) {
    (void)reason, (void)size;
    for (size_t n = 0; n < count; n++)
        computed[n] = philox(vector[n].key, vector[n].counter, 10);
    return PHILOX_COMPUTED;
}

#ifndef PAISING_CUDA
philox_status philox_on_device(const philox_vector vector[], stream_block computed[], size_t count,
                               char *reason, size_t size) {
    (void)vector, (void)computed, (void)count;
    snprintf(reason, size, "built without CUDA");
    return PHILOX_NO_DEVICE;
}
#endif

/* Holds an implementation against the known answers, each asked for many times: on a device by
 * threads of many warps. What an implementation leaves out shows: it finds other numbers there. */
static void check_answers(const char *name, philox_implementation *compute) {
    enum { ROOM = 10, ASKED = 1000 };
    philox_vector known[ROOM], vector[ASKED];
    stream_block computed[ASKED];
    char reason[300] = "";
    int wrong = 0;
    const size_t count = read_vectors(known, ROOM);
    assert_int_equal(count, 3);
    for (size_t n = 0; n < ASKED; n++)
        vector[n] = known[n % count];
    memset(computed, 0xa5, sizeof computed);
    const philox_status status = compute(vector, computed, ASKED, reason, sizeof reason);
    if (status == PHILOX_NO_DEVICE) {
        print_message("SKIP: %s: %s\n", name, reason);
        skip();
    }
    if (status != PHILOX_COMPUTED)
        fail_msg("%s: %s", name, reason);
    for (size_t n = 0; n < ASKED && wrong < 10; n++)
        wrong += differ(name, computed[n], vector[n].answer);
    assert_int_equal(wrong, 0);
}

static void philox_gives_the_published_answers(void **state) {
    (void)state;
    check_answers("streams.h", streams_h);
    check_answers("second implementation", second);
}

static void philox_gives_the_published_answers_on_the_device(void **state) {
    (void)state;
    check_answers("streams.h on the device", philox_on_device);
}

static void philox_equals_a_second_implementation(void **state) {
    (void)state;
    int wrong = 0, nine_rounds_agree = 0;
    for (int n = 0; n < 100000 && wrong < 10; n++) {
        const uint64_t a = any_number(), b = any_number(), c = any_number();
        const stream_key key = {{(uint32_t)c, (uint32_t)(c >> 32)}};
        const uint32_t counter[4] = {(uint32_t)a, (uint32_t)(a >> 32), (uint32_t)b,
                                     (uint32_t)(b >> 32)};
        const stream_block x = stream_philox(key, counter[0], counter[1], counter[2], counter[3]);
        const stream_block nine = philox(key, counter, 9);
        wrong += differ("random counter", x, philox(key, counter, 10));
        nine_rounds_agree += !memcmp(&x, &nine, sizeof x);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(nine_rounds_agree, 0); /* negative control */
}

/* --- Counters and keys --- */

/* A draw is Philox at {purpose << 28 | position, owner, sweep, temperature}, whatever the fields,
 * and the words purpose << 28 | position are all different. */
static void every_draw_has_a_counter_of_its_own(void **state) {
    (void)state;
    static const stream_purpose purposes[] = {
        STREAM_RUN_KEY, STREAM_RANDOMISE, STREAM_RESAMPLE, STREAM_SSC,      STREAM_PHILOX,
        STREAM_SHARED,  STREAM_LCG,       STREAM_MWC,      STREAM_ROUNDING, STREAM_DISORDER};
    static const uint32_t positions[] = {0, 1, 12345, (1u << 27), (1u << 28) - 2, (1u << 28) - 1};
    const stream_key key = {{0x01234567, 0x89abcdef}};
    uint32_t word[COUNT(purposes) * COUNT(positions)];
    size_t words = 0;
    int wrong = 0;
    for (size_t p = 0; p < COUNT(purposes); p++)
        for (size_t n = 0; n < COUNT(positions); n++) {
            word[words] = (uint32_t)(purposes[p] * 0x10000000u + positions[n]);
            for (size_t k = 0; k < COUNT(edges); k++) {
                const uint32_t owner = edges[k], sweep = edges[(k + 2) % COUNT(edges)],
                               temperature = edges[(k + 5) % COUNT(edges)];
                const uint32_t counter[4] = {word[words], owner, sweep, temperature};
                wrong += differ(
                    "draw", stream_draw(key, purposes[p], positions[n], owner, sweep, temperature),
                    philox(key, counter, 10));
            }
            for (size_t m = 0; m < words; m++)
                wrong += word[m] == word[words];
            words++;
        }
    assert_int_equal(wrong, 0);
    assert_int_equal(STREAM_POSITION_BITS, 28);
}

/* Numbers of purpose ssc are the same where place and moment are made once for many of them. */
static void numbers_in_parts_are_draws(void **state) {
    (void)state;
    int wrong = 0, next_sweep_agrees = 0;
    for (size_t n = 0; n < 1000 && wrong < 10; n++) {
        const uint64_t a = any_number(), b = any_number();
        const stream_key key = {{(uint32_t)a, (uint32_t)(a >> 32)}};
        const uint32_t quad = (uint32_t)b >> 4, replica = (uint32_t)(b >> 32);
        const ssc_keys keys = ssc_keys_of(key);
        for (size_t k = 0; k < COUNT(edges); k++) {
            const uint32_t sweep = edges[k], temperature = edges[(k + n) % COUNT(edges)];
            const stream_block x = ssc_numbers(&keys, ssc_place_of(&keys, quad, temperature),
                                               ssc_moment_of(&keys, replica, sweep));
            const stream_block next =
                stream_draw(key, STREAM_SSC, quad, replica, sweep + 1, temperature);
            wrong += differ("in parts", x,
                            stream_draw(key, STREAM_SSC, quad, replica, sweep, temperature));
            next_sweep_agrees += !memcmp(&x, &next, sizeof x);
        }
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(next_sweep_agrees, 0); /* negative control */
}

static int compare_keys(const void *a, const void *b) {
    return memcmp(a, b, sizeof(stream_key));
}

static void every_run_has_a_key_of_its_own(void **state) {
    (void)state;
    enum { RUNS = 1000 };
    static const uint64_t seeds[] = {
        0, 1, UINT64_C(1) << 32, UINT64_MAX, UINT32_MAX, UINT64_C(0xfedcba9876543210), 1000000007};
    static stream_key keys[COUNT(seeds) * RUNS];
    size_t count = 0;
    for (size_t s = 0; s < COUNT(seeds); s++)
        for (uint32_t run = 0; run < RUNS; run++) {
            const stream_key of_seed = {{(uint32_t)seeds[s], (uint32_t)(seeds[s] >> 32)}};
            const uint32_t counter[4] = {run, 0, 0, 0};
            const stream_block b = philox(of_seed, counter, 10);
            const stream_key key = stream_run_key(seeds[s], run);
            assert_memory_equal(key.word, b.number, sizeof key.word);
            keys[count++] = key;
        }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t k = 1; k < count; k++)
        assert_int_not_equal(compare_keys(&keys[k - 1], &keys[k]), 0);
}

/* --- MWC and LCG --- */

/* What a state stands for: a residue modulo A 2^64 - 1 (mwc.h). */
static const uint128 mwc_modulus = ((uint128)MWC_MULTIPLIER << 64) - 1;

static uint128 mwc_residue(mwc_state m) {
    return (uint128)m.c << 64 | (uint128)m.x1 << 32 | m.x2;
}

static void no_seed_is_a_fixed_point(void **state) {
    (void)state;
    /* What has to be avoided: */
    mwc_state zero = {0, 0, 0}, top = {UINT32_MAX, UINT32_MAX, MWC_MULTIPLIER - 1};
    mwc_next(&zero);
    mwc_next(&top);
    assert_true(mwc_residue(zero) == 0);
    assert_true(mwc_residue(top) == mwc_modulus);

    for (size_t i = 0; i < COUNT(edges); i++)
        for (size_t k = 0; k < COUNT(edges); k++) {
            const mwc_state seed = mwc_seed(edges[i], edges[i], edges[k], edges[k]);
            mwc_state next = seed;
            mwc_next(&next);
            assert_true(seed.c > 0 && seed.c < MWC_MULTIPLIER - 1);
            assert_true(mwc_residue(next) != mwc_residue(seed));
            assert_int_equal(seed.x1, edges[i]);
        }
    /* The carry takes all of its range. */
    assert_int_equal(mwc_seed(0, 0, 0, 0).c, 1);
    assert_int_equal(mwc_seed(0, 0, UINT32_MAX, UINT32_MAX).c, MWC_MULTIPLIER - 2);
}

/* A draw divides the residue by 2^32, modulo A 2^64 - 1; the number drawn is the higher x. */
static void mwc_equals_128_bit_arithmetic(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(edges); i++) {
        mwc_state mwc = mwc_seed(edges[i], edges[COUNT(edges) - 1 - i], edges[i], 5);
        for (int n = 0; n < 10000; n++) {
            const uint128 before = mwc_residue(mwc);
            const uint32_t number = mwc_next(&mwc);
            assert_int_equal(number, mwc.x1);
            assert_true((mwc_residue(mwc) - before / 0x100000000u) % MWC_MULTIPLIER == 0);
            assert_true(mwc_residue(mwc) < mwc_modulus);
            assert_true(mwc_residue(mwc) ==
                        before / 0x100000000u +
                            (uint128)(uint32_t)before * ((uint128)MWC_MULTIPLIER << 32));
        }
    }
}

/* The sequence from 0 that Numerical Recipes prints for this generator. */
static void lcg_gives_the_published_sequence(void **state) {
    (void)state;
    static const uint32_t published[] = {0x3C6EF35F, 0x47502932, 0xD1CCF6E9, 0xAAF95334,
                                         0x6252E503, 0x9F2EC686, 0x57FE6C2D, 0xA3D95FA8,
                                         0x81FDBEE7, 0x94F0AF1A, 0xCBF633B1};
    uint32_t r = 0;
    for (size_t n = 0; n < COUNT(published); n++) {
        r = lcg_next(r);
        assert_int_equal(r, published[n]);
    }
    for (size_t n = 0; n < COUNT(edges); n++)
        assert_int_equal(lcg_next(edges[n]), (uint32_t)((uint128)edges[n] * 1664525 + 1013904223));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(philox_gives_the_published_answers_on_the_device),
        cmocka_unit_test(philox_equals_a_second_implementation),
        cmocka_unit_test(every_draw_has_a_counter_of_its_own),
        cmocka_unit_test(numbers_in_parts_are_draws),
        cmocka_unit_test(every_run_has_a_key_of_its_own),
        cmocka_unit_test(no_seed_is_a_fixed_point),
        cmocka_unit_test(mwc_equals_128_bit_arithmetic),
        cmocka_unit_test(lcg_gives_the_published_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
