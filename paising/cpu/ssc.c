/* Single-spin coding on the CPU, threads over replicas: the reference program of the paper. All other
 * engines are compared with it. ssc_lattice.h defines the lattice. */
#include "base/work_clock.h"
#include "clusters.h"
#include "ssc_engine.h"
#include "ssc_states.h"
#include "visits.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Sites of a lattice for each thread, at least: below, starting the threads takes longer than the sites. */
#define LEAST_STRIP 4096

/* Measures energy level and order parameter of replica k. */
static void measure_replica(ssc_engine *self, uint64_t k) {
    int64_t energy, magnetisation;
    const int8_t *const spin = self->spins + k * self->bytes;
    if (self->lattice.vectors.sites > 0) {
        ssc_vectors_measure(&self->lattice.vectors, spin, &self->cpu.replicas.energy[k],
                            &self->cpu.replicas.order[k]);
        return;
    }
    if (self->lattice.states.sites > 0)
        ssc_states_measure(&self->lattice.states, (const uint8_t *)spin, &energy, &magnetisation);
    else
        ssc_measure(&self->lattice, spin, &energy, &magnetisation);
    const energy_levels levels = self->cpu.base.model.levels;
    if (levels.fine)
        self->cpu.replicas.energy[k] = energy;
    else
        self->cpu.replicas.level[k] = (uint32_t)((energy - levels.lowest) / levels.spacing);
    self->cpu.replicas.order[k] =
        (uint32_t)(llabs(magnetisation) / self->cpu.base.model.order_unit);
}

/* --- the parts of a step --- */

/* The spins before the selection, or after it, become those of the population. */
static void swap_spins(ssc_engine *self) {
    int8_t *const spins = self->spins;
    self->spins = self->next;
    self->next = spins;
}

/* Finds the parents, and copies their spins. */
static engine_status select_replicas(ssc_engine *self, const engine_step *step) {
    const engine_status status = population_select(&self->cpu.replicas, step);
    if (status != ENGINE_OK)
        return status;
    for (uint64_t k = 0; k < self->cpu.replicas.replicas; k++)
        memcpy(self->next + k * self->bytes,
               self->spins + (uint64_t)self->cpu.replicas.parent[k] * self->bytes, self->bytes);
    swap_spins(self);
    return ENGINE_OK;
}

/* Makes the sweeps of replica k by clusters or in tiles, with so many threads, or else by single spins; `thread` is the
 * engine's own. */
static void sweep_replica(ssc_engine *self, const engine_step *step, uint64_t k, uint32_t threads,
                          size_t thread) {
    const uint32_t number = (uint32_t)(self->cpu.replicas.origin + k);
    const flip_rule *const rule = step_rule(step, k);
    const rounding from = step_rounding(step, rule), of_odd = step_odd_rounding(step, rule);
    int8_t *const spin = self->spins + k * self->bytes;
    uint32_t *const numbers = self->numbers + thread * ssc_calls(&self->cpu.base.model) * 4;
    const bool in_order = rule->clusters == CLUSTERS_NONE &&
                          self->visits.order != VISIT_CHECKERBOARD &&
                          self->lattice.vectors.sites == 0;
    if (in_order)
        visits_update(&self->lattice, spin, &self->visits, step, rule, number, threads);
    for (uint32_t sweep = 0; sweep < step->sweeps && !in_order && !step_is_stopped(step); sweep++) {
        const ssc_flips flips = {.step = step,
                                 .replica = number,
                                 .sweep = sweep,
                                 .thresholds = round_thresholds(&from, number, sweep),
                                 .odd = round_thresholds(&of_odd, number, sweep),
                                 .downhill = rule->downhill,
                                 .table = rule->table,
                                 .fine = rule->fine,
                                 .u = rounding_of(&from, number, sweep),
                                 .of_rest = from.of_rest,
                                 .bounded = rule->states.bounded,
                                 .most = rule->states.most};
        const bool states = self->lattice.states.sites > 0;
        uint32_t *const label = self->label + thread * self->sites;
        const bool vectors = self->lattice.vectors.sites > 0;
        if (rule->clusters != CLUSTERS_NONE && !vectors)
            clusters_label(&self->lattice, spin, &flips, threads, label);
        if (rule->clusters != CLUSTERS_NONE && vectors)
            ssc_vectors_flip_clusters(&self->lattice.vectors, spin, &flips, &rule->vectors,
                                      rule->clusters, label);
        else if (rule->clusters != CLUSTERS_NONE && states)
            ssc_states_flip(&self->lattice.states, (uint8_t *)spin, &flips, rule->clusters, label);
        else if (rule->clusters != CLUSTERS_NONE)
            clusters_flip(&self->lattice, spin, &flips, rule->clusters, label);
        else if (vectors)
            ssc_vectors_sweep(&self->lattice.vectors, spin, &flips, &rule->vectors, &self->visits,
                              threads);
        else if (states)
            ssc_states_sweep(&self->lattice.states, (uint8_t *)spin, &flips, &rule->states);
        else
            ssc_sweep(&self->lattice, spin, &flips, numbers);
    }
    work_done(step->sweeps);
}

/* A replica a thread; of updates that can be divided, where there are fewer replicas, each is divided among threads. */
static void sweep_replicas(ssc_engine *self, const engine_step *step) {
    const uint64_t replicas = self->cpu.replicas.replicas;
    const uint32_t threads = self->cpu.base.threads;
    const bool each_has_one = replicas >= threads;
    const uint64_t strips = each_has_one ? 1 : self->sites / LEAST_STRIP + 1;
    const uint32_t together = strips < threads ? (uint32_t)strips : threads;
    work_begin(replicas * step->sweeps);
    const visit_order order = self->visits.order;
    const bool divides = self->label || self->lattice.vectors.sites > 0 || order == VISIT_TILES ||
                         order == VISIT_DOUBLE_TILING || order == VISIT_DEAD_BORDER;
    if (threads == 1 || (divides && !each_has_one)) {
        for (uint64_t k = 0; k < replicas; k++)
            sweep_replica(self, step, k, together, 0);
        return;
    }
    const uint64_t share = replicas / (8 * threads) + 1; /* few replicas are dealt out one by one */
#pragma omp parallel for schedule(dynamic, share < 8 ? share : 8) num_threads(threads)
    for (uint64_t k = 0; k < replicas; k++)
        sweep_replica(self, step, k, 1, (size_t)omp_get_thread_num());
}

static void measure_replicas(ssc_engine *self, const engine_step *step, histogram *out) {
    const uint32_t threads = self->cpu.base.threads;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (uint64_t k = 0; k < self->cpu.replicas.replicas; k++)
        measure_replica(self, k);
    population_report(&self->cpu.replicas, step, out);
}

static engine_status ssc_step(engine *base, const engine_step *step, histogram *out) {
    ssc_engine *const self = (ssc_engine *)base;
    engine_status status =
        step_groups_are_whole(base, step, 1) &&
                step_flips_are_possible(base, step, DOWNHILL_OF_ITS_OWN, self->label != NULL) &&
                step_tables_are_there(base, step)
            ? ENGINE_OK
            : ENGINE_FAILED;
    const double start = omp_get_wtime();
    const uint64_t parents = self->cpu.replicas.replicas;
    if (status == ENGINE_OK && step->parts & PART_SELECT)
        status = select_replicas(self, step);
    if (status == ENGINE_OK && !step_groups_have_replicas(base, step, self->cpu.replicas.replicas))
        status = ENGINE_FAILED;
    const double selected = omp_get_wtime();
    if (status == ENGINE_OK && step_keeps_spins(step) && !(step->parts & PART_SELECT)) {
        memcpy(self->next, self->spins, parents * self->bytes);
        swap_spins(self);
    }
    if (status == ENGINE_OK && step->parts & PART_SWEEP)
        sweep_replicas(self, step);
    if (status == ENGINE_OK && step_is_stopped(step)) {
        swap_spins(self);
        if (step->parts & PART_SELECT)
            population_take_back(&self->cpu.replicas, parents);
        status = ENGINE_STOPPED;
    }
    const double swept = omp_get_wtime();
    if (status == ENGINE_OK && step->parts & PART_MEASURE)
        measure_replicas(self, step, out);
    base->seconds[STAGE_RESAMPLE] += selected - start;
    base->seconds[STAGE_SWEEP] += swept - selected;
    base->seconds[STAGE_MEASURE] += omp_get_wtime() - swept;
    return status;
}

static engine_status ssc_randomise(engine *base, stream_key key, uint64_t replicas,
                                   histogram *out) {
    ssc_engine *const self = (ssc_engine *)base;
    for (uint64_t k = 0; k < replicas; k++) {
        int8_t *const spin = self->spins + k * self->bytes;
        if (self->lattice.vectors.sites > 0) {
            ssc_vectors_randomise(&self->lattice.vectors, spin, key,
                                  (uint32_t)(self->cpu.replicas.origin + k));
            continue;
        }
        if (self->lattice.states.sites > 0) {
            ssc_states_randomise(&self->lattice.states, (uint8_t *)spin, key,
                                 (uint32_t)(self->cpu.replicas.origin + k));
            continue;
        }
        stream_block draw = {{0}};
        for (size_t i = 0; i < self->sites; i++) {
            if (i % 128 == 0)
                draw = stream_draw(key, STREAM_RANDOMISE, (uint32_t)(i / 128),
                                   (uint32_t)(self->cpu.replicas.origin + k), 0, 0);
            ssc_set_spin(&self->lattice, spin, i, draw.number[i / 32 % 4] >> i % 32 & 1);
        }
    }
    population_found(&self->cpu.replicas, replicas);
    return engine_measure(base, out);
}

static engine_status ssc_walk(engine *base, const engine_walk *walk) {
    ssc_engine *const self = (ssc_engine *)base;
    const double start = omp_get_wtime();
    self->walk.origin = (uint32_t)self->cpu.replicas.origin;
    const engine_status status =
        cpu_walk(base, &self->walk, walk, self->spins, self->cpu.replicas.level);
    base->seconds[STAGE_SWEEP] += omp_get_wtime() - start;
    return status;
}

static void ssc_destroy(engine *base) {
    ssc_engine *const self = (ssc_engine *)base;
    cpu_engine_destroy(&self->cpu);
    ssc_lattice_destroy(&self->lattice);
    free(self->spins);
    free(self->next);
    free(self->apart);
    free(self->numbers);
    free(self->packed);
    free(self->label);
    walk_space_destroy(&self->walk);
    free(self);
}

/* Bytes of the labels of clusters. */
static size_t label_bytes(const engine_config *config) {
    const size_t threads = (size_t)omp_get_max_threads();
    return engine_has_clusters(config) ? threads * config->model.sites * sizeof(uint32_t) : 0;
}

uint64_t ssc_cpu_bytes(const engine_config *config) {
    const uint32_t threads = (uint32_t)omp_get_max_threads();
    return config->capacity * 2 * ssc_replica_bytes(&config->model) +
           threads * ssc_calls(&config->model) * sizeof(stream_block) +
           ssc_lattice_bytes(&config->model) +
           threads * (model_packed_bytes(&config->model) + ssc_apart_bytes(&config->model)) +
           label_bytes(config) +
           (engine_has_walkers(config) ? walk_space_bytes(config, threads) : 0) +
           cpu_engine_bytes(config, threads);
}

#define SSC_VERBS                                                                                  \
    .randomise = ssc_randomise, .step = ssc_step, .overlaps = ssc_overlaps,                        \
    .group_overlaps = ssc_group_overlaps, .read_levels = cpu_read_levels,                          \
    .read_energies = cpu_read_energies, .read = ssc_read, .write = ssc_write,                      \
    .destroy = ssc_destroy, .partition = &ssc_partition_verbs

static const struct engine_verbs ssc_verbs = {SSC_VERBS};
static const struct engine_verbs ssc_walk_verbs = {SSC_VERBS, .walk = ssc_walk};

/* Starts the threads. If the system refuses them, the program ends here, before any output. */
static void start_threads(uint32_t threads) {
    uint32_t started = 0;
#pragma omp parallel num_threads(threads) reduction(+ : started) if (threads > 1)
    started++;
    (void)started;
}

/* Couplings of vectors, if they have any. Returns 0, or -1 without memory. */
static int take_vector_couplings(ssc_engine *self, const spin_model *model) {
    return model->spins == SPINS_VECTOR && model->sample != NULL
               ? ssc_vectors_take_sample(&self->lattice.vectors, model->sample)
               : 0;
}

engine *ssc_cpu_create(const engine_config *config) {
    const uint32_t threads = (uint32_t)omp_get_max_threads();
    ssc_engine *const self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->cpu.base = (engine){.name = "SSC on the CPU",
                              .seconds = {[STAGE_STEP] = NAN, [STAGE_ROUND_TRIP] = NAN},
                              .model = config->model,
                              .threads = threads,
                              .heeds_stop = true,
                              .verbs = engine_has_walkers(config) ? &ssc_walk_verbs : &ssc_verbs};
    if (config->model.levels.fine)
        self->cpu.base.model.levels.count = (uint32_t)config->capacity;
    self->sites = config->model.sites;
    self->bytes = ssc_replica_bytes(&config->model);
    self->visits = config->visits;
    self->places = config->capacity;
    self->spins = malloc(config->capacity * self->bytes);
    self->next = malloc(config->capacity * self->bytes);
    self->apart = calloc(threads, ssc_apart_bytes(&config->model));
    self->numbers = malloc(threads * ssc_calls(&config->model) * sizeof(stream_block));
    self->packed = malloc(threads * model_packed_bytes(&config->model));
    self->label = engine_has_clusters(config) ? malloc(label_bytes(config)) : NULL;
    if (cpu_engine_create(&self->cpu, config, ssc_collect_lanes) ||
        ssc_lattice_create(&self->lattice, &config->model) ||
        take_vector_couplings(self, &config->model) || !self->spins || !self->next ||
        !self->apart || !self->numbers || !self->packed ||
        (engine_has_clusters(config) && !self->label) ||
        (engine_has_walkers(config) && walk_space_create(&self->walk, &config->model))) {
        ssc_destroy(&self->cpu.base);
        return NULL;
    }
    start_threads(threads);
    return &self->cpu.base;
}
