/* Overlaps of pairs of replicas on the device. They equal measure_pairs in cpu/overlaps.c.
 *
 * A block measures 32 pairs, whose difference D it has as words of 32 lanes. A thread measures one
 * pair: it reads its bit of the words that its warp loads, row by row of the lattice. The rows are
 * distributed over the warps, whose sums are then added. The first warp adds the pairs to the
 * report. */
#include "cuda/report/overlaps.h"

#include "cuda/device/arrays.h"
#include "cuda/device/bisection.cuh"
#include "cuda/engine/bytes.h"
#include "engine/msc_layout.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define THREADS            256
#define MOST_WARPS         16
#define OVERLAP_PUBLISHERS 16    /* blocks that publish the report of one member of a batch */
#define ENOUGH_WARPS       32768 /* of a launch: several times what a GPU runs at once */
#define FAMILIES_EACH      4     /* replicas of a thread, in a launch batch */
#define FULL_WARP          0xffffffffu

/* Arguments of the kernels. */
struct overlap_request {
    const uint32_t *differ; /* [blocks][N] D: the even sub-lattice row by row, then the odd one */
    cuda_pairs pairs;
    uint32_t sites, edge[MODEL_MAX_DIMENSION];
    const int2 *wave[MODEL_MAX_DIMENSION];
    overlap_scale scale;
    overlap_report *report;
    uint32_t *differ_bins, *wall_bins; /* [OVERLAP_PARTS][bins] */
    const uint8_t *
        missing; /* [N / 2], a bit for each missing_bond of an even site; of kernels that are CUT */
};

/* The bonds of an even site: to the odd site in the same column, in the next column to the side, and so on. */
enum missing_bond { M_ACROSS, M_SIDE, M_ABOVE, M_BELOW, M_BEFORE, M_BEHIND };

struct family_request {
    const uint32_t *family; /* [replicas] */
    uint64_t replicas;
    bool scattered;
    overlap_report *report;
};

/* Arguments for one member of a launch batch. */
struct batch_request {
    overlap_request overlaps;
    family_request families;
    overlap_report *host;
};

static_assert(sizeof(batch_request) <= REQUEST_BYTES, "a request fits into its slot");

/* --- a lattice of 32 pairs --- */

/* Whether the ends of a bond differ, and the bond is there. */
template <bool CUT>
static __device__ __forceinline__ uint32_t is_wall(uint32_t differ, uint32_t missing,
                                                   missing_bond bond) {
    return CUT ? differ & ~(missing >> bond) & 1 : differ & 1;
}

/* Adds row `row` of the lattice to the calling thread's pair; `row` counts along y, then z. CUT: bonds may be missing. */
template <bool CUT>
static __device__ __forceinline__ void add_row(const overlap_request &o, const uint32_t *even,
                                               uint32_t row, overlap_pair *pair) {
    const uint32_t lane = threadIdx.x % MACHINE_LANES, columns = o.edge[0] / 2;
    const uint32_t ly = o.edge[1], lz = o.edge[2], y = row % ly, z = row / ly;
    const uint32_t *const odd = even + o.sites / 2, *const here = even + row * columns,
                          *const across = odd + row * columns,
                          *const above = odd + (y ? row - 1 : row + ly - 1) * columns,
                          *const below = odd + (y + 1 < ly ? row + 1 : row + 1 - ly) * columns,
                          *const before = odd + (z ? row - ly : row + (lz - 1) * ly) * columns,
                          *const behind = odd + (z + 1 < lz ? row + ly : y) * columns;
    const uint32_t shift = (y + z) % 2; /* x of the even site in column 0 */
    const int2 *const of_here = o.wave[0] + shift, *const of_across = o.wave[0] + 1 - shift;
    uint32_t side = across[shift ? 0 : columns - 1] >>
                    lane; /* the neighbour in x, at first that of the column before */
    uint32_t count = 0, walls = 0;
    int32_t cosine = 0, sine = 0;
#pragma unroll 4
    for (uint32_t j = 0; j < columns; j++) { /* the lowest bits are those of the pair */
        const uint32_t even_bits = here[j] >> lane, odd_bits = across[j] >> lane;
        const uint32_t own = even_bits & 1, other = odd_bits & 1;
        if (shift)
            side = across[j + 1 < columns ? j + 1 : 0] >> lane;
        count += own + other;
        cosine += (int32_t)own * of_here[2 * j].x + (int32_t)other * of_across[2 * j].x;
        sine += (int32_t)own * of_here[2 * j].y + (int32_t)other * of_across[2 * j].y;
        const uint32_t m = CUT ? o.missing[row * columns + j] : 0;
        walls += is_wall<CUT>(even_bits ^ odd_bits, m, M_ACROSS) +
                 is_wall<CUT>(even_bits ^ side, m, M_SIDE);
        walls += is_wall<CUT>(even_bits ^ above[j] >> lane, m, M_ABOVE) +
                 is_wall<CUT>(even_bits ^ below[j] >> lane, m, M_BELOW);
        if (lz > 1)
            walls += is_wall<CUT>(even_bits ^ before[j] >> lane, m, M_BEFORE) +
                     is_wall<CUT>(even_bits ^ behind[j] >> lane, m, M_BEHIND);
        side = odd_bits;
    }
    pair->differ += count;
    pair->walls += walls;
    pair->cosine[0] += cosine;
    pair->sine[0] += sine;
    pair->cosine[1] += o.wave[1][y].x * (int32_t)count;
    pair->sine[1] += o.wave[1][y].y * (int32_t)count;
    if (lz > 1) {
        pair->cosine[2] += o.wave[2][z].x * (int32_t)count;
        pair->sine[2] += o.wave[2][z].y * (int32_t)count;
    }
}

/* Adds the part of a pair that another warp has measured. */
static __device__ __forceinline__ void add_pair(overlap_pair *pair, const overlap_pair &found) {
    pair->differ += found.differ;
    pair->walls += found.walls;
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++) {
        pair->cosine[d] += found.cosine[d];
        pair->sine[d] += found.sine[d];
    }
}

/* Adds one to bin `bin` of part `part` for each lane that `counts`. Threads: a full warp. */
static __device__ __forceinline__ void add_to_bins(uint32_t *bins, overlap_range *range,
                                                   uint32_t count, bool counts, uint64_t part,
                                                   uint32_t bin) {
    const uint32_t left = warp_max(counts ? count - bin : 0), end = warp_max(counts ? bin + 1 : 0);
    if (threadIdx.x % MACHINE_LANES == 0 && end > 0) {
        atomicMax(&range->left, left);
        atomicMax(&range->end, end);
    }
    if (counts)
        atomicAdd(&bins[part * count + bin], 1);
}

/* Adds 32 pairs to the report; each lane has pair k. Threads: a full warp. */
static __device__ void report_pairs(const overlap_request &o, uint64_t k,
                                    const overlap_pair &pair) {
    const bool exists = k < o.pairs.count,
               related = exists && o.pairs.family[k] == o.pairs.partner[k];
    const bool counts = exists && !related;
    const uint32_t relatives = (uint32_t)__popc(__ballot_sync(FULL_WARP, related));
    if (threadIdx.x == 0 && relatives)
        atomic_add(&o.report->relatives, relatives);
    k += o.pairs.number;
    add_to_blocks(o.report->block,
                  counts ? (uint32_t)overlap_block_of(k, o.pairs.pairs) : UINT32_MAX,
                  overlap_numbers(o.sites, &pair));
    const uint64_t part = overlap_part_of(k, o.pairs.pairs);
    add_to_bins(o.differ_bins, &o.report->differ, o.scale.differ_bins, counts, part,
                overlap_differ_bin(o.scale, o.sites, pair.differ));
    add_to_bins(o.wall_bins, &o.report->walls, o.scale.wall_bins, counts, part,
                overlap_wall_bin(o.scale, pair.walls));
}

template <bool CUT> static __device__ __forceinline__ void measure_block(const overlap_request &o) {
    extern __shared__ overlap_pair found[]; /* [warps][MACHINE_LANES] */
    const uint32_t lane = threadIdx.x % MACHINE_LANES, warp = threadIdx.x / MACHINE_LANES,
                   warps = blockDim.x / MACHINE_LANES;
    const uint32_t *const differ = o.differ + (uint64_t)blockIdx.x * o.sites;
    overlap_pair pair = {};
    for (uint32_t row = warp; row < o.edge[1] * o.edge[2]; row += warps)
        add_row<CUT>(o, differ, row, &pair);
    found[threadIdx.x] = pair;
    __syncthreads();
    if (warp > 0)
        return;
    for (uint32_t n = 1; n < warps; n++)
        add_pair(&pair, found[n * MACHINE_LANES + lane]);
    report_pairs(o, (uint64_t)blockIdx.x * MACHINE_LANES + lane, pair);
}

/* Adds the logarithms of the families that end among this block's replicas. Families are
 * contiguous. Their numbers increase, unless the population is scattered. */
static __device__ __forceinline__ void add_logs(const family_request &r, uint32_t block,
                                                uint32_t blocks) {
    const uint32_t *const family = r.family;
    const uint64_t replicas = r.replicas;
    uint64_t logs = 0;
    for (uint64_t k = (uint64_t)block * blockDim.x + threadIdx.x; k < replicas;
         k += blocks * blockDim.x) {
        if (k + 1 < replicas && family[k + 1] == family[k])
            continue;
        uint64_t begin = r.scattered ? k : first_equal(family, (uint32_t)k, family[k]);
        while (begin > 0 && family[begin - 1] == family[k])
            begin--;
        logs += (k + 1 - begin) * family_log(k + 1 - begin);
    }
    logs = warp_sum(logs);
    if (threadIdx.x % 32 == 0 && logs)
        atomic_add(&r.report->family_logs, logs);
}

/* --- kernels --- */

template <bool CUT>
static __global__ void __launch_bounds__(32 * MOST_WARPS)
    measure_pairs(const __grid_constant__ overlap_request o) {
    measure_block<CUT>(o);
}

static __global__ void add_family_logs(const __grid_constant__ family_request r) {
    add_logs(r, blockIdx.x, gridDim.x);
}

/* Measures the pairs and the families of each member of a batch. The first `of_pairs` blocks of a
 * row measure pairs. */
template <bool CUT>
static __global__ void __launch_bounds__(32 * MOST_WARPS)
    measure_batch(const __grid_constant__ batch_requests all, uint32_t of_pairs) {
    __shared__ batch_request r;
    fetch_own_request(&r, all);
    if (blockIdx.x >= of_pairs)
        add_logs(r.families, blockIdx.x - of_pairs, gridDim.x - of_pairs);
    else if ((uint64_t)blockIdx.x * MACHINE_LANES < r.overlaps.pairs.count)
        measure_block<CUT>(r.overlaps);
}

/* Copies the bins that have pairs to the host, and clears them. */
static __device__ __forceinline__ void publish_bins(uint32_t *to, uint32_t *from, uint32_t bins,
                                                    overlap_range range, uint32_t thread) {
    const uint32_t first = bins - range.left, some = range.end > 0 ? range.end - first : 0;
    for (uint32_t n = thread; n < OVERLAP_PARTS * some; n += OVERLAP_PUBLISHERS * BATCH_THREADS) {
        const uint32_t at = n / some * bins + first + n % some;
        to[at] = from[at];
        from[at] = 0;
    }
}

/* Copies the other sums to the host, and clears them. */
static __device__ __forceinline__ void publish_sums(overlap_report *host, overlap_report *report,
                                                    uint32_t thread) {
    uint64_t *const to = (uint64_t *)host, *const from = (uint64_t *)report;
    for (uint64_t n = offsetof(overlap_report, relatives) / sizeof *to + thread;
         n < sizeof *report / sizeof *to; n += OVERLAP_PUBLISHERS * BATCH_THREADS) {
        to[n] = from[n];
        from[n] = 0;
    }
}

/* Publishes the report of each member of a batch. The last block sets host->done. */
static __global__ void __launch_bounds__(BATCH_THREADS)
    publish_batch(const __grid_constant__ batch_requests all) {
    __shared__ batch_request r;
    fetch_own_request(&r, all);
    const overlap_request &o = r.overlaps;
    const uint32_t thread = blockIdx.x * BATCH_THREADS + threadIdx.x;
    uint32_t *const host_bins = (uint32_t *)(r.host + 1);
    publish_sums(r.host, o.report, thread);
    publish_bins(host_bins, o.differ_bins, o.scale.differ_bins, o.report->differ, thread);
    publish_bins(host_bins + OVERLAP_PARTS * o.scale.differ_bins, o.wall_bins, o.scale.wall_bins,
                 o.report->walls, thread);
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    __threadfence_system(); /* for the writes of the block's other threads */
    if (atomicAdd((unsigned long long *)&o.report->done, 1) < OVERLAP_PUBLISHERS - 1)
        return;
    r.host->differ = o.report->differ;
    r.host->walls = o.report->walls;
    o.report->differ = o.report->walls = overlap_range{};
    o.report->done = 0;
    __threadfence_system();
    *(volatile uint64_t *)&r.host->done = 1;
}

/* --- host --- */

static unsigned blocks_for(uint64_t items, unsigned each) {
    return (unsigned)((items + each - 1) / each);
}

/* Copies the tables of cosines and sines to the device. */
static void upload_waves(const cuda_overlaps *o, cuda_population *p, const spin_model *model) {
    const uint64_t bytes = cuda_wave_bytes(model);
    int2 *const table = (int2 *)malloc(bytes);
    overlap_waves waves;
    const bool made = overlap_waves_create(&waves, model) == 0 && table;
    size_t n = 0;
    for (uint32_t d = 0; made && d < model->dimension; d++)
        for (uint32_t x = 0; x < model->edge[d]; x++)
            table[n++] = make_int2(waves.cosine[d][x], waves.sine[d][x]);
    if (!made)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for overlaps");
    else if (!p->failed)
        CUDA_CHECK(p, cudaMemcpy(o->waves, table, bytes, cudaMemcpyHostToDevice));
    overlap_waves_destroy(&waves);
    free(table);
}

/* Returns bit `bond` if the bond of a site in a direction is missing. */
static uint32_t missing_bit(const couplings *c, uint32_t x, uint32_t y, uint32_t z,
                            uint32_t direction, missing_bond bond) {
    const uint64_t site = ((uint64_t)z * c->edge[1] + y) * c->edge[0] + x;
    return (uint32_t)!couplings_has(c, site * c->dimension + direction) << bond;
}

/* Returns the missing bonds of the even site x y z. */
static uint32_t missing_bonds(const couplings *c, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t left = (x ? x : c->edge[0]) - 1, above = (y ? y : c->edge[1]) - 1,
                   before = (z ? z : c->edge[2]) - 1;
    uint32_t bits = missing_bit(c, x, y, z, 0, x % 2 ? M_SIDE : M_ACROSS) |
                    missing_bit(c, left, y, z, 0, x % 2 ? M_ACROSS : M_SIDE) |
                    missing_bit(c, x, above, z, 1, M_ABOVE) | missing_bit(c, x, y, z, 1, M_BELOW);
    if (c->dimension == 3)
        bits |= missing_bit(c, x, y, before, 2, M_BEFORE) | missing_bit(c, x, y, z, 2, M_BEHIND);
    return bits;
}

/* The copy from pageable memory returns once the source may be freed. */
void cuda_overlaps_take_sample(const cuda_overlaps *o, cuda_population *p,
                               const spin_model *model) {
    const couplings *const c = model->sample;
    const uint64_t bytes = cuda_missing_bytes(model);
    if (p->failed || !o->missing)
        return;
    uint8_t *const table = (uint8_t *)calloc(1, bytes), *to = table;
    if (!table) {
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for overlaps");
        return;
    }
    for (uint32_t z = 0; c && z < c->edge[2]; z++)
        for (uint32_t y = 0; y < c->edge[1]; y++)
            for (uint32_t x = (y + z) % 2; x < c->edge[0]; x += 2)
                *to++ = (uint8_t)missing_bonds(c, x, y, z);
    CUDA_CHECK(p, cudaMemcpyAsync(o->missing, table, bytes, cudaMemcpyHostToDevice, p->stream));
    free(table);
}

int cuda_overlaps_create(cuda_overlaps *o, cuda_population *p, const spin_model *model) {
    *o = cuda_overlaps{};
    if (!model->disordered)
        return 0;
    CUDA_CHECK(p, cuda_take(&o->waves, cuda_wave_bytes(model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->report, cuda_overlap_bytes(model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->host, cuda_overlap_bytes(model), PINNED));
    upload_waves(o, p, model);
    if (model->incomplete)
        CUDA_CHECK(p, cuda_take(&o->missing, cuda_missing_bytes(model), ON_DEVICE));
    cuda_overlaps_take_sample(o, p, model);
    return p->failed ? -1 : 0;
}

void cuda_overlaps_destroy(cuda_overlaps *o) {
    cuda_array_give(o->waves, ON_DEVICE);
    cuda_array_give(o->missing, ON_DEVICE);
    cuda_array_give(o->report, ON_DEVICE);
    cuda_array_give(o->host, PINNED);
}

/* Returns the warps of a block: four rows for each, or more rows where there are many blocks. */
static uint32_t warps_of(const spin_model *model, unsigned blocks) {
    const uint32_t rows = model->edge[1] * model->edge[2];
    uint32_t warps = rows / 4 < MOST_WARPS ? rows / 4 : MOST_WARPS;
    while (warps > 1 && (uint64_t)blocks * warps > ENOUGH_WARPS)
        warps /= 2;
    return warps;
}

/* Returns the arguments for `pairs`. */
static overlap_request request_of(const cuda_overlaps *o, const spin_model *model,
                                  const uint32_t *differ, const cuda_pairs *pairs) {
    overlap_request r = {.differ = differ,
                         .pairs = *pairs,
                         .sites = (uint32_t)model->sites,
                         .scale = overlap_scale_of(model),
                         .report = o->report,
                         .differ_bins = (uint32_t *)(o->report + 1)};
    r.missing = o->missing;
    r.wall_bins = r.differ_bins + OVERLAP_PARTS * r.scale.differ_bins;
    const int2 *wave = o->waves;
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++) {
        r.edge[d] = model->edge[d];
        r.wave[d] = wave;
        wave += model->edge[d];
    }
    return r;
}

static family_request families_of(const cuda_overlaps *o, const cuda_population *p) {
    return family_request{p->device.family, p->replicas, p->scattered, o->report};
}

/* Queues the measurement of pairs. */
static void queue_pairs(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                        const uint32_t *differ, const cuda_pairs *pairs) {
    if (p->failed || pairs->count == 0)
        return;
    const unsigned blocks = blocks_for(pairs->count, MACHINE_LANES),
                   threads = warps_of(model, blocks) * MACHINE_LANES;
    const auto kernel = o->missing ? measure_pairs<true> : measure_pairs<false>;
    kernel<<<blocks, threads, threads * sizeof(overlap_pair), p->stream>>>(
        request_of(o, model, differ, pairs));
    cuda_check_launch(p, "measure_pairs");
}

static void queue_family_logs(const cuda_overlaps *o, cuda_population *p) {
    if (p->failed)
        return;
    add_family_logs<<<blocks_for(p->replicas, THREADS), THREADS, 0, p->stream>>>(families_of(o, p));
    cuda_check_launch(p, "add_family_logs");
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

void cuda_overlaps_add(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                       const uint32_t *differ, const cuda_pairs *pairs, bool families,
                       overlap_sums *out) {
    const uint64_t bytes = cuda_overlap_bytes(model);
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(o->report, 0, bytes, p->stream));
    queue_pairs(o, p, model, differ, pairs);
    if (families)
        queue_family_logs(o, p);
    if (!p->failed)
        CUDA_CHECK(p,
                   cudaMemcpyAsync(o->host, o->report, bytes, cudaMemcpyDeviceToHost, p->stream));
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    if (!p->failed)
        add_report(o->host, out);
}

/* Returns all pairs of a population. */
static cuda_pairs pairs_of(const cuda_population *p) {
    const uint64_t pairs = overlap_pairs(p->replicas);
    return cuda_pairs{p->device.family, p->device.family + overlap_offset(p->replicas), pairs, 0,
                      pairs};
}

void cuda_overlaps_report(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                          const uint32_t *differ, overlap_sums *out) {
    const cuda_pairs all = pairs_of(p);
    overlap_sums_begin(out, p->replicas);
    cuda_overlaps_add(o, p, model, differ, &all, true, out);
}

/* --- launch batches --- */

void cuda_overlaps_join(const cuda_overlaps *o, cuda_population *p, const spin_model *model) {
    if (!p->failed && model->disordered)
        CUDA_CHECK(p, cudaMemsetAsync(o->report, 0, cuda_overlap_bytes(model), p->stream));
}

void cuda_overlaps_record(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                          const uint32_t *differ, void *request, overlap_sums *out) {
    const cuda_pairs all = pairs_of(p);
    out->pairs = all.count; /* the rest is copied from the report */
    o->host->done = 0;
    *(batch_request *)request =
        batch_request{request_of(o, model, differ, &all), families_of(o, p), o->host};
}

void cuda_overlaps_launch(const cuda_overlaps *o, cuda_population *p, const batch_requests &all) {
    const uint64_t most = p->device.capacity;
    const unsigned threads = BATCH_THREADS,
                   of_pairs = blocks_for(overlap_offset(most), MACHINE_LANES),
                   of_families = blocks_for(most, FAMILIES_EACH * threads);
    if (p->failed)
        return;
    cuda_launch_early(p, "measure_batch", o->missing ? measure_batch<true> : measure_batch<false>,
                      dim3(of_pairs + of_families, all.count), threads,
                      threads * sizeof(overlap_pair), all, of_pairs);
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
