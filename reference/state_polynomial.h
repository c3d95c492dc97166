/* From values of a partition function, modulo primes, to the numbers of states of every energy (energy_states.h).
 *
 * With w = exp(-2 beta) the partition function is a polynomial, Z = exp(beta B) P(w), P(w) = sum over u of g(u) w^u,
 * where u of the B bonds are unsatisfied. Where flips change u by 0, 2 or 4, and turning every second spin exchanges satisfied
 * and unsatisfied bonds, g(u) = g(B - u), it has with z = w^2 and the lowest u = a the form
 *
 *     P(w) = w^a (1 + z)^o z^d Q(z + 1/z),  2 a + 2 o + 4 d = B,  o = 0 or 1,
 *
 * and Q has degree d: d + 1 values determine it. */
#ifndef PAISING_STATE_POLYNOMIAL_H
#define PAISING_STATE_POLYNOMIAL_H

#include "energy_states.h"
#include "modular.h"

/* The form of P. */
typedef struct {
    uint64_t lowest; /* a */
    uint64_t odd;    /* o */
    size_t degree;   /* d */
} polynomial_form;

/* The form for B bonds, if u = lowest is the lowest. */
polynomial_form polynomial_form_of(uint64_t bonds, uint64_t lowest);

/* Sets *p to P(w) modulo the prime of m, w not 0, 1 or -1; numbers as m has them. Returns false if this w will not do,
 * and another one has to be taken. It is called by several threads. */
typedef bool polynomial_value(const couplings *c, const modulus *m, uint64_t w, uint64_t *p);

/* Makes the numbers of states of couplings c, modulo primes that are 1 modulo `order`, an even number. Returns false
 * without memory. */
bool polynomial_solve(energy_states *states, const couplings *c, polynomial_form form,
                      uint64_t order, polynomial_value *value);

#endif
