/* The vectorised MSC kernels: every instruction set that the processor has collects, sweeps and
 * measures with the same bits as the first, `base`, on random lattices of any model and width; `base` collects
 * and counts, and every set packs, as plain loops over lanes and sites do. Every set draws the numbers of
 * single-spin coding call by call, and makes its flips site by site. A set that the processor lacks is skipped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/msc_kernels.h"
#include "engine/strips.h"
#include "validate/lib/some_models.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Lattices whose rows, of L/2 words or a word for each strip, do and do not fill vectors of 4, 8 and 16 words. */
static const struct {
    const model_kind *kind;
    lattice_size size;
    bond_cut cut;
} lattices[] = {{&square_kind, {{16}}, ALL_BONDS},
                {&square_kind, {{32}}, ALL_BONDS},
                {&square_kind, {{48}}, ALL_BONDS},
                {&square_kind, {{80}}, ALL_BONDS},
                {&square_kind, {{112}}, ALL_BONDS},
                {&square_kind, {{128}}, ALL_BONDS},
                {&square_kind, {{16, 48}}, ALL_BONDS},
                {&square_kind, {{80, 16}}, ALL_BONDS},
                {&glass2d_kind, {{16}}, ALL_BONDS},
                {&glass2d_kind, {{48, 32}}, ALL_BONDS},
                {&cubic_kind, {{4}}, ALL_BONDS},
                {&cubic_kind, {{6}}, ALL_BONDS},
                {&cubic_kind, {{8}}, ALL_BONDS},
                {&cubic_kind, {{10, 4, 6}}, ALL_BONDS},
                {&cubic_kind, {{12, 14, 16}}, ALL_BONDS},
                {&glass3d_kind, {{4, 6, 6}}, ALL_BONDS},
                {&glass3d_kind, {{6, 6, 6}}, ALL_BONDS},
                {&glass3d_kind, {{8, 8, 12}}, ALL_BONDS},
                {&glass3d_kind, {{10}}, ALL_BONDS},
                {&glass3d_kind, {{16}}, ALL_BONDS},
                {&square_kind, {{6}}, ALL_BONDS},
                {&square_kind, {{10, 14}}, ALL_BONDS},
                {&glass2d_kind, {{34, 20}}, ALL_BONDS},
                {&glass2d_kind, {{14, 12}}, {"open", 0.2}},
                {&glass2d_kind, {{80, 32}}, {"open", 0.1}},
                {&cubic_kind, {{6, 10, 4}}, {"open,antiperiodic,open", 0}},
                {&glass3d_kind, {{12}}, {NULL, 0.3}}};

/* --- Lattices --- */

/* A model with the shape of its lattice. */
typedef struct {
    couplings sample;
    spin_model model;
    msc_shape shape;
} any_model;

static void model_begin(any_model *m, size_t n) {
    m->model = some_cut_model(lattices[n].kind, lattices[n].size, n, lattices[n].cut, &m->sample);
    assert_int_equal(shape_create(&m->shape, &m->model), 0);
}

static void model_end(any_model *m) {
    shape_destroy(&m->shape);
    couplings_destroy(&m->sample);
}

static uint32_t any_number(void) {
    static uint32_t n = 0;
    return stream_philox((stream_key){{314, 159}}, n++, 0, 0, 0).number[0];
}

static msc_lattice empty_lattice(const any_model *m) {
    msc_lattice lattice;
    assert_int_equal(lattice_create(&lattice, &m->shape), 0);
    return lattice;
}

/* The word of a site, where the definition of the strips puts it. */
static const uint32_t *site_word(const msc_lattice *lattice, const spin_model *m, lattice_site s) {
    const strip_place p = site_strip(m, s);
    const uint32_t columns = lattice->shape->columns;
    return lattice_row(lattice, site_colour(s), p.strip / columns * 8 + p.word) + p.strip % columns;
}

/* Without a site that differs: what stands between the rows does not count. */
static int same_spins(const any_model *m, const msc_lattice *a, const msc_lattice *b) {
    for (uint64_t n = 0; n < m->model.sites; n++) {
        const lattice_site s = site_at(&m->model, n);
        if (*site_word(a, &m->model, s) != *site_word(b, &m->model, s))
            return 0;
    }
    return 1;
}

/* --- Sources of a lattice --- */

typedef struct {
    uint32_t *spins; /* [32][words of a lattice], and room for a vector */
    msc_source source[MACHINE_LANES];
    size_t count;
} gathering;

/* `count` random lattices, and random lanes of the 32 from each, turned by any rotation; one in
 * four lanes comes from none. */
static gathering gathering_create(const any_model *m, size_t count) {
    const size_t words = shape_words(&m->shape);
    gathering g = {.spins = malloc((count * words + VECTOR_ALIGNMENT) * sizeof(uint32_t)),
                   .count = count};
    assert_non_null(g.spins);
    for (size_t i = 0; i < count * words; i++)
        g.spins[i] = any_number();
    for (size_t n = 0; n < count; n++)
        g.source[n] = (msc_source){g.spins + n * words, any_number() % MACHINE_LANES, 0};
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (any_number() % 4)
            g.source[any_number() % count].lanes |= 1u << lane;
    return g;
}

/* The word of one site, lane by lane. */
static uint32_t gathered_word(const gathering *g, size_t site) {
    uint32_t word = 0;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        for (size_t n = 0; n < g->count; n++) {
            const uint32_t from = (lane + MACHINE_LANES - g->source[n].rotation) % MACHINE_LANES;
            if (g->source[n].lanes >> lane & 1)
                word |= (g->source[n].spins[site] >> from & 1) << lane;
        }
    return word;
}

/* --- The first set against plain loops --- */

static void base_collects_lane_by_lane(void **state) {
    (void)state;
    const msc_kernels *const base = msc_kernels_named("base");
    static const size_t counts[] = {1, 2, 3, 7, 31, 32};
    for (size_t i = 0; i < COUNT(lattices); i++)
        for (size_t k = 0; k < COUNT(counts); k++) {
            any_model m;
            model_begin(&m, i);
            const uint32_t rows = m.shape.rows, columns = m.shape.columns;
            msc_lattice lattice = empty_lattice(&m);
            gathering g = gathering_create(&m, counts[k]);
            base->gather(&lattice, g.source, g.count);
            for (uint32_t y = 0; y < 2 * rows; y++) {
                if (y % rows >= m.shape.height) /* without sites */
                    continue;
                const uint32_t *const row = lattice_row(&lattice, y / rows, y % rows);
                for (uint32_t j = 0; j < columns; j++)
                    assert_int_equal(row[j], gathered_word(&g, y * columns + j));
                assert_int_equal(row[-1], row[columns - 1]);
                assert_int_equal(row[columns], row[0]);
            }
            free(g.spins);
            lattice_destroy(&lattice);
            model_end(&m);
        }
}

/* The spin of one lane. */
static uint32_t spin(const any_model *m, const msc_lattice *lattice, uint32_t lane,
                     lattice_site s) {
    return *site_word(lattice, &m->model, s) >> lane & 1;
}

/* Unsatisfied bonds, those missing at even sites that count as such, and spins up of one lane. */
static void count_sites(const any_model *m, const msc_lattice *lattice, uint32_t lane,
                        uint32_t *bonds, uint32_t *up) {
    *bonds = *up = 0;
    for (uint64_t n = 0; n < m->model.sites; n++) {
        const lattice_site s = site_at(&m->model, n);
        *up += spin(m, lattice, lane, s);
        if (m->model.sample != NULL && site_colour(s) == 0)
            *bonds += (m->model.coordination - couplings_of_site(m->model.sample, n)) / 2;
        for (uint32_t d = 0; d < m->model.dimension; d++) {
            int j;
            const lattice_site next = site_beside(&m->model, s, d, true, &j);
            *bonds +=
                j != 0 && (spin(m, lattice, lane, s) ^ spin(m, lattice, lane, next) ^ (j < 0));
        }
    }
}

static void base_counts_site_by_site(void **state) {
    (void)state;
    const msc_kernels *const base = msc_kernels_named("base");
    for (size_t i = 0; i < COUNT(lattices); i++)
        for (int kind = 0; kind < 3; kind++) { /* random, all up, all down: the largest counts */
            any_model m;
            model_begin(&m, i);
            msc_lattice lattice = empty_lattice(&m);
            gathering g = gathering_create(&m, 32);
            for (size_t n = 0; kind && n < 32 * shape_words(&m.shape); n++)
                g.spins[n] = kind == 1 ? UINT32_MAX : 0;
            for (size_t n = 0; n < g.count; n++)
                g.source[n].lanes = 1u << n;
            base->gather(&lattice, g.source, g.count);
            uint32_t bonds[MACHINE_LANES], up[MACHINE_LANES];
            base->measure(&lattice, bonds, up);
            for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
                uint32_t expected_bonds, expected_up;
                count_sites(&m, &lattice, lane, &expected_bonds, &expected_up);
                assert_int_equal(up[lane], expected_up);
                assert_int_equal(bonds[lane], expected_bonds);
            }
            free(g.spins);
            lattice_destroy(&lattice);
            model_end(&m);
        }
}

/* --- Every set against plain loops --- */

/* How many bits of a machine word's lattice differ from those of its 32 packed replicas. */
static size_t wrong_bits(const uint32_t *words, const uint8_t *spins, size_t sites) {
    size_t wrong = 0;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        for (size_t i = 0; i < sites; i++)
            wrong +=
                (words[i] >> lane & 1) != ((unsigned)spins[(lane * sites + i) / 8] >> i % 8 & 1);
    return wrong;
}

static void set_packs_lane_by_lane(const msc_kernels *set, size_t sites) {
    uint32_t *const words = malloc((sites + 1) * sizeof *words);
    uint32_t *const packed = malloc((sites + 1) * sizeof *packed);
    assert_true(words && packed);
    for (size_t i = 0; i <= sites; i++)
        words[i] = packed[i] = any_number();
    const uint32_t behind_words = words[sites], behind_packed = packed[sites];
    set->pack(words, sites, (uint8_t *)packed);
    assert_int_equal(wrong_bits(words, (uint8_t *)packed, sites), 0);
    for (size_t i = 0; i < sites; i++)
        packed[i] = any_number();
    set->unpack(words, sites, (const uint8_t *)packed);
    assert_int_equal(wrong_bits(words, (uint8_t *)packed, sites), 0);
    assert_int_equal(words[sites], behind_words);
    assert_int_equal(packed[sites], behind_packed);
    words[sites / 2] ^= 1u << 31; /* negative control */
    assert_int_equal(wrong_bits(words, (uint8_t *)packed, sites), 1);
    free(words);
    free(packed);
}

static void every_set_packs_lane_by_lane(void **state) {
    (void)state;
    static const char *const names[] = {"base", "v3", "v4"};
    static const size_t sites[] = {64, 96, 216, 256, 240, 264, 512, 1000, 1024, 2304, 12544};
    for (size_t n = 0; n < COUNT(names); n++) {
        const msc_kernels *const set = msc_kernels_named(names[n]);
        for (size_t i = 0; set && i < COUNT(sites); i++)
            set_packs_lane_by_lane(set, sites[i]);
    }
}

/* --- The other sets against the first --- */

/* Three sweeps at the temperature `temperature`. */
static engine_step sweeps_at(const update_kind *update, const any_model *m, double beta,
                             uint32_t temperature) {
    engine_step step = {.key = {{27, 18}},
                        .temperature = temperature,
                        .sweeps = 3,
                        .rule = flip_rule_at(update, &m->model, beta)};
    return step;
}

static msc_flips flips_of(rng_mode rng, uint32_t word, uint32_t machine_word,
                          const engine_step *step) {
    static const visit_plan checkerboard = {.order = VISIT_CHECKERBOARD};
    return (msc_flips){rng,
                       word,
                       machine_word,
                       step,
                       &checkerboard,
                       &step->rule,
                       step_rounding(step, &step->rule),
                       step_odd_rounding(step, &step->rule)};
}

/* Whether two sets do the same with one lattice: collect, sweep, measure. */
static int same_bits(const any_model *m, const msc_kernels *a, const msc_kernels *b, rng_mode rng,
                     uint32_t word, const engine_step step[2]) {
    msc_lattice lattice_a = empty_lattice(m), lattice_b = empty_lattice(m);
    gathering g = gathering_create(m, 1 + any_number() % 32);
    const uint32_t machine_word = any_number() % 1000;
    const msc_flips flips_a = flips_of(rng, word, machine_word, &step[0]);
    const msc_flips flips_b = flips_of(rng, word, machine_word, &step[1]);
    uint32_t bonds[2][MACHINE_LANES], up[2][MACHINE_LANES];
    a->gather(&lattice_a, g.source, g.count);
    b->gather(&lattice_b, g.source, g.count);
    int same = same_spins(m, &lattice_a, &lattice_b);
    a->sweep(&lattice_a, &flips_a);
    b->sweep(&lattice_b, &flips_b);
    same &= same_spins(m, &lattice_a, &lattice_b);
    a->measure(&lattice_a, bonds[0], up[0]);
    b->measure(&lattice_b, bonds[1], up[1]);
    same &= !memcmp(bonds[0], bonds[1], sizeof bonds[0]) && !memcmp(up[0], up[1], sizeof up[0]);
    free(g.spins);
    lattice_destroy(&lattice_a);
    lattice_destroy(&lattice_b);
    return same;
}

static void compare_with_base(const char *name) {
    const msc_kernels *const base = msc_kernels_named("base");
    const msc_kernels *const other = msc_kernels_named(name);
    if (!other) {
        print_message("SKIP: this processor cannot run the instruction set %s\n", name);
        skip();
    }
    assert_string_equal(other->name, name);
    for (size_t i = 0; i < COUNT(lattices); i++) {
        any_model m;
        model_begin(&m, i);
        const bool all = m.model.dimension == 2 && !has_uneven_edges(&m.model);
        for (rng_mode rng = RNG_INDEPENDENT; rng <= (all ? RNG_LCG : RNG_INDEPENDENT); rng++)
            for (uint32_t word = 8; word <= 64; word *= 2)
                for (uint32_t repeat = 0; repeat < (rng == RNG_INDEPENDENT ? 8 : 1); repeat++) {
                    const update_kind *const update = rng == RNG_INDEPENDENT && repeat % 2
                                                          ? &heat_bath_update
                                                          : &metropolis_update;
                    const engine_step step = sweeps_at(update, &m, 0.01 + 0.15 * repeat, repeat);
                    const engine_step both[2] = {step, step};
                    if (!same_bits(&m, base, other, rng, word, both))
                        fail_msg("base and %s differ in %s, lattice %zu, %s, p = %u", name,
                                 m.model.name, i, rng_name(rng), word);
                }
        /* Negative control: the smallest change of a threshold. */
        engine_step near[2] = {sweeps_at(&metropolis_update, &m, 0.1, 1),
                               sweeps_at(&metropolis_update, &m, 0.1, 1)};
        near[1].rule.bernoulli.bits[m.model.gaps - 1] ^= 1;
        assert_true(m.model.sites < 10000 ||
                    !same_bits(&m, base, other, RNG_INDEPENDENT, 32, near));
        model_end(&m);
    }
}

static void v3_has_the_bits_of_base(void **state) {
    (void)state;
    compare_with_base("v3");
}

static void v4_has_the_bits_of_base(void **state) {
    (void)state;
    compare_with_base("v4");
}

/* Whether the system names each of these features of the processor, with a space around each. */
static int processor_has(const char *const features[], size_t count) {
    static char line[8192] = " ";
    FILE *const file = fopen("/proc/cpuinfo", "r");
    int has = file != NULL;
    while (has && strncmp(line, "flags", 5) != 0)
        has = fgets(line, sizeof line - 1, file) != NULL;
    if (file != NULL)
        fclose(file);
    line[strcspn(line, "\n")] = ' ';
    for (size_t n = 0; n < count && has; n++)
        has = strstr(line, features[n]) != NULL;
    return has;
}

/* The numbers of single-spin coding, call by call: of quads up to the last one that a position has room for. */
static void every_set_draws_the_numbers_of_a_stream(void **state) {
    (void)state;
    static const char *const names[] = {"base", "v3", "v4"};
    static const uint32_t quads[] = {0, 5, 123456, (1u << STREAM_POSITION_BITS) - 24};
    const stream_key key = {{0x89abcdef, 0x01234567}};
    uint32_t number[24 * 4];
    for (size_t n = 0; n < COUNT(names); n++) {
        const msc_kernels *const set = msc_kernels_named(names[n]);
        for (size_t q = 0; q < COUNT(quads) && set != NULL; q++) {
            const uint32_t replica = UINT32_MAX - (uint32_t)q, sweep = 0x80000001u, temperature = 7;
            set->draw(number, quads[q], 24, key, replica, sweep, temperature);
            for (uint32_t call = 0; call < 24; call++) {
                const stream_block want =
                    stream_draw(key, STREAM_SSC, quads[q] + call, replica, sweep, temperature);
                assert_memory_equal(number + 4 * call, want.number, sizeof want.number);
            }
        }
    }
}

/* The site x, y, z of a lattice whose boundaries are periodic. */
static int8_t spin_at(const ssc_half *h, const int8_t *spin, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t lx = h->edge[0], ly = h->edge[1], lz = h->edge[2];
    return spin[((z + lz) % lz * ly + (y + ly) % ly) * lx + (x + lx) % lx];
}

/* Flips of a sub-lattice, site by site. */
static void flip_plainly(int8_t *spin, const ssc_half *h, const uint32_t *number) {
    for (uint32_t z = 0, i = 0; z < h->edge[2]; z++)
        for (uint32_t y = 0; y < h->edge[1]; y++)
            for (uint32_t x = 0; x < h->edge[0]; x++, i++) {
                if ((x + y + z + h->parity) % 2 != 0)
                    continue;
                int field = spin_at(h, spin, x - 1, y, z) + spin_at(h, spin, x + 1, y, z) +
                            spin_at(h, spin, x, y - 1, z) + spin_at(h, spin, x, y + 1, z);
                if (h->dimension == 3)
                    field += spin_at(h, spin, x, y, z - 1) + spin_at(h, spin, x, y, z + 1);
                const int product = spin[i] * field, half = abs(product) / 2;
                const bool below = *number++ < h->threshold[(int)h->dimension - half];
                const bool flips = h->complement ? below != (product < 0) : product <= 0 || below;
                spin[i] = flips ? (int8_t)-spin[i] : spin[i];
            }
}

/* Numbers next to the thresholds, which are the largest and the smallest ones, too, and may be equal. */
static void every_set_flips_site_by_site(void **state) {
    (void)state;
    enum { MOST = 96 * 6 };
    static const char *const names[] = {"base", "v3", "v4"};
    static const ssc_half halves[] = {{.dimension = 2, .edge = {32, 4, 1}},
                                      {.dimension = 2, .edge = {96, 6, 1}},
                                      {.dimension = 3, .edge = {32, 4, 4}},
                                      {.dimension = 3, .edge = {64, 4, 2}}};
    static const uint32_t thresholds[][MODEL_MAX_DIMENSION + 1] = {
        {0, 1, 0x7fffffff, 0x80000000}, {5, 5, 0x80000001, UINT32_MAX}, {0, 0, 0, 0}};
    for (size_t c = 0; c < COUNT(names) * COUNT(halves) * COUNT(thresholds) * 4; c++) {
        const msc_kernels *const set = msc_kernels_named(names[c % COUNT(names)]);
        ssc_half half = halves[c / COUNT(names) % COUNT(halves)];
        int8_t spin[MOST], want[MOST];
        uint32_t number[MOST / 2];
        half.threshold = thresholds[c / (COUNT(names) * COUNT(halves)) % COUNT(thresholds)];
        half.parity = c / (COUNT(names) * COUNT(halves) * COUNT(thresholds)) % 2;
        half.complement = c >= COUNT(names) * COUNT(halves) * COUNT(thresholds) * 2;
        for (uint32_t i = 0; i < MOST; i++) {
            const stream_block b =
                stream_draw((stream_key){{1, 2}}, STREAM_SSC, i, (uint32_t)c, 0, 0);
            want[i] = spin[i] = b.number[0] % 4 != 0 ? 1 : -1;
            number[i / 2] = half.threshold[b.number[1] % (half.dimension + 1)] - b.number[2] % 2;
        }
        if (set == NULL)
            continue;
        set->flip_half(spin, &half, number);
        flip_plainly(want, &half, number);
        assert_memory_equal(spin, want, sizeof want);
    }
}

/* A set is chosen where the processor has all that a compiler may use for it, and not left aside there. */
static void sets_run_where_all_is_there_that_they_may_use(void **state) {
    (void)state;
    static const char *const features[] = {" avx2 ",     " bmi1 ",     " bmi2 ",     " fma ",
                                           " f16c ",     " movbe ",    " abm ",      " avx512f ",
                                           " avx512bw ", " avx512cd ", " avx512dq ", " avx512vl "};
    assert_int_equal(msc_kernels_named("v3") != NULL, processor_has(features, 7));
    assert_int_equal(msc_kernels_named("v4") != NULL, processor_has(features, COUNT(features)));
}

static void the_best_set_is_one_of_them(void **state) {
    (void)state;
    const msc_kernels *const best = msc_kernels_best();
    print_message("best: %s\n", best->name);
    assert_ptr_equal(msc_kernels_named(best->name), best);
    assert_null(msc_kernels_named("v5"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_packs_lane_by_lane),
        cmocka_unit_test(base_collects_lane_by_lane),
        cmocka_unit_test(base_counts_site_by_site),
        cmocka_unit_test(v3_has_the_bits_of_base),
        cmocka_unit_test(v4_has_the_bits_of_base),
        cmocka_unit_test(every_set_draws_the_numbers_of_a_stream),
        cmocka_unit_test(every_set_flips_site_by_site),
        cmocka_unit_test(sets_run_where_all_is_there_that_they_may_use),
        cmocka_unit_test(the_best_set_is_one_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
