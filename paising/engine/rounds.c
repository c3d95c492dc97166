/* Exchanges of a round on the host. */
#include "rounds.h"

#include "base/ieee_math.h"

#include <stdlib.h>

/* Chains from which on threads are worth it. */
#define MANY_CHAINS 4096

/* 2^64 exp(-d_beta dE) of a rise of so many levels. */
static uint64_t threshold_of(const energy_levels levels, double beta, double next, uint32_t rise) {
    const double spacing = (double)levels.spacing / level_unit(levels),
                 p = ieee_exp((beta - next) * (spacing * (double)rise));
    return p >= 1 ? UINT64_MAX : (uint64_t)(0x1p64 * p);
}

/* The rises that may be accepted at some pair of temperatures. */
static uint32_t rises_of(const energy_levels levels, const double beta[], size_t groups) {
    uint32_t rises = 0;
    for (size_t k = 0; k + 1 < groups; k++)
        while (rises + 1 < levels.count &&
               threshold_of(levels, beta[k], beta[k + 1], rises + 1) > 0)
            rises++;
    return rises;
}

int exchange_table_create(exchange_table *t, const spin_model *model, const double beta[],
                          size_t groups) {
    const energy_levels levels = model->levels;
    *t = (exchange_table){.fine = levels.fine,
                          .each =
                              levels.fine ? FINE_MOST_BYTES * 256 : rises_of(levels, beta, groups)};
    t->threshold =
        calloc((groups > 1 ? groups - 1 : 1) * ((size_t)t->each + 1), sizeof *t->threshold);
    for (size_t k = 0; k + 1 < groups && t->threshold != NULL; k++) {
        uint64_t *const of = t->threshold + k * t->each;
        if (levels.fine)
            fine_weights_fill((uint64_t(*)[256])of, FINE_MOST_BYTES,
                              (beta[k + 1] - beta[k]) / level_unit(levels));
        for (uint32_t d = 0; d < t->each && !levels.fine; d++)
            of[d] = threshold_of(levels, beta[k], beta[k + 1], d + 1);
    }
    return t->threshold != NULL ? 0 : -1;
}

/* Exchanges of groups k and k + 1. */
static void exchange_pair(const round_plan *plan, const engine_round *round, size_t k,
                          replica_energies energies, uint32_t parent[]) {
    const uint64_t R = plan->replicas, words = round_words(R);
#pragma omp parallel for schedule(static) if (R >= MANY_CHAINS)
    for (uint64_t w = 0; w < words; w++) {
        uint32_t accepted = 0;
        for (uint64_t r = 32 * w; r < R && r < 32 * (w + 1); r++) {
            const bool swaps = exchange_is_accepted(
                plan->exchanges, round->key, round->time, (uint32_t)k, (uint32_t)r,
                energy_difference(energies, k * R + r, (k + 1) * R + r));
            accepted |= (uint32_t)swaps << r % 32;
            parent[k * R + r] = (uint32_t)((k + swaps) * R + r);
            parent[(k + 1) * R + r] = (uint32_t)((k + !swaps) * R + r);
        }
        round->accepted[k * words + w] = accepted;
    }
}

void round_exchange(const round_plan *plan, const engine_round *round, replica_energies energies,
                    uint32_t parent[]) {
    for (uint64_t k = 0; k < plan->groups * plan->replicas; k++)
        parent[k] = (uint32_t)k;
    for (size_t k = round->first; k + 1 < plan->groups; k += 2)
        exchange_pair(plan, round, k, energies, parent);
}
