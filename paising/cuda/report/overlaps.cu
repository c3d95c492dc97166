/* Overlaps of pairs of replicas on the device. They equal measure_pairs in cpu/overlaps.c.
 *
 * A block measures 32 pairs, whose difference D it has as words of 32 lanes. Sites and bonds that differ are counted for all
 * lanes at a time, in bit-sliced counters: a thread counts along a row, or over a plane across x. At the end a lane reads
 * its own counts. A lattice that is small enough stands in shared memory. */
#include "cuda/report/overlaps.h"

#include "cuda/report/overlap_kernels.cuh"

#include <string.h>

#define FAMILIES_EACH 4    /* replicas of a thread */
#define ROW_NUMBERS   4096 /* numbers of the counts of rows that stand in shared memory at a time */

/* The kernels, and what decides their shared memory. */
typedef struct {
    uint32_t row, plane; /* words of a count */
    /* without and with bonds that may be missing */
    void (*one[2])(const overlap_request, const family_request, uint32_t);
    void (*batch[2])(const batch_requests, uint32_t);
    void (*groups[2])(const overlap_request, const group_steps);
} measuring_kernels;

template <typename C> static constexpr measuring_kernels kernels_of() {
    return measuring_kernels{C::row,
                             C::plane,
                             {measure_one<C>, measure_one<cut<C>>},
                             {measure_batch<C>, measure_batch<cut<C>>},
                             {measure_groups<C>, measure_groups<cut<C>>}};
}

static const measuring_kernels small_kernels = kernels_of<of_small>(),
                               medium_kernels = kernels_of<of_medium>(),
                               large_kernels = kernels_of<of_large>();

static const measuring_kernels *kernels_for(const overlap_request &o) {
    const uint32_t *const edge = o.edge;
    const bool small = edge[0] < 16 && edge[0] * edge[1] < 256 && edge[1] * edge[2] < 256 &&
                       edge[0] * edge[2] < 256;
    return small ? &small_kernels : is_staged(edge[0], o.sites) ? &medium_kernels : &large_kernels;
}

/* Shared memory of a block of so many threads. */
static size_t measuring_bytes(const overlap_request &o, unsigned threads) {
    const measuring_kernels *const kernels = kernels_for(o);
    const size_t numbers =
        (size_t)(planes_at_once(o, threads) + o.edge[1] + o.layers) * kernels->plane +
        o.layers * o.edge[1] * kernels->row +
        (kernels == &large_kernels ? 0 : o.pitch * o.edge[1] * o.edge[2]);
    const size_t bytes = numbers * sizeof(uint32_t), of_pairs = threads * sizeof(overlap_pair);
    return bytes > of_pairs ? bytes : of_pairs;
}

/* Threads of a block: one a row, within limits. */
static unsigned measuring_threads(const overlap_request &o) {
    const uint32_t rows = o.edge[1] * o.edge[2];
    unsigned threads = BATCH_THREADS;
    while (threads < MOST_MEASURING && threads < rows)
        threads *= 2;
    return threads;
}

/* Returns the arguments for `pairs`. */
static overlap_request request_of(const cuda_overlaps *o, const spin_model *model,
                                  const cuda_pair_words &words, const cuda_pairs *pairs) {
    overlap_request r = {.words = words,
                         .order = o->order,
                         .other_order = o->order,
                         .pairs = *pairs,
                         .sites = (uint32_t)model->sites,
                         .scale = overlap_scale_of(model),
                         .report = o->report,
                         .differ_bins = (uint32_t *)(o->report + 1)};
    r.wall_bins = r.differ_bins + OVERLAP_PARTS * r.scale.differ_bins;
    const int2 *wave = o->waves;
    for (uint32_t d = 0; d < model->dimension; d++) {
        const uint32_t at = model->dimension == 2 ? 2 * d : d;
        r.edge[at] = model->edge[d];
        r.wave[at] = wave;
        r.direction[at] = d;
        wave += model->edge[d];
    }
    if (model->dimension == 2)
        r.edge[1] = 1;
    r.pitch = row_pitch(r.edge[0], is_staged(r.edge[0], r.sites));
    r.layers = ROW_NUMBERS / (r.edge[1] * kernels_for(r)->row);
    r.layers = r.layers < 1 ? 1 : r.layers > r.edge[2] ? r.edge[2] : r.layers;
    return r;
}

static family_request families_of(const cuda_overlaps *o, const cuda_population *p) {
    return family_request{p->device.family, p->replicas, o->log_of_few, o->report};
}

/* Queues the measurement of pairs, and of the families unless there are none in the request. */
static void queue_measurement(cuda_population *p, const spin_model *model, const overlap_request &o,
                              const family_request &f) {
    const unsigned threads = measuring_threads(o),
                   of_pairs = blocks_for(o.pairs.count, MACHINE_LANES),
                   of_families = blocks_for(f.replicas, FAMILIES_EACH * threads);
    const size_t bytes = measuring_bytes(o, threads);
    const auto kernel = kernels_for(o)->one[model->incomplete];
    if (p->failed || of_pairs + of_families == 0)
        return;
    CUDA_CHECK(
        p, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    kernel<<<of_pairs + of_families, threads, bytes, p->stream>>>(o, f, of_pairs);
    cuda_check_launch(p, "measure_one");
}

/* Adds a report to sums. */
static void add_report(const overlap_report *report, overlap_sums *out) {
    const uint64_t *const sums = (const uint64_t *)report->block;
    const uint32_t *const bins = (const uint32_t *)(report + 1);
    const size_t differ = (size_t)OVERLAP_PARTS * out->scale.differ_bins,
                 walls = (size_t)OVERLAP_PARTS * out->scale.wall_bins;
    out->relatives += report->relatives;
    out->family_logs += report->family_logs;
    for (size_t n = 0; n < sizeof report->block / sizeof *sums; n++)
        ((uint64_t *)out->block)[n] += sums[n];
    for (size_t n = 0; n < differ; n++)
        out->differ[n] += bins[n];
    for (size_t n = 0; n < walls; n++)
        out->walls[n] += bins[differ + n];
}

/* Makes a request and adds its report to `out`. */
static void add_request(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                        const overlap_request &r, const family_request &families,
                        overlap_sums *out) {
    const uint64_t bytes = cuda_overlap_bytes(model);
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(o->report, 0, bytes, p->stream));
    queue_measurement(p, model, r, families);
    if (!p->failed)
        CUDA_CHECK(p,
                   cudaMemcpyAsync(o->host, o->report, bytes, cudaMemcpyDeviceToHost, p->stream));
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(o->report, 0, bytes, p->stream));
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    if (!p->failed)
        add_report(o->host, out);
}

void cuda_overlaps_add(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                       const cuda_pair_words &words, const cuda_pairs *pairs, bool families,
                       overlap_sums *out) {
    overlap_request r = request_of(o, model, words, pairs);
    r.other_order = o->read_order;
    r.words.other_each = (uint32_t)model->sites;
    add_request(o, p, model, r, families ? families_of(o, p) : family_request{}, out);
}

void cuda_overlaps_add_own(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                           const cuda_pair_words &words, const cuda_pairs *pairs,
                           overlap_sums *out) {
    add_request(o, p, model, request_of(o, model, words, pairs), family_request{}, out);
}

/* Pairs are numbered so that all of a group are in block 0 and part 0. */
void cuda_overlaps_queue_groups(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                                const cuda_pair_words &words, const cuda_round_pairs &groups) {
    const uint64_t pairs = overlap_pairs(groups.replicas);
    const uint32_t *const family = p->device.family;
    const cuda_pairs of = {family, family + overlap_offset(groups.replicas), pairs, 0,
                           (uint64_t)1 << 40};
    overlap_request r = request_of(o, model, words, &of);
    r.report = (overlap_report *)groups.reports;
    r.differ_bins = (uint32_t *)(r.report + 1);
    r.wall_bins = r.differ_bins + r.scale.differ_bins;
    const group_steps g = {(uint32_t)(groups.replicas / MACHINE_LANES), (uint32_t)groups.replicas,
                           groups.report_bytes};
    const unsigned threads = measuring_threads(r);
    const size_t bytes = measuring_bytes(r, threads);
    const auto kernel = kernels_for(r)->groups[model->incomplete];
    if (p->failed)
        return;
    CUDA_CHECK(
        p, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    cuda_launch_early(p, "measure_groups", kernel,
                      dim3(blocks_for(pairs, MACHINE_LANES), groups.groups), threads, bytes, r, g);
}

/* Returns all pairs of a population. */
static cuda_pairs pairs_of(const cuda_population *p) {
    const uint64_t pairs = overlap_pairs(p->replicas);
    return cuda_pairs{p->device.family, p->device.family + overlap_offset(p->replicas), pairs, 0,
                      pairs};
}

/* --- all pairs --- */

void cuda_overlaps_queue(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                         const cuda_pair_words &words, overlap_sums *out) {
    const cuda_pairs all = pairs_of(p);
    const overlap_request r = request_of(o, model, words, &all);
    out->pairs = all.count; /* the rest is copied from the report */
    o->host->done = 0;
    queue_measurement(p, model, r, families_of(o, p));
    if (p->failed)
        return;
    publish_one<<<OVERLAP_PUBLISHERS, BATCH_THREADS, 0, p->stream>>>(r, o->host);
    cuda_check_launch(p, "publish_one");
}

void cuda_overlaps_record(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                          const cuda_pair_words &words, void *request, overlap_sums *out) {
    const cuda_pairs all = pairs_of(p);
    out->pairs = all.count; /* the rest is copied from the report */
    o->host->done = 0;
    *(batch_request *)request =
        batch_request{request_of(o, model, words, &all), families_of(o, p), o->host};
}

void cuda_overlaps_launch(cuda_population *p, const spin_model *model, const batch_requests &all) {
    const cuda_overlaps none = {};
    const cuda_pairs no_pairs = {};
    const overlap_request alike = request_of(&none, model, cuda_pair_words{}, &no_pairs);
    const uint64_t most = p->device.capacity;
    const unsigned threads = BATCH_THREADS,
                   of_pairs = blocks_for(overlap_offset(most), MACHINE_LANES),
                   of_families = blocks_for(most, FAMILIES_EACH * threads);
    const size_t bytes = measuring_bytes(alike, threads);
    const auto kernel = kernels_for(alike)->batch[model->incomplete];
    if (p->failed)
        return;
    CUDA_CHECK(
        p, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    cuda_launch_early(p, "measure_batch", kernel, dim3(of_pairs + of_families, all.count), threads,
                      bytes, all, of_pairs);
    cuda_launch_early(p, "publish_batch (overlaps)", publish_batch,
                      dim3(OVERLAP_PUBLISHERS, all.count), threads, 0, all);
}

/* Copies the bins of a histogram from a report. Returns the range of copied bins. */
static overlap_span take_bins(uint32_t *to, const uint32_t *from, uint32_t bins,
                              overlap_range range) {
    const overlap_span span = {range.end > 0 ? bins - range.left : 0, range.end};
    for (const uint32_t *const behind = to + OVERLAP_PARTS * bins; to < behind;
         to += bins, from += bins)
        memcpy(to + span.first, from + span.first, (span.end - span.first) * sizeof *to);
    return span;
}

/* Copies a report to sums. */
static void take_report(const overlap_report *report, overlap_sums *out) {
    const overlap_scale scale = out->scale;
    const uint32_t *const differ = (const uint32_t *)(report + 1), *const walls =
                                                                       differ +
                                                                       OVERLAP_PARTS *
                                                                           scale.differ_bins;
    out->relatives = report->relatives;
    out->family_logs = report->family_logs;
    memcpy(out->block, report->block, sizeof out->block);
    out->differ_span = take_bins(out->differ, differ, scale.differ_bins, report->differ);
    out->wall_span = take_bins(out->walls, walls, scale.wall_bins, report->walls);
}

void cuda_overlaps_collect(const cuda_overlaps *o, cuda_population *p, overlap_sums *out) {
    cuda_population_await(p, (const uint32_t *)&o->host->done);
    if (!p->failed)
        take_report(o->host, out);
}
