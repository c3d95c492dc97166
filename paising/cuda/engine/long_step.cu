/* Pieces of long steps. */
#include "cuda/engine/long_step.h"

#include "base/clock.h"
#include "cuda/device/arrays.h"
#include "cuda/engine/queue.h"

#include <math.h>

/* Expected of the first step: more than any kernel takes, so that its first piece is short. */
#define UNKNOWN_FLIP_SECONDS 1e-10

int cuda_long_step_create(cuda_engine *self, const engine_config *config) {
    cuda_population *const p = &self->population;
    cuda_long_step *const l = &self->long_step;
    if (!self->spins->exchange || self->group_unit == 0 || config->stages == STAGES_HYBRID ||
        config->model.stripes > 1)
        return 0;
    int multiprocessors = 0;
    CUDA_CHECK(p, cuda_attribute(cudaDevAttrMultiProcessorCount, &multiprocessors));
    CUDA_CHECK(p, cuda_take(&l->report, sizeof *l->report, ON_DEVICE));
    l->flip_seconds = UNKNOWN_FLIP_SECONDS;
    l->least = (uint64_t)multiprocessors * self->spins->at_once(self->state);
    l->unit = self->group_unit < MACHINE_LANES ? MACHINE_LANES : self->group_unit;
    self->base.heeds_stop = true;
    return p->failed ? -1 : 0;
}

void cuda_long_step_destroy(cuda_engine *self) {
    cuda_array_give(self->long_step.report, ON_DEVICE);
}

/* Attempted flips of some replicas in the step. */
static double flips_of(const cuda_engine *self, uint64_t replicas) {
    return (double)self->base.model.sites * self->step.sweeps * (double)replicas;
}

bool cuda_long_step_is_due(const cuda_engine *self) {
    const engine_step *const step = &self->step;
    const cuda_population *const p = &self->population;
    return step->stop && self->base.heeds_stop && step->parts & PART_SWEEP &&
           p->device.interval.all == 0 && p->replicas >= 2 * self->long_step.least &&
           flips_of(self, p->replicas) * self->long_step.flip_seconds > PIECE_SECONDS;
}

/* Replicas of the next piece: all that are left, or a part of them in whole units. Pieces are of one size, as far as the speed is
 * known; none is less than the device sweeps at a time. */
static uint64_t next_count(const cuda_engine *self, uint64_t left) {
    const cuda_long_step *const l = &self->long_step;
    const double most = (double)(left / l->least),
                 pieces = fmin(most, ceil(flips_of(self, left) * l->flip_seconds / PIECE_SECONDS));
    if (pieces <= 1)
        return left;
    return ((uint64_t)((double)left / pieces) + l->unit - 1) / l->unit * l->unit;
}

static void queue_piece(cuda_engine *self) {
    cuda_long_step *const l = &self->long_step;
    cuda_range range = cuda_whole_population(self);
    l->first += l->count;
    l->count = next_count(self, self->population.replicas - l->first);
    l->started = clock_seconds();
    if (self->step.groups > 0) {
        cuda_queue_groups(self, PART_SWEEP, l->first, l->first + l->count);
        return;
    }
    range.first = l->first;
    range.most = l->count;
    range.replicas.report = l->report;
    cuda_population_begin(&self->population, &range.replicas, l->count);
    cuda_queue_parts(self, PART_SWEEP, &range);
}

/* Copies the spins before a step that sweeps them in place. */
static void keep_spins(cuda_engine *self) {
    cuda_population *const p = &self->population;
    uint64_t bytes;
    const void *const spins = self->spins->stored(self->state, p->replicas, &bytes);
    if (!p->failed)
        CUDA_CHECK(p, cudaMemcpyAsync(self->spins->room(self->state), spins, bytes,
                                      cudaMemcpyDeviceToDevice, p->stream));
}

/* Measures what all pieces have swept. */
static void queue_measurement(cuda_engine *self) {
    if (!(self->step.parts & PART_MEASURE))
        return;
    if (self->step.groups > 0)
        cuda_queue_groups(self, PART_MEASURE, 0, self->population.replicas);
    else
        cuda_queue_measurement(self);
}

void cuda_long_step_begin(cuda_engine *self) {
    cuda_long_step *const l = &self->long_step;
    l->parents = self->population.replicas;
    l->first = l->count = 0;
    l->status = self->step.groups > 0 ? cuda_prepare_groups(self)
                                      : cuda_population_count(&self->population);
    if (l->status != ENGINE_OK)
        return;
    if (!(self->step.parts & PART_SELECT))
        keep_spins(self);
    queue_piece(self);
}

engine_status cuda_long_step_end(cuda_engine *self) {
    cuda_long_step *const l = &self->long_step;
    cuda_population *const p = &self->population;
    l->under_way = false;
    while (l->status == ENGINE_OK && CUDA_CHECK(p, cudaStreamSynchronize(p->stream))) {
        l->flip_seconds = (clock_seconds() - l->started) / flips_of(self, l->count);
        if (l->first + l->count == p->replicas)
            break;
        if (step_is_stopped(&self->step)) {
            self->spins->exchange(self->state);
            if (self->step.parts & PART_SELECT)
                cuda_selection_take_back(p, l->parents);
            return ENGINE_STOPPED;
        }
        queue_piece(self);
    }
    if (l->status != ENGINE_OK)
        return l->status;
    cuda_set_mark(self, MARK_SWEPT);
    queue_measurement(self);
    cuda_set_mark(self, MARK_MEASURED);
    return ENGINE_OK;
}

void cuda_long_step_learn(cuda_engine *self, double seconds) {
    const double flips = flips_of(self, self->population.replicas);
    if (self->step.parts & PART_SWEEP && flips > 0)
        self->long_step.flip_seconds = seconds / flips;
}
