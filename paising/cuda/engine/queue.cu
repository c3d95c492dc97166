/* The launches of a step, in the order of its stages. */
#include "cuda/engine/queue.h"

#include "cuda/device/nvtx_section.h"
#include "cuda/report/publish.h"

void cuda_set_mark(cuda_engine *self, int mark) {
    if (self->mark[mark] && !self->population.failed)
        CUDA_CHECK(&self->population, cudaEventRecord(self->mark[mark], self->population.stream));
}

bool cuda_selects_on_host(const cuda_engine *self) {
    return self->stages == STAGES_HYBRID && self->step.parts & PART_SELECT;
}

bool cuda_has_stripes(const cuda_engine *self) {
    return self->base.model.stripes > 1;
}

void cuda_queue_parts(cuda_engine *self, step_parts parts, const cuda_range *range) {
    const nvtx_section section(parts == WHOLE_STEP     ? "step"
                               : parts == PART_SELECT  ? "collect"
                               : parts == PART_MEASURE ? "measure"
                                                       : "sweep");
    self->spins->step(self->state, &self->population, &self->step, parts, range);
    if (parts & PART_MEASURE && !self->remote.begun && !cuda_has_stripes(self))
        cuda_publish(&self->population, &range->replicas);
}

/* Queues the selection of the parents. */
static engine_status queue_selection(cuda_engine *self) {
    cuda_population *const p = &self->population;
    const engine_step *const step = &self->step;
    if (cuda_selects_on_host(self))
        return cuda_hybrid_resample(&self->hybrid, p, (const cuda_ssc *)self->state, step);
    if (step->tau_hat) {
        if (step->copies)
            self->spins->expect(self->state, p, step->copies);
        cuda_selection_resample(p, step);
        return ENGINE_OK;
    }
    if (!step->parents) /* children assigned before (children.cu) */
        return ENGINE_OK;
    if (step->children == 0 || step->children > p->device.capacity)
        return step->children ? ENGINE_OUTGROWN : ENGINE_EXTINCT;
    cuda_selection_inherit(p, step);
    return ENGINE_OK;
}

engine_status cuda_prepare_groups(cuda_engine *self) {
    cuda_population *const p = &self->population;
    const engine_status counted = cuda_population_count(p);
    if (counted != ENGINE_OK || cuda_groups_reserve(&self->groups, p, &self->step))
        return counted != ENGINE_OK ? counted : ENGINE_FAILED;
    return step_groups_have_replicas(&self->base, &self->step, p->replicas) ? ENGINE_OK
                                                                            : ENGINE_FAILED;
}

/* The replicas of a range from number `first` to `end` - 1 of the population; *range may have none. */
static void cut_range(cuda_range *range, uint64_t first, uint64_t end) {
    const uint64_t last = range->first + range->most;
    range->first = first > range->first ? first : range->first;
    end = end < last ? end : last;
    range->most = end > range->first ? end - range->first : 0;
}

void cuda_queue_groups(cuda_engine *self, step_parts parts, uint64_t first, uint64_t end) {
    cuda_population *const p = &self->population;
    const bool together = !self->spins->shares_scratch(self->state);
    cuda_groups_begin(&self->groups, p);
    for (size_t n = 0; n < self->step.groups; n++) {
        cuda_range range = cuda_groups_range(&self->groups, p, &self->step, n);
        cut_range(&range, first, end);
        if (range.most == 0)
            continue;
        if (together)
            cuda_groups_enter(&self->groups, p, n);
        cuda_population_begin(p, &range.replicas, range.most);
        if (parts & PART_SWEEP)
            cuda_queue_parts(self, PART_SWEEP, &range);
        if (parts & PART_MEASURE)
            cuda_queue_parts(self, PART_MEASURE, &range);
        if (together)
            cuda_groups_leave(&self->groups, p, n);
    }
    if (parts & PART_MEASURE)
        cuda_population_forget(p);
}

/* Queues sweeps and measurement, group by group. */
static engine_status queue_groups(cuda_engine *self) {
    const engine_status status = cuda_prepare_groups(self);
    if (status == ENGINE_OK)
        cuda_queue_groups(self, (step_parts)(self->step.parts & ~PART_SELECT), 0,
                          self->population.replicas);
    return status;
}

void cuda_queue_measurement(cuda_engine *self) {
    cuda_population *const p = &self->population;
    const cuda_range all = cuda_whole_population(self);
    if (!(self->step.parts & PART_SELECT) && !p->scattered && !cuda_has_stripes(self))
        cuda_selection_count_families(p, p->replicas);
    cuda_queue_parts(self, PART_MEASURE, &all);
}

/* Queues sweeps and measurement of the whole population. */
static void queue_whole(cuda_engine *self) {
    const cuda_range all = cuda_whole_population(self);
    if (self->step.parts & PART_SWEEP)
        cuda_queue_parts(self, PART_SWEEP, &all);
    cuda_set_mark(self, MARK_SWEPT);
    if (self->step.parts & PART_MEASURE)
        cuda_queue_measurement(self);
}

/* Queues the stages one after the other. */
static engine_status queue_apart(cuda_engine *self) {
    if (self->step.parts & PART_SELECT && !cuda_selects_on_host(self)) {
        const cuda_range all = cuda_whole_population(self);
        cuda_queue_parts(self, PART_SELECT, &all);
    }
    cuda_set_mark(self, MARK_RESAMPLED);
    if (self->long_step.under_way) /* its pieces follow */
        return ENGINE_OK;
    engine_status status = ENGINE_OK;
    if (self->step.groups > 0) {
        status = queue_groups(self);
        cuda_set_mark(self, MARK_SWEPT);
    } else {
        queue_whole(self);
    }
    cuda_set_mark(self, MARK_MEASURED);
    return status;
}

/* Queues one kernel that collects, sweeps and measures. Pre: the parents are known. */
static engine_status queue_fused(cuda_engine *self) {
    const cuda_range all = cuda_whole_population(self);
    cuda_queue_parts(self, WHOLE_STEP, &all);
    return ENGINE_OK;
}

engine_status cuda_queue_step(cuda_engine *self) {
    cuda_population *const p = &self->population;
    const engine_step *const step = &self->step;
    const nvtx_section temperature(step->temperature);
    /* Keeps the event of the end of the previous step. */
    cudaEvent_t const last = self->mark[MARK_MEASURED];
    self->mark[MARK_MEASURED] = self->mark[MARK_LAST_STEP];
    self->mark[MARK_LAST_STEP] = last;
    cuda_set_mark(self, MARK_BEGUN);
    if (step->parts & PART_SELECT) {
        const engine_status selected = queue_selection(self);
        if (selected != ENGINE_OK)
            return selected;
    } else {
        cuda_population_begin(p, &p->device, p->replicas);
    }
    const bool fused = self->stages == STAGES_FUSED && step->parts == WHOLE_STEP &&
                       step->groups == 0 && !self->long_step.under_way;
    return fused ? queue_fused(self) : queue_apart(self);
}
