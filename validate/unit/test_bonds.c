/* Claims about bonds that are missing or turned over: boundaries change the bonds around the edges of their directions and no
 * others; the bonds that dilution takes away are those of the numbers that streams.h defines, as many as it says, whatever J is;
 * levels are those of all states of small lattices; a missing bond is missing on both sides; the link overlap is a mean over the
 * bonds that are there. */
#include "estimate/overlap.h"
#include "model/boundary.h"
#include "validate/lib/replicas.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static couplings bonds_of_lattice(uint32_t dimension, uint32_t x, uint32_t y, uint32_t z,
                                  const char *words) {
    couplings c;
    lattice_boundary b;
    assert_true(couplings_create(&c, dimension, (const uint32_t[]){x, y, z}));
    for (uint64_t bond = 0; bond < c.bonds; bond += 3)
        couplings_set(&c, bond, true);
    assert_true(boundary_read(&b, words));
    assert_true(boundary_apply(b, &c));
    return c;
}

/* --- boundaries --- */

/* How many bonds are not as the words say: those from x = Lx - 1 in direction 0, and so on, and the others as they were. */
static size_t wrong_bonds(const couplings *c, const char *const words[]) {
    size_t wrong = 0;
    for (uint64_t site = 0; site < c->sites; site++) {
        const uint64_t at[] = {site % c->edge[0], site / c->edge[0] % c->edge[1],
                               site / c->edge[0] / c->edge[1]};
        for (uint32_t d = 0; d < c->dimension; d++) {
            const bool around = at[d] + 1 == c->edge[d];
            const int before = (site * c->dimension + d) % 3 == 0 ? -1 : 1,
                      after = !around                                 ? before
                              : strcmp(words[d], "open") == 0         ? 0
                              : strcmp(words[d], "antiperiodic") == 0 ? -before
                                                                      : before;
            wrong += couplings_sign(c, site, d) != after;
        }
    }
    return wrong;
}

static void boundaries_are_at_their_edges(void **state) {
    (void)state;
    static const char *const kinds[] = {"periodic", "open", "antiperiodic"};
    for (size_t n = 0; n < 27; n++) {
        const char *const words[] = {kinds[n % 3], kinds[n / 3 % 3], kinds[n / 9]};
        char text[60];
        snprintf(text, sizeof text, "%s,%s,%s", words[0], words[1], words[2]);
        couplings c = bonds_of_lattice(3, 4, 6, 8, text);
        assert_int_equal(wrong_bonds(&c, words), 0);
        const uint32_t missing =
            (n % 3 == 1 ? 48u : 0) + (n / 3 % 3 == 1 ? 32u : 0) + (n / 9 == 1 ? 24u : 0);
        assert_int_equal(couplings_present(&c), c.bonds - missing);
        if (words[0] != words[1]) { /* negative control */
            const char *const swapped[] = {words[1], words[0], words[2]};
            assert_true(wrong_bonds(&c, swapped) > 0);
        }
        couplings_destroy(&c);
    }
    couplings all = bonds_of_lattice(2, 6, 4, 1, "open");
    assert_int_equal(wrong_bonds(&all, (const char *const[]){"open", "open"}), 0);
    couplings_destroy(&all);
}

static void words_are_read_and_written(void **state) {
    (void)state;
    static const struct {
        const char *text, *again;
        uint32_t given;
    } good[] = {{"open", "open", 1},
                {"open,periodic", "open,periodic", 2},
                {"antiperiodic,antiperiodic,periodic", "antiperiodic,antiperiodic,periodic", 3},
                {"open,open,open", "open", 3}};
    static const char *const bad[] = {
        "", "Open", "open,", ",open", "open;open", "anti", "open,open,open,open"};
    char text[BOUNDARY_TEXT_SIZE];
    lattice_boundary b;
    for (size_t n = 0; n < COUNT(good); n++) {
        assert_true(boundary_read(&b, good[n].text));
        assert_int_equal(b.given, good[n].given);
        assert_string_equal(boundary_text(text, b), good[n].again);
    }
    for (size_t n = 0; n < COUNT(bad); n++)
        assert_false(boundary_read(&b, bad[n]));
}

/* --- dilution --- */

/* By the definition: number 2 (bond % 2) and the next of call bond / 2 of the sample, `sweep` 1. */
static bool is_taken(disorder from, uint64_t bond, double dilution) {
    const stream_key seed = {{(uint32_t)from.seed, (uint32_t)(from.seed >> 32)}};
    const stream_block k = stream_philox(seed, 9u << 28, from.sample, 0, 0);
    const stream_key key = {{k.number[0], k.number[1]}};
    const stream_block b = stream_philox(key, 9u << 28 | (uint32_t)(bond / 2), 0, 1, 0);
    const uint64_t number = b.number[2 * (bond % 2)] | (uint64_t)b.number[2 * (bond % 2) + 1] << 32;
    return (double)number < dilution * 0x1p64;
}

static void diluted_bonds_are_those_of_their_numbers(void **state) {
    (void)state;
    static const double dilutions[] = {0, 0.1, 0.5, 1};
    for (size_t n = 0; n < COUNT(dilutions); n++) {
        const disorder from = {UINT64_C(0x123456789) + n, (uint32_t)n, 0.4};
        couplings whole, cut;
        uint64_t present = 0;
        size_t wrong_stream = 0;
        assert_true(couplings_create(&whole, 3, (const uint32_t[]){10, 12, 14}));
        assert_true(couplings_create(&cut, 3, (const uint32_t[]){10, 12, 14}));
        disorder_draw(&whole, from);
        disorder_draw(&cut, from);
        assert_true(disorder_dilute(&cut, from, dilutions[n]));
        for (uint64_t bond = 0; bond < cut.bonds; bond++) {
            const bool taken = is_taken(from, bond, dilutions[n]);
            assert_int_equal(couplings_has(&cut, bond), !taken);
            assert_int_equal(couplings_negative(&cut, bond),
                             !taken && couplings_negative(&whole, bond));
            wrong_stream +=
                taken != is_taken((disorder){from.seed, from.sample + 1, 0.4}, bond, dilutions[n]);
            present += !taken;
        }
        assert_int_equal(couplings_present(&cut), present);
        /* Of 5040 bonds; |z| > 5 with a probability of 6e-7. */
        const double sigma = sqrt(5040 * dilutions[n] * (1 - dilutions[n]));
        assert_true(fabs((double)present - 5040 * (1 - dilutions[n])) <= 5 * sigma);
        assert_true(sigma == 0 || wrong_stream > 0); /* negative control: those of another sample */
        couplings_destroy(&whole);
        couplings_destroy(&cut);
    }
}

/* --- models --- */

/* The energy of a state of 16 sites, from the bonds that lead from each site. */
static int energy_of(const couplings *c, uint32_t spins) {
    int energy = 0;
    for (uint32_t site = 0; site < 16; site++)
        for (uint32_t d = 0; d < 2; d++) {
            const uint64_t next = couplings_neighbour(c, site, d);
            energy -= (spins >> site ^ spins >> next) & 1 ? -couplings_sign(c, site, d)
                                                          : couplings_sign(c, site, d);
        }
    return energy;
}

/* Whether all energies are levels, and some neighbours among them are taken. */
static bool levels_fit(const energy_levels *l, const couplings *c) {
    bool fit = true, taken[64] = {false}, next = false;
    for (uint32_t spins = 0; spins < 1u << 16; spins++) {
        const int64_t above = energy_of(c, spins) - l->lowest, n = above / l->spacing;
        fit = fit && above % l->spacing == 0 && n >= 0 && n < (int64_t)l->count;
        if (fit)
            taken[n] = true;
    }
    for (size_t n = 0; n + 1 < 64; n++)
        next = next || (taken[n] && taken[n + 1]);
    return fit && next;
}

static void levels_are_the_energies(void **state) {
    (void)state;
    static const bond_cut cuts[] = {ALL_BONDS,   {"antiperiodic", 0},
                                    {"open", 0}, {"open,periodic", 0},
                                    {NULL, 0.1}, {"open,antiperiodic", 0.3}};
    size_t spacings[5] = {0};
    for (size_t n = 0; n < COUNT(cuts); n++) {
        couplings c;
        const spin_model m = some_cut_model(&glass2d_kind, (lattice_size){{4}}, n, cuts[n], &c);
        assert_true(levels_fit(&m.levels, &c));
        energy_levels moved = m.levels; /* negative control */
        moved.lowest += m.levels.spacing / 2;
        assert_false(levels_fit(&moved, &c));
        assert_true(m.levels.count <= model_most_levels(&m));
        spacings[m.levels.spacing]++;
        couplings_destroy(&c);
    }
    assert_true(spacings[2] == 4 && spacings[4] == 2);
}

/* A plaquette without bonds: missing bonds, but an even number of bonds at each site. */
static void even_sites_have_levels_4_apart(void **state) {
    (void)state;
    couplings c = bonds_of_lattice(2, 4, 4, 1, "periodic");
    const uint64_t around[] = {
        0, 1, 3, 8}; /* (0, 0) to (1, 0) and (0, 1); (1, 0) to (1, 1); (0, 1) to (1, 1) */
    for (size_t n = 0; n < COUNT(around); n++)
        assert_true(couplings_remove(&c, around[n]));
    const spin_model m = model_of_sample(glass2d_kind.create(c.edge), &c);
    assert_true(m.incomplete && !m.odd_sites);
    assert_int_equal(m.bonds, 28);
    assert_int_equal(m.levels.spacing, 4);
    assert_true(levels_fit(&m.levels, &c));
    assert_int_equal(couplings_of_site(&c, 0), 2);
    assert_int_equal(couplings_of_site(&c, 15), 4);
    couplings_destroy(&c);
}

/* Both ends know the same of a bond; model_counted_at_lowest by the bonds of all even sites. */
static void bonds_are_missing_on_both_sides(void **state) {
    (void)state;
    couplings c;
    const spin_model m =
        some_cut_model(&glass3d_kind, (lattice_size){{4, 6, 4}}, 3, (bond_cut){"open", 0.2}, &c);
    uint64_t ends = 0, counted = (uint64_t)(m.levels.lowest + (int64_t)m.bonds) / 2;
    for (uint64_t n = 0; n < m.sites; n++) {
        const lattice_site s = site_at(&m, n);
        uint32_t here = 0;
        for (uint32_t d = 0; d < 3; d++)
            for (int forward = 0; forward < 2; forward++) {
                int j, back;
                const lattice_site next = site_beside(&m, s, d, forward, &j);
                site_beside(&m, next, d, !forward, &back);
                assert_int_equal(j, back);
                here += j != 0;
            }
        assert_int_equal(couplings_of_site(&c, n), here);
        ends += here;
        counted += site_colour(s) == 0 ? (6 - here) / 2 : 0;
    }
    assert_int_equal(ends, 2 * m.bonds);
    assert_int_equal(model_counted_at_lowest(&m), counted);
    couplings_destroy(&c);
}

/* Pairs of which each has 5 walls, on 4 x 4 open sites with 24 bonds. */
static void link_overlaps_are_means_over_bonds_that_are_there(void **state) {
    (void)state;
    couplings c;
    const spin_model m =
        some_cut_model(&glass2d_kind, (lattice_size){{4}}, 1, (bond_cut){"open", 0}, &c);
    overlap_sums s;
    histogram h;
    assert_int_equal(overlap_sums_create(&s, &m), 0);
    assert_int_equal(histogram_create(&h, &m), 0);
    overlap_sums_begin(&s, 64);
    for (uint64_t k = 0; k < overlap_pairs(64); k++)
        overlap_sums_add(&s, k, &(overlap_pair){.differ = 3, .walls = 5});
    h.population = 64;
    const overlap_row row = overlap_compute(&s, &h, &m, NULL);
    assert_true(fabs(row.value[OVERLAP_LINK] - (1 - 2 * 5 / 24.0)) < 1e-15);
    assert_int_equal(s.walls[overlap_wall_bin(s.scale, 5)], 2); /* of 32 pairs in 16 parts */
    assert_int_not_equal(overlap_wall_bin(s.scale, 5), overlap_wall_bin(s.scale, 4));
    overlap_sums_destroy(&s);
    histogram_destroy(&h);
    couplings_destroy(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boundaries_are_at_their_edges),
        cmocka_unit_test(words_are_read_and_written),
        cmocka_unit_test(diluted_bonds_are_those_of_their_numbers),
        cmocka_unit_test(levels_are_the_energies),
        cmocka_unit_test(even_sites_have_levels_4_apart),
        cmocka_unit_test(bonds_are_missing_on_both_sides),
        cmocka_unit_test(link_overlaps_are_means_over_bonds_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
