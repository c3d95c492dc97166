/* Lattices that are cut into stripes (model_stripe) have the neighbours of the whole lattice. At beta = 1000 Metropolis' rule is
 * deterministic: a flip that costs no energy is made, another one is not. So engines are held to a plain loop over the whole
 * lattice, spin by spin, and their counts of stripes to another one. */
#include "validate/lib/gpu_engine.h"

#include "engine/streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    spin_model lattice;
    uint32_t stripes;
    uint64_t lattices;
    int8_t *s; /* [lattices][N], sites along x, then y, then z */
} striped;

static const struct {
    const model_kind *kind;
    uint32_t edge[3], stripes;
    uint64_t lattices;
} cases[] = {{&square_kind, {32, 32, 1}, 2, 16},  {&square_kind, {16, 64, 1}, 4, 24},
             {&square_kind, {48, 128, 1}, 8, 4},  {&square_kind, {32, 256, 1}, 16, 6},
             {&square_kind, {64, 512, 1}, 32, 2}, {&cubic_kind, {4, 4, 4}, 2, 16},
             {&cubic_kind, {8, 6, 8}, 4, 8},      {&cubic_kind, {4, 10, 48}, 8, 12},
             {&cubic_kind, {12, 4, 32}, 16, 2},   {&cubic_kind, {4, 6, 128}, 32, 3}};

static uint64_t site_at(const spin_model *m, uint32_t x, uint32_t y, uint32_t z) {
    return ((uint64_t)(z % m->edge[2]) * m->edge[1] + y % m->edge[1]) * m->edge[0] + x % m->edge[0];
}

/* The neighbours of a site. */
static uint32_t neighbours(const spin_model *m, uint64_t site, uint64_t of[6]) {
    const uint32_t x = (uint32_t)(site % m->edge[0]),
                   y = (uint32_t)(site / m->edge[0] % m->edge[1]),
                   z = (uint32_t)(site / m->edge[0] / m->edge[1]);
    const uint64_t all[6] = {site_at(m, x + 1, y, z), site_at(m, x + m->edge[0] - 1, y, z),
                             site_at(m, x, y + 1, z), site_at(m, x, y + m->edge[1] - 1, z),
                             site_at(m, x, y, z + 1), site_at(m, x, y, z + m->edge[2] - 1)};
    memcpy(of, all, sizeof all);
    return 2 * m->dimension;
}

static uint32_t colour_of(const spin_model *m, uint64_t site) {
    return (uint32_t)(site % m->edge[0] + site / m->edge[0] % m->edge[1] +
                      site / m->edge[0] / m->edge[1]) %
           2;
}

static int field_at(const spin_model *m, const int8_t *s, uint64_t site) {
    uint64_t of[6];
    int sum = 0;
    const uint32_t count = neighbours(m, site, of);
    for (uint32_t n = 0; n < count; n++)
        sum += s[of[n]];
    return sum;
}

static void sweep(const spin_model *m, int8_t *s) {
    for (uint32_t colour = 0; colour < 2; colour++)
        for (uint64_t site = 0; site < m->sites; site++)
            if (colour_of(m, site) == colour && s[site] * field_at(m, s, site) <= 0)
                s[site] = (int8_t)-s[site];
}

/* Where a site is: the number of its stripe, and its bit there (engine.h, `read`). */
static uint64_t place_of(const striped *t, uint64_t site, uint32_t *bit) {
    const spin_model *const m = &t->lattice;
    const uint64_t sites = m->sites / t->stripes, in_stripe = site % sites;
    *bit = (uint32_t)(colour_of(m, site) * (sites / 2) + in_stripe / 2);
    return site / sites;
}

/* Copies the spins of all lattices to stripes, or back. */
static void copy(const striped *t, uint8_t *packed, bool to_stripes) {
    const uint64_t bytes = t->lattice.sites / t->stripes / 8;
    for (uint64_t k = 0; k < t->lattices; k++)
        for (uint64_t site = 0; site < t->lattice.sites; site++) {
            uint32_t bit;
            const uint64_t stripe = k * t->stripes + place_of(t, site, &bit);
            uint8_t *const byte = &packed[stripe * bytes + bit / 8];
            int8_t *const s = &t->s[k * t->lattice.sites + site];
            if (to_stripes && *s > 0)
                *byte |= (uint8_t)(1u << bit % 8);
            else if (!to_stripes)
                *s = *byte >> bit % 8 & 1 ? 1 : -1;
        }
}

static void claim_counts(const striped *t, engine *e) {
    const spin_model *const m = &t->lattice;
    const uint64_t lanes = t->lattices * t->stripes;
    uint32_t *const counts = calloc(4 * lanes, sizeof *counts);
    assert_non_null(counts);
    uint32_t *const bonds = counts, *const up = counts + lanes, *const unsatisfied = up + lanes,
                    *const spins = unsatisfied + lanes;
    for (uint64_t k = 0; k < t->lattices; k++)
        for (uint64_t site = 0; site < m->sites; site++) {
            const int8_t *const s = t->s + k * m->sites;
            uint32_t bit;
            const uint64_t lane = k * t->stripes + place_of(t, site, &bit);
            up[lane] += s[site] > 0;
            if (colour_of(m, site) == 0)
                bonds[lane] +=
                    (uint32_t)((int)(2 * m->dimension) - s[site] * field_at(m, s, site)) / 2;
        }
    assert_int_equal(e->verbs->read_stripes(e, 0, lanes, unsatisfied, spins), ENGINE_OK);
    assert_memory_equal(unsatisfied, bonds, lanes * sizeof *bonds);
    assert_memory_equal(spins, up, lanes * sizeof *up);
    free(counts);
}

static void claim_case(size_t n, engine *(*create)(const engine_config *)) {
    striped t = {cases[n].kind->create(cases[n].edge), cases[n].stripes, cases[n].lattices, NULL};
    const spin_model *const m = &t.lattice;
    const uint64_t lanes = t.lattices * t.stripes, spins = t.lattices * m->sites;
    const engine_config config = {.coding = CODING_MSC,
                                  .model = model_stripe(*m, t.stripes),
                                  .capacity = lanes,
                                  .word = 32,
                                  .rng = RNG_INDEPENDENT};
    const stream_key key = stream_run_key(2017, (uint32_t)n);
    engine *const e = create(&config);
    uint8_t *const packed = calloc(spins / 8, 1);
    uint32_t *const families = calloc(lanes, sizeof *families);
    t.s = calloc(spins, 1);
    assert_true(e != NULL && packed != NULL && families != NULL && t.s != NULL);
    for (uint64_t i = 0; i < spins; i++)
        t.s[i] = stream_philox(key, (uint32_t)i, 1, 2, 3).number[0] & 1 ? 1 : -1;
    for (uint64_t k = 0; k < lanes; k++)
        families[k] = (uint32_t)k;
    copy(&t, packed, true);
    assert_int_equal(e->verbs->write(e, 0, lanes, lanes, packed, families), ENGINE_OK);
    const engine_step step = {.parts = PART_SWEEP | PART_MEASURE,
                              .key = key,
                              .temperature = 1,
                              .sweeps = 3,
                              .founders = lanes,
                              .rule = flip_rule_at(update_kinds[0], &e->model, 1000)};
    assert_int_equal(e->verbs->step(e, &step, NULL), ENGINE_OK);
    assert_int_equal(e->verbs->read(e, 0, lanes, packed, families), ENGINE_OK);

    int8_t *const found = calloc(spins, 1), *const whole = t.s;
    assert_non_null(found);
    t.s = found;
    copy(&t, packed, false);
    for (uint64_t k = 0; k < t.lattices; k++)
        for (uint32_t sweeps = 0; sweeps < step.sweeps; sweeps++)
            sweep(m, whole + k * m->sites);
    assert_memory_equal(found, whole, spins);
    claim_counts(&t, e);
    e->verbs->destroy(e);
    free(found);
    free(whole);
    free(packed);
    free(families);
}

static void stripes_are_the_whole_lattice(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        claim_case(n, engine_cpu_create);
}

static void stripes_are_the_whole_lattice_on_a_gpu(void **state) {
    (void)state;
    need_gpu();
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        claim_case(n, gpu_engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stripes_are_the_whole_lattice),
                                       cmocka_unit_test(stripes_are_the_whole_lattice_on_a_gpu)};
    return cmocka_run_group_tests_name("stripes", tests, NULL, NULL);
}
