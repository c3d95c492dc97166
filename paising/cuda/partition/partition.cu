/* An interval of a population on a device. Its replicas use the random numbers and blocks of their
 * global numbers (cuda_interval.origin). Remote parents, which come from other ranks, are stored
 * behind the local replicas.
 *
 * All transfers between device, host and peers are queued in the side stream `transfers`: parents
 * are packed and sent, and remote ones arrive. The host waits for it before it sends. Buffers that
 * it reads are not overwritten before the next step. */
#include "cuda/partition/partition.h"

#include "cuda/partition/children.h"
#include "cuda/partition/peers.h"
#include "engine/msc_layout.h"

#include <stdlib.h>

/* Sets the lists of the boundary offspring to their arrays in pinned memory. */
static void find_boundary(cuda_remote *r) {
    cuda_boundary *const e = r->boundary;
    r->first = {e->first, e->first_family};
    r->last = {e->last, e->last_family};
}

/* Allocates the offspring list with its margins. */
static void create_offspring_list(cuda_remote *r, cuda_population *p) {
    const uint64_t margin = offspring_list_margin(p->device.capacity);
    const uint64_t room = offspring_list_room(p->device.capacity), all = room + 2 * margin;
    CUDA_CHECK(p, cudaMalloc(&r->list, all * sizeof *r->list));
    CUDA_CHECK(p, cudaMalloc(&r->list_families, all * sizeof *r->list_families));
    r->list_margin = margin;
    r->offspring = offspring_list{.parent = r->list + margin,
                                  .family = r->list_families + margin,
                                  .room = room,
                                  .skip = 0,
                                  .count = &r->boundary->count};
}

void cuda_partition_create(cuda_remote *r, cuda_population *p, const spin_model *model) {
    if (p->failed || r->boundary)
        return;
    CUDA_CHECK(p, cudaMallocHost((void **)&r->boundary, sizeof *r->boundary));
    if (p->failed)
        return;
    find_boundary(r);
    create_offspring_list(r, p);
    CUDA_CHECK(p, cudaMallocHost((void **)&r->host_family_count, sizeof *r->host_family_count));
    CUDA_CHECK(p, cudaMalloc(&r->family_count, sizeof *r->family_count));
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(r->family_count, 0, sizeof *r->family_count, p->stream));
    CUDA_CHECK(p, cudaMalloc(&r->sent_places, PARTITION_PARENTS * sizeof *r->sent_places));
    for (cuda_stage &stage : r->stage) {
        CUDA_CHECK(p, cudaMalloc(&stage.bytes, partition_message_bytes(model)));
        CUDA_CHECK(p, cudaEventCreateWithFlags(&stage.done, cudaEventDisableTiming));
    }
    CUDA_CHECK(p, prelaunch_create(&r->prelaunch, 0, p->stream));
    if (!p->failed) /* the side streams use it, too */
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    side_stream_create(&r->transfers, p, SIDE_STREAM_FIRST);
    side_stream_create(&r->counting, p, SIDE_STREAM_LAST);
}

void cuda_partition_destroy(cuda_remote *r) {
    side_stream_destroy(&r->transfers);
    side_stream_destroy(&r->counting);
    for (cuda_stage &stage : r->stage) {
        cudaFree(stage.bytes);
        if (stage.done)
            cudaEventDestroy(stage.done);
    }
    prelaunch_destroy(&r->prelaunch);
    cudaFreeHost(r->boundary);
    cudaFree(r->list);
    cudaFree(r->list_families);
    cudaFreeHost(r->host_family_count);
    cudaFree(r->family_count);
    cudaFree(r->sent_places);
    *r = cuda_remote{};
}

/* Queues a copy. */
static void copy_to(cuda_population *p, void *to, const void *from, uint64_t bytes,
                    cudaMemcpyKind kind) {
    if (!p->failed && bytes > 0)
        CUDA_CHECK(p, cudaMemcpyAsync(to, from, bytes, kind, p->stream));
}

/* Waits for the population's stream. */
static void wait_for_stream(cuda_population *p) {
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
}

/* --- buffers of messages --- */

static bool is_on_device(const void *memory) {
    cudaPointerAttributes attributes;
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
           attributes.type == cudaMemoryTypeDevice;
}

/* Pinned memory: the driver copies it directly, and kernels can read it. */
static void *allocate_pinned(engine *, uint64_t bytes) {
    void *memory = NULL;
    const cudaError_t error = cudaMallocHost(&memory, bytes);
    cudaGetLastError(); /* else the next launch would return it */
    return error ? NULL : memory;
}

static void free_pinned(engine *, void *memory) {
    cudaFreeHost(memory);
}

static void partition_hold(engine *base, uint64_t origin, uint64_t all) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_partition_create(&self->remote, p, &base->model);
    p->device.interval = cuda_interval{origin, all, 0};
}

/* --- remote parents --- */

/* Staging buffers on the device, used in turn. finish_stage records an event after the last use of
 * a buffer; next_stage makes the stream wait for it. */
static cuda_stage *next_stage(cuda_population *p, cuda_remote *r) {
    cuda_stage *const stage = &r->stage[r->stages++ % 2];
    CUDA_CHECK(p, cudaStreamWaitEvent(p->stream, stage->done, 0));
    return stage;
}

static void finish_stage(cuda_population *p, const cuda_stage *stage) {
    if (!p->failed)
        CUDA_CHECK(p, cudaEventRecord(stage->done, p->stream));
}

static engine_status partition_take(engine *base, const uint32_t *places, uint64_t count,
                                    uint8_t *spins) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    const uint64_t bytes = count * model_packed_bytes(&base->model);
    if (p->failed)
        return cuda_engine_failure(self);
    side_stream_swap(&r->transfers, p);
    const cuda_stage *const stage = is_on_device(spins) ? NULL : next_stage(p, r);
    copy_to(p, r->sent_places, places, count * sizeof *places, cudaMemcpyHostToDevice);
    self->spins->save(self->state, p, r->sent_places, 0, count, stage ? stage->bytes : spins);
    if (stage) {
        copy_to(p, spins, stage->bytes, bytes, cudaMemcpyDeviceToHost);
        finish_stage(p, stage);
    }
    side_stream_swap(&r->transfers, p);
    return cuda_engine_outcome(self);
}

/* Spins are copied to this device before they are unpacked, even from a peer's memory: the kernel
 * reads each byte many times. A copy needs no multiprocessor, and the local children occupy all of
 * them. */
static engine_status partition_put(engine *base, uint64_t first, uint64_t count,
                                   const uint8_t *spins) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    const uint64_t bytes = count * model_packed_bytes(&base->model);
    if (p->failed)
        return cuda_engine_failure(self);
    side_stream_swap(&r->transfers, p);
    const cuda_stage *const stage = next_stage(p, r);
    copy_to(p, stage->bytes, spins, bytes, cudaMemcpyDefault);
    self->spins->load(self->state, p, first, count, stage->bytes);
    finish_stage(p, stage);
    side_stream_swap(&r->transfers, p);
    return cuda_engine_outcome(self);
}

/* Words travel between GPUs by copies alone: a kernel would wait until a block of the step ends. */
static uint64_t partition_word_bytes(const engine *base) {
    const cuda_engine *const self = (const cuda_engine *)base;
    uint64_t each = 0;
    if (self->spins->words)
        self->spins->words(self->state, 0, &each);
    return each;
}

/* Queues a copy of words in the side stream, to `to` or from `from`. */
static engine_status pass_words(cuda_engine *self, uint64_t first, uint64_t count, uint8_t *to,
                                const uint8_t *from) {
    cuda_population *const p = &self->population;
    uint64_t each;
    uint8_t *const words = self->spins->words(self->state, first, &each);
    side_stream_swap(&self->remote.transfers, p);
    copy_to(p, to ? to : words, to ? words : from, count * each, cudaMemcpyDefault);
    side_stream_swap(&self->remote.transfers, p);
    return cuda_engine_outcome(self);
}

static engine_status partition_take_words(engine *base, uint64_t first, uint64_t count,
                                          uint8_t *words) {
    return pass_words((cuda_engine *)base, first, count, words, NULL);
}

static engine_status partition_put_words(engine *base, uint64_t first, uint64_t count,
                                         const uint8_t *words) {
    return pass_words((cuda_engine *)base, first, count, NULL, words);
}

static uint64_t partition_reserve(engine *base, uint64_t end) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    uint64_t places = self->spins->reserve(self->state, p, 0);
    if (places < end && !self->remote.begun) {
        prelaunch_cancel(&self->remote.prelaunch); /* its arguments hold the old address */
        places = self->spins->reserve(self->state, p, end);
    }
    const bool good = cuda_engine_outcome(self) == ENGINE_OK;
    if (good ? places < end : p->error == cudaErrorMemoryAllocation)
        partition_no_memory(base, end);
    return p->failed ? 0 : places;
}

/* Also after a failure: earlier work is still in progress. */
static engine_status partition_synchronise(engine *base) {
    cuda_engine *const self = (cuda_engine *)base;
    CUDA_CHECK(&self->population, cudaStreamSynchronize(self->remote.transfers.stream));
    return cuda_engine_outcome(self);
}

/* --- overlaps --- */

/* Fills room() with words of lanes. Returns how many bytes. */
static uint64_t list_lanes(cuda_engine *self, uint64_t first, uint64_t words) {
    cuda_population *const p = &self->population;
    const spin_model *const model = &self->base.model;
    uint8_t *const room = self->spins->room(self->state);
    const uint64_t bytes = words * model->sites * sizeof(uint32_t);
    if (!overlap_is_of_bits(model)) {
        self->spins->save(self->state, p, NULL, first, words, room);
        return words * model_packed_bytes(model);
    }
    if (!p->failed)
        CUDA_CHECK(
            p, cudaMemsetAsync(room, 0, bytes, p->stream)); /* the difference from 0 is the spins */
    const cuda_pair_words own = self->spins->compare(self->state, p, first, 0, words);
    if (own.other)
        cuda_overlaps_order(&self->pairs, p, model, own, words, (uint32_t *)room);
    return bytes;
}

static engine_status partition_copy_lanes(engine *base, uint64_t first, uint64_t words,
                                          const lane_block *to) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    const uint64_t left = p->replicas - first, most = words * overlap_lanes(&base->model),
                   bytes = list_lanes(self, first, words);
    copy_to(p, to->spins, self->spins->room(self->state), bytes, cudaMemcpyDefault);
    copy_to(p, to->family, p->device.family + first,
            (left < most ? left : most) * sizeof *to->family, cudaMemcpyDefault);
    wait_for_stream(p);
    return cuda_engine_outcome(self);
}

/* Compares partners that are whole replicas, as many at a time as a staging buffer has. */
static void compare_packed(cuda_engine *self, const pair_range *pairs, overlap_sums *out) {
    cuda_population *const p = &self->population;
    const uint64_t each = model_packed_bytes(&self->base.model),
                   most = partition_message_bytes(&self->base.model) / each;
    for (uint64_t done = 0; done < pairs->count && !p->failed; done += most) {
        const cuda_stage *const stage = next_stage(p, &self->remote);
        const uint64_t left = pairs->count - done;
        pair_range some = *pairs;
        some.first += done;
        some.number += done;
        some.count = left < most ? left : most;
        copy_to(p, stage->bytes, (const uint8_t *)pairs->partners.spins + done * each,
                some.count * each, cudaMemcpyDefault);
        some.partners = lane_block{stage->bytes, pairs->partners.family + done};
        self->spins->compare_packed(self->state, p, &self->base.model, &some, out);
        finish_stage(p, stage);
    }
}

/* parent_family[] is free between two steps, and holds the partners' families here. */
static engine_status partition_compare(engine *base, const pair_range *pairs, overlap_sums *out) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    if (self->spins->compare_packed) {
        compare_packed(self, pairs, out);
        return cuda_engine_outcome(self);
    }
    void *const room = self->spins->room(self->state);
    const uint64_t words = (pairs->count + MACHINE_LANES - 1) / MACHINE_LANES;
    const cuda_pairs of = {p->device.family + pairs->first, p->device.parent_family, pairs->count,
                           pairs->number, pairs->pairs};
    const lane_block *const partners = &pairs->partners;
    copy_to(p, room, partners->spins, words * base->model.sites * sizeof(uint32_t),
            cudaMemcpyDefault);
    copy_to(p, p->device.parent_family, partners->family, pairs->count * sizeof *partners->family,
            cudaMemcpyDefault);
    const cuda_pair_words both = self->spins->compare(self->state, p, pairs->first, 0, words);
    cuda_overlaps_add(&self->pairs, p, &base->model, both, &of, false, out);
    return cuda_engine_outcome(self);
}

/* Those of vectors follow from the families on the host. */
static engine_status family_logs_of_vectors(cuda_engine *self, uint64_t *sum) {
    cuda_population *const p = &self->population;
    uint32_t *const family = (uint32_t *)malloc(p->replicas * sizeof *family + 1);
    if (!family)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for families");
    copy_to(p, family, p->device.family, p->replicas * sizeof *family, cudaMemcpyDeviceToHost);
    wait_for_stream(p);
    if (!p->failed)
        *sum = overlap_family_logs(family, p->replicas);
    free(family);
    return cuda_engine_outcome(self);
}

static engine_status partition_family_logs(engine *base, uint64_t *sum) {
    cuda_engine *const self = (cuda_engine *)base;
    const cuda_pairs none = {};
    if (!overlap_is_of_bits(&base->model))
        return family_logs_of_vectors(self, sum);
    overlap_sums sums = {};
    if (overlap_sums_create(&sums, &base->model)) {
        cuda_check(&self->population, cudaErrorMemoryAllocation, "host memory for overlaps");
        return cuda_engine_failure(self);
    }
    cuda_overlaps_add(&self->pairs, &self->population, &base->model, cuda_pair_words{}, &none, true,
                      &sums);
    *sum = sums.family_logs;
    overlap_sums_destroy(&sums);
    return cuda_engine_outcome(self);
}

const struct partition_verbs cuda_partition_verbs = {allocate_pinned,
                                                     free_pinned,
                                                     &cuda_peers,
                                                     partition_hold,
                                                     cuda_children_count_offspring,
                                                     cuda_children_parents,
                                                     cuda_children_room,
                                                     partition_take,
                                                     partition_put,
                                                     partition_word_bytes,
                                                     partition_take_words,
                                                     partition_put_words,
                                                     partition_reserve,
                                                     partition_synchronise,
                                                     cuda_children_assign,
                                                     cuda_children_attach,
                                                     partition_copy_lanes,
                                                     partition_compare,
                                                     partition_family_logs};
