/* The planted faults, and where each must be found. */
#include "controls.h"
#include "engine/capacity.h"

#include "validate/lib/replica_sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ANY UINT64_MAX

/* A fault and what must be found of it. Every case has 200 replicas of 256 sites and four steps. */
typedef struct {
    const char *name;
    identity_fault fault;
    uint32_t temperature;
    identity_quantity report;     /* what differs in the report ... */
    uint64_t index, part;         /* ... of which level or block, and which of its sums */
    identity_quantity population; /* what differs in the replicas: QUANTITY_NONE, _SPIN, _FAMILY */
    uint64_t replica, site;
    bool anything;     /* nothing but the temperature can be foretold */
    bool loaded;       /* the population goes to the second engine after this temperature */
    bool again;        /* the second engine is used twice */
    bool planes;       /* for bit planes only: MSC, mode independent */
    bool equal_number; /* a number equal to the threshold is looked for (aim_threshold) */
    bool in_level;     /* the fault's index is the level of this energy: */
    double energy;     /* per bond */
} planted_fault;

/* In the middle of the energies at temperature 2. */
#define OF_COLD -3. / 64

static const planted_fault controls[] = {
    {.name = "a spin turned in a load",
     .fault = {FAULT_LOADED_SPIN, 0, 137, 101},
     .temperature = 2,
     .report = QUANTITY_LEVEL,
     .index = ANY,
     .part = ANY,
     .population = QUANTITY_SPIN,
     .replica = 137,
     .site = 101,
     .loaded = true},
    {.name = "a family number one higher in a load",
     .fault = {FAULT_LOADED_FAMILY, 0, 99, 0},
     .temperature = 0,
     .report = QUANTITY_FAMILIES,
     .population = QUANTITY_FAMILY,
     .replica = 99,
     .loaded = true},
    {.name = "a spin turned in a save",
     .fault = {FAULT_SAVED_SPIN, 3, 64, 255},
     .temperature = 3,
     .population = QUANTITY_SPIN,
     .replica = 64,
     .site = 255},
    {.name = "a threshold one unit higher",
     .fault = {FAULT_THRESHOLD, 1, 1, 0},
     .temperature = 1,
     .report = QUANTITY_LEVEL,
     .index = ANY,
     .part = ANY,
     .population = QUANTITY_SPIN,
     .equal_number = true},
    {.name = "a bit plane wrong",
     .fault = {FAULT_PLANE, 2, 1, 0},
     .temperature = 2,
     .report = QUANTITY_LEVEL,
     .index = ANY,
     .part = ANY,
     .population = QUANTITY_SPIN,
     .replica = ANY,
     .site = ANY,
     .planes = true},
    {.name = "copies of a level 2^-32 higher",
     .fault = {FAULT_COPIES, 3, 0, 0},
     .in_level = true,
     .energy = OF_COLD,
     .temperature = 3,
     .report = QUANTITY_PARENT,
     .index = ANY,
     .part = 1},
    {.name = "a bit of the key wrong",
     .fault = {FAULT_KEY, 2, 63, 0},
     .temperature = 2,
     .anything = true},
    {.name = "a replica too many in a level",
     .fault = {FAULT_LEVEL, 2, 0, 0},
     .in_level = true,
     .energy = OF_COLD,
     .temperature = 2,
     .report = QUANTITY_LEVEL},
    {.name = "the energy of a block one higher",
     .fault = {FAULT_BLOCK, 4, 255, 0},
     .temperature = 4,
     .report = QUANTITY_BLOCK,
     .index = 255,
     .part = 1},
    {.name = "a family too many",
     .fault = {FAULT_FAMILIES, 1, 0, 0},
     .temperature = 1,
     .report = QUANTITY_FAMILIES},
    {.name = "a population said to have died out",
     .fault = {FAULT_STATUS, 3, 0, 0},
     .temperature = 3,
     .report = QUANTITY_STATUS},
    {.name = "a replica too many in every run but the first",
     .fault = {FAULT_SECOND_RUN, 0, 0, 0},
     .in_level = true,
     .temperature = 0,
     .report = QUANTITY_LEVEL,
     .again = true},
};

/* What they are planted in. */
static const struct {
    const model_kind *model;
    lattice_size size;
    spin_coding coding;
    rng_mode rng;
} codings[] = {{&square_kind, {{16}}, CODING_SSC, RNG_INDEPENDENT},
               {&square_kind, {{16}}, CODING_MSC, RNG_INDEPENDENT},
               {&square_kind, {{16}}, CODING_MSC, RNG_PHILOX},
               {&glass3d_kind, {{8, 4, 8}}, CODING_SSC, RNG_INDEPENDENT},
               {&glass3d_kind, {{8, 8, 4}}, CODING_MSC, RNG_INDEPENDENT}};

enum {
    CONTROLS = sizeof controls / sizeof *controls,
    CODINGS = sizeof codings / sizeof *codings,
    REPLICAS = 200,
    SIZE = 16,
    SITES = SIZE * SIZE,
    BYTES = SITES / 8
};

static identity_case case_of(const planted_fault *fault, size_t n) {
    return (identity_case){.update = &metropolis_update,
                           .model = codings[n].model,
                           .size = codings[n].size,
                           .disorder = 2017,
                           .coding = codings[n].coding,
                           .word = 32,
                           .rng = codings[n].rng,
                           .founders = REPLICAS,
                           .target = REPLICAS,
                           .capacity = population_capacity(REPLICAS, 32),
                           .key = {{20, 17}},
                           .sweeps = 2,
                           .steps = 4,
                           .temperature = 1,
                           .dbeta = 0.05,
                           .piece = 64,
                           .receiver = fault->loaded ? 1 : -1,
                           .handover = fault->temperature,
                           .kept = fault->again ? 1 : -1};
}

/* The level of an energy per bond: from the middle of all on. */
static uint64_t level_of(const identity_case *c, double energy) {
    uint32_t edge[MODEL_MAX_DIMENSION];
    lattice_edges(c->size, c->model->dimension, edge);
    const spin_model m = c->model->create(edge);
    return (uint64_t)((double)m.levels.count / 2 +
                      energy * (double)m.bonds / (double)m.levels.spacing);
}

/* --- a number equal to the threshold --- */

/* The number that decides site i of the even sub-lattice of replica k in the first sweep of the
 * first step (streams.h). */
static uint32_t number_of(const identity_case *c, uint64_t k, uint32_t i) {
    const uint32_t replica = (uint32_t)k;
    return c->coding == CODING_SSC
               ? stream_draw(c->key, STREAM_SSC, i / 4, replica, 0, 1).number[i % 4]
               : stream_draw(c->key, STREAM_PHILOX, i, replica / 4, 0, 1).number[replica % 4];
}

/* Antiparallel neighbours of the spin in column x and row y of a saved replica. */
static int antiparallel(const uint8_t *spins, uint32_t x, uint32_t y) {
    const uint32_t neighbour[4] = {
        site_index(SIZE, (x + 1) % SIZE, y), site_index(SIZE, (x + SIZE - 1) % SIZE, y),
        site_index(SIZE, x, (y + 1) % SIZE), site_index(SIZE, x, (y + SIZE - 1) % SIZE)};
    int count = 0;
    for (size_t n = 0; n < 4; n++)
        count += bit_of_site(spins, neighbour[n]) != bit_of_site(spins, site_index(SIZE, x, y));
    return count;
}

/* A threshold that is one unit higher is seen only where a number equals the right one, once in
 * 2^32. So the threshold of spins with one antiparallel neighbour is set to the number of one such
 * spin, of the last replica possible. Every replica has one copy in the step that follows: this spin
 * is decided in the state of beta = 0. Returns whether that worked. */
static bool aim_threshold(identity_case *c, planted_fault *expected) {
    static uint8_t spins[REPLICAS * BYTES];
    uint32_t families[REPLICAS];
    char reason[300];
    histogram h;
    const engine_config config = {.coding = c->coding,
                                  .model = square_model(SIZE),
                                  .capacity = c->capacity,
                                  .word = c->word,
                                  .rng = c->rng};
    engine *const e = identity_make_engine(identity_all_threads(), config, reason, sizeof reason);
    if (!e || histogram_create(&h, &e->model))
        return false;
    const bool saved = e->verbs->randomise(e, c->key, REPLICAS, &h) == ENGINE_OK &&
                       e->verbs->read(e, 0, REPLICAS, spins, families) == ENGINE_OK;
    histogram_destroy(&h);
    e->verbs->destroy(e);
    c->dbeta = 0;
    c->sweeps = c->steps = 1;
    c->fixed_thresholds = true;
    for (uint64_t k = REPLICAS; saved && k-- > 0;)
        for (uint32_t y = 0; y < SIZE; y++)
            for (uint32_t x = y % 2; x < SIZE; x += 2)
                if (antiparallel(spins + k * BYTES, x, y) == 1) {
                    expected->replica = k;
                    expected->site = site_index(SIZE, x, y);
                    c->threshold[1] = number_of(c, k, (uint32_t)expected->site);
                    c->threshold[0] = c->threshold[1] / 2;
                    return true;
                }
    return false;
}

/* --- a control --- */

static bool as_expected(uint64_t expected, uint64_t found) {
    return expected == ANY || expected == found;
}

static bool located(const planted_fault *expected, const identity_result *r) {
    if (r->verdict != IDENTITY_DIFFERENT || r->temperature != expected->temperature ||
        r->loaded != expected->loaded || r->again != expected->again)
        return false;
    if (expected->anything)
        return r->population.quantity != QUANTITY_NONE;
    return r->report.quantity == expected->report &&
           as_expected(expected->index, r->report.index) &&
           as_expected(expected->part, r->report.part) &&
           r->population.quantity == expected->population &&
           as_expected(expected->replica, r->population.index) &&
           as_expected(expected->site, r->population.part);
}

/* Whether a control makes sense in a mode of a coding: bit planes decide in one, and in the others
 * numbers are held against thresholds, which is looked at in one model. */
static bool has_sense(const planted_fault *fault, size_t n) {
    const bool planes = codings[n].coding == CODING_MSC && codings[n].rng == RNG_INDEPENDENT;
    return !(planes ? fault->equal_number : fault->planes) &&
           !(fault->equal_number && codings[n].model != &square_kind);
}

/* Finds number n of those that make sense; -1 behind the last. */
static int find(size_t n, size_t *coding) {
    for (*coding = 0; *coding < CODINGS; ++*coding)
        for (int k = 0; k < CONTROLS; k++)
            if (has_sense(&controls[k], *coding) && n-- == 0)
                return k;
    return -1;
}

size_t identity_controls(void) {
    size_t count = 0, coding;
    while (find(count, &coding) >= 0)
        count++;
    return count;
}

identity_finding identity_control(size_t n, const identity_device device[2]) {
    size_t coding;
    planted_fault expected = controls[find(n, &coding)];
    const spin_coding c = codings[coding].coding;
    identity_case planted = case_of(&expected, coding);
    if (expected.in_level)
        expected.fault.index = level_of(&planted, expected.energy);
    if (expected.in_level && expected.report == QUANTITY_LEVEL)
        expected.index = expected.fault.index;
    identity_pair pair = {{device[0], device[1]}, NULL};
    identity_finding finding = {.found = false};
    snprintf(finding.name, sizeof finding.name, "%s %s%s%s: %s", planted.model->name,
             coding_name(c), c == CODING_MSC ? " " : "",
             c == CODING_MSC ? rng_name(planted.rng) : "", expected.name);
    if (expected.equal_number && !aim_threshold(&planted, &expected))
        return finding;
    finding.found = identity_run(&planted, &pair).verdict == IDENTITY_SAME;
    pair.fault = &expected.fault;
    finding.result = identity_run(&planted, &pair);
    finding.found = finding.found && located(&expected, &finding.result);
    return finding;
}
