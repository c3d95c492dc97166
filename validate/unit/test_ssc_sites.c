/* Claims about what the kernels of single-spin coding know of a site (cuda/ssc_sites.h), in every model: from its bits
 * follow the numbers of its neighbours, and the couplings to them, as couplings.h has them. */
#include "cuda/bytes.h"
#include "cuda/ssc_sites.h"
#include "validate/lib/some_models.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static made_model lattices[] = {
    {.kind = &square_kind, .size = {{4}}},        {.kind = &square_kind, .size = {{6, 10}}},
    {.kind = &glass2d_kind, .size = {{4, 6}}},    {.kind = &glass2d_kind, .size = {{10}}},
    {.kind = &cubic_kind, .size = {{4}}},         {.kind = &cubic_kind, .size = {{8, 8, 12}}},
    {.kind = &glass3d_kind, .size = {{4, 6, 8}}}, {.kind = &glass3d_kind, .size = {{10}}},
    {.kind = &glass3d_kind, .size = {{6, 4, 10}}}};

/* Where the neighbour of site i of a sub-lattice stands in the other one, as the kernels count. */
static uint32_t neighbour(const spin_model *m, uint32_t i, uint32_t bits, site_bond bond) {
    const uint32_t row = m->edge[0] / 2, rows = m->edge[1] * row, layers = m->edge[2] * rows;
    const uint32_t end = bits & SITE_AT_END ? row : 0;
    switch (bond) {
    case TO_NEXT:
        return bits & SITE_RIGHT ? i + 1 - end : i - 1 + end;
    case TO_ABOVE:
        return i - row + (bits & SITE_FIRST_ROW ? rows : 0);
    case TO_BELOW:
        return i + row - (bits & SITE_LAST_ROW ? rows : 0);
    case TO_BEFORE:
        return i - rows + (bits & SITE_FIRST_LAYER ? layers : 0);
    case TO_BEHIND:
        return i + rows - (bits & SITE_LAST_LAYER ? layers : 0);
    default: /* TO_ACROSS */
        return i;
    }
}

/* Which neighbour of the model this is: direction, and whether forward. */
static uint32_t direction_of(site_bond bond, uint32_t x, bool *forward) {
    *forward = bond == TO_BELOW || bond == TO_BEHIND || (bond == TO_NEXT && x % 2 == 1) ||
               (bond == TO_ACROSS && x % 2 == 0);
    return bond <= TO_NEXT ? 0 : bond <= TO_BELOW ? 1 : 2;
}

/* How many neighbours or couplings of a site are not those of the model. */
static size_t wrong_bonds(const spin_model *m, const uint16_t *table, uint64_t n) {
    const lattice_site site = site_at(m, n);
    const uint32_t half = (uint32_t)(m->sites / 2), colour = site_colour(site);
    const uint32_t i = (uint32_t)site_number(m, site) - colour * half;
    const uint32_t bits = table[colour * cuda_ssc_half_bytes(m) + i];
    size_t wrong = 0;
    for (uint32_t bond = 0; bond < m->coordination; bond++) {
        bool forward;
        int j;
        const uint32_t direction = direction_of((site_bond)bond, site.at[0], &forward);
        const lattice_site next = site_beside(m, site, direction, forward, &j);
        wrong +=
            (1 - colour) * half + neighbour(m, i, bits, (site_bond)bond) != site_number(m, next);
        wrong += (bits >> (SITE_BONDS + bond) & 1) != (j < 0);
    }
    return wrong;
}

static size_t wrong_in_lattice(const spin_model *m, const uint16_t *table) {
    size_t wrong = 0;
    for (uint64_t n = 0; n < m->sites; n++)
        wrong += wrong_bonds(m, table, n);
    return wrong;
}

static void bits_of_sites_lead_to_their_neighbours(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(lattices); n++) {
        const spin_model m = lattices[n].model;
        const uint64_t bytes = cuda_ssc_site_bytes(&m);
        uint16_t *const table = calloc(1, bytes);
        assert_non_null(table);
        cuda_ssc_fill_sites(&m, table);
        assert_int_equal(wrong_in_lattice(&m, table), 0);
        /* Negative control: each bit matters at some site. */
        for (uint32_t bit = 0; bit < SITE_BONDS + m.coordination; bit++) {
            const bool layers = bit == 2 || bit == 3; /* SITE_FIRST_LAYER, SITE_LAST_LAYER */
            if (bit == 6 || bit == 7 || (layers && m.dimension == 2))
                continue;
            table[0] ^= (uint16_t)(1u << bit);
            assert_true(wrong_in_lattice(&m, table) > 0);
            table[0] ^= (uint16_t)(1u << bit);
        }
        free(table);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_of_sites_lead_to_their_neighbours),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
