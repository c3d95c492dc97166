/* The CUDA engine of words of 32 samples (samples.h): memory, tables and launches. A round is one launch for 24 temperatures, whose rules
 * are arguments; spins and levels of two rounds in turn. The host waits after some rounds. */
#include "cuda/samples/samples.h"

#include "cuda/engine/population.h"
#include "cuda/msc/launch.h"
#include "cuda/samples/couplings.h"
#include "cuda/samples/round.cuh"

#include <stdlib.h>
#include <string.h>

/* The kernels of a lattice. */
struct sample_kernels {
    void (*round)(const sample_round);
    void (*randomise)(uint32_t *, lattice_shape, uint32_t, uint32_t, uint64_t, const stream_key *);
    size_t (*block_bytes)(const sample_round &);
    uint32_t (*word_of_site)(const lattice_shape &, uint32_t);
    uint32_t classes;
};

template <typename LATTICE> static sample_kernels kernels_of() {
    return {make_sample_round<LATTICE>, randomise_samples<LATTICE>, sample_block_bytes<LATTICE>,
            LATTICE::word_of_site, (uint32_t)LATTICE::classes};
}

static sample_kernels kernels_for(const spin_model *model) {
    if (model->dimension == 2)
        return kernels_of<sample_rows>();
    return model->edge[0] % 4 == 0 ? kernels_of<sample_cells<true>>()
                                   : kernels_of<sample_cells<false>>();
}

struct cuda_samples {
    sample_engine base;
    cuda_population device; /* its stream and failures alone */
    sample_kernels kernels;
    sample_round round; /* arguments, but for the rules */
    group_rule *rules;  /* [temperatures] */
    uint32_t *spins[2], *level[2];
    uint64_t spin_words, levels, sums; /* in each of these arrays */
    void *tables[8];
    uint32_t table_count;
    char name[320], driver[40];
};

/* --- tables --- */

/* Copies an array to the device, which keeps it. */
static void *upload(cuda_samples *self, const void *from, size_t bytes) {
    cuda_population *const p = &self->device;
    void *to = NULL;
    if (p->failed || !CUDA_CHECK(p, cudaMalloc(&to, bytes)))
        return NULL;
    self->tables[self->table_count++] = to;
    CUDA_CHECK(p, cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

static void upload_couplings(cuda_samples *self) {
    const sample_plan *const plan = &self->base.plan;
    const uint64_t words = sample_coupling_words(&plan->model);
    uint32_t *const all = (uint32_t *)malloc(plan->words * words * sizeof *all);
    if (all == NULL) {
        cuda_check(&self->device, cudaErrorMemoryAllocation, "host memory for couplings");
        return;
    }
    sample_couplings_fill_all(plan, all);
    self->round.couplings = (const uint4 *)upload(self, all, plan->words * words * sizeof *all);
    free(all);
}

static void upload_rules(cuda_samples *self) {
    const sample_plan *const plan = &self->base.plan;
    const size_t each = BERNOULLI_MOST_POINTS;
    double *const more_than = (double *)malloc(plan->temperatures * each * sizeof *more_than);
    self->rules = (group_rule *)calloc(plan->temperatures, sizeof *self->rules);
    if (more_than == NULL || self->rules == NULL)
        cuda_check(&self->device, cudaErrorMemoryAllocation, "host memory for rules");
    for (uint32_t k = 0; k < plan->temperatures && !self->device.failed; k++) {
        const bernoulli_table *const table = &plan->group[k].rule.bernoulli;
        self->rules[k] = group_rule{branches_of(table, self->kernels.classes),
                                    points_of(table, self->kernels.classes)};
        memcpy(more_than + k * each, table->more_than, each * sizeof *more_than);
    }
    if (!self->device.failed)
        self->round.more_than =
            (const double *)upload(self, more_than, plan->temperatures * each * sizeof *more_than);
    free(more_than);
}

static void upload_exchanges(cuda_samples *self) {
    const sample_plan *const plan = &self->base.plan;
    const exchange_table *const t = &plan->exchanges;
    self->round.table = *t;
    self->round.table.threshold =
        (uint64_t *)upload(self, t->threshold,
                           ((plan->temperatures - 1) * (size_t)t->each + 1) * sizeof *t->threshold);
    self->round.key = (const stream_key *)upload(self, plan->key, plan->words * sizeof *plan->key);
    self->round.own = (const stream_key *)upload(self, plan->own, plan->words * sizeof *plan->own);
}

/* The words of each plane. */
static void fill_planes(const cuda_samples *self, uint16_t word[]) {
    const lattice_shape &shape = self->round.shape;
    const uint32_t *const edge = shape.edge, sites = sites_of(shape);
    for (uint32_t z = 0; z < edge[2]; z++)
        for (uint32_t y = 0; y < edge[1]; y++)
            for (uint32_t x = 0; x < edge[0]; x++) {
                const uint32_t row = z * edge[1] + y, parity = (x + y + z) % 2;
                const uint16_t at = (uint16_t)self->kernels.word_of_site(
                    shape, parity * (sites / 2) + row * (edge[0] / 2) + x / 2);
                word[row * edge[0] + x] = at;
                word[sites + (z * edge[0] + x) * edge[1] + y] = at;
                if (self->round.dimension == 3)
                    word[2 * sites + (y * edge[0] + x) * edge[2] + z] = at;
            }
}

static void upload_planes(cuda_samples *self) {
    const spin_model *const model = &self->base.plan.model;
    const uint32_t planes = planes_of(self->round.shape, model->dimension);
    const size_t words = model->dimension * model->sites;
    uint16_t *const word = (uint16_t *)malloc(words * sizeof *word);
    int2 *const wave = (int2 *)malloc(planes * sizeof *wave);
    overlap_waves waves;
    const bool made = overlap_waves_create(&waves, model) == 0 && word && wave;
    uint32_t n = 0;
    for (uint32_t d = 0; made && d < model->dimension; d++)
        for (uint32_t x = 0; x < model->edge[d]; x++)
            wave[n++] = make_int2(waves.cosine[d][x], waves.sine[d][x]);
    if (made) {
        fill_planes(self, word);
        self->round.plane_word = (const uint16_t *)upload(self, word, words * sizeof *word);
        self->round.wave = (const int2 *)upload(self, wave, planes * sizeof *wave);
    } else {
        cuda_check(&self->device, cudaErrorMemoryAllocation, "host memory for overlaps");
    }
    overlap_waves_destroy(&waves);
    free(word);
    free(wave);
}

/* --- rounds --- */

static void launch(cuda_samples *self) {
    sample_round *const r = &self->round;
    const uint32_t threads = r->together * r->chains * r->stride,
                   blocks = (r->groups + r->together - 1) / r->together;
    for (r->first = 0; r->first < r->temperatures; r->first += ROUND_GROUPS) {
        const uint32_t left = r->temperatures - r->first,
                       rows = left < ROUND_GROUPS ? left : ROUND_GROUPS;
        memcpy(r->rule, self->rules + r->first, rows * sizeof *r->rule);
        cuda_launch_early(&self->device, "make_sample_round", self->kernels.round,
                          dim3(blocks, rows), threads, self->kernels.block_bytes(*r),
                          (const sample_round &)*r);
    }
}

/* Makes a round from one half of the arrays to the other. */
static void make_round(cuda_samples *self, uint32_t turn) {
    sample_round *const r = &self->round;
    r->from = self->spins[turn % 2];
    r->level_from = self->level[turn % 2];
    r->to = self->spins[(turn + 1) % 2];
    r->level_to = self->level[(turn + 1) % 2];
    launch(self);
}

/* Draws the random states, and measures them by a round without exchanges and sweeps, from which the first round goes on. */
static void begin(cuda_samples *self) {
    cuda_population *const p = &self->device;
    sample_round *const r = &self->round;
    const uint64_t quads =
        (uint64_t)r->temperatures * r->groups * r->chains * sites_of(r->shape) / 4;
    if (p->failed)
        return;
    self->kernels.randomise<<<(unsigned)((quads + 255) / 256), 256, 0, p->stream>>>(
        self->spins[1], r->shape, r->groups, r->chains, quads, r->key);
    cuda_check_launch(p, "randomise_samples");
    r->exchanges = r->measures = false;
    r->sweeps = r->number = 0;
    make_round(self, 1);
}

static bool outcome(cuda_samples *self) {
    const cuda_population *const p = &self->device;
    if (p->failed)
        snprintf(self->base.error, sizeof self->base.error, "%.90s: %.90s", p->failed,
                 cudaGetErrorString(p->error));
    return !p->failed;
}

static bool run(sample_engine *base, uint32_t first, uint32_t count, bool measured) {
    cuda_samples *const self = (cuda_samples *)base;
    sample_round *const r = &self->round;
    if (first == 0)
        begin(self);
    r->exchanges = true;
    r->measures = measured;
    r->sweeps = base->plan.sweeps;
    for (uint32_t n = first; n - first < count && !self->device.failed; n++) {
        r->number = n;
        make_round(self, n);
    }
    if (!self->device.failed)
        CUDA_CHECK(&self->device, cudaStreamSynchronize(self->device.stream));
    return outcome(self);
}

static bool read_sums(sample_engine *base, lane_sums sums[]) {
    cuda_samples *const self = (cuda_samples *)base;
    cuda_population *const p = &self->device;
    const size_t bytes = self->sums * sizeof *self->round.sums;
    if (!p->failed &&
        CUDA_CHECK(p, cudaMemcpy(sums, self->round.sums, bytes, cudaMemcpyDeviceToHost)))
        CUDA_CHECK(p, cudaMemset(self->round.sums, 0, bytes));
    return outcome(self);
}

static void destroy(sample_engine *base) {
    cuda_samples *const self = (cuda_samples *)base;
    if (self->device.stream)
        cudaStreamDestroy(self->device.stream);
    for (uint32_t n = 0; n < self->table_count; n++)
        cudaFree(self->tables[n]);
    for (uint32_t n = 0; n < 2; n++) {
        cudaFree(self->spins[n]);
        cudaFree(self->level[n]);
    }
    cudaFree(self->round.sums);
    free(self->rules);
    free(self);
}

/* --- creation --- */

/* Sets the threads of a lattice, whole groups of strips (engine/bernoulli.h), and how many groups of samples share a block: the fewest
 * that make whole warps, so that few samples spread over all multiprocessors. Returns whether a block can have them. */
static bool divide(cuda_samples *self, int shared_limit) {
    sample_round *const r = &self->round;
    uint32_t unit = 1;
    while (unit < 32 && 2 * unit <= r->shape.strips)
        unit *= 2;
    r->stride = (r->shape.strips + unit - 1) / unit * unit;
    const uint64_t each = r->chains * (uint64_t)r->stride;
    if (each > MOST_SAMPLE_THREADS)
        return false;
    r->together = 1;
    while (r->together * each % 32 != 0)
        r->together++;
    return r->together * each <= MOST_SAMPLE_THREADS &&
           self->kernels.block_bytes(*r) <= (size_t)shared_limit;
}

static void allocate(cuda_samples *self) {
    cuda_population *const p = &self->device;
    for (uint32_t n = 0; n < 2; n++) {
        CUDA_CHECK(p, cudaMalloc(&self->spins[n], self->spin_words * sizeof(uint32_t)));
        CUDA_CHECK(p, cudaMalloc(&self->level[n], self->levels * sizeof(uint32_t)));
        if (!p->failed) /* words without a site too */
            CUDA_CHECK(p, cudaMemset(self->spins[n], 0, self->spin_words * sizeof(uint32_t)));
    }
    CUDA_CHECK(p, cudaMalloc(&self->round.sums, self->sums * sizeof *self->round.sums));
    if (!p->failed)
        CUDA_CHECK(p, cudaMemset(self->round.sums, 0, self->sums * sizeof *self->round.sums));
}

static void describe(cuda_samples *self) {
    cudaDeviceProp properties;
    int number = 0, driver = 0;
    cuda_population *const p = &self->device;
    if (CUDA_CHECK(p, cudaGetDevice(&number)) &&
        CUDA_CHECK(p, cudaGetDeviceProperties(&properties, number)) &&
        CUDA_CHECK(p, cudaDriverGetVersion(&driver))) {
        snprintf(self->name, sizeof self->name, "words of samples on %s", properties.name);
        snprintf(self->driver, sizeof self->driver, "CUDA %d.%d", driver / 1000,
                 driver % 1000 / 10);
        p->begins_early = cuda_kernel_waits(p, (const void *)self->kernels.round);
    }
    self->base.name = self->name;
    self->base.driver = self->driver;
}

sample_engine *sample_cuda_create(const sample_plan *plan, char *reason, size_t size) {
    static const struct sample_verbs verbs = {run, read_sums, destroy};
    cuda_samples *const self = (cuda_samples *)calloc(1, sizeof *self);
    int shared_limit = 0;
    if (self == NULL) {
        snprintf(reason, size, "not enough memory");
        return NULL;
    }
    cuda_population *const p = &self->device;
    sample_round *const r = &self->round;
    self->base.verbs = &verbs;
    self->base.threads = 1;
    self->base.plan = *plan;
    self->kernels = kernels_for(&plan->model);
    r->shape = msc_shape_of(&plan->model);
    r->groups = plan->words;
    r->chains = (uint32_t)plan->chains;
    r->temperatures = plan->temperatures;
    r->dimension = plan->model.dimension;
    r->waves = sample_waves(&plan->model);
    r->overlaps = plan->chains >= 2;
    describe(self);
    CUDA_CHECK(p, cuda_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared_limit));
    if (!p->failed && !divide(self, shared_limit)) {
        snprintf(reason, size, "all %u chains of a sample must fit into a block of %u strips",
                 r->chains, MOST_SAMPLE_THREADS);
        destroy(&self->base);
        return NULL;
    }
    self->spin_words = (uint64_t)r->temperatures * r->groups * r->chains * r->shape.quads * 4;
    self->levels = (uint64_t)r->temperatures * r->groups * r->chains * SAMPLE_LANES;
    self->sums = (uint64_t)r->temperatures * r->groups * LANE_SUMS * SAMPLE_LANES;
    CUDA_CHECK(p, cudaStreamCreate(&p->stream));
    cuda_allow_shared(p, (const void *)self->kernels.round, self->kernels.block_bytes(*r));
    allocate(self);
    upload_couplings(self);
    upload_rules(self);
    upload_exchanges(self);
    upload_planes(self);
    if (!outcome(self)) {
        snprintf(reason, size, "%s", self->base.error);
        destroy(&self->base);
        return NULL;
    }
    return &self->base;
}
