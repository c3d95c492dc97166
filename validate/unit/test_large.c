/* Claims about populations of more than 2^32 spins, and on a GPU of more than 2^37, where also the
 * number of 32-bit words needs more than 32 bits: what an engine reports of a block at the
 * beginning, in the middle and at the end of the population is what a plain loop over the saved spins
 * counts, before and after a step; and the levels and the blocks count the same replicas. Skipped
 * where memory is short or there is no GPU. */
#include "base/memory.h"
#include "base/wide.h"
#include "engine/capacity.h"
#include "validate/lib/gpu_engine.h"
#include "validate/lib/replicas.h"

#include <stdio.h>

#define SIZE     1024 /* 2^20 spins */
#define SITES    ((uint64_t)SIZE * SIZE)
#define LOW_BITS 40 /* half of the 80 that (N / 2)^4 has at most */

static engine_config config_of(spin_coding coding, uint64_t population) {
    return (engine_config){.coding = coding,
                           .model = square_model(SIZE),
                           .capacity = population_capacity(population, 32),
                           .word = 32,
                           .rng = RNG_INDEPENDENT};
}

/* --- engines: made, or the test is skipped --- */

static engine *cpu_engine(spin_coding coding, uint64_t population) {
    const engine_config config = config_of(coding, population);
    const uint64_t need = engine_cpu_bytes(&config), available = memory_available(1);
    if (need + need / 4 > available) {
        print_message("SKIP: %.0f MB needed, %.0f MB available\n", 1e-6 * (double)need,
                      1e-6 * (double)available);
        skip();
    }
    engine *const e = engine_cpu_create(&config);
    assert_non_null(e);
    return e;
}

static engine *gpu_engine_of(spin_coding coding, uint64_t population) {
    const engine_config config = config_of(coding, population);
    return gpu_engine(&config);
}

/* --- blocks --- */

/* E and M of the replicas that are saved, added to a block. */
static void count_replica(const replicas *r, uint64_t k, block_sums *sums) {
    int64_t energy = 0, magnetisation = 0;
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++) {
            const int here = 2 * spin_up(r, k, x, y) - 1;
            const int right = 2 * spin_up(r, k, (x + 1) % SIZE, y) - 1;
            const int below = 2 * spin_up(r, k, x, (y + 1) % SIZE) - 1;
            energy -= here * (right + below);
            magnetisation += here;
        }
    sums->replicas++;
    sums->energy += energy;
    sums->energy2 += (uint64_t)(energy * energy);
    sums->abs_m += (uint64_t)llabs(magnetisation);
    const uint64_t m2 = (uint64_t)(magnetisation * magnetisation);
    const uint128 q = (uint128)m2 * m2 / 16;
    sums->m2 += m2;
    sums->q_low += (uint64_t)q & ((UINT64_C(1) << LOW_BITS) - 1);
    sums->q_high += (uint64_t)(q >> LOW_BITS);
}

/* A block as a loop over its spins counts it. */
static block_sums count_block(engine *e, uint64_t population, size_t block) {
    uint64_t first = block * population / POPULATION_BLOCKS, end;
    while (population_block(first, population) < block)
        first++;
    for (end = first; end < population && population_block(end, population) == block;)
        end++;
    const uint64_t count = end - first;
    replicas r = {.size = SIZE, .bytes = SITES / 8};
    r.spins = malloc(count * r.bytes);
    r.families = malloc(count * sizeof *r.families);
    assert_true(r.spins && r.families);
    assert_int_equal(e->verbs->read(e, first, count, r.spins, r.families), ENGINE_OK);
    block_sums sums = {0};
    for (uint64_t k = 0; k < count; k++)
        count_replica(&r, k, &sums);
    free(r.spins);
    free(r.families);
    return sums;
}

static void check_report(engine *e, const histogram *h) {
    static const size_t blocks[] = {0, POPULATION_BLOCKS / 2, POPULATION_BLOCKS - 1};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const block_sums counted = count_block(e, h->population, blocks[i]);
        assert_memory_equal(&counted, &h->block[blocks[i]], sizeof counted);
    }
    uint64_t in_levels = 0, in_blocks = 0;
    int64_t energy = 0, energy_of_blocks = 0;
    for (size_t n = h->first; n < h->end; n++) {
        in_levels += h->level[n].replicas;
        energy += (int64_t)h->level[n].replicas * level_energy(h->levels, n);
    }
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        in_blocks += h->block[b].replicas;
        energy_of_blocks += h->block[b].energy;
    }
    assert_true(in_levels == h->population && in_blocks == h->population);
    assert_true(energy == energy_of_blocks);
}

/* --- a step --- */

/* One sweep at beta = 0.1, after a resampling that takes a quarter of the tau_hat of the odd levels
 * and gives it to the even ones. */
static void advance(engine *e, uint64_t population, histogram *h) {
    uint64_t *const tau_hat = malloc(e->model.levels.count * sizeof *tau_hat);
    assert_non_null(tau_hat);
    for (size_t n = 0; n < e->model.levels.count; n++)
        tau_hat[n] = n % 2 ? UINT64_C(3) << 30 : UINT64_C(5) << 30;
    const engine_step step = {.parts = WHOLE_STEP,
                              .key = stream_run_key(1, 0),
                              .temperature = 1,
                              .sweeps = 1,
                              .founders = population,
                              .tau_hat = tau_hat,
                              .rule = flip_rule_at(&metropolis_update, &e->model, 0.1)};
    assert_int_equal(e->verbs->step(e, &step, h), ENGINE_OK);
    free(tau_hat);
}

static void check_engine(engine *e, uint64_t population) {
    histogram h;
    assert_int_equal(histogram_create(&h, &e->model), 0);
    assert_int_equal(e->verbs->randomise(e, stream_run_key(1, 0), population, &h), ENGINE_OK);
    assert_true(h.population == population);
    check_report(e, &h);
    advance(e, population, &h);
    assert_true(h.population != population && h.families < population);
    check_report(e, &h);
    histogram_destroy(&h);
    e->verbs->destroy(e);
}

static const uint64_t beyond_32_bits = 4200;   /* times 2^20 spins */
static const uint64_t beyond_37_bits = 131500; /* likewise */

static void msc_on_the_cpu(void **state) {
    (void)state;
    check_engine(cpu_engine(CODING_MSC, beyond_32_bits), beyond_32_bits);
}

static void msc_on_a_gpu(void **state) {
    (void)state;
    check_engine(gpu_engine_of(CODING_MSC, beyond_37_bits), beyond_37_bits);
}

static void ssc_on_a_gpu(void **state) {
    (void)state;
    check_engine(gpu_engine_of(CODING_SSC, beyond_32_bits), beyond_32_bits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(msc_on_the_cpu),
        cmocka_unit_test(msc_on_a_gpu),
        cmocka_unit_test(ssc_on_a_gpu),
    };
    return cmocka_run_group_tests_name("large", tests, NULL, NULL);
}
