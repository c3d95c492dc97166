/* The number of states of every energy on the 4 x 4 x 4 lattice with any couplings
 * (energy_states.h). With n_a of the 32 odd sites in class a (checkerboard.h), and w = exp(-2 beta)
 * for an unsatisfied bond,
 *
 *     sum over g(u) w^u = 2 sum over bins of states product over a = 0 .. 3 of (w^(3 - a) + w^(3
 * + a))^(n_a). */
#include "checkerboard.h"
#include "energy_states.h"

#include <stdlib.h>
#include <string.h>

#define ODD   CHECKERBOARD_HALF
#define TERMS (CHECKERBOARD_BONDS + 1)

/* A polynomial in w, modulo 2^64; no count is larger. */
typedef struct {
    uint64_t term[TERMS];
} polynomial;

/* Multiplies by w^(3 - a) + w^(3 + a). */
static void multiply(polynomial *p, uint32_t a) {
    for (uint32_t u = TERMS; u-- > 0;)
        p->term[u] =
            (u < 3 - a ? 0 : p->term[u - (3 - a)]) + (u < 3 + a ? 0 : p->term[u - (3 + a)]);
}

bool cubic_states_count(energy_states *states, const couplings *c) {
    *states = (energy_states){0};
    uint64_t *const bins = checkerboard_count(c, CHECKERBOARD_BY_FIELD);
    if (bins == NULL || !energy_states_create(states, c)) {
        free(bins);
        return false;
    }
    polynomial three = {.term = {2}};
    for (uint32_t n3 = 0; n3 <= ODD; n3++) {
        polynomial two = three;
        for (uint32_t n2 = 0; n3 + n2 <= ODD; n2++) {
            polynomial one = two;
            for (uint32_t n1 = 0; n3 + n2 + n1 <= ODD; n1++) {
                const uint32_t n0 = ODD - n1 - n2 - n3;
                const uint64_t factor =
                    bins[checkerboard_bin(CHECKERBOARD_BY_FIELD, (uint32_t[]){n3, n2, n1})] << n0;
                for (uint32_t u = 3 * n0; u < TERMS && factor != 0; u++)
                    energy_states_count(states, u)[0] += factor * one.term[u - 3 * n0];
                multiply(&one, 1);
            }
            multiply(&two, 2);
        }
        multiply(&three, 3);
    }
    free(bins);
    return true;
}
