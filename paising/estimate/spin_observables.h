/* Observables of a replica that the host makes of its spins, one a line of the table. All are between 0 and 1.
 *
 * Of Baxter and Wu's model each sub-lattice a, b and c has a magnetisation M_a and a polarisation P_a. That is the sum of s s' over its sites
 * and the three neighbours of each on the next sub-lattice. In the ground states, all spins up or two sub-lattices down, both are as large as they can be,
 *
 *     m_s = sqrt(3 (M_a^2 + M_b^2 + M_c^2)) / N = 1,    p_s = sqrt((P_a^2 + P_b^2 + P_c^2) / 3) / N = 1. */
#ifndef PAISING_SPIN_OBSERVABLES_H
#define PAISING_SPIN_OBSERVABLES_H

#include "engine/states.h"

#include <stddef.h>

/* What they are made of, as far as the model has it. */
#define SUB_LATTICES 3
typedef struct {
    const spin_model *model;
    uint64_t order; /* |M| (model.h) */
    int64_t magnetisation[SUB_LATTICES], polarisation[SUB_LATTICES];
    uint32_t largest; /* sites of the largest cluster of neighbours in the same state */
} spin_sums;

/* Those of spin[N], the state of each site, 0 and 1 of Ising spins, sites as in couplings.h. room[2 N] is overwritten. */
spin_sums spin_sums_of(const spin_model *m, const uint8_t *spin, uint32_t *room);

typedef struct {
    const char *name, *meaning;
    bool (*fits)(const spin_model *m);
    double (*value)(const spin_sums *s);
} spin_observable;

/* How many there are, and the number of |m|, which all models but those of vectors have. */
#define SPIN_OBSERVABLES_MOST 7
#define SPIN_ORDER            0

/* Fills of[] with those that fit the model, from number `first` on. Returns how many. */
size_t spin_observables(const spin_model *m, size_t first,
                        const spin_observable *of[SPIN_OBSERVABLES_MOST]);

#endif
