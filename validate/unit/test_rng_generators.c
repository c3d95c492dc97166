/* The generators of the published table: known answers, computed for these tests by other programs; the period of
 * XORShift/Weyl and the multipliers of MWC are proven; a block of threads draws what its sequence says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/streams.h"
#include "validate/rng/generators.h"
#include "validate/rng/streams_under_test.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static uint32_t lcg32_of(uint32_t *x) {
    return lcg32_step(x, LCG_MULTIPLIER, LCG_INCREMENT);
}

/* --- Known answers --- */

static void lcgs(void **state) {
    (void)state;
    static const uint32_t of_32[] = {1015568748, 1586005467, 2165703038},
                          of_64[] = {1002482277, 481010846, 2529414623};
    uint32_t x = 1;
    uint64_t y = 1;
    for (size_t n = 0; n < COUNT(of_32); n++) {
        assert_int_equal(lcg32_of(&x), of_32[n]);
        assert_int_equal(lcg64_step(&y, LCG64_MULTIPLIER, LCG64_INCREMENT), of_64[n]);
    }
}

static void mwc(void **state) {
    (void)state;
    static const uint32_t multipliers[] = {4294967118, 4294966893, 4294966830, 4294966284,
                                           4294966164, 4294965708, 4294965675, 4294964880};
    static const uint32_t numbers[] = {4294967119, 31506, 4289358873, 998330800, 2680135431};
    uint32_t x = 1, c = 1;
    for (size_t n = 0; n < COUNT(multipliers); n++)
        assert_int_equal(mwc_multiplier(n), multipliers[n]);
    for (size_t n = 0; n < COUNT(numbers); n++)
        assert_int_equal(mwc1_step(&x, &c, multipliers[0]), numbers[n]);
}

/* The first number of the author's RngStreams from the seed 12345 of all words is 0.127011122. */
static void mrg32k3a(void **state) {
    (void)state;
    uint32_t x[6] = {12345, 12345, 12345, 12345, 12345, 12345};
    const double u = (mrg32k3a_step(x) + 1.0) / (MRG32K3A_M1 + 1.0);
    assert_true(u > 0.1270111215 && u < 0.1270111225);
}

/* In the order of one thread, and of blocks of 128. */
static void fibonacci_numbers(generator_id id, uint32_t r, const uint32_t first[3], uint32_t last) {
    static const uint32_t threads[] = {1, GENERATOR_BLOCK};
    for (size_t order = 0; order < COUNT(threads); order++) {
        uint32_t words[1280], numbers[10000 + GENERATOR_BLOCK], x = 1;
        for (uint32_t n = 0; n < r; n++)
            words[n] = lcg32_of(&x);
        words[r] = 0;
        for (uint32_t n = 0; n < 10000; n += threads[order])
            generators[id].draw(words, threads[order], numbers + n);
        assert_memory_equal(numbers, first, 3 * sizeof *first);
        assert_int_equal(numbers[9999], last);
    }
}

static void fibonacci(void **state) {
    (void)state;
    static const uint32_t of_521[] = {441508128, 80483678, 502034564},
                          of_1279[] = {2397934090, 2786610496, 572609278};
    fibonacci_numbers(GENERATOR_FIBONACCI_521, 521, of_521, 1454113505);
    fibonacci_numbers(GENERATOR_FIBONACCI_1279, 1279, of_1279, 2753753048);
}

static void mtgp32(void **state) {
    (void)state;
    static const uint32_t expected[] = {360948779, 1200908298, 2313932395, 2218157478, 3754595429};
    if (mtgp32_sets() == 0)
        skip(); /* its parameters come with nvcc */
    for (uint32_t threads = 1; threads <= 5; threads += 4) {
        uint32_t words[MTGP32_RING + 2] = {0}, numbers[5];
        const mtgp32_set set = mtgp32_set_at(0);
        mtgp32_seed(words, &set, 1);
        for (uint32_t n = 0; n < 5; n += threads)
            generators[GENERATOR_MTGP32].draw(words, threads, numbers + n);
        assert_memory_equal(numbers, expected, sizeof expected);
    }
}

static void philox(void **state) {
    (void)state;
    const stream_key key = stream_run_key(7, 0);
    for (uint32_t n = 0; n < 100; n++) {
        uint32_t seven[4], ten[4];
        const stream_block expected = stream_philox(key, n, 5, 0, 0);
        const philox4x32_ctr_t c = {{n, 5, 0, 0}};
        const philox4x32_key_t k = {{key.word[0], key.word[1]}};
        const philox4x32_ctr_t of_seven = philox4x32_R(7, c, k);
        philox_quad(seven, 5, n, key.word, 7);
        philox_quad(ten, 5, n, key.word, 10);
        assert_memory_equal(ten, expected.number, sizeof ten);
        assert_memory_equal(seven, of_seven.v, sizeof seven);
    }
}

/* One sequence that is dealt out to the threads of two blocks: x_0 is the state of the first thread. */
static void skipping(void **state) {
    (void)state;
    static const generator_id dealt[] = {GENERATOR_LCG32_SKIPPED, GENERATOR_LCG64_SKIPPED};
    uint32_t words[2][2 * GENERATOR_BLOCK + 4], numbers[GENERATOR_BLOCK],
        sequence[8 * GENERATOR_BLOCK];
    for (size_t k = 0; k < COUNT(dealt); k++) {
        for (uint32_t b = 0; b < 2; b++)
            generators[dealt[k]].seed(words[b], GENERATOR_BLOCK, b, 2, 9);
        uint32_t x = words[0][0];
        uint64_t y = (uint64_t)words[0][GENERATOR_BLOCK] << 32 | words[0][0];
        for (size_t n = 1; n < COUNT(sequence); n++)
            sequence[n] = k ? lcg64_step(&y, LCG64_MULTIPLIER, LCG64_INCREMENT) : lcg32_of(&x);
        for (uint32_t n = 2; n < 8; n++) {
            generators[dealt[k]].draw(words[n % 2], GENERATOR_BLOCK, numbers);
            assert_memory_equal(numbers, sequence + n * GENERATOR_BLOCK, sizeof numbers);
        }
    }
}

/* Seeds and draws of the second of three blocks. Another program made the numbers, from the published recurrences. at: a
 * draw, and a thread. */
static void blocks(void **state) {
    (void)state;
    enum { DRAWS = 12, KNOWN = 6 };
    static const uint32_t at[KNOWN][2] = {{0, 0}, {0, 127}, {1, 1}, {3, 0}, {4, 0}, {11, 127}};
    static const uint32_t known[GENERATORS][KNOWN] = {
        [GENERATOR_LCG32] = {2532663336, 3274553600, 2922020247, 130514481, 1889591772, 4288839857},
        [GENERATOR_LCG32_SKIPPED] = {178997203, 978171844, 216819350, 2834441299, 2751884755,
                                     1830216260},
        [GENERATOR_LCG64] = {2968667676, 1497775674, 4050196326, 1922114457, 3147098831,
                             2020980523},
        [GENERATOR_LCG64_SKIPPED] = {3930619011, 2423750191, 2796915913, 957934114, 1236098082,
                                     3354538121},
        [GENERATOR_MWC] = {3078648623, 2128413743, 3411105285, 2942823869, 2801582647, 1021412800},
        [GENERATOR_FIBONACCI_521] = {835537379, 1810423328, 179538700, 2559138816, 1591279022,
                                     3910382885},
        [GENERATOR_FIBONACCI_1279] = {1859332603, 3208940684, 1683321302, 4279339644, 3408528473,
                                      4228985446},
        [GENERATOR_XORWOW] = {1982025183, 2734449024, 3934710667, 2636437419, 305548218, 769787116},
        [GENERATOR_MTGP32] = {465943957, 3107130569, 1955719703, 1353683955, 173261322, 231548434},
        [GENERATOR_XORSHIFT_WEYL] = {3429914962, 3049610596, 752868247, 720208291, 2640430896,
                                     1720121835},
        [GENERATOR_PHILOX_7] = {1746636176, 3130292511, 2973176928, 3832010623, 1425998682,
                                2402540752},
        [GENERATOR_PHILOX_10] = {2900377899, 3593735298, 2763737412, 3722741881, 2465964429,
                                 609419778},
        [GENERATOR_MRG32K3A] = {3802731250, 2765858803, 4121783080, 2823441703, 27209640,
                                1782736175},
    };
    for (generator_id id = 0; id < GENERATOR_EXTERNAL; id++) {
        uint32_t words[1280], numbers[DRAWS][GENERATOR_BLOCK];
        if (id == GENERATOR_MTGP32 && mtgp32_sets() == 0)
            continue;
        assert_true(generator_words(&generators[id], GENERATOR_BLOCK) <= COUNT(words));
        generators[id].seed(words, GENERATOR_BLOCK, 1, 3, 0x123456789abcdef);
        for (size_t n = 0; n < DRAWS; n++)
            generators[id].draw(words, GENERATOR_BLOCK, numbers[n]);
        for (size_t k = 0; k < KNOWN; k++)
            if (numbers[at[k][0]][at[k][1]] != known[id][k])
                fail_msg("%s: draw %u of thread %u is not %u", generators[id].name, at[k][0],
                         at[k][1], known[id][k]);
    }
}

/* --- The period of XORShift --- */

/* A polynomial over the field of two elements, of degree 2047 at most. */
typedef struct {
    uint64_t word[32];
} polynomial;

static bool coefficient(const polynomial *p, uint32_t n) {
    return p->word[n / 64] >> n % 64 & 1;
}

static void flip_coefficient(polynomial *p, uint32_t n) {
    p->word[n / 64] ^= UINT64_C(1) << n % 64;
}

/* p += x^shift q, of what stays below degree 2048. */
static void add_shifted(polynomial *p, const polynomial *q, uint32_t shift) {
    for (uint32_t n = 32; n-- > shift / 64;) {
        const uint32_t from = n - shift / 64;
        p->word[n] ^= q->word[from] << shift % 64;
        if (shift % 64 && from > 0)
            p->word[n] ^= q->word[from - 1] >> (64 - shift % 64);
    }
}

/* The minimal polynomial of a sequence of 2048 bits, by Berlekamp and Massey; returns its degree. */
static uint32_t minimal_polynomial(const bool *bits, polynomial *minimal) {
    polynomial c = {{1}}, b = {{1}}, reversed = {{0}};
    uint32_t degree = 0, since = 1;
    for (uint32_t n = 0; n < 2048; n++, since++) {
        bool d = bits[n];
        for (uint32_t k = 1; k <= degree; k++)
            d ^= coefficient(&c, k) && bits[n - k];
        if (!d)
            continue;
        const polynomial before = c;
        add_shifted(&c, &b, since);
        if (2 * degree <= n) {
            degree = n + 1 - degree;
            b = before;
            since = 0;
        }
    }
    for (uint32_t k = 0; k <= degree; k++)
        if (coefficient(&c, k))
            flip_coefficient(&reversed, degree - k);
    *minimal = reversed;
    return degree;
}

/* p modulo m, which has the degree 1024. */
static void reduce(polynomial *p, const polynomial *m) {
    for (uint32_t n = 2047; n >= 1024; n--)
        if (coefficient(p, n))
            add_shifted(p, m, n - 1024);
}

/* Squares modulo m: the coefficients move apart. */
static polynomial square_modulo(const polynomial *p, const polynomial *m) {
    polynomial square = {{0}};
    for (uint32_t n = 0; n < 1024; n++)
        if (coefficient(p, n))
            flip_coefficient(&square, 2 * n);
    reduce(&square, m);
    return square;
}

/* x^e modulo m, e of 1024 bits, word 0 the least significant. */
static polynomial power_of_x(const uint32_t e[32], const polynomial *m) {
    polynomial power = {{1}};
    for (uint32_t n = 1024; n-- > 0;) {
        power = square_modulo(&power, m);
        if (e[n / 32] >> n % 32 & 1) {
            polynomial next = {{0}};
            add_shifted(&next, &power, 1);
            reduce(&next, m);
            power = next;
        }
    }
    return power;
}

/* quotient = number / divisor, of 1024 bits each, word 0 the least significant. Returns whether nothing is left. */
static bool divide(const uint32_t number[32], const uint32_t divisor[32], uint32_t quotient[32]) {
    uint32_t rest[33] = {0};
    memset(quotient, 0, 32 * sizeof *quotient);
    for (uint32_t n = 1024; n-- > 0;) {
        for (uint32_t k = 32; k > 0; k--)
            rest[k] = rest[k] << 1 | rest[k - 1] >> 31;
        rest[0] = rest[0] << 1 | (number[n / 32] >> n % 32 & 1);
        uint32_t top = 32;
        while (top-- > 0 && rest[top] == divisor[top])
            ;
        if (rest[32] == 0 && top < 32 && rest[top] < divisor[top])
            continue;
        uint64_t borrow = 0;
        for (uint32_t k = 0; k < 33; k++) {
            const uint64_t d = (uint64_t)rest[k] - (k < 32 ? divisor[k] : 0) - borrow;
            rest[k] = (uint32_t)d;
            borrow = d >> 63;
        }
        quotient[n / 32] |= 1u << n % 32;
    }
    for (uint32_t k = 0; k < 33; k++)
        if (rest[k])
            return false;
    return true;
}

/* The prime factors of 2^1024 - 1 = F_0 F_1 ... F_9, Fermat numbers (A. K. Lenstra, H. W. Lenstra, M. S. Manasse, J. M.
 * Pollard, Math. Comput. 61, 319 (1993)); word 0 is the least significant. */
static const uint32_t factors[16][32] = {
    {0x00000003u},
    {0x00000005u},
    {0x00000011u},
    {0x00000101u},
    {0x00000281u},
    {0x00010001u},
    {0x00042f01u},
    {0x00250001u},
    {0x00663d81u},
    {0xf19cd101u, 0x00003d30u},
    {0x05aee801u, 0x000466ccu},
    {0x3af14601u, 0x00d3eafcu},
    {0xcc32ba01u, 0x40775b48u, 0x00000135u},
    {0xc9542801u, 0x2b578314u, 0xa7d08fabu, 0xcf36cfcdu, 0x19f0cb14u, 0x00000005u},
    {0x2c911801u, 0x49baa0bau, 0xab2586d0u, 0x6ee3637cu, 0x5c7073e3u, 0x4c585a8fu, 0x00003a29u},
    {0x44c6d801u, 0xa500b6aeu, 0xaa9ea327u, 0x8c2ffe48u, 0x6c86eca5u, 0x54b16678u, 0xd31be626u,
     0xae31e65cu, 0x950b9e8cu, 0x363d6813u, 0x0000015bu}};

/* Bit 0 of word 31 in the steps of the 1024-bit xorshift from a state of one bit. */
static void xorshift_bits(bool bits[2048]) {
    uint32_t words[33] = {1}, numbers[32];
    for (uint32_t n = 0; n < 2048; n++) {
        generators[GENERATOR_XORSHIFT_WEYL].draw(words, 32, numbers);
        bits[n] = words[31] & 1;
    }
}

/* The minimal polynomial has the degree 1024, and x the order 2^1024 - 1 modulo it: all states but 0 are on one cycle. */
static void xorshift_period(void **state) {
    (void)state;
    static const polynomial one = {{1}};
    static bool bits[2048];
    polynomial minimal, power;
    uint32_t all[32], rest[32], quotient[32];
    xorshift_bits(bits);
    assert_int_equal(minimal_polynomial(bits, &minimal), 1024);
    memset(all, 0xff, sizeof all);
    power = power_of_x(all, &minimal);
    assert_memory_equal(&power, &one, sizeof one);
    memcpy(rest, all, sizeof rest);
    for (size_t n = 0; n < COUNT(factors); n++) {
        assert_true(divide(rest, factors[n], quotient)); /* their product is 2^1024 - 1 */
        memcpy(rest, quotient, sizeof rest);
        assert_true(divide(all, factors[n], quotient));
        power = power_of_x(quotient, &minimal);
        assert_memory_not_equal(&power, &one, sizeof one);
    }
    assert_int_equal(rest[0], 1);
}

/* The words of 1024 bits, shifted as one number, word 0 the most significant. */
static void xorshift_words(void **state) {
    (void)state;
    uint32_t words[2 * 32 + 1], numbers[64], x = 1;
    for (size_t n = 0; n < 32; n++)
        words[n] = words[32 + n] = lcg32_of(&x);
    words[64] = 5;
    for (size_t n = 0; n < 3; n++)
        generators[GENERATOR_XORSHIFT_WEYL].draw(words, 64, numbers);
    assert_memory_equal(words, words + 32, 32 * sizeof *words);
    assert_int_equal(words[0], 3660168892);
    assert_int_equal(words[1], 112933087);
    assert_int_equal(words[31], 3698001767);
    assert_int_equal(numbers[33], (uint32_t)(112933087 + 5 + 3 * WEYL_INCREMENT));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lcgs),           cmocka_unit_test(mwc),
        cmocka_unit_test(fibonacci),      cmocka_unit_test(mtgp32),
        cmocka_unit_test(philox),         cmocka_unit_test(mrg32k3a),
        cmocka_unit_test(skipping),       cmocka_unit_test(blocks),
        cmocka_unit_test(xorshift_words), cmocka_unit_test(xorshift_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
