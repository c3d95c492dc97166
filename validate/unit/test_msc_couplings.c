/* Claim: the registers from which the multi-spin-coded kernels of a GPU take couplings (cuda/msc/couplings.h) have for each
 * site and each of its bonds the bit of that bond, and no other bits. */
#include "validate/lib/some_models.h"

#include "cuda/msc/couplings.h"

#include <stdlib.h>
#include <string.h>

/* Which bit of its byte the bond of a site has that leads forward or back in a direction. */
static uint32_t bit_of(const spin_model *m, lattice_site s, uint32_t word, uint32_t direction,
                       bool forward) {
    const bool inside = forward == (s.at[direction] % 2 == 0); /* its pair of coordinates */
    if (m->dimension == 3)
        return 7 - (direction + (inside ? 0 : 3));
    const uint32_t around = direction == 1 ? (forward ? 2 : 0) : (inside ? 1 : 3);
    return 7 - (around + word / 4 * 4);
}

/* How many bonds of a sample have a wrong bit, and bits too many. */
static uint64_t count_wrong(const spin_model *m) {
    uint32_t *const registers = malloc(msc_coupling_bytes(m));
    uint64_t wrong = 0, bits = 0, expected = 0, all = 0;
    assert_non_null(registers);
    memset(registers, 0xff, msc_coupling_bytes(m));
    msc_coupling_fill(m, registers);
    for (uint64_t n = 0; n < m->sites; n++) {
        const lattice_site s = site_at(m, n);
        const strip_place p = site_strip(m, s);
        const uint32_t each = m->dimension == 3 ? 4 : 2;
        const uint32_t at = p.strip * each + (each == 4 ? p.word / 4 * 2 : 0) + site_colour(s),
                       r = registers[at],
                       away = m->incomplete ? registers[strips_of(m) * each + at] : 0;
        uint32_t missing = 0, unsatisfied = 0; /* of the missing ones */
        for (uint32_t d = 0; d < m->dimension; d++)
            for (int forward = 0; forward < 2; forward++) {
                int j;
                site_beside(m, s, d, forward, &j);
                const uint32_t shift = 8 * (p.word % 4) + bit_of(m, s, p.word, d, forward),
                               negative = r >> shift & 1;
                wrong += j != 0 && negative != (j < 0);
                unsatisfied += j == 0 && negative;
                missing += j == 0;
                wrong += m->incomplete && (away >> shift & 1) != (j == 0);
            }
        wrong += unsatisfied != missing / 2;
        all += missing;
        expected += missing / 2;
    }
    for (uint64_t n = 0; n < msc_coupling_bytes(m) / sizeof *registers; n++)
        for (uint32_t bit = 0; bit < 32; bit++)
            bits += registers[n] >> bit & 1;
    free(registers);
    return wrong + (bits != 2 * couplings_count_negative(m->sample) + expected + all);
}

static void every_bond_has_its_bit(void **state) {
    static const struct {
        const model_kind *kind;
        lattice_size size;
        bond_cut cut;
    } lattices[] = {{&glass2d_kind, {{16}}, ALL_BONDS},
                    {&glass2d_kind, {{48, 32}}, ALL_BONDS},
                    {&glass2d_kind, {{6, 10}}, ALL_BONDS},
                    {&glass2d_kind, {{4, 12}}, {"open,antiperiodic", 0.3}},
                    {&glass3d_kind, {{4}}, ALL_BONDS},
                    {&glass3d_kind, {{6}}, ALL_BONDS},
                    {&glass3d_kind, {{8, 6, 4}}, ALL_BONDS},
                    {&glass3d_kind, {{10, 4, 14}}, ALL_BONDS},
                    {&glass2d_kind, {{32, 16}}, {"open,antiperiodic", 0.3}},
                    {&glass3d_kind, {{6, 10, 4}}, {"open", 0.2}}};
    (void)state;
    for (size_t n = 0; n < sizeof lattices / sizeof *lattices; n++) {
        couplings sample;
        const spin_model m =
            some_cut_model(lattices[n].kind, lattices[n].size, n + 1, lattices[n].cut, &sample);
        assert_int_equal(count_wrong(&m), 0);
        couplings_destroy(&sample);
    }
}

static void a_model_without_takes_no_registers(void **state) {
    (void)state;
    const spin_model m = square_model(16);
    assert_int_equal(msc_coupling_bytes(&m), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bond_has_its_bit),
        cmocka_unit_test(a_model_without_takes_no_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
