/* Exchanges of a round, and its report. */
#include "cuda/engine/rounds.h"

#include "base/clock.h"
#include "base/work_clock.h"
#include "cuda/device/arrays.h"
#include "cuda/device/nvtx_section.h"
#include "cuda/engine/state.h"
#include "cuda/report/overlaps.h"

#include <stdio.h>
#include <string.h>

#define THREADS     256
#define MOST_GROUPS 65535 /* each has a row of blocks, and a grid no more rows */

/* Levels whose replicas are counted; of fine energies none are. */
static uint32_t levels_of(const cuda_rounds *r, const cuda_population *p) {
    return r->plan.exchanges.fine ? 1 : (uint32_t)p->device.levels.count;
}

/* --- exchanges --- */

struct exchange_request {
    exchange_table table;
    stream_key key;
    uint32_t time, first, chains, words;
    replica_energies energies;
    uint32_t *family, *accepted, *host;
};

/* Decides on the exchanges of chains of groups k and k + 1, one thread a chain, one row of blocks a pair of groups. Families go
 * with their replicas. */
static __global__ void __launch_bounds__(THREADS)
    decide(const __grid_constant__ exchange_request e) {
    const uint32_t r = blockIdx.x * THREADS + threadIdx.x, k = e.first + 2 * blockIdx.y;
    const uint64_t lower = (uint64_t)k * e.chains + r, upper = lower + e.chains;
    bool swaps = false;
    await_launch_before();
    if (r < e.chains)
        swaps = exchange_is_accepted(e.table, e.key, e.time, k, r,
                                     energy_difference(e.energies, lower, upper));
    if (swaps) {
        const uint32_t family = e.family[lower];
        e.family[lower] = e.family[upper];
        e.family[upper] = family;
    }
    const uint32_t accepted = __ballot_sync(0xffffffffu, swaps);
    if (threadIdx.x % 32 == 0 && r < e.chains) {
        e.accepted[k * e.words + r / 32] = accepted;
        e.host[k * e.words + r / 32] = accepted;
    }
}

/* Copies energies that the host has changed. */
static void take_energies(cuda_population *p, const replica_energies *to, const engine_round *round,
                          uint64_t replicas) {
    const replica_energies *const now = &round->now;
    if (now->level)
        CUDA_CHECK(p, cudaMemcpyAsync((void *)to->level, now->level, replicas * sizeof *now->level,
                                      cudaMemcpyHostToDevice, p->stream));
    if (now->energy)
        CUDA_CHECK(p,
                   cudaMemcpyAsync((void *)to->energy, now->energy, replicas * sizeof *now->energy,
                                   cudaMemcpyHostToDevice, p->stream));
}

static void exchange(cuda_engine *self, const engine_round *round) {
    cuda_rounds *const r = &self->rounds;
    cuda_population *const p = &self->population;
    const replica_energies energies =
        r->plan.exchanges.fine ? replica_energies{NULL, self->spins->energies(self->state)}
                               : replica_energies{p->device.level, NULL};
    const uint32_t first = (uint32_t)round->first, groups = (uint32_t)r->plan.groups;
    r->round = *round;
    r->sees.exchanging = first;
    r->sees.turn ^= 1;
    p->scattered = true;
    for (uint32_t k = 0; k < groups; k++)
        ((cuda_group_totals *)(r->host + k * r->host_bytes))->done = 0;
    if (p->failed)
        return;
    take_energies(p, &energies, round, groups * r->plan.replicas);
    if (groups < first + 2)
        return;
    const exchange_request e = {
        .table = {r->threshold, r->plan.exchanges.each, r->plan.exchanges.fine},
        .key = round->key,
        .time = round->time,
        .first = first,
        .chains = (uint32_t)r->plan.replicas,
        .words = r->sees.words,
        .energies = energies,
        .family = p->device.family,
        .accepted = r->accepted,
        .host = r->host_accepted};
    const dim3 blocks((e.chains + THREADS - 1) / THREADS, (groups - first) / 2);
    cuda_launch_early(p, "decide", decide, blocks, THREADS, 0, e);
}

/* --- reports --- */

struct totals_request {
    cuda_round round;
    uint32_t levels;
    char *pairs; /* NULL: no overlaps */
    uint64_t pair_bytes;
    overlap_scale scale;
    char *host;
    uint64_t host_bytes;
};

/* Copies numbers first .. end - 1, and clears them. */
template <typename T>
static __device__ __forceinline__ void move_numbers(T *to, T *from, uint32_t first, uint32_t end) {
    for (uint32_t n = first + threadIdx.x; n < end; n += blockDim.x) {
        to[n] = __ldcg(&from[n]);
        from[n] = 0;
    }
}

static __device__ __forceinline__ overlap_span span_of(overlap_range range, uint32_t bins) {
    return overlap_span{range.end > 0 ? bins - range.left : 0, range.end};
}

/* Publishes the overlaps of a group. */
static __device__ __forceinline__ void publish_pairs(const totals_request &t, overlap_report *from,
                                                     cuda_group_totals *to, uint32_t *bins) {
    uint32_t *const of = (uint32_t *)(from + 1);
    const overlap_span differ = span_of(from->differ, t.scale.differ_bins),
                       walls = span_of(from->walls, t.scale.wall_bins);
    const uint32_t numbers = sizeof(overlap_block) / sizeof(uint64_t);
    move_numbers((uint64_t *)&to->pairs, (uint64_t *)&from->block[0], 0, numbers);
    move_numbers(bins, of, differ.first, differ.end);
    move_numbers(bins + t.scale.differ_bins, of + t.scale.differ_bins, walls.first, walls.end);
    __syncthreads(); /* all have read the spans */
    if (threadIdx.x > 0)
        return;
    to->relatives = (uint32_t)from->relatives;
    to->differ = differ;
    to->walls = walls;
    from->relatives = 0;
    from->differ = from->walls = overlap_range{};
}

/* Publishes the totals of a group, one block each. */
static __global__ void __launch_bounds__(THREADS)
    publish_totals(const __grid_constant__ totals_request t) {
    const uint32_t k = blockIdx.x;
    cuda_group_sums *const sums = &t.round.sums[k];
    cuda_group_totals *const to = (cuda_group_totals *)(t.host + k * t.host_bytes);
    uint32_t *const levels = (uint32_t *)(to + 1);
    await_launch_before();
    const uint32_t first = __ldcg(&sums->first), end = __ldcg(&sums->end);
    move_numbers(levels, t.round.levels + (size_t)k * t.levels, first, end);
    move_numbers((uint64_t *)&to->all, (uint64_t *)&sums->all, 0,
                 sizeof sums->all / sizeof(uint64_t));
    if (t.pairs)
        publish_pairs(t, (overlap_report *)(t.pairs + k * t.pair_bytes), to, levels + t.levels);
    __syncthreads();
    if (threadIdx.x == 0) {
        to->first = first;
        to->end = end;
        sums->first = UINT32_MAX;
        sums->end = 0;
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *(volatile uint32_t *)&to->done = 1;
}

static void publish(cuda_rounds *r, cuda_population *p, const overlap_scale *scale) {
    const totals_request t = {.round = r->sees,
                              .levels = levels_of(r, p),
                              .pairs = r->round.overlaps ? (char *)r->pairs : NULL,
                              .pair_bytes = r->pair_bytes,
                              .scale = *scale,
                              .host = r->host,
                              .host_bytes = r->host_bytes};
    cuda_launch_early(p, "publish_totals", publish_totals, dim3(r->sees.groups), THREADS, 0, t);
}

static void take_pairs(const cuda_group_totals *from, const uint32_t *bins, overlap_sums *out,
                       uint64_t replicas) {
    const uint32_t differ_bins = out->scale.differ_bins;
    out->pairs = overlap_pairs(replicas);
    out->relatives = from->relatives;
    out->family_logs = 0;
    out->totals = true;
    out->block[0] = from->pairs;
    out->differ_span = from->differ;
    out->wall_span = from->walls;
    memcpy(out->differ + from->differ.first, bins + from->differ.first,
           (from->differ.end - from->differ.first) * sizeof *bins);
    memcpy(out->walls + from->walls.first, bins + differ_bins + from->walls.first,
           (from->walls.end - from->walls.first) * sizeof *bins);
}

static void take_levels(const cuda_group_totals *from, const uint32_t *levels, histogram *out) {
    histogram_move(out, from->first, from->end);
    for (size_t n = from->first; n < from->end; n++)
        histogram_level(out, n)->replicas = levels[n];
}

static void collect(cuda_engine *self, histogram out[], overlap_sums overlaps[]) {
    cuda_rounds *const r = &self->rounds;
    cuda_population *const p = &self->population;
    const uint32_t words = r->sees.words, groups = r->sees.groups;
    for (uint32_t k = 0; k < groups && !p->failed; k++) {
        const cuda_group_totals *const from =
            (const cuda_group_totals *)(r->host + k * r->host_bytes);
        const uint32_t *const levels = (const uint32_t *)(from + 1);
        cuda_population_await(p, &from->done);
        if (!p->failed && !__atomic_load_n(&from->done, __ATOMIC_ACQUIRE))
            cuda_check(p, cudaErrorUnknown, "the report of a round");
        if (p->failed)
            return;
        out[k].population = r->plan.replicas;
        out[k].block[0] = from->all;
        if (!self->spins->rounds->take)
            take_levels(from, levels, &out[k]);
        if (r->round.overlaps && self->spins->overlaps)
            self->spins->overlaps(self->state, p, &self->base.model, k * r->plan.replicas,
                                  r->plan.replicas, false, &overlaps[k]);
        else if (r->round.overlaps)
            take_pairs(from, levels + levels_of(r, p), &overlaps[k], r->plan.replicas);
    }
    r->arrived = r->sees.turn;
    for (size_t k = r->round.first; k + 1 < groups && !p->failed; k += 2)
        memcpy(r->round.accepted + k * words, r->host_accepted + k * words,
               words * sizeof *r->host_accepted);
}

/* --- memory --- */

void cuda_rounds_destroy(cuda_rounds *r, cuda_population *p) {
    if (r->host && p->stream)
        cudaStreamSynchronize(p->stream); /* a round may be under way */
    cuda_array_give(r->sees.sums, ON_DEVICE);
    cuda_array_give(r->sees.levels, ON_DEVICE);
    cuda_array_give(r->accepted, ON_DEVICE);
    cuda_array_give(r->threshold, ON_DEVICE);
    cuda_array_give(r->pairs, ON_DEVICE);
    cuda_array_give(r->host_accepted, PINNED);
    cuda_array_give(r->host, PINNED);
    *r = cuda_rounds{};
}

static int create(cuda_rounds *r, cuda_population *p, const round_plan *plan,
                  const spin_model *model) {
    const uint64_t groups = plan->groups, levels = plan->exchanges.fine ? 1 : p->most_levels,
                   words = round_words(plan->replicas), swaps = groups * words * sizeof(uint32_t);
    const uint64_t thresholds =
        (groups > 1 ? groups - 1 : 1) * (plan->exchanges.each + 1) * sizeof(uint64_t);
    const overlap_scale scale = overlap_scale_of(model);
    const bool pairs = plan->overlaps && overlap_is_of_bits(model);
    const uint64_t bins = pairs ? scale.differ_bins + scale.wall_bins : 0;
    cuda_rounds_destroy(r, p);
    r->plan = *plan;
    r->pair_bytes = (sizeof(overlap_report) + bins * sizeof(uint32_t) + 15) / 16 * 16;
    r->host_bytes = (sizeof(cuda_group_totals) + (levels + bins) * sizeof(uint32_t) + 63) / 64 * 64;
    CUDA_CHECK(p, cuda_take(&r->sees.sums, groups * sizeof *r->sees.sums, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&r->sees.levels, groups * levels * sizeof *r->sees.levels, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&r->accepted, swaps, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&r->threshold, thresholds, ON_DEVICE));
    if (pairs)
        CUDA_CHECK(p, cuda_array_take(&r->pairs, groups * r->pair_bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&r->host_accepted, swaps, PINNED));
    CUDA_CHECK(p, cuda_take(&r->host, groups * r->host_bytes, PINNED));
    r->sees.groups = (uint32_t)groups;
    r->sees.words = (uint32_t)words;
    r->sees.accepted = r->accepted;
    if (p->failed)
        return -1;
    CUDA_CHECK(p, cudaMemsetAsync(r->sees.sums, 0, groups * sizeof *r->sees.sums, p->stream));
    for (uint64_t k = 0; k < groups; k++) /* UINT32_MAX */
        CUDA_CHECK(p, cudaMemsetAsync(&r->sees.sums[k].first, 0xff, sizeof(uint32_t), p->stream));
    CUDA_CHECK(
        p, cudaMemsetAsync(r->sees.levels, 0, groups * levels * sizeof *r->sees.levels, p->stream));
    if (pairs)
        CUDA_CHECK(p, cudaMemsetAsync(r->pairs, 0, groups * r->pair_bytes, p->stream));
    CUDA_CHECK(p, cudaMemcpyAsync(r->threshold, plan->exchanges.threshold,
                                  thresholds - sizeof *r->threshold * (groups > 1 ? groups - 1 : 1),
                                  cudaMemcpyHostToDevice, p->stream));
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    return p->failed ? -1 : 0;
}

/* --- verbs --- */

engine_status cuda_rounds_plan(engine *base, const round_plan *plan, bool *can) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    *can = self->spins->rounds && self->stages == STAGES_FUSED && p->device.interval.all == 0 &&
           plan->groups <= MOST_GROUPS && self->spins->rounds->prepare(self->state, p, plan) &&
           create(&self->rounds, p, plan, &base->model) == 0;
    return cuda_engine_outcome(self);
}

static uint64_t work_of_round(const cuda_engine *self, const engine_round *round) {
    return self->population.replicas * round->sweeps;
}

engine_status cuda_rounds_submit(engine *base, const engine_round *round) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_rounds *const r = &self->rounds;
    const nvtx_section section("round");
    cuda_engine_cancel_prelaunched(self);
    if (p->replicas != r->plan.groups * r->plan.replicas) {
        snprintf(base->error, sizeof base->error, "a round of another number of replicas");
        return ENGINE_FAILED;
    }
    work_begin(work_of_round(self, round));
    self->started = clock_seconds();
    const overlap_scale scale = overlap_scale_of(&base->model);
    exchange(self, round);
    self->spins->rounds->step(self->state, p, round, &r->sees);
    if (round->overlaps && !self->spins->overlaps) {
        const cuda_round_pairs pairs = {r->sees.groups, r->plan.replicas, r->pairs, r->pair_bytes};
        const uint64_t offset = overlap_offset(r->plan.replicas);
        cuda_overlaps_queue_groups(&self->pairs, p, &base->model,
                                   self->spins->compare(self->state, p, 0, offset, 0), pairs);
    }
    publish(r, p, &scale);
    return cuda_engine_outcome(self);
}

engine_status cuda_rounds_wait(engine *base, histogram out[], overlap_sums overlaps[]) {
    cuda_engine *const self = (cuda_engine *)base;
    collect(self, out, overlaps);
    work_done(work_of_round(self, &self->rounds.round));
    base->seconds[STAGE_STEP] += clock_seconds() - self->started;
    return cuda_engine_outcome(self);
}

engine_status cuda_rounds_complete(engine *base, histogram out[]) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_round sees = self->rounds.sees;
    sees.turn = self->rounds.arrived;
    for (uint32_t k = 0; k < sees.groups && self->spins->rounds->take; k++)
        self->spins->rounds->take(self->state, &sees, k, &out[k]);
    return ENGINE_OK;
}
