/* Multi-spin coding on the CPU: 32 replicas in a machine word, vectors along the rows of a lattice,
 * threads over machine words. A temperature step reads and writes the population once: each machine
 * word is gathered from its parents, swept and measured while it is in the cache. */
#include "msc_engine.h"

#include "base/work_clock.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Copies a lattice between its padded form and the population. */
static void lattice_read(msc_lattice *lattice, const uint32_t *spins) {
    const uint32_t rows = lattice->shape->rows, columns = lattice->shape->columns;
    for (uint32_t y = 0; y < 2 * rows; y++) {
        uint32_t *const row = lattice_row(lattice, y / rows, y % rows);
        memcpy(row, spins + (size_t)y * columns, columns * sizeof *row);
        lattice_close_row(row, columns);
    }
    lattice_close_column(lattice, 0);
    lattice_close_column(lattice, 1);
}

static void lattice_write(const msc_lattice *lattice, uint32_t *spins) {
    const uint32_t rows = lattice->shape->rows, columns = lattice->shape->columns;
    for (uint32_t y = 0; y < 2 * rows; y++)
        memcpy(spins + (size_t)y * columns, lattice_row(lattice, y / rows, y % rows),
               columns * sizeof *spins);
}

/* Fills sources[] with the parents' words for the 32 lanes of machine word w. Returns their number,
 * at most one per lane. */
static size_t find_sources(const msc_engine *self, const msc_layout *parents,
                           const msc_layout *children, uint64_t w,
                           msc_source sources[MACHINE_LANES]) {
    size_t count = 0;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        const uint64_t k = msc_replica(children, w * MACHINE_LANES + lane);
        if (k >= children->replicas)
            continue;
        const uint64_t slot = msc_slot(parents, self->cpu.replicas.parent[k]);
        const uint32_t *const spins = self->spins + slot / MACHINE_LANES * self->words;
        const uint32_t rotation = (lane - (uint32_t)(slot % MACHINE_LANES)) % 32;
        size_t n = 0;
        while (n < count && (sources[n].spins != spins || sources[n].rotation != rotation))
            n++;
        if (n == count)
            sources[count++] = (msc_source){spins, rotation, 0};
        sources[n].lanes |= 1u << lane;
    }
    return count;
}

/* Measures energy level and order parameter of the replicas in machine word w. */
static void measure_word(msc_engine *self, const msc_lattice *lattice, const msc_layout *layout,
                         uint64_t w) {
    uint32_t bonds[MACHINE_LANES], up[MACHINE_LANES];
    self->kernels->measure(lattice, bonds, up);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        const uint64_t k = msc_replica(layout, w * MACHINE_LANES + lane);
        if (k < layout->replicas) {
            self->cpu.replicas.level[k] = (bonds[lane] - self->lowest) / self->level_bonds;
            self->cpu.replicas.order[k] =
                self->shape.stripes > 1
                    ? up[lane] /* for msc_read_stripes */
                    : (uint32_t)llabs((int64_t)up[lane] - (int64_t)self->sites / 2);
        }
    }
}

/* Executes all parts of a step for machine word w while the word is in the cache. */
static void advance_word(msc_engine *self, msc_worker *worker, const engine_step *step,
                         const msc_layout *parents, const msc_layout *children, uint64_t w) {
    msc_lattice *const lattice = &worker->lattice;
    const double start = omp_get_wtime();
    if (step->parts & PART_SELECT) {
        msc_source sources[MACHINE_LANES];
        const size_t count = find_sources(self, parents, children, w, sources);
        self->kernels->gather(lattice, sources, count);
    } else {
        lattice_read(lattice, self->spins + w * self->words);
    }
    const double gathered = omp_get_wtime();
    if (step->parts & PART_SWEEP) {
        const flip_rule *const rule = step_rule(step, w * MACHINE_LANES);
        const uint64_t number = w + self->cpu.replicas.origin / MACHINE_LANES;
        const msc_flips flips = {
            self->rng,     self->word, (uint32_t)number,          step,
            &self->visits, rule,       step_rounding(step, rule), step_odd_rounding(step, rule)};
        self->kernels->sweep(lattice, &flips);
    }
    const double swept = omp_get_wtime();
    if (step->parts & PART_MEASURE)
        measure_word(self, lattice, children, w);
    if (step_keeps_spins(step))
        lattice_write(lattice, self->next + w * self->words);
    else if (step->parts & PART_SWEEP)
        lattice_write(lattice, self->spins + w * self->words);
    worker->seconds[STAGE_RESAMPLE] += step->parts & PART_SELECT ? gathered - start : 0;
    worker->seconds[STAGE_SWEEP] += swept - gathered;
    worker->seconds[STAGE_MEASURE] += omp_get_wtime() - swept;
}

/* Adds the mean over threads of the time in each stage to the engine's. */
static void collect_seconds(msc_engine *self) {
    for (uint32_t t = 0; t < self->cpu.base.threads; t++)
        for (size_t stage = 0; stage < STAGES; stage++) {
            self->cpu.base.seconds[stage] +=
                self->workers[t].seconds[stage] / self->cpu.base.threads;
            self->workers[t].seconds[stage] = 0;
        }
}

/* Executes the parts of a step for the words of a range, which continues at the first word behind
 * the last. */
static void advance_words(msc_engine *self, const engine_step *step, const msc_layout *parents,
                          const msc_layout *children, word_range words) {
    const uint64_t work = step->parts & PART_SWEEP ? step->sweeps : 0; /* sweeps in a word */
    work_begin(words.count * work);
#pragma omp parallel for schedule(dynamic)
    for (uint64_t n = 0; n < words.count; n++) {
        if (step_is_stopped(step))
            continue;
        advance_word(self, &self->workers[omp_get_thread_num()], step, parents, children,
                     (words.first + n) % words.all);
        work_done(work);
    }
    collect_seconds(self);
}

/* Executes the part of a step that needs no remote parents, after the children of a share were assigned. */
static void begin_step(msc_engine *self, const engine_step *step) {
    const child_assignment *const assigned = &self->cpu.replicas.assigned;
    const msc_layout parents = msc_layout_of(self->word, self->rng, self->cpu.replicas.replicas),
                     children = msc_layout_of(self->word, self->rng, assigned_children(assigned));
    self->made = words_of_own(assigned, msc_machine_words(self->word, assigned_children(assigned)));
    advance_words(self, step, &parents, &children, self->made);
}

/* The spins before the selection, or after it, become those of the population. */
static void swap_spins(msc_engine *self) {
    uint32_t *const spins = self->spins;
    self->spins = self->next;
    self->next = spins;
}

/* Makes the step for the words that begin_step has left, and makes the children the population. */
static void advance_others(msc_engine *self, const engine_step *step, const msc_layout *parents) {
    const msc_layout children = msc_layout_of(self->word, self->rng, self->cpu.replicas.replicas);
    const uint64_t all = msc_machine_words(self->word, children.replicas);
    const word_range made = self->made;
    self->made = (word_range){0};
    advance_words(self, step, parents, &children,
                  (word_range){made.first + made.count, all - made.count, all});
    if (step_keeps_spins(step))
        swap_spins(self);
    if (step->parts & (PART_SELECT | PART_SWEEP))
        self->packed = 0;
}

static engine_status msc_step(engine *base, const engine_step *step, histogram *out) {
    msc_engine *const self = (msc_engine *)base;
    if (!step_groups_are_whole(base, step, msc_group_unit(self->word, self->rng)) ||
        !step_flips_are_possible(base, step, most_general_flips(CODING_MSC, self->rng), false))
        return ENGINE_FAILED;
    if (self->loaded)
        msc_unpack_words(self);
    const msc_layout parents = msc_layout_of(self->word, self->rng, self->cpu.replicas.replicas);
    if (step->parts & PART_SELECT) {
        const double start = omp_get_wtime();
        const engine_status status = population_select(&self->cpu.replicas, step);
        if (status != ENGINE_OK)
            return status;
        base->seconds[STAGE_RESAMPLE] += omp_get_wtime() - start;
    }
    if (!step_groups_have_replicas(base, step, self->cpu.replicas.replicas))
        return ENGINE_FAILED;
    advance_others(self, step, &parents);
    if (step_is_stopped(step)) {
        swap_spins(self);
        if (step->parts & PART_SELECT)
            population_take_back(&self->cpu.replicas, parents.replicas);
        return ENGINE_STOPPED;
    }
    if (step->parts & PART_MEASURE && self->shape.stripes == 1) {
        const double start = omp_get_wtime();
        population_report(&self->cpu.replicas, step, out);
        base->seconds[STAGE_MEASURE] += omp_get_wtime() - start;
    }
    return ENGINE_OK;
}

static engine_status msc_randomise(engine *base, stream_key key, uint64_t replicas,
                                   histogram *out) {
    msc_engine *const self = (msc_engine *)base;
    const uint64_t words = msc_machine_words(self->word, replicas);
    const uint64_t first = self->cpu.replicas.origin / MACHINE_LANES;
#pragma omp parallel for schedule(static)
    for (uint64_t w = 0; w < words; w++) {
        uint32_t *const in_order = self->workers[omp_get_thread_num()].in_order;
        for (size_t site = 0; site < self->sites; site += 4) {
            const stream_block draw = stream_draw(key, STREAM_RANDOMISE, (uint32_t)(site / 4),
                                                  (uint32_t)(first + w), 0, 0);
            memcpy(in_order + site, draw.number, sizeof draw.number);
        }
        msc_place_words(self, in_order, w);
    }
    self->packed = 0;
    self->loaded = false;
    self->made = (word_range){0};
    population_found(&self->cpu.replicas, replicas);
    return engine_measure(base, out);
}

static engine_status msc_read_stripes(engine *base, uint64_t first, uint64_t count,
                                      uint32_t *unsatisfied, uint32_t *up) {
    const population *const p = &((msc_engine *)base)->cpu.replicas;
    memcpy(unsatisfied, p->level + first, count * sizeof *unsatisfied);
    memcpy(up, p->order + first, count * sizeof *up);
    return ENGINE_OK;
}

static void msc_destroy(engine *base) {
    msc_engine *const self = (msc_engine *)base;
    for (uint32_t t = 0; self->workers && t < base->threads; t++) {
        lattice_destroy(&self->workers[t].lattice);
        free(self->workers[t].in_order);
    }
    free(self->workers);
    shape_destroy(&self->shape);
    cpu_engine_destroy(&self->cpu);
    free(self->spins);
    free(self->next);
    free(self->staged);
    free(self);
}

static uint64_t buffer_words(const engine_config *config) {
    return msc_machine_words(config->word, config->capacity);
}

uint64_t msc_cpu_bytes(const engine_config *config) {
    const msc_shape shape = shape_of(&config->model);
    const uint64_t spins = msc_buffer_bytes(buffer_words(config), shape_words(&shape));
    const uint64_t worker =
        lattice_bytes(&config->model) + msc_packed_sites(&shape) * sizeof(uint32_t);
    const uint32_t threads = (uint32_t)omp_get_max_threads();
    return 2 * spins + msc_packed_sites(&shape) * sizeof(uint32_t) + threads * worker +
           shape_bytes(&config->model) + cpu_engine_bytes(config, threads);
}

static int worker_create(msc_worker *worker, const msc_shape *shape) {
    worker->in_order = calloc(msc_packed_sites(shape), sizeof *worker->in_order);
    return lattice_create(&worker->lattice, shape) || !worker->in_order;
}

static engine_status msc_assign(engine *base, const child_assignment *children,
                                const engine_step *step) {
    msc_engine *const self = (msc_engine *)base;
    const engine_status status = cpu_assign(base, children, step);
    if (status == ENGINE_OK && step != NULL)
        begin_step(self, step);
    return status;
}

static const struct partition_verbs msc_partition_verbs = {.hold = cpu_hold,
                                                           .count_offspring = cpu_count_offspring,
                                                           .parents = cpu_parents,
                                                           .take = msc_take,
                                                           .reserve = msc_reserve,
                                                           .put = msc_put,
                                                           .assign = msc_assign,
                                                           .attach = cpu_attach,
                                                           .lanes = cpu_lanes,
                                                           .compare = cpu_compare,
                                                           .family_logs = cpu_family_logs};

#define MSC_VERBS                                                                                  \
    .randomise = msc_randomise, .step = msc_step, .overlaps = cpu_overlaps,                        \
    .group_overlaps = cpu_group_overlaps, .read_levels = cpu_read_levels, .read = msc_read,        \
    .write = msc_write, .destroy = msc_destroy, .read_orders = cpu_read_orders,                    \
    .read_pairs = cpu_read_pairs

static const struct engine_verbs msc_verbs = {MSC_VERBS, .partition = &msc_partition_verbs};

static const struct engine_verbs msc_stripe_verbs = {MSC_VERBS, .read_stripes = msc_read_stripes};

/* Modes that reorder replicas at every step have whole populations only. */
static const struct engine_verbs msc_whole_verbs = {MSC_VERBS};

engine *msc_cpu_create(const engine_config *config) {
    msc_engine *const self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->cpu.base = (engine){.name = "MSC on the CPU",
                              .seconds = {[STAGE_STEP] = NAN, [STAGE_ROUND_TRIP] = NAN},
                              .model = config->model,
                              .threads = (uint32_t)omp_get_max_threads(),
                              .heeds_stop = true,
                              .verbs = config->model.stripes > 1    ? &msc_stripe_verbs
                                       : partition_unit(config) > 0 ? &msc_verbs
                                                                    : &msc_whole_verbs};
    self->word = config->word;
    self->rng = config->rng;
    self->visits = config->visits;
    self->sites = config->model.sites;
    self->lowest = (uint32_t)model_counted_at_lowest(&config->model);
    self->level_bonds = (uint32_t)(config->model.levels.spacing / 2);
    self->machine_words = buffer_words(config);
    self->kernels = msc_kernels_best();
    int failed = shape_create(&self->shape, &config->model);
    self->words = shape_words(&self->shape);
    self->spins = malloc(msc_buffer_bytes(self->machine_words, self->words));
    self->next = malloc(msc_buffer_bytes(self->machine_words, self->words));
    self->staged = calloc(msc_packed_sites(&self->shape), sizeof *self->staged);
    self->workers = calloc(self->cpu.base.threads, sizeof *self->workers);
    failed |= cpu_engine_create(&self->cpu, config, msc_collect_lanes);
    failed |= !self->spins || !self->next || !self->staged || !self->workers;
    if (!failed) {
        /* Also starts the threads. If the system refuses them, the program ends here, before any
         * output. */
#pragma omp parallel for reduction(| : failed)
        for (uint32_t t = 0; t < self->cpu.base.threads; t++)
            failed |= worker_create(&self->workers[t], &self->shape);
    }
    if (failed) {
        msc_destroy(&self->cpu.base);
        return NULL;
    }
    return &self->cpu.base;
}
