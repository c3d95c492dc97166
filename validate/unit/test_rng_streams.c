/* The streams that `make rng` tests (validate/rng/streams_under_test.h) are what the engines consume: numbers
 * are taken from a stream, put in their places by its order alone (no counters here), and decide the
 * flips of a scalar model, whose spins must be the engine's after several sweeps, at two
 * temperatures, in two runs. */
#include "engine/msc_layout.h"
#include "engine/mwc.h"
#include "validate/lib/replicas.h"
#include "validate/lib/strip_draws.h"
#include "validate/rng/streams_under_test.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { SIZE = 16, SITES = SIZE * SIZE, REPLICAS = 128, SWEEPS = 16, TEMPERATURES = 2, RUNS = 2 };

static const stream_shape shape = {SIZE, REPLICAS, SWEEPS, TEMPERATURES};
static const uint64_t seed = 2017;

/* --- Orders --- */

/* What a number is for. */
typedef struct {
    uint32_t site, slot, sweep, temperature;
} place;

/* An order is a text, a letter for each loop, the fastest first. */
typedef struct {
    char letter;
    uint32_t extent;
    place step;
} loop;

static const loop loops[] = {
    {'i', SITES, {.site = 1}},           /* a site */
    {'n', 4, {.site = 1}},               /* a site of a quad, */
    {'q', SITES / 4, {.site = 4}},       /* a quad of sites */
    {'c', SIZE / 2, {.site = 1}},        /* a column, */
    {'y', 4, {.site = SIZE / 2}},        /* a row of a quad of rows, */
    {'Y', SIZE / 2, {.site = 2 * SIZE}}, /* a quad of rows */
    {'r', REPLICAS, {.slot = 1}},        /* a replica */
    {'a', 4, {.slot = 1}},               /* a lane of a quad of lanes, */
    {'b', 8, {.slot = 4}},               /* a quad of lanes, */
    {'l', 32, {.slot = 1}},              /* a lane, */
    {'w', REPLICAS / 32, {.slot = 32}},  /* a word of 32 lanes */
    {'L', 64, {.slot = 1}},              /* a lane, */
    {'W', REPLICAS / 64, {.slot = 64}},  /* a word of 64 lanes */
    {'s', SWEEPS, {.sweep = 1}},
    {'t', TEMPERATURES, {.temperature = 1}},
};

static const loop *loop_of(char letter) {
    for (size_t n = 0; n < COUNT(loops); n++)
        if (loops[n].letter == letter)
            return &loops[n];
    fail_msg("no loop '%c'", letter);
    return NULL;
}

/* [temperature][sweep][slot][site] */
static uint32_t numbers[TEMPERATURES][SWEEPS][REPLICAS][SITES];

/* Takes a run's numbers from the stream. A number serves `lanes` slots, from `first` on. */
static void take_numbers(stream_under_test *s, const char *order, uint32_t first, uint32_t lanes) {
    uint32_t at[8] = {0};
    memset(numbers, 0, sizeof numbers);
    size_t n;
    do {
        place p = {.slot = first};
        for (n = 0; order[n]; n++) {
            const place step = loop_of(order[n])->step;
            p.site += at[n] * step.site;
            p.slot += at[n] * step.slot;
            p.sweep += at[n] * step.sweep;
            p.temperature += at[n] * step.temperature;
        }
        const uint32_t number = stream_next(s);
        for (uint32_t lane = 0; lane < lanes; lane++)
            numbers[p.temperature][p.sweep][p.slot + lane][p.site] = number;
        for (n = 0; order[n] && ++at[n] == loop_of(order[n])->extent; n++)
            at[n] = 0;
    } while (order[n]);
}

/* --- The model --- */

/* How a replica's spins are decided: accept(d) for d = 0, 1. */
typedef int (*decision)(const engine_step *step, uint32_t slot, uint32_t sweep, uint32_t site,
                        int d);

static int by_number(const engine_step *step, uint32_t slot, uint32_t sweep, uint32_t site, int d) {
    return numbers[step->temperature - 1][sweep][slot][site] < step->rule.threshold[d];
}

static void model_sweep(replicas *r, const engine_step *step, uint32_t k, uint32_t slot,
                        uint32_t sweep, decision accept) {
    for (uint32_t site = 0; site < SITES; site++) {
        const uint32_t parity = site / (SITES / 2), row = site / (SIZE / 2) % SIZE,
                       x = site % (SIZE / 2) * 2 + (row + parity) % 2;
        const int d = antiparallel_neighbours(r, k, x, row);
        if (d >= 2 || accept(step, slot, sweep, site, d))
            set_spin(r, k, x, row, !spin_up(r, k, x, row));
    }
}

static engine_step step_at(stream_key key, uint32_t temperature, uint32_t sweeps) {
    engine_step step = {.key = key, .temperature = temperature, .sweeps = sweeps};
    step.rule = strip_rule(SIZE);
    return step;
}

/* Takes the engine and the model through a run, from the same first spins. Returns how many of the
 * replicas in slots of this residue modulo p (all for p = 1) differ at the end. */
static size_t differing_replicas(engine_config config, stream_key key, uint32_t sweeps,
                                 decision accept, uint32_t residue, uint32_t modulus) {
    config.model = square_model(SIZE);
    config.capacity = REPLICAS;
    replicas r = replicas_create(config, REPLICAS);
    const msc_layout layout = msc_layout_of(config.word, config.rng, REPLICAS);
    replicas_randomise(&r, key, REPLICAS);
    uint8_t *const engine_spins = malloc(REPLICAS * r.bytes);
    assert_non_null(engine_spins);
    for (uint32_t t = 1; t <= TEMPERATURES; t++) {
        const engine_step step = step_at(key, t, sweeps);
        replicas_step(&r, step);
        for (uint32_t k = 0; k < REPLICAS; k++)
            for (uint32_t sweep = 0; sweep < sweeps; sweep++)
                model_sweep(&r, &step, k, (uint32_t)msc_slot(&layout, k), sweep, accept);
    }
    /* replicas_save overwrites the model's spins. */
    uint8_t *const model_spins = r.spins;
    r.spins = engine_spins;
    replicas_save(&r);
    size_t differing = 0;
    for (uint32_t k = 0; k < REPLICAS; k++)
        if (msc_slot(&layout, k) % modulus == residue)
            differing +=
                memcmp(engine_spins + k * r.bytes, model_spins + k * r.bytes, r.bytes) != 0;
    free(model_spins);
    replicas_destroy(&r);
    return differing;
}

/* --- Numbers compared with thresholds --- */

typedef struct {
    const char *name, *order;
    uint32_t first, lanes;     /* the slots, from the order's on, that a number serves */
    uint32_t residue, modulus; /* of the slots whose numbers are in the stream */
    engine_config config;
} comparison;

#define SSC_CONFIG                                                                                 \
    { .coding = CODING_SSC, .word = 1 }
#define MSC_CONFIG(p, mode)                                                                        \
    { .coding = CODING_MSC, .word = p, .rng = mode }

static const comparison comparisons[] = {
    {"ssc-sites", "nqsrt", 0, 1, 0, 1, SSC_CONFIG},
    {"ssc-replicas", "rnqst", 0, 1, 0, 1, SSC_CONFIG},
    {"ssc-sweeps", "sntqr", 0, 1, 0, 1, SSC_CONFIG},
    {"philox-lanes", "abiswt", 0, 1, 0, 1, MSC_CONFIG(32, RNG_PHILOX)},
    {"philox-sites", "iasbwt", 0, 1, 0, 1, MSC_CONFIG(32, RNG_PHILOX)},
    {"philox-sweeps", "satibw", 0, 1, 0, 1, MSC_CONFIG(32, RNG_PHILOX)},
    {"shared-sites", "cyYswt", 0, 32, 0, 1, MSC_CONFIG(32, RNG_SHARED)},
    {"shared-words", "wycYst", 0, 32, 0, 1, MSC_CONFIG(32, RNG_SHARED)},
    {"shared-sweeps", "sytcYw", 0, 32, 0, 1, MSC_CONFIG(32, RNG_SHARED)},
    {"lcg-lanes", "lycYswt", 0, 1, 0, 1, MSC_CONFIG(32, RNG_LCG)},
    {"lcg-sites", "ycYswt", 31, 1, 31, 32, MSC_CONFIG(32, RNG_LCG)},
    {"lcg-lanes-64", "LycYsWt", 0, 1, 0, 1, MSC_CONFIG(64, RNG_LCG)},
    {"lcg-sites-64", "ycYsWt", 63, 1, 63, 64, MSC_CONFIG(64, RNG_LCG)},
};

static stream_under_test open_stream(const char *name) {
    stream_under_test s;
    assert_int_equal(stream_open(&s, name, shape, seed), 0);
    return s;
}

static void compared_numbers_are_the_engines(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(comparisons); n++) {
        const comparison *const c = &comparisons[n];
        const uint32_t compared = REPLICAS / c->modulus;
        stream_under_test s = open_stream(c->name);
        for (uint32_t run = 0; run < RUNS; run++) {
            take_numbers(&s, c->order, c->first, c->lanes);
            const stream_key key = stream_run_key(seed, run);
            const size_t differing =
                differing_replicas(c->config, key, SWEEPS, by_number, c->residue, c->modulus);
            if (differing)
                fail_msg("%s, run %u: %zu of %u replicas differ", c->name, run, differing,
                         compared);
        }
        /* Negative control: another run's engine. */
        const stream_key other = stream_run_key(seed, RUNS);
        assert_int_equal(
            differing_replicas(c->config, other, SWEEPS, by_number, c->residue, c->modulus),
            compared);
        stream_close(&s);
    }
}

/* --- Bit planes and points --- */

enum {
    STRIPS = SIZE / 8 * SIZE / 2,
    COLUMNS = SIZE / 2,
    WORDS = REPLICAS / 32,
    HALVES = 2 * SWEEPS
};

static strip_draws strips[TEMPERATURES][WORDS][HALVES][STRIPS];

static int by_strip(const engine_step *step, uint32_t slot, uint32_t sweep, uint32_t site, int d) {
    const uint32_t parity = site / (SITES / 2), y = site / COLUMNS % SIZE, lane = slot % 32,
                   strip = y / 8 * COLUMNS + site % COLUMNS;
    const strip_draws *const n =
        &strips[step->temperature - 1][slot / 32][2 * sweep + parity][strip];
    return strip_accepts(n, &step->rule.bernoulli, (uint32_t)d, y % 8) >> lane & 1;
}

/* Every second, third, ... number of an array. */
typedef struct {
    const uint32_t *number;
    size_t stride, left;
} strided;

static uint32_t next_of_array(void *source) {
    strided *const s = source;
    assert_true(s->left-- > 0);
    const uint32_t number = *s->number;
    s->number += s->stride;
    return number;
}

static uint32_t next_of_arrays(void *arrays, uint32_t strip) {
    return next_of_array(&((strided *)arrays)[strip]);
}

/* A lattice in a half sweep of a step of so many sweeps, its numbers from anywhere. */
static strip_lattice lattice_at(const bernoulli_table *table, uint32_t sweeps, strip_source *next,
                                void *sources) {
    static uint32_t points[STRIPS];
    const strip_lattice l = {.table = table,
                             .strips = STRIPS,
                             .half_sweeps = 2 * sweeps,
                             .next = next,
                             .sources = sources,
                             .points = points};
    return l;
}

/* The orders of the streams "mwc-strip" (one column at a time) and "mwc-strips" (all columns draw by
 * draw): all draws of a strip as they come, of fewer sweeps, since a strip may draw more than on the average. */
static void take_successive(stream_under_test *s, const bernoulli_table *table, bool lockstep,
                            uint32_t sweeps) {
    const uint32_t columns = lockstep ? COLUMNS : 1;
    stream_next(s); /* now the stream has its numbers */
    s->next--;
    const size_t draws = s->count / columns;
    uint32_t *const raw = malloc(draws * STRIPS * sizeof *raw);
    strided sources[STRIPS];
    assert_non_null(raw);
    for (uint32_t t = 0; t < TEMPERATURES; t++)
        for (uint32_t word = 0; word < WORDS; word++) {
            for (size_t n = 0; n < draws * STRIPS; n++)
                raw[n] = stream_next(s);
            for (uint32_t strip = 0; strip < STRIPS; strip++)
                sources[strip] = (strided){
                    raw + strip / columns * columns * draws + strip % columns, columns, draws};
            strip_lattice l = lattice_at(table, sweeps, next_of_arrays, sources);
            for (; l.half_sweep < l.half_sweeps; l.half_sweep++) {
                draw_corrections(&l, strips[t][word][l.half_sweep]);
                draw_planes(&l, strips[t][word][l.half_sweep]);
            }
        }
    free(raw);
}

/* Bit k of number `group` of a lane is the lane's bit in plane 32 group + k of the row in this step.
 */
static void place_bits(strip_draws halves[HALVES][STRIPS], const bernoulli_table *table,
                       uint32_t strip, uint32_t row, uint32_t lane, uint32_t group,
                       uint32_t number) {
    for (uint32_t k = 0; k < 32; k++) {
        const uint32_t n = 32 * group + k;
        halves[n / table->planes][strip].planes[n % table->planes][row] |= (number >> k & 1)
                                                                           << lane;
    }
}

/* Of "mwc-points", which has a strip's corrections at a time. */
static void take_corrections(stream_under_test *points, strip_draws halves[HALVES][STRIPS],
                             const bernoulli_table *table) {
    uint32_t *lists[STRIPS];
    strided sources[STRIPS];
    for (uint32_t strip = 0; strip < STRIPS; strip++) {
        const uint32_t first = stream_next(points);
        const size_t count = points->count;
        lists[strip] = malloc(count * sizeof *lists[strip]);
        assert_non_null(lists[strip]);
        lists[strip][0] = first;
        for (size_t n = 1; n < count; n++)
            lists[strip][n] = stream_next(points);
        sources[strip] = (strided){lists[strip], 1, count};
    }
    strip_lattice l = lattice_at(table, SWEEPS, next_of_arrays, sources);
    for (; l.half_sweep < l.half_sweeps; l.half_sweep++)
        draw_corrections(&l, halves[l.half_sweep]);
    for (uint32_t strip = 0; strip < STRIPS; strip++) {
        assert_int_equal(sources[strip].left, 0);
        free(lists[strip]);
    }
}

/* The orders of "mwc-lane" and "mwc-lanes", with the points of "mwc-points". */
static void take_bits(stream_under_test *s, stream_under_test *points, const bernoulli_table *table,
                      bool lanes_fastest) {
    const uint32_t groups = HALVES * table->planes / 32;
    for (uint32_t t = 0; t < TEMPERATURES; t++)
        for (uint32_t word = 0; word < WORDS; word++) {
            take_corrections(points, strips[t][word], table);
            for (uint32_t strip = 0; strip < STRIPS; strip++)
                for (uint32_t row = 0; row < 8; row++)
                    for (uint32_t n = 0; n < 32 * groups; n++) {
                        const uint32_t lane = lanes_fastest ? n % 32 : n / groups,
                                       group = lanes_fastest ? n / 32 : n % groups;
                        place_bits(strips[t][word], table, strip, row, lane, group, stream_next(s));
                    }
        }
}

static void strip_numbers_are_the_engines(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool fast;       /* columns or lanes */
        bool bits;       /* planes and points apart */
        uint32_t sweeps; /* that it has all numbers for */
    } orders[] = {{"mwc-strip", false, false, SWEEPS - 4},
                  {"mwc-strips", true, false, SWEEPS - 4},
                  {"mwc-lane", false, true, SWEEPS},
                  {"mwc-lanes", true, true, SWEEPS}};
    const engine_config config = MSC_CONFIG(32, RNG_INDEPENDENT);
    const bernoulli_table table = step_at((stream_key){{0}}, 0, 0).rule.bernoulli;
    for (size_t n = 0; n < COUNT(orders); n++) {
        stream_under_test s = open_stream(orders[n].name), points = open_stream("mwc-points");
        for (uint32_t run = 0; run < RUNS; run++) {
            if (orders[n].bits)
                take_bits(&s, &points, &table, orders[n].fast);
            else
                take_successive(&s, &table, orders[n].fast, orders[n].sweeps);
            const size_t differing = differing_replicas(config, stream_run_key(seed, run),
                                                        orders[n].sweeps, by_strip, 0, 1);
            if (differing)
                fail_msg("%s, run %u: %zu replicas differ", orders[n].name, run, differing);
        }
        /* Negative control: another run's engine. */
        assert_int_equal(differing_replicas(config, stream_run_key(seed, RUNS), orders[n].sweeps,
                                            by_strip, 0, 1),
                         REPLICAS);
        stream_close(&s);
        stream_close(&points);
    }
}

/* "mwc-endless" begins as "mwc-strip" does, and then goes on where that begins a new strip. */
static void the_endless_strip_goes_on(void **state) {
    (void)state;
    stream_under_test endless = open_stream("mwc-endless"), strip = open_stream("mwc-strip");
    const stream_block b = stream_draw(stream_run_key(seed, 0), STREAM_MWC, 0, 0, 0, 1);
    mwc_state mwc = mwc_seed(b.number[0], b.number[1], b.number[2], b.number[3]);
    size_t equal = 0;
    uint32_t number;
    while ((number = stream_next(&endless)) == stream_next(&strip)) {
        assert_int_equal(number, mwc_next(&mwc));
        equal++;
    }
    assert_int_equal(equal, strip.count);
    assert_int_equal(number, mwc_next(&mwc));
    for (size_t n = 0; n < 3 * endless.count; n++)
        assert_int_equal(stream_next(&endless), mwc_next(&mwc));
    stream_close(&endless);
    stream_close(&strip);
}

/* --- First spins, and resampling --- */

static void first_spins_are_the_engines(void **state) {
    (void)state;
    engine_config ssc = SSC_CONFIG, msc = MSC_CONFIG(32, RNG_INDEPENDENT);
    ssc.model = msc.model = square_model(SIZE);
    ssc.capacity = msc.capacity = REPLICAS;
    stream_under_test bits = open_stream("randomise-ssc"), words = open_stream("randomise-msc");
    for (uint32_t run = 0; run < RUNS; run++) {
        replicas s = replicas_create(ssc, REPLICAS), m = replicas_create(msc, REPLICAS);
        replicas_randomise(&s, stream_run_key(seed, run), REPLICAS);
        replicas_randomise(&m, stream_run_key(seed, run), REPLICAS);
        take_numbers(&words, "nqw", 0, 32);
        for (uint32_t k = 0; k < REPLICAS; k++)
            for (uint32_t i = 0; i < SITES; i++) {
                const uint32_t number = i % 32 ? 0 : stream_next(&bits);
                for (uint32_t bit = 0; i % 32 == 0 && bit < 32; bit++)
                    assert_int_equal(s.spins[k * s.bytes + (i + bit) / 8] >> (i + bit) % 8 & 1,
                                     number >> bit & 1);
                assert_int_equal(m.spins[k * m.bytes + i / 8] >> i % 8 & 1,
                                 numbers[0][0][k][i] >> k % 32 & 1);
            }
        replicas_destroy(&s);
        replicas_destroy(&m);
    }
    stream_close(&bits);
    stream_close(&words);
}

/* One copy of every replica and another with probability 3/8: how many there are of each. */
static void resampling_takes_the_stream(void **state) {
    (void)state;
    const uint32_t fraction = 0x60000000;
    engine_config config = SSC_CONFIG;
    config.model = square_model(SIZE);
    config.capacity = 2 * REPLICAS;
    stream_under_test s = open_stream("resample");
    replicas r = replicas_create(config, REPLICAS);
    for (size_t n = 0; n < r.worker->model.levels.count; n++)
        r.tau_hat[n] += fraction;
    for (uint32_t run = 0; run < RUNS; run++) {
        take_numbers(&s, "rt", 0, 1);
        for (uint32_t t = 1; t <= TEMPERATURES; t++) {
            uint32_t copies[REPLICAS] = {0};
            replicas_randomise(&r, stream_run_key(seed, run), REPLICAS);
            replicas_step(&r, step_at(stream_run_key(seed, run), t, 0));
            replicas_save(&r);
            for (uint64_t k = 0; k < r.count; k++)
                copies[r.families[k]]++;
            for (uint32_t k = 0; k < REPLICAS; k++)
                assert_int_equal(copies[k], 1 + (numbers[t - 1][0][k][0] < fraction));
        }
    }
    replicas_destroy(&r);
    stream_close(&s);
}

/* --- Streams that no engine consumes --- */

/* Seven rounds at the counters of ssc-sites, and so for the other orders. */
static void seven_rounds_are_at_the_same_counters(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"philox7-sites", "nqsrt"}, {"philox7-replicas", "rnqst"}, {"philox7-sweeps", "sntqr"}};
    const stream_key key = stream_run_key(seed, 0);
    const philox4x32_key_t k = {{key.word[0], key.word[1]}};
    for (size_t n = 0; n < COUNT(names); n++) {
        stream_under_test s = open_stream(names[n][0]);
        take_numbers(&s, names[n][1], 0, 1);
        for (uint32_t t = 1; t <= TEMPERATURES; t++)
            for (uint32_t sweep = 0; sweep < SWEEPS; sweep++)
                for (uint32_t slot = 0; slot < REPLICAS; slot++)
                    for (uint32_t site = 0; site < SITES; site++) {
                        const philox4x32_ctr_t c = {
                            {STREAM_SSC * 0x10000000u + site / 4, slot, sweep, t}};
                        assert_int_equal(numbers[t - 1][sweep][slot][site],
                                         philox4x32_R(7, c, k).v[site % 4]);
                    }
        stream_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compared_numbers_are_the_engines),
        cmocka_unit_test(strip_numbers_are_the_engines),
        cmocka_unit_test(the_endless_strip_goes_on),
        cmocka_unit_test(first_spins_are_the_engines),
        cmocka_unit_test(resampling_takes_the_stream),
        cmocka_unit_test(seven_rounds_are_at_the_same_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
