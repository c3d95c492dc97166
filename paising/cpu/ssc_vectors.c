/* Lattices of spins that are vectors in single-spin coding (engine/vectors.h). They equal, bit for bit,
 * reference/plain_vectors.c. */
#include "ssc_vectors.h"

#include "base/portable.h"
#include "engine/vector_arithmetic.h"
#include "union_find.h"

#include <stdlib.h>

#define REAL     float
#define OF(name) vector_float_##name
#include "ssc_vector_loops.h"
#undef REAL
#undef OF

#define REAL     double
#define OF(name) vector_double_##name
#include "ssc_vector_loops.h"
#undef REAL
#undef OF

int ssc_vectors_take_sample(vector_lattice *l, const couplings *sample) {
    const size_t bonds = (size_t)l->dimension * l->sites,
                 size = l->real == REAL_DOUBLE ? sizeof(double) : sizeof(float);
    l->couplings = malloc(bonds * size);
    for (size_t b = 0; b < bonds && l->couplings != NULL; b++) {
        const double J = vector_coupling(sample, b % l->sites, (uint32_t)(b / l->sites));
        if (l->real == REAL_DOUBLE)
            ((double *)l->couplings)[b] = J;
        else
            ((float *)l->couplings)[b] = (float)J;
    }
    return l->couplings != NULL ? 0 : -1;
}

void ssc_vectors_randomise(const vector_lattice *l, void *spin, stream_key key, uint32_t replica) {
    if (l->real == REAL_FLOAT)
        vector_float_randomise(l, spin, key, replica);
    else
        vector_double_randomise(l, spin, key, replica);
}

void ssc_vectors_sweep(const vector_lattice *l, void *spin, const ssc_flips *flips,
                       const vector_rule *rule, const visit_plan *plan, uint32_t threads) {
    const uint32_t sweep = flips->sweep * (plan->order == VISIT_TILES ? plan->hits : 1);
    const vector_numbers of = {flips->step->key, flips->replica, sweep, flips->step->temperature,
                               0};
    if (l->real == REAL_FLOAT)
        vector_float_sweep(l, rule, plan, threads, spin, of);
    else
        vector_double_sweep(l, rule, plan, threads, spin, of);
}

void ssc_vectors_flip_clusters(const vector_lattice *l, void *spin, const ssc_flips *flips,
                               const vector_rule *rule, cluster_flips which, uint32_t *label) {
    const vector_numbers of = {flips->step->key, flips->replica, flips->sweep,
                               flips->step->temperature, 0};
    if (l->real == REAL_FLOAT)
        vector_float_clusters(l, rule, which, spin, of, label);
    else
        vector_double_clusters(l, rule, which, spin, of, label);
}

void ssc_vectors_measure(const vector_lattice *l, const void *spin, int64_t *energy,
                         uint32_t *order) {
    int64_t sum[3] = {0};
    *energy = 0;
    if (l->real == REAL_FLOAT)
        vector_float_measure(l, spin, energy, sum);
    else
        vector_double_measure(l, spin, energy, sum);
    *order = vector_order(l, sum);
}
