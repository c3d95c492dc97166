/* The open chain with alternating couplings. */
#include "chain.h"

#include "cpu/population.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the model --- */

/* J of the bond between sites x and x + 1. */
static int coupling(uint32_t x) {
    return x % 2 == 0 ? 1 : 2;
}

/* With N = 3, 7, 11, ... there are as many bonds of either kind, an odd number, and level n has unsatisfied
 * bonds of the couplings n together. */
spin_model chain_model(uint32_t sites) {
    const uint32_t strength = 3 * (sites - 1) / 2; /* their sum */
    return (spin_model){.name = "chain",
                        .title = "an open Ising chain of couplings 1, 2, 1, 2, ...",
                        .dimension = 1,
                        .edge = {sites, 1, 1},
                        .sites = sites,
                        .bonds = sites - 1,
                        .coordination = 2,
                        .levels = {-(int64_t)strength, 2, strength + 1, 1},
                        .gaps = CHAIN_GAPS,
                        .gap = {6, 4, 2},
                        .order_unit = 1};
}

/* --- a chain, as packed bits: even sites first (engine.h) --- */

static uint32_t place(uint32_t sites, uint32_t x) {
    return x % 2 * ((sites + 1) / 2) + x / 2;
}

static int spin_at(const uint8_t *spins, uint32_t sites, uint32_t x) {
    const uint32_t i = place(sites, x);
    return spins[i / 8] >> i % 8 & 1 ? 1 : -1;
}

int64_t chain_energy(const uint8_t *spins, uint32_t sites) {
    int64_t energy = 0;
    for (uint32_t x = 0; x + 1 < sites; x++)
        energy -= coupling(x) * spin_at(spins, sites, x) * spin_at(spins, sites, x + 1);
    return energy;
}

int64_t chain_magnetisation(const uint8_t *spins, uint32_t sites) {
    int64_t magnetisation = 0;
    for (uint32_t x = 0; x < sites; x++)
        magnetisation += spin_at(spins, sites, x);
    return magnetisation;
}

int64_t chain_gain(const uint8_t *spins, uint32_t sites, uint32_t x) {
    int field = 0;
    if (x > 0)
        field += coupling(x - 1) * spin_at(spins, sites, x - 1);
    if (x + 1 < sites)
        field += coupling(x) * spin_at(spins, sites, x + 1);
    return 2 * spin_at(spins, sites, x) * field;
}

/* --- exact values --- */

/* Along an open chain the spins are a Markov chain: the next is parallel with the probability
 * (1 + tanh beta J) / 2. Fills p[M + N] with the distribution of M. */
static void distribution_of_m(double p[2 * CHAIN_MAX_SITES + 1], uint32_t sites, double beta) {
    double of[2][2 * CHAIN_MAX_SITES + 1] = {{0}}; /* spin down or up at the end so far, and M */
    of[0][sites - 1] = of[1][sites + 1] = 0.5;
    for (uint32_t x = 0; x + 1 < sites; x++) {
        const double t = tanh(beta * coupling(x)), same = (1 + t) / 2, other = (1 - t) / 2;
        double next[2][2 * CHAIN_MAX_SITES + 1] = {{0}};
        for (uint32_t m = 1; m < 2 * sites; m++) {
            next[0][m - 1] = same * of[0][m] + other * of[1][m];
            next[1][m + 1] = other * of[0][m] + same * of[1][m];
        }
        memcpy(of, next, sizeof of);
    }
    for (uint32_t m = 0; m <= 2 * sites; m++)
        p[m] = of[0][m] + of[1][m];
}

observables chain_exact(uint32_t sites, double beta) {
    const double n = sites;
    observables row = {.beta = beta, .beta_f = -n * log(2)};
    for (uint32_t x = 0; x + 1 < sites; x++) {
        const double j = coupling(x), t = tanh(beta * j);
        row.e -= j * t / n;
        row.c += beta * beta * j * j * (1 - t * t) / n;
        row.beta_f -= log(cosh(beta * j));
    }
    double p[2 * CHAIN_MAX_SITES + 1];
    distribution_of_m(p, sites, beta);
    for (uint32_t m = 0; m <= 2 * sites; m++) {
        const double per_spin = (m - n) / n;
        row.abs_m += p[m] * fabs(per_spin);
        row.m2 += p[m] * pow(per_spin, 2);
        row.m4 += p[m] * pow(per_spin, 4);
    }
    return row;
}

/* --- the engine --- */

typedef struct {
    engine base;
    uint32_t sites;
    size_t bytes;     /* of a chain */
    engine_step step; /* begun, and made when it is finished */
    population replicas;
    uint8_t *spins; /* [capacity][bytes] */
    uint8_t *next;  /* the same, for the resampled population */
} chain_population;

static engine_status select_chains(chain_population *self, const engine_step *step) {
    const engine_status status = population_select(&self->replicas, step);
    if (status != ENGINE_OK)
        return status;
    uint8_t *const parents = self->spins;
    for (uint64_t k = 0; k < self->replicas.replicas; k++)
        memcpy(self->next + k * self->bytes, parents + self->replicas.parent[k] * self->bytes,
               self->bytes);
    self->spins = self->next;
    self->next = parents;
    return ENGINE_OK;
}

/* A Metropolis sweep of chain k, even sites before odd ones. */
static void sweep_chain(const chain_population *self, const engine_step *step, uint64_t k,
                        uint32_t sweep) {
    const uint32_t sites = self->sites, even = (sites + 1) / 2;
    const rounding from = step_rounding(step, step_rule(step, k));
    const threshold_set limits = round_thresholds(&from, (uint32_t)k, sweep);
    uint8_t *const spins = self->spins + k * self->bytes;
    stream_block draw = {{0}};
    for (uint32_t i = 0; i < sites; i++) {
        if (i % 4 == 0)
            draw = stream_draw(step->key, STREAM_SSC, i / 4, (uint32_t)k, sweep, step->temperature);
        const int64_t gain = chain_gain(spins, sites, i < even ? 2 * i : 2 * (i - even) + 1);
        const int64_t class = (6 - gain) / 2; /* of the gaps 6, 4, 2 */
        const bool flips = gain <= 0 || draw.number[i % 4] < limits.threshold[class];
        spins[i / 8] ^= (uint8_t)(flips << i % 8);
    }
}

static void measure_chain(chain_population *self, uint64_t k) {
    const spin_model *const model = &self->base.model;
    const uint8_t *const spins = self->spins + k * self->bytes;
    const int64_t above = chain_energy(spins, self->sites) - model->levels.lowest;
    const int64_t abs_m = llabs(chain_magnetisation(spins, self->sites));
    self->replicas.level[k] = (uint32_t)(above / model->levels.spacing);
    self->replicas.order[k] = (uint32_t)(abs_m / model->order_unit);
}

static engine_status chain_step(engine *base, const engine_step *step, histogram *out) {
    chain_population *const self = (chain_population *)base;
    if (!step_groups_are_whole(base, step, 1))
        return ENGINE_FAILED;
    const engine_status status = step->parts & PART_SELECT ? select_chains(self, step) : ENGINE_OK;
    if (status != ENGINE_OK)
        return status;
    const uint32_t sweeps = step->parts & PART_SWEEP ? step->sweeps : 0;
    for (uint64_t k = 0; k < self->replicas.replicas; k++)
        for (uint32_t sweep = 0; sweep < sweeps; sweep++)
            sweep_chain(self, step, k, sweep);
    if (step->parts & PART_MEASURE) {
        for (uint64_t k = 0; k < self->replicas.replicas; k++)
            measure_chain(self, k);
        population_report(&self->replicas, step, out);
    }
    return ENGINE_OK;
}

static engine_status chain_randomise(engine *base, stream_key key, uint64_t replicas,
                                     histogram *out) {
    chain_population *const self = (chain_population *)base;
    memset(self->spins, 0, replicas * self->bytes);
    for (uint64_t k = 0; k < replicas; k++) {
        const stream_block draw = stream_draw(key, STREAM_RANDOMISE, 0, (uint32_t)k, 0, 0);
        for (uint32_t i = 0; i < self->sites; i++)
            self->spins[k * self->bytes + i / 8] |=
                (uint8_t)((draw.number[i / 32] >> i % 32 & 1) << i % 8);
    }
    population_found(&self->replicas, replicas);
    return engine_measure(base, out);
}

static engine_status chain_read_levels(engine *base, uint64_t first, uint64_t count,
                                       uint32_t *levels) {
    const chain_population *const self = (const chain_population *)base;
    memcpy(levels, self->replicas.level + first, count * sizeof *levels);
    return ENGINE_OK;
}

static engine_status chain_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                                uint32_t *families) {
    const chain_population *const self = (const chain_population *)base;
    memcpy(families, self->replicas.family + first, count * sizeof *families);
    memcpy(spins, self->spins + first * self->bytes, count * self->bytes);
    return ENGINE_OK;
}

static engine_status chain_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                                 const uint8_t *spins, const uint32_t *families) {
    chain_population *const self = (chain_population *)base;
    self->replicas.replicas = replicas;
    memcpy(self->replicas.family + first, families, count * sizeof *families);
    memcpy(self->spins + first * self->bytes, spins, count * self->bytes);
    return ENGINE_OK;
}

static void chain_destroy(engine *base) {
    chain_population *const self = (chain_population *)base;
    population_destroy(&self->replicas);
    free(self->spins);
    free(self->next);
    free(self);
}

static const struct engine_verbs chain_verbs = {.randomise = chain_randomise,
                                                .step = chain_step,
                                                .read_levels = chain_read_levels,
                                                .read = chain_read,
                                                .write = chain_write,
                                                .destroy = chain_destroy};

engine *chain_engine(const spin_model *model, uint64_t capacity) {
    chain_population *const self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    const uint32_t sites = model->edge[0];
    self->base = (engine){
        .name = "chains on one CPU core", .model = *model, .threads = 1, .verbs = &chain_verbs};
    for (engine_stage stage = 0; stage < STAGES; stage++)
        self->base.seconds[stage] = NAN; /* nobody asks */
    self->sites = sites;
    self->bytes = (sites + 7) / 8;
    self->spins = malloc(capacity * self->bytes);
    self->next = malloc(capacity * self->bytes);
    if (population_create(&self->replicas, capacity, RESAMPLE_NEAREST) || !self->spins ||
        !self->next) {
        chain_destroy(&self->base);
        return NULL;
    }
    return &self->base;
}
