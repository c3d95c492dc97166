/* An engine of exact energies (ideal_engine.h). */
#include "ideal_engine.h"

#include "cpu/population.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    engine base;
    const level_states *states;
    FILE *log;
    engine_step step; /* begun, and made when it is finished */
    stream_key key;   /* of the run */
    double beta;      /* of the population */
    population replicas;
    double *probability; /* [levels] */
    canonical_table table;
} ideal_population;

/* The inverse temperature of a rule, whose threshold for the smallest gap is 2^32 exp(-beta gap). */
static double beta_of(const spin_model *model, const flip_rule *rule) {
    const size_t n = model->gaps - 1;
    const double gap = model->gap[n];
    const long double threshold = rule->threshold[n] + 0x1p-64L * (long double)rule->fraction[n];
    return (double)(-logl(0x1p-32L * threshold) / gap);
}

/* Takes a Philox block a replica, one of those that spins would take. */
static void draw_levels(ideal_population *self, stream_key key, uint32_t temperature, double beta) {
    self->beta = beta;
    canonical_fill(self->states, beta, self->probability);
    canonical_table_fill(&self->table, self->probability);
    for (uint64_t k = 0; k < self->replicas.replicas; k++) {
        const stream_block b = stream_draw(key, STREAM_SSC, 0, (uint32_t)k, 0, temperature);
        const uint64_t number = (uint64_t)b.number[1] << 32 | b.number[0];
        self->replicas.level[k] = canonical_draw(&self->table, number);
        self->replicas.order[k] = 0;
    }
}

/* Families are contiguous. */
static void log_families(const ideal_population *self, const histogram *h) {
    const population *const p = &self->replicas;
    const double all = (double)p->replicas;
    double entropy = 0;
    uint64_t members = 0;
    for (uint64_t k = 0; k < p->replicas; k++) {
        members++;
        if (k + 1 == p->replicas || p->family[k + 1] != p->family[k]) {
            entropy -= (double)members / all * log((double)members / all);
            members = 0;
        }
    }
    fprintf(self->log, "%.15g %.0f %llu %.10g %.10g\n", self->beta, all,
            (unsigned long long)h->families, (double)h->family_squares / all, all * exp(-entropy));
}

static engine_status ideal_step(engine *base, const engine_step *step, histogram *out) {
    ideal_population *const self = (ideal_population *)base;
    if (step->groups > 0)
        return ENGINE_FAILED;
    if (step->parts & PART_SELECT) {
        const engine_status status = population_select(&self->replicas, step);
        if (status != ENGINE_OK)
            return status;
    }
    if (step->parts & PART_SWEEP)
        draw_levels(self, step->key, step->temperature, beta_of(&base->model, &step->rule));
    if (step->parts & PART_MEASURE) {
        population_report(&self->replicas, step, out);
        log_families(self, out);
    }
    return ENGINE_OK;
}

static engine_status ideal_randomise(engine *base, stream_key key, uint64_t replicas,
                                     histogram *out) {
    ideal_population *const self = (ideal_population *)base;
    fprintf(self->log, "\n");
    population_found(&self->replicas, replicas);
    draw_levels(self, key, 0, 0);
    return engine_measure(base, out);
}

static engine_status ideal_read_levels(engine *base, uint64_t first, uint64_t count,
                                       uint32_t *levels) {
    const ideal_population *const self = (const ideal_population *)base;
    for (uint64_t k = 0; k < count; k++)
        levels[k] = self->replicas.level[first + k];
    return ENGINE_OK;
}

static void ideal_destroy(engine *base) {
    ideal_population *const self = (ideal_population *)base;
    population_destroy(&self->replicas);
    canonical_table_destroy(&self->table);
    free(self->probability);
    free(self);
}

static const struct engine_verbs ideal_verbs = {.randomise = ideal_randomise,
                                                .step = ideal_step,
                                                .read_levels = ideal_read_levels,
                                                .destroy = ideal_destroy};

engine *ideal_engine(const spin_model *square, const level_states *states, uint64_t capacity,
                     resampling_rule rule, FILE *log) {
    ideal_population *const self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->base = (engine){.name = "exact energies on one CPU core",
                          .model = *square,
                          .threads = 1,
                          .verbs = &ideal_verbs};
    for (engine_stage stage = 0; stage < STAGES; stage++)
        self->base.seconds[stage] = NAN; /* nobody asks */
    self->states = states;
    self->log = log;
    self->probability = malloc(square->levels.count * sizeof *self->probability);
    if (population_create(&self->replicas, capacity, rule) ||
        !canonical_table_create(&self->table, square->levels.count) || !self->probability) {
        ideal_destroy(&self->base);
        return NULL;
    }
    return &self->base;
}
