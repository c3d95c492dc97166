/* The CPU engine of words of 32 samples (engine/sample_sums.h): an engine of replicas for each word, whose steps are rounds of all of its
 * samples, and which is read after each of them. Threads share the words. */
#include "engine/sample_sums.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A word. */
typedef struct {
    spin_model model;
    engine *worker;
    lane_sums *sums; /* [temperatures] */
} sample_word;

/* What a thread works with. */
typedef struct {
    histogram *report;                /* [temperatures] */
    uint32_t *level, *parent;         /* [all] */
    uint32_t *own_level, *own_parent; /* [temperatures R] of a sample */
    uint32_t *accepted;               /* [temperatures][round_words] */
    overlap_pair *pair;               /* [R/2][32] */
} sample_bench;

typedef struct {
    sample_engine base;
    sample_word *word; /* [words] */
    engine_group *group;
    sample_bench *bench; /* [threads] */
    round_plan rounds;
} cpu_samples;

static uint64_t replicas_of(const sample_plan *plan) {
    return plan->temperatures * plan->chains * SAMPLE_LANES;
}

/* --- a round --- */

/* Decides the exchanges of a sample; adds those that are accepted. */
static void exchange_lane(const cpu_samples *self, uint32_t w, uint32_t lane, uint32_t number,
                          bool measured, sample_bench *b) {
    const sample_plan *const plan = &self->base.plan;
    const uint64_t each = plan->temperatures * plan->chains, words = round_words(plan->chains);
    const engine_round round = {
        .key = plan->own[w][lane], .time = number, .first = number % 2, .accepted = b->accepted};
    for (uint64_t r = 0; r < each; r++)
        b->own_level[r] = b->level[r * SAMPLE_LANES + lane];
    round_exchange(&self->rounds, &round, (replica_energies){.level = b->own_level}, b->own_parent);
    for (uint64_t r = 0; r < each; r++)
        b->parent[r * SAMPLE_LANES + lane] = b->own_parent[r] * SAMPLE_LANES + lane;
    for (size_t k = number % 2; measured && k + 1 < plan->temperatures; k += 2)
        for (uint64_t r = 0; r < plan->chains; r++)
            self->word[w].sums[k].of[LANE_ACCEPTED][lane] +=
                b->accepted[k * words + r / 32] >> r % 32 & 1;
}

static void add_at(lane_sums *sums, uint32_t lane, const uint64_t added[LANE_SUMS]) {
    for (size_t of = 0; of < LANE_SUMS; of++)
        sums->of[of][lane] += added[of];
}

/* Adds the measurement at hand at temperature k. */
static engine_status measure(const sample_plan *plan, const sample_word *w, uint32_t k,
                             sample_bench *b) {
    const uint64_t each = plan->chains * SAMPLE_LANES, pairs = plan->chains / 2;
    engine *const e = w->worker;
    const engine_status status =
        pairs > 0 ? e->verbs->read_pairs(e, k * each, each, b->pair) : ENGINE_OK;
    for (uint32_t lane = 0; lane < SAMPLE_LANES && status == ENGINE_OK; lane++) {
        uint64_t sum[LANE_SUMS] = {0};
        for (uint64_t r = 0; r < plan->chains; r++)
            lane_add_level(sum, b->level[k * each + r * SAMPLE_LANES + lane]);
        for (uint64_t r = 0; r < pairs; r++)
            lane_add_pair(sum, plan->model.sites, sample_waves(&plan->model),
                          &b->pair[r * SAMPLE_LANES + lane]);
        add_at(&w->sums[k], lane, sum);
    }
    return status;
}

static engine_status make_round(cpu_samples *self, uint32_t w, uint32_t number, bool measured,
                                sample_bench *b) {
    const sample_plan *const plan = &self->base.plan;
    const uint64_t all = replicas_of(plan);
    engine *const e = self->word[w].worker;
    const engine_step step = {.parts = WHOLE_STEP,
                              .key = plan->key[w],
                              .temperature = number + 1,
                              .sweeps = plan->sweeps,
                              .founders = all,
                              .parents = b->parent,
                              .children = all,
                              .group = self->group,
                              .groups = plan->temperatures};
    engine_status status = e->verbs->read_levels(e, 0, all, b->level);
    for (uint64_t r = 0; r < all; r++)
        b->parent[r] = (uint32_t)r;
    for (uint32_t lane = 0; lane < SAMPLE_LANES; lane++)
        if (plan->lanes[w][lane] != NULL)
            exchange_lane(self, w, lane, number, measured, b);
    if (status == ENGINE_OK)
        status = e->verbs->step(e, &step, b->report);
    if (status == ENGINE_OK && measured)
        status = e->verbs->read_levels(e, 0, all, b->level);
    for (uint32_t k = 0; k < plan->temperatures && measured && status == ENGINE_OK; k++)
        status = measure(plan, &self->word[w], k, b);
    return status;
}

/* --- verbs --- */

static engine_status randomise(const cpu_samples *self, uint32_t w) {
    engine *const e = self->word[w].worker;
    histogram all;
    if (histogram_create(&all, &e->model))
        return ENGINE_FAILED;
    const engine_status status =
        e->verbs->randomise(e, self->base.plan.key[w], replicas_of(&self->base.plan), &all);
    histogram_destroy(&all);
    return status;
}

static bool run(sample_engine *base, uint32_t first, uint32_t count, bool measured) {
    cpu_samples *const self = (cpu_samples *)base;
    bool good = true;
#pragma omp parallel for num_threads(base->threads) reduction(&& : good) schedule(dynamic)
    for (uint32_t w = 0; w < base->plan.words; w++) {
        sample_bench *const b = &self->bench[omp_get_thread_num()];
        omp_set_num_threads(1); /* of the engine, as when it was made */
        engine_status status = first == 0 ? randomise(self, w) : ENGINE_OK;
        for (uint32_t n = 0; n < count && status == ENGINE_OK; n++)
            status = make_round(self, w, first + n, measured, b);
        good = good && status == ENGINE_OK;
    }
    if (!good)
        snprintf(base->error, sizeof base->error, "a word of samples failed");
    return good;
}

static bool read_sums(sample_engine *base, lane_sums sums[]) {
    cpu_samples *const self = (cpu_samples *)base;
    for (uint32_t k = 0; k < base->plan.temperatures; k++)
        for (uint32_t w = 0; w < base->plan.words; w++) {
            lane_sums *const own = &self->word[w].sums[k];
            sums[k * base->plan.words + w] = *own;
            *own = (lane_sums){0};
        }
    return true;
}

/* --- memory --- */

static void bench_destroy(sample_bench *b, uint32_t temperatures) {
    for (uint32_t k = 0; b->report != NULL && k < temperatures; k++)
        histogram_destroy(&b->report[k]);
    free(b->report);
    free(b->level);
    free(b->parent);
    free(b->own_level);
    free(b->own_parent);
    free(b->accepted);
    free(b->pair);
}

static void destroy(sample_engine *base) {
    cpu_samples *const self = (cpu_samples *)base;
    for (uint32_t w = 0; self->word != NULL && w < base->plan.words; w++) {
        engine *const e = self->word[w].worker;
        if (e != NULL)
            e->verbs->destroy(e);
        free(self->word[w].sums);
    }
    for (uint32_t t = 0; self->bench != NULL && t < base->threads; t++)
        bench_destroy(&self->bench[t], base->plan.temperatures);
    free(self->word);
    free(self->bench);
    free(self->group);
    free(self);
}

static bool bench_create(sample_bench *b, const sample_plan *plan) {
    const uint64_t all = replicas_of(plan);
    b->report = calloc(plan->temperatures, sizeof *b->report);
    b->level = calloc(all, sizeof *b->level);
    b->parent = calloc(all, sizeof *b->parent);
    b->own_level = calloc(all / SAMPLE_LANES, sizeof *b->own_level);
    b->own_parent = calloc(all / SAMPLE_LANES, sizeof *b->own_parent);
    b->accepted = calloc(plan->temperatures * round_words(plan->chains), sizeof *b->accepted);
    b->pair = calloc(plan->chains * SAMPLE_LANES, sizeof *b->pair);
    bool good = b->report && b->level && b->parent && b->own_level && b->own_parent &&
                b->accepted && b->pair;
    for (uint32_t k = 0; k < plan->temperatures && good; k++)
        good = histogram_create(&b->report[k], &plan->model) == 0;
    return good;
}

static bool word_create(cpu_samples *self, uint32_t w) {
    const sample_plan *const plan = &self->base.plan;
    sample_word *const word = &self->word[w];
    engine_config config = {.coding = CODING_MSC,
                            .model = plan->model,
                            .capacity = replicas_of(plan),
                            .group = plan->chains * SAMPLE_LANES,
                            .word = SAMPLE_LANES,
                            .rng = RNG_INDEPENDENT};
    config.model.lanes = plan->lanes[w];
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    word->worker = engine_cpu_create(&config);
    omp_set_num_threads(threads);
    word->sums = calloc(plan->temperatures, sizeof *word->sums);
    return word->worker != NULL && word->sums != NULL;
}

static bool create(cpu_samples *self) {
    const sample_plan *const plan = &self->base.plan;
    self->word = calloc(plan->words, sizeof *self->word);
    self->bench = calloc(self->base.threads, sizeof *self->bench);
    self->group = calloc(plan->temperatures, sizeof *self->group);
    bool good = self->word != NULL && self->bench != NULL && self->group != NULL;
    for (uint32_t k = 0; k < plan->temperatures && good; k++) {
        self->group[k] = plan->group[k];
        self->group[k].first *= SAMPLE_LANES;
    }
    for (uint32_t t = 0; t < self->base.threads && good; t++)
        good = bench_create(&self->bench[t], plan);
    for (uint32_t w = 0; w < plan->words && good; w++)
        good = word_create(self, w);
    return good;
}

sample_engine *sample_cpu_create(const sample_plan *plan) {
    static const struct sample_verbs verbs = {run, read_sums, destroy};
    cpu_samples *const self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    const uint32_t threads = (uint32_t)omp_get_max_threads();
    self->base = (sample_engine){.verbs = &verbs,
                                 .name = "words of samples on the CPU",
                                 .threads = threads < plan->words ? threads : plan->words,
                                 .plan = *plan};
    self->rounds = (round_plan){.group = plan->group,
                                .groups = plan->temperatures,
                                .replicas = plan->chains,
                                .exchanges = plan->exchanges};
    if (!create(self)) {
        destroy(&self->base);
        return NULL;
    }
    return &self->base;
}
