/* Claim: the CUDA engines give the bits of the CPU engines. Two engines of one coding, one on each
 * device, are taken through the same steps (validate/identity/lockstep.h); after each the complete reports
 * (level sums, blocks, parents, families), every spin and every family must be equal, also after a
 * save on one device and a load on the other. The grid covers both codings, every p, every
 * random-number mode, every kernel (lattices of fixed size, in shared memory, in device memory),
 * words that are not full, strong selection, where one parent has nearly all children, and thresholds
 * whose rounding decides about every spin; all of it
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

/* The same for another model than the ferromagnet on the square lattice, L x L. */
typedef struct {
    const model_kind *kind;
    lattice_size lattice;
    grid_case grid;
} model_case;

/* Takes both engines through a case, with a rule or (NULL) with those of the temperatures, in an order of sites. Returns
 * whether all is equal. */
static int identical(const model_case *m, uint64_t disorder, const flip_rule *rule,
                     const visit_plan *visits, stage_mode stages, const identity_pair *pair) {
    const grid_case *const g = &m->grid;
    const identity_case c = {.update = &metropolis_update,
                             .model = m->kind,
                             .size = m->lattice,
                             .disorder = disorder,
                             .coding = g->coding,
                             .word = g->word,
                             .rng = g->rng,
                             .visits = *visits,
                             .stages = stages,
                             .founders = g->population,
                             .target = g->population,
                             .capacity = population_capacity(g->population, g->word),
                             .key = stream_run_key(g->population, 0),
                             .sweeps = g->sweeps,
                             .steps = g->steps,
                             .temperature = 1,
                             .dbeta = g->dbeta,
                             .rule = rule,
                             .piece = 64,
                             .receiver = (int)(g->population % 2),
                             .handover = 1,
                             .kept = -1};
    const identity_result result = identity_run(&c, pair);
    if (result.verdict != IDENTITY_SAME) {
        char text[RESULT_TEXT_SIZE], size[LATTICE_TEXT_SIZE];
        print_error("%s %s L=%s p=%u %s R=%llu theta=%u dbeta=%g stages=%s: %s\n",
                    coding_name(g->coding), m->kind->name, lattice_text(size, m->lattice), g->word,
                    rng_name(g->rng), (unsigned long long)g->population, g->sweeps, g->dbeta,
                    stages_name(stages), identity_result_text(text, &result));
    }
    return result.verdict == IDENTITY_SAME;
}

/* In all ways to make a step. Returns how many differ. */
static size_t count_different(const model_case *m, uint64_t disorder, const flip_rule *rule,
                              const visit_plan *visits) {
    const identity_pair pair = {{identity_all_threads(), {true, 0}}, NULL};
    const stage_mode last = m->grid.coding == CODING_SSC ? STAGES_HYBRID : STAGES_APART;
    size_t different = 0;
    for (stage_mode stages = STAGES_FUSED; stages <= last; stages++)
        different += !identical(m, disorder, rule, visits, stages, &pair);
    return different;
}

/* Skips the test where there is no GPU. */
static void need_gpu(void) {
    char reason[300];
    if (!identity_device_is_there((identity_device){true, 0}, reason, sizeof reason)) {
        print_message("SKIP: %s\n", reason);
        skip();
    }
}

static const visit_plan checkerboard = {.order = VISIT_CHECKERBOARD};

static void all_identical(const grid_case *cases, size_t count, const flip_rule *rule) {
    size_t different = 0;
    need_gpu();
    for (size_t n = 0; n < count; n++) {
        const model_case square = {&square_kind, {{cases[n].size}}, cases[n]};
        different += count_different(&square, 0, rule, &checkerboard);
    }
    assert_int_equal(different, 0);
}

static void all_models_identical(const model_case *cases, size_t count) {
    size_t different = 0;
    need_gpu();
    for (size_t n = 0; n < count; n++)
        different += count_different(&cases[n], n, NULL, &checkerboard);
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
    all_identical(cases, count, NULL);
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
    all_identical(cases, count, NULL);
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
    all_identical(cases, sizeof cases / sizeof *cases, NULL);
}

/* Lattices of the cubic model and its glass: rows of cells of either parity; groups of strips that are not full, of any
 * number, and a strip of one cell; several in a block, one with a strip or two a thread, and in device memory. */
static void every_cubic_lattice(void **state) {
    static const lattice_size lattices[] = {
        {{4}},         {{6}},         {{8}},          {{10}},        {{12}},
        {{14}},        {{16}},        {{26}},         {{32}},        {{34}},
        {{36}},        {{8, 8, 12}},  {{4, 6, 10}},   {{6, 4, 10}},  {{16, 4, 6}},
        {{10, 6, 14}}, {{4, 4, 128}}, {{36, 34, 32}}, {{22, 6, 64}}, {{128, 4, 4}}};
    model_case cases[2 * sizeof lattices / sizeof *lattices];
    size_t count = 0;
    (void)state;
    for (size_t n = 0; n < sizeof lattices / sizeof *lattices; n++) {
        const uint64_t replicas = lattices[n].edge[0] < 20 ? 211 : 40;
        cases[count++] = (model_case){
            &cubic_kind, lattices[n], {CODING_MSC, 0, 32, RNG_INDEPENDENT, replicas, 3, 0.05, 5}};
        cases[count++] = (model_case){
            &glass3d_kind, lattices[n], {CODING_MSC, 0, 32, RNG_INDEPENDENT, replicas, 3, 0.2, 5}};
    }
    all_models_identical(cases, count);
}

/* Many sweeps, for which groups of strips draw their numbers of points ahead. */
static void many_cubic_sweeps(void **state) {
    static const model_case cases[] = {
        {&glass3d_kind, {{6}}, {CODING_MSC, 0, 8, RNG_INDEPENDENT, 3000, 70, 0.3, 3}},
        {&glass3d_kind, {{10}}, {CODING_MSC, 0, 16, RNG_INDEPENDENT, 500, 70, 0.1, 10}},
        {&cubic_kind, {{12}}, {CODING_MSC, 0, 64, RNG_INDEPENDENT, 500, 50, 0.02, 10}},
        {&cubic_kind, {{16}}, {CODING_MSC, 0, 32, RNG_INDEPENDENT, 2000, 1, 0.1, 8}},
    };
    (void)state;
    all_models_identical(cases, sizeof cases / sizeof *cases);
}

/* The glass of the square lattice in every mode, and lattices of two edges; in slabs, too. */
static void every_square_lattice(void **state) {
    static const lattice_size lattices[] = {{{16}},     {{32}},  {{48}},  {{64}},
                                            {{80}},     {{128}}, {{144}}, {{16, 48}},
                                            {{64, 16}}, {{304}}, {{256}}, {{1040}}};
    model_case cases[64];
    size_t count = 0;
    (void)state;
    for (size_t n = 0; n < sizeof lattices / sizeof *lattices; n++)
        cases[count++] = (model_case){
            &glass2d_kind, lattices[n], {CODING_MSC, 0, 32, RNG_INDEPENDENT, 75, 3, 0.2, 3}};
    cases[count++] =
        (model_case){&square_kind, {{32, 16}}, {CODING_MSC, 0, 32, RNG_INDEPENDENT, 75, 3, 0.1, 3}};
    cases[count++] = (model_case){
        &square_kind, {{256, 512}}, {CODING_MSC, 0, 32, RNG_INDEPENDENT, 40, 3, 0.1, 3}};
    for (uint32_t word = 8; word <= 64; word *= 2)
        for (rng_mode rng = RNG_PHILOX; rng <= RNG_LCG; rng++)
            for (size_t n = 0; n < 3; n++)
                cases[count++] = (model_case){
                    &glass2d_kind, lattices[n], {CODING_MSC, 0, word, rng, 97, 2, 0.1, 4}};
    all_models_identical(cases, count);
}

static void every_ssc_kernel(void **state) {
    static const uint32_t sizes[] = {4, 6, 8, 10, 14, 16, 22, 24, 32, 40, 64, 100, 128, 256, 330};
    grid_case cases[sizeof sizes / sizeof *sizes];
    size_t count = 0;
    (void)state;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        cases[count++] = (grid_case){
            CODING_SSC, sizes[n], 32, RNG_INDEPENDENT, sizes[n] < 64 ? 300 : 20, 2, 0.02, 4};
    all_identical(cases, count, NULL);
}

/* SSC with couplings, in three dimensions and of edges that differ: several octets in a warp and in a block, one with a
 * quad or more a thread, more threads where lattices are large, device memory; sub-lattices that end within a quad;
 * octets that are not full. */
static void every_ssc_lattice(void **state) {
    static const struct {
        const model_kind *ferromagnet, *glass;
        lattice_size lattice;
    } lattices[] = {
        {&square_kind, &glass2d_kind, {{4, 6}}},    {&square_kind, &glass2d_kind, {{6, 10}}},
        {&square_kind, &glass2d_kind, {{10}}},      {&square_kind, &glass2d_kind, {{8, 16}}},
        {&square_kind, &glass2d_kind, {{16}}},      {&square_kind, &glass2d_kind, {{24}}},
        {&square_kind, &glass2d_kind, {{130, 64}}}, {&square_kind, &glass2d_kind, {{250}}},
        {&cubic_kind, &glass3d_kind, {{4}}},        {&cubic_kind, &glass3d_kind, {{6}}},
        {&cubic_kind, &glass3d_kind, {{4, 6, 8}}},  {&cubic_kind, &glass3d_kind, {{10, 4, 6}}},
        {&cubic_kind, &glass3d_kind, {{8}}},        {&cubic_kind, &glass3d_kind, {{8, 8, 12}}},
        {&cubic_kind, &glass3d_kind, {{10}}},       {&cubic_kind, &glass3d_kind, {{14}}},
        {&cubic_kind, &glass3d_kind, {{16}}},       {&cubic_kind, &glass3d_kind, {{26}}},
        {&cubic_kind, &glass3d_kind, {{32}}},       {&cubic_kind, &glass3d_kind, {{40, 42, 44}}}};
    model_case cases[2 * sizeof lattices / sizeof *lattices];
    size_t count = 0;
    (void)state;
    for (size_t n = 0; n < sizeof lattices / sizeof *lattices; n++) {
        const bool small = lattices[n].lattice.edge[0] < 20;
        const uint64_t replicas = small ? 303 : 21;
        const uint32_t sweeps = small ? 18 : 3;
        cases[count++] = (model_case){lattices[n].ferromagnet,
                                      lattices[n].lattice,
                                      {CODING_SSC, 0, 32, RNG_INDEPENDENT, replicas, 3, 0.02, 4}};
        cases[count++] =
            (model_case){lattices[n].glass,
                         lattices[n].lattice,
                         {CODING_SSC, 0, 32, RNG_INDEPENDENT, replicas, sweeps, 0.1, 4}};
    }
    all_models_identical(cases, count);
}

static void strong_selection(void **state) {
    static const grid_case cases[] = {
        {CODING_MSC, 64, 32, RNG_INDEPENDENT, 2000, 1, 0.1, 8},
        {CODING_MSC, 64, 8, RNG_LCG, 500, 1, 0.1, 8},
        {CODING_MSC, 128, 32, RNG_INDEPENDENT, 300, 1, 0.1, 5},
        {CODING_SSC, 64, 32, RNG_INDEPENDENT, 500, 1, 0.1, 8},
    };
    (void)state;
    all_identical(cases, sizeof cases / sizeof *cases, NULL);
}

/* What is rounded up once in 2^32 decisions is felt in all: a threshold of 2^32 - 1, which accepts, becomes 0,
 * which does not. */
static void rounded_thresholds(void **state) {
    (void)state;
    const uint64_t half = UINT64_C(1) << 63;
    const flip_rule rule = {.threshold = {UINT32_MAX, UINT32_MAX}, .fraction = {half, half / 2}};
    static const uint32_t sizes[] = {16, 22, 32, 48, 64, 128, 144, 256, 272};
    grid_case cases[9 * (1 + 4 * 2)];
    size_t count = 0;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        cases[count++] = (grid_case){CODING_SSC, sizes[n], 32, RNG_INDEPENDENT, 75, 35, 0.01, 3};
        for (rng_mode rng = RNG_PHILOX; rng <= RNG_LCG && sizes[n] % 16 == 0; rng++)
            for (uint32_t word = 8; word <= 64; word *= 8)
                cases[count++] = (grid_case){CODING_MSC, sizes[n], word, rng, 75, 18, 0.01, 2};
    }
    all_identical(cases, count, &rule);
}

/* Tiles in shared memory, of whole quads, and in device memory; as large as the lattice; and all other orders. Lattices of whole quads a
 * row, and others. */
static void every_order_of_sites(void **state) {
    static const struct {
        uint32_t size, cubic_size; /* 0: none */
        visit_plan visits;
    } cases[] = {
        {16, 8, {.order = VISIT_TILES, .tile = 2, .hits = 3}},
        {32, 16, {.order = VISIT_TILES, .tile = 8, .hits = 20}},
        {64, 32, {.order = VISIT_TILES, .tile = 16, .hits = 2, .palindrome = true}},
        {128, 0, {.order = VISIT_TILES, .tile = 64, .hits = 2}},
        {24, 12, {.order = VISIT_TILES, .tile = 6, .hits = 2}},
        {12, 6, {.order = VISIT_TILES, .tile = 6, .hits = 4, .palindrome = true}},
        {16, 16, {.order = VISIT_TILES, .tile = 8, .hits = 3}},
        {16, 0, {.order = VISIT_TILES, .tile = 16, .hits = 3}},
        {16, 8, {.order = VISIT_TILES, .tile = 8, .hits = 3}},
        {30, 10, {.order = VISIT_SEQUENTIAL, .hits = 1}},
        {30, 10, {.order = VISIT_RANDOM, .hits = 1}},
        {16, 6, {.order = VISIT_RANDOM, .hits = 1, .common = true}},
        {24, 12, {.order = VISIT_DOUBLE_TILING, .tile = 12, .hits = 2}},
        {16, 8, {.order = VISIT_DOUBLE_TILING, .tile = 4, .hits = 3, .common = true}},
        {24, 12, {.order = VISIT_DEAD_BORDER, .tile = 6, .hits = 2}},
        {16, 8, {.order = VISIT_DEAD_BORDER, .tile = 8, .hits = 1, .common = true}},
        {300, 66, {.order = VISIT_CHECKERBOARD}},
        {320, 72, {.order = VISIT_CHECKERBOARD}},
        {328, 96, {.order = VISIT_CHECKERBOARD}},
        {336, 80, {.order = VISIT_CHECKERBOARD}},
    };
    size_t different = 0;
    (void)state;
    need_gpu();
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const uint32_t size = cases[n].size, edge = cases[n].cubic_size;
        const model_case square = {&square_kind,
                                   {{size}},
                                   {CODING_SSC, size, 32, RNG_INDEPENDENT, 33, 2, 0.05, 3}},
                         cubic = {&cubic_kind,
                                  {{edge}},
                                  {CODING_SSC, edge, 32, RNG_INDEPENDENT, 33, 2, 0.05, 3}};
        different += count_different(&square, 0, NULL, &cases[n].visits);
        if (edge > 0)
            different += count_different(&cubic, 0, NULL, &cases[n].visits);
    }
    assert_int_equal(different, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_and_mode),
        cmocka_unit_test(every_msc_kernel),
        cmocka_unit_test(every_cut),
        cmocka_unit_test(every_ssc_kernel),
        cmocka_unit_test(strong_selection),
        cmocka_unit_test(rounded_thresholds),
        cmocka_unit_test(every_cubic_lattice),
        cmocka_unit_test(many_cubic_sweeps),
        cmocka_unit_test(every_square_lattice),
        cmocka_unit_test(every_ssc_lattice),
        cmocka_unit_test(every_order_of_sites),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
