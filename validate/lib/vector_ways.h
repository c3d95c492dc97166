/* Lattices of vectors that tests simulate, and the functions that their partition functions are made of. */
#ifndef PAISING_VALIDATE_VECTOR_WAYS_H
#define PAISING_VALIDATE_VECTOR_WAYS_H

#include "cpu/ssc_vectors.h"
#include "engine/vector_arithmetic.h"

#define KEY  ((stream_key){{1968, 20}})
#define MOST 512 /* components of a replica */

/* A way to sweep. */
typedef struct {
    const model_kind *kind;
    const update_kind *update;
    real_kind real;
    uint32_t reflections;
} way;

static inline spin_model model_of(const way *w, uint32_t edge) {
    spin_model m =
        w->kind->create((const uint32_t[]){edge, edge, w->kind->dimension == 3 ? edge : 1});
    w->kind->choose(&m, &(state_choice){.real = w->real, .reflections = w->reflections});
    return m;
}

/* Draws replica k, and updates it so many times in an order, with so many threads. */
static inline void simulate_in_order(const vector_lattice *l, const update_kind *update,
                                     double beta, const visit_plan *plan, uint32_t k,
                                     uint32_t updates, uint32_t threads, void *spin) {
    const engine_step step = {.key = KEY, .temperature = 1};
    const vector_rule rule = vector_rule_at(update, beta);
    uint32_t label[MOST];
    ssc_vectors_randomise(l, spin, KEY, k);
    for (uint32_t n = 0; n < updates; n++) {
        const ssc_flips flips = {.step = &step, .replica = k, .sweep = n};
        if (update->clusters != CLUSTERS_NONE)
            ssc_vectors_flip_clusters(l, spin, &flips, &rule, update->clusters, label);
        else
            ssc_vectors_sweep(l, spin, &flips, &rule, plan, threads);
    }
}

/* The same sub-lattice by sub-lattice. */
static inline void simulate(const vector_lattice *l, const update_kind *update, double beta,
                            uint32_t k, uint32_t sweeps, void *spin) {
    const visit_plan plan = {.order = VISIT_CHECKERBOARD};
    simulate_in_order(l, update, beta, &plan, k, sweeps, 1, spin);
}

/* I_l(K) with n = 2, i_l(K) with n = 3, by their power series. */
static inline double bessel(uint32_t n, int l, double K) {
    double term = 1, sum = 0;
    for (int k = 1; k <= l; k++)
        term *= n == 2 ? K / 2 / k : K / (2 * k + 1);
    for (int k = 0; k < 60; k++) {
        sum += term;
        term *= K * K / 2 / (k + 1) / (n == 2 ? 2 * (k + 1 + l) : 2 * (k + 1 + l) + 1);
    }
    return sum;
}

#endif
