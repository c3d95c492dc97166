/* The Ising test on tiles: energy and specific heat of a small lattice are exact with good generators, in both orders; a
 * generator of short period is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "reference/exact.h"
#include "validate/lib/statistics.h"
#include "validate/rng/tiles.h"

#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define BETA          0.4
#define BINS          20
#define MOST_STEPS    200 /* a bin */
#define WARM          100

/* z of the energy, of 20 bins of so many steps, against the exact one. */
static double z_of_energy(generator_id id, uint32_t size, uint32_t hits, uint32_t steps) {
    int64_t energy[MOST_STEPS];
    const spin_model model = square_model(size);
    const flip_rule rule = flip_rule_at(&metropolis_update, &model, BETA);
    const tile_setup setup = {id, size, hits, {rule.threshold[0], rule.threshold[1]}, 1};
    tile_lattice l;
    sample e = {0};
    assert_int_equal(tiles_create(&l, &setup), 0);
    tiles_advance(&l, 1, WARM, energy);
    for (int bin = 0; bin < BINS; bin++) {
        double sum = 0;
        tiles_advance(&l, 1, steps, energy);
        for (uint32_t n = 0; n < steps; n++)
            sum += (double)energy[n] / ((double)size * size);
        sample_add(&e, sum / steps);
    }
    tiles_destroy(&l);
    return sample_z(&e, exact_thermodynamics(size, BETA).e);
}

static void energies_are_exact(void **state) {
    (void)state;
    static const generator_id good[] = {GENERATOR_PHILOX_10, GENERATOR_MWC, GENERATOR_XORSHIFT_WEYL,
                                        GENERATOR_FIBONACCI_1279};
    z_series z = z_begin("energy", 2 * LENGTH(good));
    for (size_t n = 0; n < LENGTH(good); n++) {
        z_add(&z, z_of_energy(good[n], 32, 1, 200), "%s, tiles", generators[good[n]].name);
        z_add(&z, z_of_energy(good[n], 32, 0, 200), "%s, sequential", generators[good[n]].name);
    }
    assert_true(z_passed(&z));
}

/* 2^32 numbers of one sequence, dealt out to a power of two of threads, repeat their low bits soon. */
static void one_sequence_of_lcg32_is_found(void **state) {
    (void)state;
    z_series z = z_begin("LCG32, skipped", 1);
    z_add(&z, z_of_energy(GENERATOR_LCG32_SKIPPED, 256, 1, 30), "tiles");
    assert_true(z_detected(&z));
}

/* The user's own generator is here one of 12 bits (weak_generator.c). */
static void weak_generator_is_found(void **state) {
    (void)state;
    z_series z = z_begin("weak generator", 2);
    z_add(&z, z_of_energy(GENERATOR_EXTERNAL, 128, 1, 60), "tiles");
    z_add(&z, z_of_energy(GENERATOR_EXTERNAL, 128, 0, 60), "sequential");
    assert_true(z_detected(&z));
}

/* A sweep by the plain words of tiles.h; *x: the last number of the sequence. */
static void plain_sweep(int8_t *spins, const tile_setup *s, uint32_t *x) {
    const uint32_t size = s->size;
    for (uint32_t row = 0; row < size; row++)
        for (uint32_t column = 0; column < size; column++) {
            int8_t *const spin = &spins[row * size + column];
            const int sum = spins[(row + 1) % size * size + column] +
                            spins[(row + size - 1) % size * size + column] +
                            spins[row * size + (column + 1) % size] +
                            spins[row * size + (column + size - 1) % size];
            if (*spin * sum > 0 &&
                lcg32_step(x, LCG_MULTIPLIER, LCG_INCREMENT) >= s->threshold[*spin * sum == 2])
                continue;
            *spin = (int8_t) - *spin;
        }
}

/* All threads of a block draw at a time; what they draw is the sequence, and none of it is lost: of lattices side by side, and of
 * the first two alone. */
static void in_sequence_no_number_is_lost(void **state) {
    (void)state;
    enum { SIZE = 64, SWEEPS = 5, COUNT = TILES_SIDE_BY_SIDE };
    const spin_model model = square_model(SIZE);
    const flip_rule rule = flip_rule_at(&metropolis_update, &model, BETA);
    static int8_t spins[COUNT][SIZE * SIZE];
    int64_t energy[COUNT];
    uint32_t x[COUNT];
    tile_lattice l[COUNT];
    for (uint64_t k = 0; k < COUNT; k++) {
        const tile_setup setup = {
            GENERATOR_LCG32_SKIPPED, SIZE, 0, {rule.threshold[0], rule.threshold[1]}, k};
        assert_int_equal(tiles_create(&l[k], &setup), 0);
        memcpy(spins[k], l[k].spins, sizeof spins[k]);
        x[k] = l[k].states[0]; /* a block's first draw of it is 128 numbers on */
        for (int n = 1; n < GENERATOR_BLOCK; n++)
            lcg32_step(&x[k], LCG_MULTIPLIER, LCG_INCREMENT);
    }
    for (int n = 0; n < SWEEPS; n++) {
        const uint32_t count = n % 2 ? 2 : COUNT;
        tiles_advance(l, count, 1, energy);
        for (uint32_t k = 0; k < count; k++)
            plain_sweep(spins[k], &l[k].setup, &x[k]);
        for (int k = 0; k < COUNT; k++)
            assert_memory_equal(spins[k], l[k].spins, sizeof spins[k]);
    }
    for (int k = 0; k < COUNT; k++)
        tiles_destroy(&l[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_sequence_no_number_is_lost),
        cmocka_unit_test(energies_are_exact),
        cmocka_unit_test(one_sequence_of_lcg32_is_found),
        cmocka_unit_test(weak_generator_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
