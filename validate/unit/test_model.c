/* Claims that what each model of the table says of itself fits together: edges, sites, bonds, neighbours,
 * levels, gaps and the unit of the order parameter follow from one another where bonds are as strong as each
 * other, and so does what edges a coding has. Models with one statement that does not fit are found. */
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The first statement of a model that does not fit the others; NULL: all do. */
static const char *misfit(const spin_model *m) {
    uint64_t sites = 1;
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++) {
        if (d < m->dimension ? m->edge[d] < 2 : m->edge[d] != 1)
            return "edge, dimension";
        sites *= m->edge[d];
    }
    if (m->sites != sites)
        return "sites";
    if (2 * m->bonds != m->sites * m->coordination)
        return "bonds, coordination";
    /* E is between -bonds and bonds, and has the parity of the bonds: changing one changes it by 2. */
    const int64_t bonds = (int64_t)m->bonds, spacing = m->levels.spacing;
    const int64_t lowest = m->levels.lowest,
                  highest = level_energy(m->levels, m->levels.count) - spacing;
    if (spacing < 2 || spacing % 2 != 0 || lowest < -bonds || (lowest + bonds) % 2 != 0 ||
        highest > bonds || highest + spacing <= bonds)
        return "levels";
    if (m->gaps != (m->coordination + 1) / 2 || m->gaps > MODEL_MAX_GAPS)
        return "gaps";
    for (uint32_t n = 0; n < m->gaps; n++)
        if (m->gap[n] != 2 * m->coordination - 4 * n || m->gap[n] % m->levels.spacing != 0)
            return "gap";
    if (m->order_unit != (m->sites % 2 == 0 ? 2 : 1))
        return "order_unit";
    if (model_packed_bytes(m) * 8 < m->sites || model_packed_bytes(m) * 8 >= m->sites + 8)
        return "packed bytes";
    return NULL;
}

static void check_model(const model_kind *kind, lattice_size size) {
    uint32_t edge[MODEL_MAX_DIMENSION];
    char text[LATTICE_TEXT_SIZE];
    assert_true(lattice_edges(size, kind->dimension, edge));
    const spin_model m = kind->create(edge);
    if (misfit(&m) != NULL)
        fail_msg("%s, edge %s: %s", kind->name, lattice_text(text, size), misfit(&m));
    assert_string_equal(m.name, kind->name);
    assert_int_equal(m.dimension, kind->dimension);
    assert_memory_equal(m.edge, edge, sizeof edge);
    assert_true(m.disordered == kind->disordered && m.sample == NULL);
}

static void what_a_model_says_fits_together(void **state) {
    (void)state;
    for (size_t k = 0; model_kinds[k] != NULL; k++)
        for (int coding = 0; coding < SPIN_CODINGS; coding++) {
            const edge_rule rule = model_kinds[k]->edges[coding];
            if (model_kinds[k]->spins != SPINS_ISING) /* test_states.c */
                continue;
            for (uint32_t edge = rule.smallest; edge <= rule.largest; edge += rule.multiple) {
                check_model(model_kinds[k], (lattice_size){{edge}});
                check_model(model_kinds[k],
                            (lattice_size){{edge, rule.smallest,
                                            model_kinds[k]->dimension == 3 ? rule.largest : 0}});
            }
        }
}

/* All states of a sample have the parity of its bonds of -1: levels and energies of random states. */
static void a_sample_has_the_levels_of_its_parity(void **state) {
    (void)state;
    const uint32_t edge[] = {4, 6, 8};
    for (size_t k = 0; model_kinds[k] != NULL; k++) {
        const model_kind *const kind = model_kinds[k];
        couplings c;
        if (!kind->disordered || kind->spins != SPINS_ISING)
            continue;
        assert_true(couplings_create(&c, kind->dimension, edge));
        for (uint64_t negative = 0; negative <= c.bonds; negative++) {
            const spin_model all = kind->create(edge), m = model_of_sample(all, &c);
            const int64_t all_up = -(int64_t)c.bonds + 2 * (int64_t)negative;
            assert_null(misfit(&m));
            assert_ptr_equal(m.sample, &c);
            assert_int_equal(m.levels.spacing, 4);
            assert_true((all_up - m.levels.lowest) % 4 == 0 && m.levels.count <= all.levels.count);
            if (negative < c.bonds)
                couplings_set(&c, negative * 5 % c.bonds,
                              true); /* 5 and the bonds have no factor in common */
        }
        couplings_destroy(&c);
    }
}

static void edges_are_one_for_all_or_one_for_each(void **state) {
    (void)state;
    static const struct {
        lattice_size size;
        const char *text;
        bool fits[2]; /* in two and three dimensions */
    } cases[] = {{{{8}}, "8", {true, true}},
                 {{{8, 8}}, "8", {true, false}},
                 {{{8, 12}}, "8x12", {true, false}},
                 {{{8, 8, 8}}, "8", {false, true}},
                 {{{8, 8, 12}}, "8x8x12", {false, true}},
                 {{{UINT32_MAX, UINT32_MAX, UINT32_MAX - 1}},
                  "4294967295x4294967295x4294967294",
                  {false, true}}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (uint32_t dimension = 2; dimension <= 3; dimension++) {
            char text[LATTICE_TEXT_SIZE];
            uint32_t edge[MODEL_MAX_DIMENSION];
            const bool fits = lattice_edges(cases[n].size, dimension, edge);
            assert_string_equal(lattice_text(text, cases[n].size), cases[n].text);
            assert_int_equal(fits, cases[n].fits[dimension - 2]);
            for (uint32_t d = 0; fits && d < MODEL_MAX_DIMENSION; d++)
                assert_int_equal(edge[d], d >= dimension               ? 1
                                          : cases[n].size.edge[d] == 0 ? 8
                                                                       : cases[n].size.edge[d]);
        }
}

static void each_model_has_a_name_of_its_own(void **state) {
    (void)state;
    assert_non_null(model_kinds[0]);
    for (size_t k = 0; model_kinds[k] != NULL; k++)
        for (size_t other = 0; other < k; other++)
            assert_string_not_equal(model_kinds[k]->name, model_kinds[other]->name);
}

static void edges_are_multiples_from_the_smallest_to_the_largest(void **state) {
    (void)state;
    for (size_t k = 0; model_kinds[k] != NULL; k++)
        for (int coding = 0; coding < SPIN_CODINGS; coding++) {
            const edge_rule rule = model_kinds[k]->edges[coding];
            if (model_kinds[k]->spins != SPINS_ISING) /* test_states.c */
                continue;
            assert_true(edge_is_allowed(rule, rule.smallest));
            assert_true(edge_is_allowed(rule, rule.smallest + rule.multiple));
            assert_true(edge_is_allowed(rule, rule.largest));
            assert_false(edge_is_allowed(rule, 0));
            assert_false(edge_is_allowed(rule, rule.smallest - rule.multiple));
            assert_false(edge_is_allowed(rule, rule.largest + rule.multiple));
            assert_false(edge_is_allowed(rule, rule.smallest + 1));
        }
}

static void a_model_that_does_not_fit_is_found(void **state) {
    (void)state;
    const spin_model good = square_model(8);
    spin_model m;
#define FOUND(change, name)                                                                        \
    (m = good, m.change, assert_non_null(misfit(&m)), assert_string_equal(misfit(&m), name))
    FOUND(dimension = 3, "edge, dimension");
    FOUND(edge[2] = 2, "edge, dimension");
    FOUND(edge[0] = 10, "sites");
    FOUND(bonds += 1, "bonds, coordination");
    FOUND(coordination = 6, "bonds, coordination");
    FOUND(levels.lowest += 4, "levels");
    FOUND(levels.lowest -= 4, "levels");
    FOUND(levels.count -= 1, "levels");
    FOUND(levels.count += 1, "levels");
    FOUND(levels.spacing = 3, "levels");
    FOUND(gaps = 3, "gaps");
    FOUND(gap[1] = 8, "gap");
    FOUND(order_unit = 1, "order_unit");
#undef FOUND
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_model_says_fits_together),
        cmocka_unit_test(a_sample_has_the_levels_of_its_parity),
        cmocka_unit_test(edges_are_one_for_all_or_one_for_each),
        cmocka_unit_test(each_model_has_a_name_of_its_own),
        cmocka_unit_test(edges_are_multiples_from_the_smallest_to_the_largest),
        cmocka_unit_test(a_model_that_does_not_fit_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
