/* The number of states of every energy on the square lattice with any couplings (energy_states.h),
 * after A. Galluccio, M. Loebl and J. Vondrak, Phys. Rev. Lett. 84, 5924 (2000). Values of the
 * partition function modulo primes, at as many temperatures as it has coefficients, determine it
 * (state_polynomial.h).
 *
 * With w = exp(-2 beta), Z = exp(beta B) P(w), and by torus.h, with t = (1 - w) / (1 + w),
 *
 *     P(w) = 2^-N (1 + w)^B S(t),  B = 2 N.
 *
 * Half of its coefficients are 0, and half of the others follow from the rest:
 *   - a flip changes u by 0, 2 or 4, so that u has the parity of the number of bonds with J = -1;
 *   - inverting every second spin exchanges satisfied and unsatisfied bonds: g(u) = g(B - u),
 *     because edges are even;
 *   - a plaquette with an odd number of bonds J = -1 has an odd number of unsatisfied bonds;
 *     a bond is a side of two plaquettes, so that u is at least half the number of such plaquettes. */
#include "state_polynomial.h"
#include "torus.h"

static uint64_t frustrated_plaquettes(const couplings *c) {
    uint64_t count = 0;
    for (uint64_t site = 0; site < c->sites; site++) {
        const int sign = couplings_sign(c, site, 0) * couplings_sign(c, site, 1) *
                         couplings_sign(c, couplings_neighbour(c, site, 1), 0) *
                         couplings_sign(c, couplings_neighbour(c, site, 0), 1);
        count += sign < 0;
    }
    return count;
}

static uint64_t lowest_unsatisfied(const couplings *c) {
    const uint64_t lowest = (frustrated_plaquettes(c) + 1) / 2;
    return lowest + (lowest + couplings_count_negative(c)) % 2;
}

static bool partition_function(const couplings *c, const modulus *m, uint64_t w, uint64_t *p) {
    const uint64_t plus = modular_add(m, m->one, w), minus = modular_subtract(m, m->one, w);
    uint64_t s;
    if (!torus_sum(c, m, modular_multiply(m, minus, modular_inverse(m, plus)), &s))
        return false;
    const uint64_t two_to_n = modular_power(m, modular_add(m, m->one, m->one), c->sites);
    *p = modular_multiply(m, modular_multiply(m, modular_power(m, plus, c->bonds), s),
                          modular_inverse(m, two_to_n));
    return true;
}

bool square_states_count(energy_states *states, const couplings *c) {
    return polynomial_solve(states, c, polynomial_form_of(c->bonds, lowest_unsatisfied(c)), 2,
                            partition_function);
}
