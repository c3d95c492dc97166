/* Claims about what the kernels of single-spin coding know of a site (cuda/ssc/sites.h), in every model: from its bits
 * follow the numbers of its neighbours, and the couplings to them, as couplings.h has them; and the table of their
 * words says the same. With values as couplings the energy follows from the table of theirs (cuda/fine/tables.h); not from one with
 * another J (negative control). */
#include "cpu/ssc_lattice.h"
#include "cuda/engine/bytes.h"
#include "cuda/fine/tables.h"
#include "cuda/ssc/sites.h"
#include "engine/disorder.h"
#include "validate/lib/some_models.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static made_model lattices[] = {
    {.kind = &square_kind, .size = {{4}}},
    {.kind = &square_kind, .size = {{6, 10}}},
    {.kind = &glass2d_kind, .size = {{4, 6}}},
    {.kind = &glass2d_kind, .size = {{10}}},
    {.kind = &cubic_kind, .size = {{4}}},
    {.kind = &cubic_kind, .size = {{8, 8, 12}}},
    {.kind = &glass3d_kind, .size = {{4, 6, 8}}},
    {.kind = &glass3d_kind, .size = {{10}}},
    {.kind = &glass3d_kind, .size = {{6, 4, 10}}},
    {.kind = &glass2d_kind, .size = {{10, 6}}, .cut = {"open", 0.2}},
    {.kind = &cubic_kind, .size = {{4, 6, 4}}, .cut = {"open,antiperiodic,open", 0}},
    {.kind = &glass3d_kind, .size = {{4}}, .cut = {NULL, 0.6}}};

/* Which neighbour of the model this is: direction, and whether forward. */
static uint32_t direction_of(site_bond bond, uint32_t x, bool *forward) {
    *forward = bond == TO_BELOW || bond == TO_BEHIND || (bond == TO_NEXT && x % 2 == 1) ||
               (bond == TO_ACROSS && x % 2 == 0);
    return bond <= TO_NEXT ? 0 : bond <= TO_BELOW ? 1 : 2;
}

/* The tables of a lattice. */
typedef struct {
    uint16_t *bits;
    uint8_t *missing; /* behind the bits, of lattices where bonds may be */
    site_neighbours *neighbours;
} site_tables;

/* The word to which a bond leads from a site: across, or as the table says. */
static uint32_t word_at(const site_neighbours *of, uint32_t across, uint32_t bond) {
    const uint32_t n = bond - TO_NEXT;
    return bond == TO_ACROSS ? across : of->words[n / 2] >> 16 * (n % 2) & 0xffff;
}

/* How many neighbours or couplings of a site are not those of the model. */
static size_t wrong_bonds(const spin_model *m, const site_tables *tables, uint64_t n) {
    const lattice_site site = site_at(m, n);
    const uint32_t half = (uint32_t)(m->sites / 2), colour = site_colour(site);
    const uint32_t i = (uint32_t)site_number(m, site) - colour * half,
                   half_bytes = cuda_ssc_half_bytes(m), row = m->edge[0] / 2;
    const site_strides strides = {row, m->edge[1] * row, half};
    const uint32_t bits = tables->bits[colour * half_bytes + i];
    const site_neighbours *const around = &tables->neighbours[site_word(half_bytes, colour, i)];
    size_t wrong = 0;
    uint32_t missing = 0, unsatisfied = 0; /* of the missing ones */
    for (uint32_t bond = 0; bond < m->coordination; bond++) {
        bool forward;
        int j;
        const uint32_t direction = direction_of((site_bond)bond, site.at[0], &forward);
        const uint64_t next =
            site_number(m, site_beside(m, site, direction, forward, &j)) - (1 - colour) * half;
        wrong += site_neighbour(strides, i, bits, (site_bond)bond) != next;
        const uint32_t negative = bits >> (SITE_BONDS + bond) & 1;
        wrong += j != 0 && negative != (j < 0);
        unsatisfied += j == 0 && negative;
        missing += j == 0;
        wrong += word_at(around, site_word(half_bytes, 1 - colour, i), bond) !=
                 site_word(half_bytes, 1 - colour, (uint32_t)next);
        wrong += (around->negative >> (8 * (bond % 4)) & (bond < 4 ? 0x80 : 0x40)) !=
                 (negative ? bond < 4 ? 0x80u : 0x40u : 0);
        wrong += (around->negative >> (8 * (bond % 4)) & (bond < 4 ? 0x20 : 0x10)) !=
                 (j == 0 ? bond < 4 ? 0x20u : 0x10u : 0);
        wrong +=
            m->incomplete && (tables->missing[colour * half_bytes + i] >> bond & 1) != (j == 0);
    }
    wrong += m->incomplete && (tables->missing[colour * half_bytes + i] & SITE_IS_ODD) !=
                                  (missing % 2 ? SITE_IS_ODD : 0);
    wrong += (around->negative & 1) != missing % 2;
    return wrong + (unsatisfied != missing / 2);
}

/* How many neighbours of padding are not in the other sub-lattice. */
static size_t wrong_padding(const spin_model *m, const site_tables *tables) {
    const uint32_t half = (uint32_t)(m->sites / 2), half_bytes = cuda_ssc_half_bytes(m);
    size_t wrong = 0;
    for (uint32_t colour = 0; colour < 2; colour++)
        for (uint32_t i = half; i < half_bytes; i++)
            for (uint32_t bond = TO_NEXT; bond < m->coordination; bond++) {
                const uint32_t word =
                    word_at(&tables->neighbours[site_word(half_bytes, colour, i)], 0, bond);
                wrong += word / half_bytes != 1 - colour;
            }
    return wrong;
}

static size_t wrong_in_lattice(const spin_model *m, const site_tables *tables) {
    size_t wrong = 0;
    for (uint64_t n = 0; n < m->sites; n++)
        wrong += wrong_bonds(m, tables, n);
    return wrong;
}

static void tables_of_sites_lead_to_their_neighbours(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(lattices); n++) {
        const spin_model m = lattices[n].model;
        uint16_t *const bits = calloc(1, cuda_ssc_site_bytes(&m));
        const site_tables tables = {bits, (uint8_t *)(bits + 2 * cuda_ssc_half_bytes(&m)),
                                    calloc(1, cuda_ssc_neighbour_bytes(&m))};
        assert_non_null(tables.bits);
        assert_non_null(tables.neighbours);
        cuda_ssc_fill_sites(&m, tables.bits);
        cuda_ssc_fill_neighbours(&m, tables.bits, tables.neighbours);
        if (m.incomplete) {
            cuda_ssc_fill_missing(&m, tables.missing);
            cuda_ssc_add_missing(&m, tables.missing, tables.neighbours);
        }
        assert_int_equal(wrong_in_lattice(&m, &tables), 0);
        assert_int_equal(wrong_padding(&m, &tables), 0);
        /* Negative control: each bit matters at some site. */
        for (uint32_t bit = 0; bit < SITE_BONDS + m.coordination; bit++) {
            const bool layers = bit == 2 || bit == 3; /* SITE_FIRST_LAYER, SITE_LAST_LAYER */
            if (bit == 6 || bit == 7 || (layers && m.dimension == 2))
                continue;
            tables.bits[0] ^= (uint16_t)(1u << bit);
            assert_true(wrong_in_lattice(&m, &tables) > 0);
            tables.bits[0] ^= (uint16_t)(1u << bit);
        }
        for (uint32_t k = 0; k < m.coordination - TO_NEXT; k++) {
            tables.neighbours[0].words[k / 2] ^= 1u << 16 * (k % 2);
            assert_int_equal(wrong_in_lattice(&m, &tables), 1);
            tables.neighbours[0].words[k / 2] ^= 1u << 16 * (k % 2);
        }
        free(tables.bits);
        free(tables.neighbours);
    }
}

/* The words of a lattice are those from 0 on, each of one site. */
static void words_are_numbered_without_gaps(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(lattices); n++) {
        const uint32_t half_bytes = cuda_ssc_half_bytes(&lattices[n].model);
        uint8_t *const seen = calloc(2, half_bytes);
        assert_non_null(seen);
        for (uint32_t i = 0; i < 2 * half_bytes; i++) {
            const uint32_t word = site_word(half_bytes, i / half_bytes, i % half_bytes);
            assert_in_range(word, 0, 2 * half_bytes - 1);
            assert_int_equal(seen[word]++, 0);
        }
        free(seen);
    }
}

static int set_up(void **state) {
    (void)state;
    return make_models(lattices, COUNT(lattices));
}

static int tear_down(void **state) {
    (void)state;
    return destroy_models(lattices, COUNT(lattices));
}

/* --- couplings with values --- */

/* The energy of spins by the tables: over the even places. */
static int64_t energy_by_table(const spin_model *m, const int32_t *base, const graph_row *row,
                               const uint8_t *up) {
    const uint32_t half = (uint32_t)(m->sites / 2), rows = 2 * m->dimension;
    int64_t energy = 0;
    for (uint32_t i = 0; i < half; i++) {
        int64_t field = base[4 * (i / 4) + i % 4];
        for (uint32_t n = 0; n < rows; n++) {
            const graph_neighbour to = row[i / 4 * rows + n].of[i % 4];
            field += up[to.offset / 4] ? to.weight : 0;
        }
        energy -= up[i] ? field : -field;
    }
    return energy;
}

static void tables_of_values_give_the_energy(void **state) {
    (void)state;
    const uint32_t edge[][3] = {{4, 6, 1}, {6, 4, 8}};
    for (uint32_t n = 0; n < 2; n++) {
        const model_kind *const kind = n == 0 ? &glass2d_kind : &glass3d_kind;
        couplings c;
        int8_t spin[192];
        uint8_t up[192];
        assert_true(couplings_create(&c, kind->dimension, edge[n]));
        assert_true(disorder_draw_gaussian(&c, (disorder){.seed = 5, .sample = n}, 0.3, 1));
        const spin_model m = model_of_sample(kind->create(edge[n]), &c);
        const size_t quads = 2 * fine_quads((uint32_t)m.sites);
        int32_t *const base = malloc(4 * quads * sizeof *base);
        graph_row *const row = malloc(quads * 2 * m.dimension * sizeof *row);
        ssc_lattice lattice;
        assert_true(base != NULL && row != NULL && ssc_lattice_create(&lattice, &m) == 0);
        assert_true(fine_fill_tables(&m, base, row) > 0);
        for (uint64_t i = 0; i < m.sites; i++) {
            up[i] = (uint8_t)(i * i * 40503 >> 9 & 1);
            ssc_set_spin(&lattice, spin, i, up[i]);
        }
        assert_int_equal(energy_by_table(&m, base, row, up), ssc_fine_energy(&lattice, spin));
        base[0] += 2; /* negative control: another J */
        assert_int_not_equal(energy_by_table(&m, base, row, up), ssc_fine_energy(&lattice, spin));
        ssc_lattice_destroy(&lattice);
        couplings_destroy(&c);
        free(base);
        free(row);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_values_give_the_energy),
        cmocka_unit_test(tables_of_sites_lead_to_their_neighbours),
        cmocka_unit_test(words_are_numbered_without_gaps),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
