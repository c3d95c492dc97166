/* Claims about the 4 x 4 x 4 lattice, whose numbers of states take too long to count here; what was counted is in
 * files, which say by which command.
 *
 * cubic_states.txt: each sample has 2^64 states, symmetric in E, with the moments of E at beta = 0 that its couplings
 * prescribe, and the ferromagnet the lowest levels that are counted by hand. cubic_counts.txt: states of the
 * ferromagnet by energy and magnetisation, which was counted in another way, has the same numbers of every energy,
 * and the correlations of M and E at beta = 0. layer_values.txt: a transfer matrix of layers (reference/layers.c), a third
 * way, gives the energies, specific heats and free energies of a sample of the first. */
#include "engine/disorder.h"
#include "reference/energy_states.h"
#include "reference/transfer_matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validate/lib/cubic_tables.h"

#define TABLE_SAMPLES 6
#define COUNT(array)  (sizeof(array) / sizeof(array)[0])

__extension__ typedef __int128 int128;

static couplings some_sample(uint32_t s, double p) {
    couplings c;
    assert_true(couplings_create(&c, 3, (uint32_t[]){4, 4, 4}));
    disorder_draw(&c, (disorder){CUBIC_SEED, s, p});
    return c;
}

/* --- Energies --- */

/* The sum over closed walks of four bonds, each once, of the product of their couplings. */
static int64_t four_cycles(const couplings *c) {
    int64_t plaquettes = 0, around = 0;
    for (uint64_t site = 0; site < c->sites; site++)
        for (uint32_t d = 0; d < c->dimension; d++) {
            const uint64_t next = couplings_neighbour(c, site, d);
            for (uint32_t e = d + 1; e < c->dimension; e++)
                plaquettes += couplings_sign(c, site, d) * couplings_sign(c, next, e) *
                              couplings_sign(c, couplings_neighbour(c, site, e), d) *
                              couplings_sign(c, site, e);
            int product = 1; /* around the lattice, from each of four sites */
            uint64_t at = site;
            for (int n = 0; n < 4; n++, at = couplings_neighbour(c, at, d))
                product *= couplings_sign(c, at, d);
            around += product;
        }
    return plaquettes + around / 4;
}

/* Whether the counts have the moments of these couplings at beta = 0, where spins are free: <E^2> = B and
 * <E^4> = 3 B^2 - 2 B + 24 sum over closed walks of four bonds. */
static int has_the_moments(const uint64_t count[CUBIC_BONDS + 1], const couplings *c) {
    int128 states = 0, e2 = 0, e4 = 0;
    for (int64_t u = 0; u <= CUBIC_BONDS; u++) {
        const int64_t energy = 2 * u - CUBIC_BONDS;
        states += count[u];
        e2 += (int128)count[u] * energy * energy;
        e4 += (int128)count[u] * energy * energy * energy * energy;
    }
    const int128 all = (int128)1 << 64;
    return states == all && e2 == all * CUBIC_BONDS &&
           e4 == all * (3 * CUBIC_BONDS * CUBIC_BONDS - 2 * CUBIC_BONDS + 24 * four_cycles(c));
}

static void cubic_counts_have_the_moments_of_their_couplings(void **state) {
    (void)state;
    for (uint32_t s = 0; s < TABLE_SAMPLES; s++) {
        uint64_t count[CUBIC_BONDS + 1];
        couplings c = some_sample(s, cubic_states_read(s, count));
        assert_true(has_the_moments(count, &c));
        for (uint32_t u = 0; u <= CUBIC_BONDS; u++)
            assert_true(count[u] == count[CUBIC_BONDS - u]);
        if (s == 0) {
            /* J = +1: one spin turned; two neighbours; two others; and no energy between. */
            static const uint64_t lowest[] = {
                2, 0, 0, 0, 0, 0, 2 * 64, 0, 0, 0, 2 * 192, 0, 2 * (64 * 63 / 2 - 192)};
            for (size_t u = 0; u < COUNT(lowest); u++)
                assert_int_equal(count[u], lowest[u]);
        } else {
            couplings_set(&c, 5 * s, !couplings_negative(&c, 5 * s)); /* negative control */
            couplings_set(&c, 5 * s + 9, !couplings_negative(&c, 5 * s + 9));
            assert_false(has_the_moments(count, &c));
        }
        couplings_destroy(&c);
    }
}

/* --- Energies and magnetisations --- */

/* Whether the counts correlate as free spins do: <M^2> = N, <M^2 E> = -2 B, since each bond is twice a pair of M^2, and
 * <M^2 E^2> = N B + 60 N, for the 15 pairs of neighbours of a site in both orders of sites and bonds. */
static int correlates(const state_counts *counts) {
    int128 m2 = 0, m2_e = 0, m2_e2 = 0;
    for (uint32_t pairs = 0; pairs <= CUBIC_BONDS / 2; pairs++)
        for (uint32_t up = 0; up <= CUBIC_SITES; up++) {
            const int64_t m = 2 * (int64_t)up - CUBIC_SITES,
                          energy = 4 * (int64_t)pairs - CUBIC_BONDS;
            const int128 weighed = (int128)state_count(counts, pairs, up) * m * m;
            m2 += weighed;
            m2_e += weighed * energy;
            m2_e2 += weighed * energy * energy;
        }
    const int128 all = (int128)1 << CUBIC_SITES;
    return m2 == all * CUBIC_SITES && m2_e == -2 * all * CUBIC_BONDS &&
           m2_e2 == all * (CUBIC_SITES * CUBIC_BONDS + 60 * CUBIC_SITES);
}

static void magnetisations_correlate_with_energies(void **state) {
    (void)state;
    uint64_t energies[CUBIC_BONDS + 1];
    state_counts counts;
    assert_true(cubic_states_read(0, energies) == 1 && cubic_counts_read(&counts));
    for (uint32_t pairs = 0; pairs <= CUBIC_BONDS / 2; pairs++) {
        uint64_t sum = 0;
        for (uint32_t up = 0; up <= CUBIC_SITES; up++)
            sum += state_count(&counts, pairs, up);
        assert_true(sum == energies[2 * pairs]);
    }
    assert_int_equal(state_count(&counts, 0, CUBIC_SITES), 1);
    assert_int_equal(state_count(&counts, 3, CUBIC_SITES - 1), CUBIC_SITES);
    assert_int_equal(state_count(&counts, 5, CUBIC_SITES - 2), CUBIC_BONDS);
    assert_true(correlates(&counts));
    const exact_moments hot = state_counts_moments(&counts, 0);
    assert_true(fabs(hot.m2 - 1.0 / CUBIC_SITES) < 1e-17);
    assert_true(fabs(hot.m4 - (3.0 * CUBIC_SITES - 2) / CUBIC_SITES / CUBIC_SITES / CUBIC_SITES) <
                1e-17);
    *state_count_place(&counts, 40, 30) += 1; /* negative control: one state of 2^64 elsewhere */
    *state_count_place(&counts, 40, 32) -= 1;
    assert_false(correlates(&counts));
    state_counts_destroy(&counts);
}

/* --- Layers --- */

static void layers_give_the_same(void **state) {
    (void)state;
    layer_value v;
    int compared = 0, longer = 0;
    for (size_t n = 0; layer_value_read(n, &v); n++) {
        longer += v.edge != 4; /* for simulations */
        if (v.edge != 4)
            continue;
        couplings c = some_sample(v.sample, 0.5);
        uint64_t count[CUBIC_BONDS + 1];
        assert_true(cubic_states_read(v.sample, count) == 0.5);
        energy_states states;
        assert_true(energy_states_create(&states, &c));
        for (uint32_t u = 0; u <= CUBIC_BONDS; u++)
            energy_states_count(&states, u)[0] = count[u];
        const exact_result y = energy_states_thermodynamics(&states, v.beta);
        assert_true(fabs(v.x.e - y.e) <= 1e-12 && fabs(v.x.beta_f - y.beta_f) <= 1e-12);
        assert_true(fabs(v.x.c - y.c) <= 1e-11 && fabs(v.x.s - y.s) <= 1e-11);
        energy_states_count(&states, 60)[0] += count[60] / 1000; /* negative control */
        assert_false(fabs(v.x.e - energy_states_thermodynamics(&states, v.beta).e) <= 1e-12);
        energy_states_destroy(&states);
        couplings_destroy(&c);
        compared++;
    }
    assert_int_equal(compared, 1);
    assert_true(longer > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubic_counts_have_the_moments_of_their_couplings),
        cmocka_unit_test(magnetisations_correlate_with_energies),
        cmocka_unit_test(layers_give_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
