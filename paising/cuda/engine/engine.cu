/* The CUDA engines behind engine/engine.h: what is common to both codings. A step is queued as a
 * whole; the host waits once, for the report.
 *
 * The stages of a step are fused, or run one after the other between events in the stream, which
 * time them (stage_mode). The kernels are the same, with fewer parts in each. */
#include "cuda/engine/engine.h"

#include "base/clock.h"
#include "base/work_clock.h"
#include "cuda/device/nvtx_section.h"
#include "cuda/engine/bytes.h"
#include "cuda/engine/copies.h"
#include "cuda/engine/launch_batch.h"
#include "cuda/engine/long_step.h"
#include "cuda/engine/profiles.h"
#include "cuda/engine/queue.h"
#include "cuda/engine/rounds.h"
#include "cuda/engine/state.h"
#include "cuda/msc/msc.h"
#include "cuda/partition/children.h"
#include "cuda/partition/partition.h"
#include "cuda/report/publish.h"
#include "cuda/select/point_counts.h"
#include "cuda/select/selection.h"
#include "engine/async.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the engine --- */

/* Adds the time between two events that have occurred. */
static void add_time(cuda_engine *self, engine_stage stage, int from, int to) {
    float ms = 0;
    if (self->population.failed)
        return;
    CUDA_CHECK(&self->population, cudaEventElapsedTime(&ms, self->mark[from], self->mark[to]));
    self->base.seconds[stage] += 1e-3 * (double)ms;
}

/* Adds the time of overlaps that were begun, and waits for their end. */
static void add_overlaps(cuda_engine *self) {
    const double before = self->base.seconds[STAGE_OVERLAPS];
    if (!self->overlaps_marked)
        return;
    self->overlaps_marked = false;
    if (!self->population.failed)
        CUDA_CHECK(&self->population, cudaEventSynchronize(self->mark[MARK_COMPARED]));
    add_time(self, STAGE_OVERLAPS, MARK_OVERLAPS, MARK_COMPARED);
    self->overlaps_before = self->base.seconds[STAGE_OVERLAPS] - before;
}

/* --- steps --- */

static engine_status or_failure(cuda_engine *self, engine_status status) {
    return self->population.failed ? cuda_engine_failure(self) : status;
}

/* Adds the times between the events of the step that has ended. */
static void add_times(cuda_engine *self) {
    add_overlaps(self);
    if (self->stages == STAGES_FUSED) {
        self->base.seconds[STAGE_STEP] += clock_seconds() - self->started - self->overlaps_before;
        return;
    }
    if (!self->population.failed) /* the report arrives before the event */
        CUDA_CHECK(&self->population, cudaEventSynchronize(self->mark[MARK_MEASURED]));
    if (self->follows)
        add_time(self, STAGE_ROUND_TRIP, MARK_LAST_STEP, MARK_BEGUN);
    add_time(self, STAGE_RESAMPLE, MARK_BEGUN, MARK_RESAMPLED);
    add_time(self, STAGE_SWEEP, MARK_RESAMPLED, MARK_SWEPT);
    add_time(self, STAGE_MEASURE, MARK_SWEPT, MARK_MEASURED);
    self->follows = true;
}

/* Whether the step makes children that were assigned to this interval. */
static bool has_assignment(const cuda_engine *self) {
    const engine_step *const step = &self->step;
    return step->parts & PART_SELECT && !step->tau_hat && !step->parents;
}

/* Queues the step of an interval in the side stream of the transfers. */
static engine_status queue_assigned(cuda_engine *self) {
    cuda_population *const p = &self->population;
    side_stream *const transfers = &self->remote.transfers;
    cuda_children_await(self);
    cuda_children_inherit(self);
    side_stream_swap(transfers, p);
    const engine_status status = cuda_queue_step(self);
    side_stream_swap(transfers, p);
    side_stream_join(transfers, p);
    return status;
}

/* The same for the children that are not yet in production. Their launch comes first, since it is
 * waited for longest. */
static void queue_others(cuda_engine *self) {
    cuda_population *const p = &self->population;
    side_stream *const transfers = &self->remote.transfers;
    const nvtx_section temperature(self->step.temperature);
    const cuda_range all = cuda_children_range(self, &self->step);
    cuda_children_await(self);
    side_stream_swap(transfers, p);
    cuda_queue_parts(self, WHOLE_STEP, &all);
    side_stream_swap(transfers, p);
    if (cuda_children_have_remote(&self->remote))
        cuda_publish_both(p, transfers->stream);
    else
        cuda_publish(p, &p->device);
    cuda_children_inherit(self);
    self->remote.begun = false;
}

static int engines; /* of this process */

/* Pre-launches the next step's selection, where one kernel makes the rest of the step and nothing
 * is asked in between. Other engines on the device would be held up: then nothing is pre-launched.
 */
static void cuda_hint(engine *base, const engine_step *step) {
    cuda_engine *const self = (cuda_engine *)base;
    if (step->temperature == 0) {
        self->first_width = step->next_width;
        self->first_target = step->next_target;
        return;
    }
    if (!self->may_prelaunch || self->stages != STAGES_FUSED || self->batched.batch ||
        self->long_step.under_way || base->model.disordered || self->population.prelaunch.waits ||
        cuda_levels_may_be_later(&self->population) ||
        __atomic_load_n(&engines, __ATOMIC_RELAXED) > 1)
        return;
    if (self->population.device.interval.all > 0)
        cuda_children_ahead(self, step);
    else
        cuda_selection_ahead(&self->population);
}

/* Estimates the work of a step: the population's size hardly changes. */
static uint64_t work_of(const engine_step *step) {
    return step->parts & PART_SWEEP ? step->founders * step->sweeps : 0;
}

static engine_status cuda_submit(engine *base, const engine_step *step) {
    cuda_engine *const self = (cuda_engine *)base;
    self->step = *step;
    work_begin(work_of(step));
    if (!(step->parts & PART_SELECT && step->tau_hat))
        cuda_engine_cancel_prelaunched(self);
    if (!self->remote.begun && !self->overlaps_marked) {
        self->started = clock_seconds();
        self->overlaps_before = 0;
    }
    if (step->parts & PART_MEASURE && step->groups == 0)
        cuda_population_swap_reports(&self->population);
    if (!step_groups_are_whole(base, step, self->group_unit) ||
        !step_flips_are_possible(base, step, self->most_general_flips, self->clusters) ||
        !step_tables_are_there(base, step))
        return ENGINE_FAILED;
    self->long_step.under_way = cuda_long_step_is_due(self);
    if (self->long_step.under_way)
        launch_batch_flush(base);
    else if (launch_batch_takes_step(self))
        return or_failure(self, ENGINE_OK);
    engine_status status = ENGINE_OK;
    if (self->remote.begun)
        queue_others(self);
    else
        status = has_assignment(self) ? queue_assigned(self) : cuda_queue_step(self);
    if (status == ENGINE_OK && self->long_step.under_way)
        cuda_long_step_begin(self);
    if (status == ENGINE_OK && step->parts & PART_SELECT && step->tau_hat &&
        !cuda_selects_on_host(self))
        cuda_points_ahead(&self->population, step);
    return or_failure(self, status);
}

/* Waits for what the step reports. */
static engine_status collect_report(cuda_engine *self, histogram *out) {
    cuda_population *const p = &self->population;
    engine_status status = ENGINE_OK;
    if (cuda_has_stripes(self)) {
        if (!p->failed)
            CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    } else if (!(self->step.parts & PART_MEASURE))
        status = cuda_population_count(p);
    else if (self->step.groups > 0)
        status = cuda_groups_collect(&self->groups, p, self->step.groups, out);
    else
        status = cuda_population_collect(p, out);
    if (status == ENGINE_OK && self->step.parts & PART_MEASURE && self->spins->collect)
        self->spins->collect(self->state, p, &self->step, out);
    return status;
}

static engine_status cuda_wait(engine *base, histogram *out) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    const bool cut = self->long_step.under_way;
    launch_batch_flush(base);
    p->partial = NULL;
    const engine_status swept = cut ? cuda_long_step_end(self) : ENGINE_OK,
                        status = swept == ENGINE_OK ? collect_report(self, out) : swept;
    work_done(work_of(&self->step));
    self->reports_assigned =
        status == ENGINE_OK && self->step.parts & PART_MEASURE && has_assignment(self);
    if (self->reports_assigned)
        cuda_children_report(&self->remote, p);
    if (swept == ENGINE_OK)
        add_times(self);
    if (status == ENGINE_OK && !cut)
        cuda_long_step_learn(self, clock_seconds() - self->started - self->overlaps_before);
    self->follows = self->follows && swept == ENGINE_OK;
    return or_failure(self, status);
}

static engine_status cuda_wait_all(engine *base, histogram *out) {
    cuda_engine *const self = (cuda_engine *)base;
    if (!cuda_population_complete(&self->population, out) ||
        (self->spins->complete && !self->spins->complete(self->state, &self->population, out)))
        return cuda_engine_failure(self);
    if (self->reports_assigned)
        cuda_children_complete(&self->remote, out);
    return ENGINE_OK;
}

static engine_status cuda_step(engine *base, const engine_step *step, histogram *out) {
    engine_status status = cuda_submit(base, step);
    if (status != ENGINE_OK) {
        work_done(work_of(step));
        return status;
    }
    status = cuda_wait(base, out);
    return status == ENGINE_OK && step->parts & PART_MEASURE &&
                   !cuda_has_stripes((cuda_engine *)base)
               ? cuda_wait_all(base, out)
               : status;
}

static engine_status cuda_read_stripes(engine *base, uint64_t first, uint64_t count,
                                       uint32_t *unsatisfied, uint32_t *up) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_msc_read_stripes(self->state, &self->population, first, count, unsatisfied, up);
    return cuda_engine_outcome(self);
}

/* Without a launch batch their time is known. */
static engine_status cuda_submit_overlaps(engine *base, overlap_sums *out) {
    cuda_engine *const self = (cuda_engine *)base;
    self->overlaps_marked = !self->batched.batch;
    if (!self->overlaps_marked)
        return launch_batch_overlaps(base, out);
    self->started = clock_seconds();
    cuda_set_mark(self, MARK_OVERLAPS);
    const engine_status status = launch_batch_overlaps(base, out);
    cuda_set_mark(self, MARK_COMPARED);
    return or_failure(self, status);
}

static engine_status cuda_wait_overlaps(engine *base) {
    const engine_status status = launch_batch_wait_overlaps(base);
    add_overlaps((cuda_engine *)base);
    return status;
}

static engine_status cuda_overlaps_now(engine *base, overlap_sums *out) {
    const engine_status status = cuda_submit_overlaps(base, out);
    return status == ENGINE_OK ? cuda_wait_overlaps(base) : status;
}

static engine_status cuda_group_overlaps(engine *base, uint64_t first, uint64_t count,
                                         overlap_sums *out) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    const double start = clock_seconds();
    const uint64_t offset = overlap_offset(count), pairs = overlap_pairs(count);
    const uint32_t *const family = p->device.family + first;
    const cuda_pairs of = {family, family + offset, pairs, 0, pairs};
    if (self->spins->overlaps) {
        self->spins->overlaps(self->state, p, &base->model, first, count, false, out);
    } else {
        const cuda_pair_words words = self->spins->compare(
            self->state, p, first, offset, (pairs + MACHINE_LANES - 1) / MACHINE_LANES);
        overlap_sums_begin(out, count);
        cuda_overlaps_add_own(&self->pairs, p, &base->model, words, &of, out);
    }
    base->seconds[STAGE_OVERLAPS] += clock_seconds() - start;
    return cuda_engine_outcome(self);
}

static engine_status cuda_randomise(engine *base, stream_key key, uint64_t replicas,
                                    histogram *out) {
    cuda_engine *const self = (cuda_engine *)base;
    {
        const nvtx_section section("randomise");
        cuda_engine_cancel_prelaunched(self);
        launch_batch_forget(self);
        self->overlaps_marked = false;
        cuda_children_forget(&self->remote, &self->population);
        cuda_population_found(&self->population, replicas);
        self->spins->randomise(self->state, &self->population, key);
    }
    self->follows = false;
    const engine_step first = {
        .parts = PART_MEASURE, .next_width = self->first_width, .next_target = self->first_target};
    return cuda_step(base, &first, out);
}

static engine_status cuda_walk(engine *base, const engine_walk *walk) {
    cuda_engine *const self = (cuda_engine *)base;
    const double start = clock_seconds();
    cuda_engine_cancel_prelaunched(self);
    self->spins->walk(self->state, &self->population, walk);
    self->follows = false;
    base->seconds[self->stages == STAGES_FUSED ? STAGE_STEP : STAGE_SWEEP] +=
        clock_seconds() - start;
    return cuda_engine_outcome(self);
}

static engine_status cuda_take_sample(engine *base, const couplings *sample) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_engine_cancel_prelaunched(self);
    base->model = model_of_sample(base->model, sample);
    if (base->model.levels.fine)
        base->model.levels.count = (uint32_t)self->population.device.capacity;
    self->population.device.levels = base->model.levels;
    self->spins->take_sample(self->state, &self->population, &base->model);
    cuda_overlaps_take_sample(&self->pairs, &self->population, &base->model);
    return cuda_engine_outcome(self);
}

/* --- creation --- */

static void cuda_destroy(engine *base) {
    cuda_engine *const self = (cuda_engine *)base;
    __atomic_fetch_sub(&engines, 1, __ATOMIC_RELAXED);
    cuda_engine_cancel_prelaunched(self);
    cuda_partition_destroy(&self->remote); /* waits for its queued work */
    for (cudaEvent_t mark : self->mark)
        if (mark)
            cudaEventDestroy(mark);
    if (self->state)
        self->spins->destroy(self->state);
    free(self->state);
    cuda_hybrid_destroy(&self->hybrid);
    cuda_groups_destroy(&self->groups);
    cuda_rounds_destroy(&self->rounds, &self->population);
    cuda_overlaps_destroy(&self->pairs);
    cuda_profiles_destroy(&self->profiles);
    launch_batch_leave(self);
    cuda_long_step_destroy(self);
    cuda_points_destroy(&self->population);
    cuda_population_destroy(&self->population);
    free(self);
}

uint64_t engine_cuda_bytes(const engine_config *config) {
    uint32_t stream_blocks = 0;
    if (config->coding == CODING_MSC && cuda_msc_stream_blocks(config, &stream_blocks))
        return UINT64_MAX;
    return cuda_device_bytes(config, stream_blocks);
}

/* Creates what the stage mode needs, and sets the times that it cannot measure to NAN. Returns 0,
 * or -1 with p->failed set. */
static int prepare_stages(cuda_engine *self, const engine_config *config) {
    engine *const e = &self->base;
    cuda_population *const p = &self->population;
    self->stages = config->stages;
    if (config->model.disordered)
        for (const int mark : {MARK_OVERLAPS, MARK_COMPARED})
            CUDA_CHECK(p, cudaEventCreate(&self->mark[mark]));
    if (self->stages == STAGES_FUSED) {
        e->seconds[STAGE_RESAMPLE] = e->seconds[STAGE_SWEEP] = e->seconds[STAGE_MEASURE] = NAN;
        e->seconds[STAGE_ROUND_TRIP] = NAN;
        return 0;
    }
    e->seconds[STAGE_STEP] = NAN;
    for (int mark = 0; mark <= MARK_MEASURED; mark++)
        CUDA_CHECK(p, cudaEventCreate(&self->mark[mark]));
    if (self->stages == STAGES_HYBRID)
        cuda_hybrid_create(&self->hybrid, p, (const cuda_ssc *)self->state, config->capacity);
    return p->failed ? -1 : 0;
}

/* The codings. */
static const cuda_spins *const all_spins[] = {&cuda_msc_spins,   &cuda_ssc_spins,
                                              &cuda_graph_spins, &cuda_states_spins,
                                              &cuda_fine_spins,  &cuda_vector_spins};

static const cuda_spins *find_spins(const engine_config *config) {
    for (const cuda_spins *spins : all_spins)
        if (spins->coding == config->coding && spins->sweeps(config))
            return spins;
    return NULL;
}

int engine_cuda_has(const engine_config *config) {
    return find_spins(config) != NULL;
}

static void name_engine(cuda_engine *self, const char *device) {
    snprintf(self->name, sizeof self->name, "%s on %s", self->spins->name, device);
    int driver = 0;
    CUDA_CHECK(&self->population, cudaDriverGetVersion(&driver));
    snprintf(self->driver, sizeof self->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    self->base.name = self->name;
    self->base.driver = self->driver;
}

static const struct engine_async_verbs cuda_async = {
    cuda_submit,        cuda_hint,         launch_batch_flush,
    cuda_wait,          cuda_wait_all,     cuda_submit_overlaps,
    cuda_wait_overlaps, launch_batch_join, cuda_rounds_plan,
    cuda_rounds_submit, cuda_rounds_wait,  cuda_rounds_complete};

#define CUDA_VERBS                                                                                 \
    .randomise = cuda_randomise, .step = cuda_step, .overlaps = cuda_overlaps_now,                 \
    .group_overlaps = cuda_group_overlaps, .read_levels = cuda_copies_levels,                      \
    .read_energies = cuda_copies_energies, .read = cuda_copies_read, .write = cuda_copies_write,   \
    .read_hashes = cuda_copies_hashes, .transfer_file = NULL, .take_sample = cuda_take_sample,     \
    .destroy = cuda_destroy

static const struct engine_verbs cuda_verbs = {CUDA_VERBS, .read_profiles = cuda_profiles_read,
                                               .async = &cuda_async,
                                               .partition = &cuda_partition_verbs};

/* Modes that reorder replicas, and codings without `reserve`, have whole populations only. */
static const struct engine_verbs cuda_whole_verbs = {
    CUDA_VERBS, .read_profiles = cuda_profiles_read, .async = &cuda_async, .partition = NULL};

/* A hybrid step takes the host's time. */
static const struct engine_verbs cuda_hybrid_verbs = {
    CUDA_VERBS, .read_profiles = cuda_profiles_read, .async = NULL, .partition = NULL};

static const struct engine_verbs cuda_stripe_verbs = {CUDA_VERBS, .read_stripes = cuda_read_stripes,
                                                      .read_profiles = cuda_profiles_read,
                                                      .async = NULL, .partition = NULL};

static const struct engine_verbs cuda_walk_verbs = {CUDA_VERBS, .walk = cuda_walk, .async = NULL,
                                                    .partition = &cuda_partition_verbs};

/* The verbs of a configuration. */
static const struct engine_verbs *verbs_of(const engine_config *config, const cuda_spins *spins) {
    if (engine_has_walkers(config))
        return &cuda_walk_verbs;
    if (config->model.stripes > 1)
        return &cuda_stripe_verbs;
    if (config->stages == STAGES_HYBRID)
        return &cuda_hybrid_verbs;
    return partition_unit(config) > 0 && spins->reserve ? &cuda_verbs : &cuda_whole_verbs;
}

engine *engine_cuda_create(const engine_config *config, char *reason, size_t size) {
    const cuda_spins *const spins = find_spins(config);
    if (!spins) {
        snprintf(reason, size, "no CUDA engine with coding %s%s%s sweeps the model %s%s",
                 coding_name(config->coding), config->model.incomplete ? ", -g " : "",
                 config->model.incomplete ? rng_name(config->rng) : "", config->model.name,
                 config->model.incomplete ? " with bonds that may be missing" : "");
        return NULL;
    }
    cuda_engine *const self = (cuda_engine *)calloc(1, sizeof *self);
    const char *const device = cuda_device_name(config->device_number);
    if (!self || !device) {
        free(self);
        snprintf(reason, size, "the device does not answer");
        return NULL;
    }
    __atomic_fetch_add(&engines, 1, __ATOMIC_RELAXED);
    self->spins = spins;
    self->state = calloc(1, spins->state_bytes);
    self->group_unit = spins->group_unit(config);
    self->most_general_flips = most_general_flips(config->coding, config->rng);
    self->clusters = engine_has_clusters(config);
    self->may_prelaunch = !config->device_is_shared && prelaunch_is_possible();
    name_engine(self, device);
    engine *const e = &self->base;
    e->model = config->model;
    if (e->model.levels.fine)
        e->model.levels.count = (uint32_t)config->capacity;
    e->threads = 1;
    e->verbs = verbs_of(config, spins);
    self->batched.allowed = launch_batch_serves(config);
    cuda_population *const p = &self->population;
    if (!self->state)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for the engine");
    if (p->failed || cuda_population_create(p, config) || cuda_points_create(p, config) ||
        spins->create(self->state, p, config) || prepare_stages(self, config) ||
        cuda_long_step_create(self, config) ||
        cuda_overlaps_create(&self->pairs, p, &e->model, {spins->place_of, self->state})) {
        cuda_engine_failure(self);
        snprintf(reason, size, "%s", e->error);
        cuda_population_forget_failure(p); /* other engines may go on */
        cuda_destroy(e);
        return NULL;
    }
    return e;
}
