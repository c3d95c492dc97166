/* Claim: the CUDA engines give the bits of the CPU engines. Two engines of one coding, one on each
 * device, are taken through the same steps (validate/identity/lockstep.h); after each the complete reports
 * (level sums, blocks, parents, families), every spin and every family must be equal, also after a
 * save on one device and a load on the other. The grid covers both codings, every p, every
 * random-number mode, every kernel (lattices of fixed size, in shared memory, in device memory),
 * words that are not full, and strong selection, where one parent has nearly all children; all of it
 * with the stages of a step fused, apart, and (SSC) resampled on the host. Without CUDA or without a
 * GPU the tests are skipped; what finds the differences is tested without one in
 * test_identity_control.c. `make identity` draws cases at random. */
#include "engine/capacity.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "validate/identity/lockstep.h"

/* A case of the grid. */
typedef struct {
    spin_coding coding;
    uint32_t size, word;
    rng_mode rng;
    uint64_t population;
    uint32_t sweeps;
    double dbeta;
    uint32_t steps;
} grid_case;

/* Takes both engines through a case. Returns whether all is equal. */
static int identical(const grid_case *g, stage_mode stages, const identity_pair *pair) {
    const identity_case c = {.coding = g->coding,
                             .size = g->size,
                             .word = g->word,
                             .rng = g->rng,
                             .stages = stages,
                             .founders = g->population,
                             .target = g->population,
                             .capacity = population_capacity(g->population, g->word),
                             .key = stream_run_key(g->population, 0),
                             .sweeps = g->sweeps,
                             .steps = g->steps,
                             .temperature = 1,
                             .dbeta = g->dbeta,
                             .piece = 64,
                             .receiver = (int)(g->population % 2),
                             .handover = 1,
                             .kept = -1};
    const identity_result result = identity_run(&c, pair);
    if (result.verdict != IDENTITY_SAME) {
        char text[RESULT_TEXT_SIZE];
        print_error("%s L=%u p=%u %s R=%llu theta=%u dbeta=%g stages=%s: %s\n",
                    coding_name(g->coding), g->size, g->word, rng_name(g->rng),
                    (unsigned long long)g->population, g->sweeps, g->dbeta, stages_name(stages),
                    identity_result_text(text, &result));
    }
    return result.verdict == IDENTITY_SAME;
}

/* Skips the test where there is no GPU. */
static void all_identical(const grid_case *cases, size_t count) {
    const identity_pair pair = {{identity_all_threads(), {true, 0}}, NULL};
    char reason[300];
    size_t different = 0;
    if (!identity_device_is_there(pair.device[1], reason, sizeof reason)) {
        print_message("SKIP: %s\n", reason);
        skip();
    }
    for (size_t n = 0; n < count; n++) {
        const stage_mode last = cases[n].coding == CODING_SSC ? STAGES_HYBRID : STAGES_APART;
        for (stage_mode stages = STAGES_FUSED; stages <= last; stages++)
            different += !identical(&cases[n], stages, &pair);
    }
    assert_int_equal(different, 0);
}

static void every_word_and_mode(void **state) {
    grid_case cases[4 * 5 * 2];
    size_t count = 0;
    (void)state;
    for (uint32_t word = 8; word <= 64; word *= 2)
        for (rng_mode rng = RNG_INDEPENDENT; rng <= RNG_LCG; rng++) {
            cases[count++] = (grid_case){CODING_MSC, 16, word, rng, 211, 2, 0.05, 6};
            cases[count++] = (grid_case){CODING_MSC, 48, word, rng, 97, 1, 0.03, 4};
        }
    all_identical(cases, count);
}

static void every_msc_kernel(void **state) {
    static const uint32_t sizes[] = {16, 32, 48, 64, 80, 112, 128, 144, 224, 240, 256, 272};
    grid_case cases[2 * sizeof sizes / sizeof *sizes];
    size_t count = 0;
    (void)state;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        cases[count++] = (grid_case){CODING_MSC, sizes[n], 32, RNG_INDEPENDENT, 75, 2, 0.01, 3};
        cases[count++] = (grid_case){CODING_MSC, sizes[n], 16, RNG_LCG, 40, 1, 0.01, 2};
    }
    all_identical(cases, count);
}

/* Lattices in slabs: two and many, with slabs and groups of strips that are not full, more lattices than are at work
 * at a time, and one that cannot be cut. */
static void every_cut(void **state) {
    static const grid_case cases[] = {
        {CODING_MSC, 256, 32, RNG_INDEPENDENT, 2500, 1, 0.01, 1},
        {CODING_MSC, 304, 32, RNG_INDEPENDENT, 64, 20, 0.01, 2},
        {CODING_MSC, 512, 32, RNG_INDEPENDENT, 600, 2, 0.01, 2},
        {CODING_MSC, 624, 32, RNG_INDEPENDENT, 70, 2, 0.01, 2},
        {CODING_MSC, 1024, 32, RNG_INDEPENDENT, 150, 2, 0.01, 2},
        {CODING_MSC, 1040, 32, RNG_INDEPENDENT, 32, 1, 0.01, 2},
    };
    (void)state;
    all_identical(cases, sizeof cases / sizeof *cases);
}

static void every_ssc_kernel(void **state) {
    static const uint32_t sizes[] = {4, 6, 8, 10, 14, 16, 22, 24, 32, 40, 64, 100, 128, 256, 330};
    grid_case cases[sizeof sizes / sizeof *sizes];
    size_t count = 0;
    (void)state;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        cases[count++] = (grid_case){
            CODING_SSC, sizes[n], 32, RNG_INDEPENDENT, sizes[n] < 64 ? 300 : 20, 2, 0.02, 4};
    all_identical(cases, count);
}

static void strong_selection(void **state) {
    static const grid_case cases[] = {
        {CODING_MSC, 64, 32, RNG_INDEPENDENT, 2000, 1, 0.1, 8},
        {CODING_MSC, 64, 8, RNG_LCG, 500, 1, 0.1, 8},
        {CODING_MSC, 128, 32, RNG_INDEPENDENT, 300, 1, 0.1, 5},
        {CODING_SSC, 64, 32, RNG_INDEPENDENT, 500, 1, 0.1, 8},
    };
    (void)state;
    all_identical(cases, sizeof cases / sizeof *cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_and_mode), cmocka_unit_test(every_msc_kernel),
        cmocka_unit_test(every_cut),           cmocka_unit_test(every_ssc_kernel),
        cmocka_unit_test(strong_selection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
