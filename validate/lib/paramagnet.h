/* Population annealing of free spins in a field, E = -M: exactly solved, and cheap. It stands in
 * for an engine in the tests of the analysis, with families and with relatives that stay alike
 * because few spins are updated between the temperatures. Its generator and its resampling are its
 * own. */
#ifndef PAISING_PARAMAGNET_H
#define PAISING_PARAMAGNET_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/histogram.h"
#include "resample/resampling.h"

typedef struct {
    uint32_t spins;      /* N; level n has n spins down, E = 2 n - N */
    uint64_t target;     /* R */
    uint64_t population; /* R_i */
    uint64_t capacity;
    uint32_t *down, *family;           /* [capacity] of each replica */
    uint32_t *next_down, *next_family; /* [capacity] room for the children */
    uint64_t *tau_hat;                 /* [levels] */
    uint64_t random;                   /* state of the generator */
    histogram report;
} paramagnet;

/* SplitMix64 (Steele, Lea and Flood, 2014) as a number in [0, 1). */
static inline double paramagnet_random(paramagnet *p) {
    uint64_t x = p->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

static inline paramagnet paramagnet_create(uint32_t spins, uint64_t target, uint64_t seed) {
    paramagnet p = {.spins = spins, .target = target, .capacity = 2 * target + 100, .random = seed};
    uint32_t **const arrays[] = {&p.down, &p.family, &p.next_down, &p.next_family};
    for (size_t n = 0; n < sizeof arrays / sizeof *arrays; n++) {
        *arrays[n] = calloc(p.capacity, sizeof(uint32_t));
        assert_non_null(*arrays[n]);
    }
    const spin_model model = {
        .sites = spins, .levels = {-(int64_t)spins, 2, (size_t)spins + 1, 1}, .order_unit = 2};
    p.tau_hat = calloc(spins + 1, sizeof *p.tau_hat);
    assert_non_null(p.tau_hat);
    assert_int_equal(histogram_create(&p.report, &model), 0);
    return p;
}

static inline void paramagnet_destroy(paramagnet *p) {
    free(p->down);
    free(p->family);
    free(p->next_down);
    free(p->next_family);
    free(p->tau_hat);
    histogram_destroy(&p->report);
}

/* Adds the population to the histogram, whose sums over replicas are zero. */
static inline void paramagnet_report(paramagnet *p) {
    histogram *const h = &p->report;
    h->population = p->population;
    uint64_t members = 0;
    for (uint64_t k = 0; k < p->population; k++) {
        const int64_t m = (int64_t)p->spins - 2 * (int64_t)p->down[k];
        histogram_add(h, k, p->down[k], (uint64_t)llabs(m) / 2);
        histogram_add_founder(h, p->family[k], p->target, p->down[k]);
        members++;
        if (k + 1 == p->population || p->family[k + 1] != p->family[k]) {
            h->families++;
            h->family_squares += members * members;
            members = 0;
        }
    }
}

/* Draws independent replicas at inverse temperature beta, each the founder of a family. */
static inline void paramagnet_start(paramagnet *p, double beta) {
    const double down = 1 / (1 + exp(2 * beta));
    p->population = p->target;
    for (uint64_t k = 0; k < p->population; k++) {
        p->family[k] = (uint32_t)k;
        p->down[k] = 0;
        for (uint32_t i = 0; i < p->spins; i++)
            p->down[k] += paramagnet_random(p) < down;
    }
    histogram_clear(&p->report);
    paramagnet_report(p);
}

/* Gives each replica its tau-hat of children (eq. 2), in the order of their parents. */
static inline void paramagnet_resample(paramagnet *p) {
    uint64_t children = 0;
    histogram_clear(&p->report);
    for (uint64_t j = 0; j < p->population; j++) {
        const uint64_t tau_hat = p->tau_hat[p->down[j]];
        parent_sums *const block = &p->report.parent[population_block(p->family[j], p->target)];
        block->parents++;
        block->tau_hat += tau_hat;
        const double chance = (double)(uint32_t)tau_hat * 0x1p-32;
        uint64_t copies = (tau_hat >> 32) + (paramagnet_random(p) < chance);
        assert_true(children + copies <= p->capacity);
        for (; copies > 0; copies--, children++) {
            p->next_down[children] = p->down[j];
            p->next_family[children] = p->family[j];
        }
    }
    memcpy(p->down, p->next_down, children * sizeof *p->down);
    memcpy(p->family, p->next_family, children * sizeof *p->family);
    p->population = children;
}

/* A step from beta to beta + dbeta, with `updates` Metropolis updates of random spins in each
 * replica. Returns ln Q. */
static inline double paramagnet_step(paramagnet *p, double beta, double dbeta, uint32_t updates) {
    const double ln_q = resampling_tau_hat(&p->report, dbeta, p->target, p->tau_hat);
    const double against = exp(-2 * (beta + dbeta)); /* turning down a spin that is up */
    paramagnet_resample(p);
    for (uint64_t k = 0; k < p->population; k++)
        for (uint32_t n = 0; n < updates; n++) {
            if (paramagnet_random(p) * p->spins < p->down[k])
                p->down[k]--;
            else if (paramagnet_random(p) < against)
                p->down[k]++;
        }
    paramagnet_report(p);
    return ln_q;
}

/* Exact values: beta F of the whole system, and e and C per spin. */
static inline double paramagnet_beta_f(uint32_t spins, double beta) {
    return -(double)spins * log(2 * cosh(beta));
}

static inline double paramagnet_e(double beta) {
    return -tanh(beta);
}

static inline double paramagnet_c(double beta) {
    return beta * beta / (cosh(beta) * cosh(beta));
}

#endif
