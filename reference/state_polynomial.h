/* From values of a partition function modulo primes to the numbers of states of every energy
 * (energy_states.h).
 *
 * With w = exp(-2 beta) the partition function is a polynomial: Z = exp(beta B) P(w), P(w) = sum
 * over u of g(u) w^u, where u of the B bonds are unsatisfied. Suppose that flips change u by 0, 2
 * or 4, and that g(u) = g(B - u), because inverting every second spin exchanges satisfied and
 * unsatisfied bonds. Then, with z = w^2 and the lowest u = a,
 *
 *     P(w) = w^a (1 + z)^o z^d Q(z + 1/z),  2 a + 2 o + 4 d = B,  o = 0 or 1.
 *
 * Q has degree d, and d + 1 values determine it. */
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

/* The form for B bonds if `lowest` is the lowest u. */
polynomial_form polynomial_form_of(uint64_t bonds, uint64_t lowest);

/* Sets *p to P(w) modulo the prime of m; w is not 0, 1 or -1. Numbers are in the representation of
 * modular.h. Returns false if this w is unsuitable and another one must be tried. Several threads
 * may call it at the same time. */
typedef bool polynomial_value(const couplings *c, const modulus *m, uint64_t w, uint64_t *p);

/* Computes the numbers of states for couplings c, modulo primes that are 1 modulo `order`, an even
 * number. Returns false without memory. */
bool polynomial_solve(energy_states *states, const couplings *c, polynomial_form form,
                      uint64_t order, polynomial_value *value);

#endif
