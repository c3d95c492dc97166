/* Lattices of spins that are vectors in single-spin coding (engine/vectors.h). They equal, bit for bit,
 * reference/plain_vectors.c. */
#include "ssc_vectors.h"

#include "base/portable.h"
#include "engine/vector_overlaps.h"
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

vector_pair ssc_vectors_pair(const vector_lattice *l, const void *a, const void *b,
                             const overlap_waves *w) {
    vector_pair pair = {.link = 0};
    if (l->real == REAL_FLOAT)
        vector_float_add_pair(l, a, b, w, &pair);
    else
        vector_double_add_pair(l, a, b, w, &pair);
    return pair;
}

void ssc_vectors_compare(const vector_lattice *l, const spin_model *model, const overlap_waves *w,
                         const vector_pairs *pairs, uint32_t threads, overlap_sums *out) {
    const size_t bytes = model_packed_bytes(model);
    const uint64_t bonds = vector_overlap_bonds(model);
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (pairs->count > 1)
    for (uint64_t n = 0; n < pairs->count; n++) {
        const uint8_t *const a = (const uint8_t *)pairs->own + n * bytes;
        const uint8_t *const b = (const uint8_t *)pairs->other + n * bytes;
        const bool related = pairs->own_family[n] == pairs->other_family[n];
        const vector_pair pair = related ? (vector_pair){.link = 0} : ssc_vectors_pair(l, a, b, w);
#pragma omp critical(overlap_sums)
        if (related)
            out->relatives++;
        else
            vector_overlaps_add(out, pairs->number + n, &pair, model, bonds);
    }
}

void ssc_vectors_overlaps(const vector_lattice *l, const spin_model *model, const overlap_waves *w,
                          const void *spins, const uint32_t *family, uint32_t threads,
                          uint64_t count, overlap_sums *out) {
    const uint64_t offset = overlap_offset(count);
    overlap_sums_begin(out, count);
    const vector_pairs pairs = {.own = spins,
                                .other =
                                    (const uint8_t *)spins + offset * model_packed_bytes(model),
                                .own_family = family,
                                .other_family = family + offset,
                                .count = out->pairs};
    ssc_vectors_compare(l, model, w, &pairs, threads, out);
}
