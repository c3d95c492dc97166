/* The number of states of every energy of the L x L ferromagnet (energy_states.h). This is the
 * polynomial of P. D. Beale, Phys. Rev. Lett. 76, 78 (1996), from Kaufman's partition function
 * (exact.c) modulo primes. With w = exp(-2 beta)
 *
 *     P(w) = 1/2 w^(N/2) (1 - w^2)^(N/2) (Z_1 + Z_2 + Z_3 + Z_4).
 *
 * Modes l and 2 L - l are equal, so that for even L the products over all l are
 *
 *     Z_1, Z_2 = product over odd l < L of (2 cosh L gamma_l +- 2),
 *     Z_3, Z_4 = the same over even l, 0 < l < L,
 *                times (2 cosh, 2 sinh of L gamma_0 / 2) (those of L gamma_L / 2),
 *     2 cosh gamma_l = (1 + w^2)^2 / (w (1 - w^2)) - 2 cos phi_l,
 *     exp gamma_0 = (1 - w) / (w (1 + w)),  exp gamma_L = (1 + w) / (w (1 - w)).
 *
 * If p is 1 modulo 2 L, roots of unity of that order exist modulo p, and 2 cos phi_l = root^l +
 * root^-l. Everything is then rational, and no digit is lost. */
#include "state_polynomial.h"

/* A root of unity modulo p of order exactly `order`. */
static uint64_t root_of_unity(const modulus *m, uint64_t order) {
    for (uint64_t base = 2;; base++) {
        const uint64_t root = modular_power(m, modular_from(m, base), (m->p - 1) / order);
        uint64_t power = root, k = 1;
        while (power != m->one) {
            power = modular_multiply(m, power, root);
            k++;
        }
        if (k == order)
            return root;
    }
}

/* 2 cosh n gamma from x = 2 cosh gamma. The loop over the bits of n also carries the value for n +
 * 1. */
static uint64_t multiple_angle(const modulus *m, uint64_t x, uint64_t n) {
    const uint64_t two = modular_add(m, m->one, m->one);
    uint64_t low = two, high = x;
    for (int bit = 63; bit >= 0; bit--) {
        const uint64_t middle = modular_subtract(m, modular_multiply(m, low, high), x);
        if (n >> bit & 1) {
            low = middle;
            high = modular_subtract(m, modular_multiply(m, high, high), two);
        } else {
            high = middle;
            low = modular_subtract(m, modular_multiply(m, low, low), two);
        }
    }
    return low;
}

/* Multiplies *plus and *minus by y^n + y^-n and y^n - y^-n. */
static void multiply_single(const modulus *m, uint64_t y, uint64_t n, uint64_t *plus,
                            uint64_t *minus) {
    const uint64_t power = modular_power(m, y, n), inverse = modular_inverse(m, power);
    *plus = modular_multiply(m, *plus, modular_add(m, power, inverse));
    *minus = modular_multiply(m, *minus, modular_subtract(m, power, inverse));
}

static bool partition_function(const couplings *c, const modulus *m, uint64_t w, uint64_t *p) {
    const uint64_t size = c->edge[0], one = m->one, two = modular_add(m, one, one);
    const uint64_t w2 = modular_multiply(m, w, w), less = modular_subtract(m, one, w2);
    const uint64_t more = modular_add(m, one, w2);
    const uint64_t common = modular_multiply(m, modular_multiply(m, more, more),
                                             modular_inverse(m, modular_multiply(m, w, less)));
    const uint64_t root = root_of_unity(m, 2 * size), back = modular_inverse(m, root);
    uint64_t z[2][2] = {{one, one}, {one, one}}; /* Z_3, Z_4; Z_1, Z_2 */
    uint64_t forth_l = one, back_l = one;
    for (uint64_t l = 1; l < size; l++) {
        forth_l = modular_multiply(m, forth_l, root);
        back_l = modular_multiply(m, back_l, back);
        const uint64_t x = modular_subtract(m, common, modular_add(m, forth_l, back_l));
        const uint64_t v = multiple_angle(m, x, size);
        z[l % 2][0] = modular_multiply(m, z[l % 2][0], modular_add(m, v, two));
        z[l % 2][1] = modular_multiply(m, z[l % 2][1], modular_subtract(m, v, two));
    }
    const uint64_t plus = modular_add(m, one, w), minus = modular_subtract(m, one, w);
    const uint64_t up = modular_multiply(m, w, plus), down = modular_multiply(m, w, minus);
    multiply_single(m, modular_multiply(m, minus, modular_inverse(m, up)), size / 2, &z[0][0],
                    &z[0][1]);
    multiply_single(m, modular_multiply(m, plus, modular_inverse(m, down)), size / 2, &z[0][0],
                    &z[0][1]);
    const uint64_t sum =
        modular_add(m, modular_add(m, z[0][0], z[0][1]), modular_add(m, z[1][0], z[1][1]));
    const uint64_t factor = modular_power(m, modular_multiply(m, w, less), c->sites / 2);
    *p = modular_multiply(m, modular_multiply(m, factor, sum), modular_inverse(m, two));
    return true;
}

bool kaufman_states_count(energy_states *states, const couplings *c) {
    return polynomial_solve(states, c, polynomial_form_of(c->bonds, 0), 2 * (uint64_t)c->edge[0],
                            partition_function);
}
