/* Interpolation of a partition function modulo primes (state_polynomial.h). */
#include "state_polynomial.h"

#include <stdlib.h>
#include <string.h>

polynomial_form polynomial_form_of(uint64_t bonds, uint64_t lowest) {
    const uint64_t steps = (bonds - 2 * lowest) / 2; /* steps of 2 in u */
    return (polynomial_form){lowest, steps % 2, (size_t)(steps / 2)};
}

/* The polynomial: its couplings, its form, and the function that gives its values. */
typedef struct {
    const couplings *c;
    polynomial_form form;
    polynomial_value *value;
} polynomial;

/* Sets *q to Q(z + 1/z) and *y to z + 1/z, with z = w^2. Returns false if this w is unsuitable. */
static bool value_at(const polynomial *f, const modulus *m, uint64_t w, uint64_t *y, uint64_t *q) {
    const uint64_t z = modular_multiply(m, w, w), inverse = modular_inverse(m, z);
    uint64_t p;
    if (!f->value(f->c, m, w, &p))
        return false;
    const uint64_t rest = modular_multiply(
        m, modular_power(m, w, f->form.lowest),
        modular_multiply(m, modular_power(m, modular_add(m, m->one, z), f->form.odd),
                         modular_power(m, z, f->form.degree)));
    *q = modular_multiply(m, p, modular_inverse(m, rest));
    *y = modular_add(m, z, inverse);
    return true;
}

/* Newton's interpolation: the values q[n] at y[n], n = 0 .. d, become divided differences. */
static void divide_differences(const modulus *m, size_t d, const uint64_t *y, uint64_t *q) {
    for (size_t step = 1; step <= d; step++)
        for (size_t n = d; n >= step; n--)
            q[n] = modular_multiply(m, modular_subtract(m, q[n], q[n - 1]),
                                    modular_inverse(m, modular_subtract(m, y[n], y[n - step])));
}

/* Sets r[0 .. 2 d + 1] to the coefficients of (1 + z)^o z^d Q(z + 1/z), by Horner's scheme with
 * factors y - y[n] = (z^2 - y[n] z + 1) / z. */
static void expand(const modulus *m, polynomial_form form, const uint64_t *y, const uint64_t *q,
                   uint64_t *r) {
    const size_t d = form.degree, size = 2 * d + 2;
    memset(r, 0, size * sizeof *r);
    r[0] = q[d];
    for (size_t n = d; n-- > 0;) {
        for (size_t k = size; k-- > 0;) {
            const uint64_t one = k < 1 ? 0 : modular_multiply(m, y[n], r[k - 1]);
            r[k] = modular_add(m, modular_subtract(m, r[k], one), k < 2 ? 0 : r[k - 2]);
        }
        r[d - n] = modular_add(m, r[d - n], q[n]);
    }
    for (size_t k = size; form.odd && --k > 0;)
        r[k] = modular_add(m, r[k], r[k - 1]);
}

/* Computes the coefficients of P modulo one prime, r[0 .. 2 d + 1], as ordinary numbers. */
static bool coefficients(const polynomial *f, const modulus *m, uint64_t *r) {
    const size_t d = f->form.degree;
    uint64_t *const y = malloc((d + 1) * sizeof *y), *const q = malloc((d + 1) * sizeof *q);
    bool good = y != NULL && q != NULL;
    if (good) {
#pragma omp parallel for schedule(dynamic) reduction(&& : good) if (d > 32)
        for (size_t n = 0; n <= d; n++) {
            /* Temperatures w = 2, 3, ..., d + 2. An unsuitable w is replaced by one that no other n
             * takes. */
            uint64_t w = n + 2;
            int attempts = 1;
            while (!value_at(f, m, modular_from(m, w), &y[n], &q[n]) && attempts++ < 4)
                w += d + 1;
            good = good && attempts <= 4;
        }
    }
    if (good) {
        divide_differences(m, d, y, q);
        expand(m, f->form, y, q, r);
        for (size_t k = 0; k < 2 * d + 2; k++)
            r[k] = modular_number(m, r[k]);
    }
    free(y);
    free(q);
    return good;
}

/* number = number * factor + digit */
static void multiply_add(uint64_t *number, size_t words, uint64_t factor, uint64_t digit) {
    uint128 carry = digit;
    for (size_t n = 0; n < words; n++) {
        carry += (uint128)number[n] * factor;
        number[n] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* The number below the product of all primes with these residues (Garner), by digits of mixed
 * radix; the first digit belongs to the first prime. The residues are overwritten. */
static void combine(const modulus *prime, size_t primes, uint64_t *residue, uint64_t *number,
                    size_t words) {
    for (size_t n = 0; n < primes; n++)
        for (size_t later = n + 1; later < primes; later++) {
            const modulus *const m = &prime[later];
            const uint64_t radix = modular_from(m, prime[n].p % m->p);
            const uint64_t difference = modular_subtract(m, residue[later], residue[n] % m->p);
            residue[later] = modular_number(
                m, modular_multiply(m, modular_from(m, difference), modular_inverse(m, radix)));
        }
    for (size_t n = primes; n-- > 0;)
        multiply_add(number, words, prime[n].p, residue[n]);
}

bool polynomial_solve(energy_states *states, const couplings *c, polynomial_form form,
                      uint64_t order, polynomial_value *value) {
    const polynomial f = {c, form, value};
    const size_t size = 2 * form.degree + 2, primes = (size_t)(c->sites / 61 + 1);
    modulus *const prime = malloc(primes * sizeof *prime);
    uint64_t *const r = malloc((size + 1) * primes * sizeof *r);
    bool good = energy_states_create(states, c) && prime != NULL && r != NULL;
    for (size_t n = 0; good && n < primes; n++) {
        prime[n] = modulus_below(n == 0 ? (uint64_t)1 << 62 : prime[n - 1].p, order);
        good = coefficients(&f, &prime[n], r + n * size);
    }
    for (size_t k = 0; good && k < size && form.lowest + 2 * k <= states->bonds; k++) {
        uint64_t *const residue = r + primes * size;
        for (size_t n = 0; n < primes; n++)
            residue[n] = r[n * size + k];
        combine(prime, primes, residue, energy_states_count(states, form.lowest + 2 * k),
                states->words);
    }
    free(prime);
    free(r);
    if (!good)
        energy_states_destroy(states);
    return good;
}
