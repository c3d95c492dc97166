/* Ranks of energies, and the report (levels.h): the energies are sorted, and each replica gets the number of different ones below
 * its own. What is added up are the sums of cpu/population.c.
 *
 * Where the next step is known, the weights for it are added here (engine/fine_weights.h). So the host can begin it by a few numbers, and gets
 * the levels, some 48 bytes a replica, while it is made. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

/* Behind the library, which has names that are macros here. */
#include "cuda/fine/levels.h"

#include "base/wide.h"
#include "cuda/device/arrays.h"
#include "cuda/engine/bytes.h"
#include "resample/rules.h"

#define THREADS 256

static unsigned blocks_for(uint64_t items) {
    return (unsigned)((items + THREADS - 1) / THREADS);
}

/* The ranking of a range. */
struct ranking {
    cuda_replicas replicas; /* of the range */
    fine_levels arrays;     /* from its first replica on */
    square_sums *squares;   /* [POPULATION_BLOCKS] */
    uint64_t bound, most;
    double width, per_unit; /* of the next step; width 0: levels are published, and no weights */
    uint64_t target;        /* of the next step, children */
    resampling_rule rule;
};

/* The replicas of a range, 0 if there are too many for the arrays. */
static __device__ __forceinline__ uint64_t replicas_of(const ranking &r) {
    const uint64_t population = r.replicas.report->population;
    return population > r.most ? 0 : population;
}

/* Behind the replicas stand keys above all others. */
static __global__ void list_energies(const __grid_constant__ ranking r) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k >= r.most)
        return;
    r.arrays.key[0][k] =
        k < replicas_of(r) ? (uint64_t)(r.arrays.energy[k] + (int64_t)r.bound) : 2 * r.bound + 1;
    r.arrays.item[0][k] = (uint32_t)k;
}

/* 1 for a replica whose energy is above that of the one before. */
static __global__ void mark_changes(const __grid_constant__ ranking r) {
    const uint64_t n = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint64_t *const key = r.arrays.key[1];
    if (n < r.most)
        r.arrays.rank[n] = n < replicas_of(r) && (n == 0 || key[n] != key[n - 1]);
}

/* The number of E_top above the lowest possible energy. */
static __device__ __forceinline__ uint64_t top_key(const ranking &r) {
    return r.arrays.key[1][r.width > 0 ? 0 : replicas_of(r) - 1];
}

/* Adds to a sum what each thread of the block has. */
static __device__ __forceinline__ void add_units(weight_units *sum, uint64_t units) {
    __shared__ weight_units of_block;
    if (threadIdx.x == 0)
        of_block = weight_units{0, 0};
    __syncthreads();
    const uint64_t low = warp_sum((uint32_t)units), high = warp_sum(units >> 32);
    if (threadIdx.x % 32 == 0) {
        atomic_add(&of_block.low, low);
        atomic_add(&of_block.high, high);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomic_add(&sum->low, of_block.low);
        atomic_add(&sum->high, of_block.high);
    }
}

static __device__ __forceinline__ double weight_of_key(const ranking &r, uint64_t key) {
    return weight_above_top(r.per_unit, (int64_t)(key - top_key(r)));
}

static __global__ void set_levels(const __grid_constant__ ranking r) {
    const uint64_t n = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const bool counts = n < replicas_of(r);
    if (counts) {
        const uint32_t level = r.arrays.rank[n] - 1;
        r.replicas.level[r.arrays.item[1][n]] = level;
        if (n == 0 || r.arrays.rank[n - 1] == level) /* several replicas would write the same */
            r.arrays.distinct[level] = (int64_t)(r.arrays.key[1][n] - r.bound);
    }
    if (r.width != 0)
        add_units(&r.arrays.weights[SUM_OF_WEIGHTS],
                  counts ? in_weight_units(weight_of_key(r, r.arrays.key[1][n])) : 0);
}

/* Adds min(1, w / <w>), and what a replica has on the line of the parents, if the rule has one. Pre: the weights were added. */
static __device__ __forceinline__ void add_shares(const ranking &r, bool counts, int64_t energy) {
    const double sum = weight_total(r.arrays.weights[SUM_OF_WEIGHTS]),
                 w = counts ? weight_of_key(r, (uint64_t)(energy + (int64_t)r.bound)) : 0,
                 part = counts ? w / (sum / (double)replicas_of(r)) : 0;
    add_units(&r.arrays.weights[SUM_OF_OVERLAP], in_weight_units(part < 1 ? part : 1));
    if (resampling_way_of(r.rule) == BY_THEMSELVES)
        return;
    const uint64_t tau_hat =
        counts ? copies_in_fixed_point(copies_of_weight((double)r.target, w, sum)) : 0;
    add_units(&r.arrays.weights[SUM_OF_LENGTHS], resampling_weight(r.rule, tau_hat));
    add_units(&r.arrays.weights[SUM_OF_SURE], resampling_sure(r.rule, tau_hat));
}

static __device__ __forceinline__ void add_to_level(level_sums *sums, const order_moments &of) {
    atomic_add(&sums->replicas, 1);
    atomic_add(&sums->abs_m, of.abs_m);
    atomic_add(&sums->m2, of.m2);
    atomic_add(&sums->q_low, of.q_low);
    atomic_add(&sums->q_high, of.q_high);
}

static __global__ void report_replicas(const __grid_constant__ ranking r) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x, population = replicas_of(r);
    const cuda_replicas *const p = &r.replicas;
    const bool counts = k < population;
    const uint32_t level = counts ? p->level[k] : 0, order = counts ? r.arrays.order[k] : 0;
    const int64_t energy = counts ? r.arrays.energy[k] : 0;
    const uint64_t size = energy < 0 ? -(uint64_t)energy : (uint64_t)energy, low = size * size;
    const order_moments of = moments_of(p, order);
    const cuda_interval *const interval = &p->interval;
    const uint64_t all = interval->all > 0 ? interval->all : population;
    const uint32_t block =
        counts ? (uint32_t)population_block(interval->origin + k, all) : UINT32_MAX;
    if (r.width == 0)
        report_levels(p, counts, k, level, order);
    else if (counts)
        add_to_level(&p->sums[level], of);
    if (r.width != 0)
        add_shares(r, counts, energy);
    add_to_blocks(p->report->block, block,
                  block_sums{1, energy, low, of.abs_m, of.m2, of.q_low, of.q_high});
    add_to_blocks(r.squares, block, square_sums{(uint32_t)low, low >> 32, __umul64hi(size, size)});
    if (p->founders > 0)
        add_to_blocks(p->report->founder,
                      counts ? (uint32_t)population_block(p->family[k], p->founders) : UINT32_MAX,
                      founder_sums{1, energy});
}

static __device__ void put_units(volatile weight_units *to, weight_units units) {
    to->low = units.low;
    to->high = units.high;
}

/* Writes the weights to pinned memory, before the report is published. */
static __global__ void publish_weights(const __grid_constant__ ranking r) {
    const uint64_t population = replicas_of(r);
    volatile fine_decision *const to = r.arrays.decision;
    if (population == 0)
        return;
    to->levels = r.arrays.rank[population - 1];
    to->next.top = (int64_t)(top_key(r) - r.bound);
    to->next.target = r.target;
    put_units(&to->next.sum, r.arrays.weights[SUM_OF_WEIGHTS]);
    put_units(&to->next.overlap, r.arrays.weights[SUM_OF_OVERLAP]);
    put_units(&to->next.length, r.arrays.weights[SUM_OF_LENGTHS]);
    put_units(&to->next.sure, r.arrays.weights[SUM_OF_SURE]);
    __threadfence_system();
}

static __global__ void expect(const int64_t *energy, uint64_t levels, expected_copies copies,
                              uint64_t *tau_hat) {
    const uint64_t n = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (n < levels)
        tau_hat[n] = expected_copies_of(&copies, energy[n]);
}

/* --- host --- */

/* Bytes that the library asks for. */
static size_t scratch_needed(cuda_population *p, uint64_t capacity) {
    size_t to_sort = 0, to_sort_keys = 0, to_scan = 0;
    cub::DoubleBuffer<uint64_t> keys;
    cub::DoubleBuffer<uint32_t> items;
    CUDA_CHECK(p, cub::DeviceRadixSort::SortPairs(NULL, to_sort, keys, items, (uint32_t)capacity));
    CUDA_CHECK(p, cub::DeviceScan::InclusiveSum(NULL, to_scan, (uint32_t *)NULL, (uint32_t *)NULL,
                                                (uint32_t)capacity));
    CUDA_CHECK(p, cub::DeviceRadixSort::SortKeys(NULL, to_sort_keys, keys, (uint32_t)capacity));
    const size_t most = to_sort > to_sort_keys ? to_sort : to_sort_keys;
    return most > to_scan ? most : to_scan;
}

int fine_levels_create(fine_levels *r, cuda_population *p, const engine_config *config) {
    const uint64_t capacity = config->capacity;
    *r = fine_levels{};
    r->capacity = capacity;
    r->groups = cuda_fine_groups(config);
    r->scratch_bytes = scratch_needed(p, capacity);
    const size_t squares = r->groups * POPULATION_BLOCKS * sizeof *r->squares;
    CUDA_CHECK(p, cuda_take(&r->energy, capacity * sizeof *r->energy, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&r->order, capacity * sizeof *r->order, ON_DEVICE));
    for (uint32_t n = 0; n < 2; n++) {
        CUDA_CHECK(p, cuda_take(&r->key[n], capacity * sizeof *r->key[n], ON_DEVICE));
        CUDA_CHECK(p, cuda_take(&r->item[n], capacity * sizeof *r->item[n], ON_DEVICE));
    }
    CUDA_CHECK(p, cuda_take(&r->rank, capacity * sizeof *r->rank, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&r->distinct, capacity * sizeof *r->distinct, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&r->squares, squares, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&r->weights, WEIGHT_SUMS * sizeof *r->weights, ON_DEVICE));
    CUDA_CHECK(p, cuda_array_take(&r->scratch, r->scratch_bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&r->host_distinct, capacity * sizeof *r->host_distinct, PINNED));
    for (uint64_t *&keys : r->host_keys)
        CUDA_CHECK(p, cuda_take(&keys, capacity * sizeof *keys, PINNED));
    CUDA_CHECK(p, cuda_take(&r->host_squares, squares, PINNED));
    CUDA_CHECK(p, cuda_take(&r->host_sums, capacity * sizeof *r->host_sums, PINNED));
    CUDA_CHECK(p, cuda_take(&r->decision, sizeof *r->decision, PINNED));
    side_stream_create(&r->copies, p, SIDE_STREAM_FIRST);
    return p->failed ? -1 : 0;
}

void fine_levels_destroy(fine_levels *r) {
    void *const arrays[] = {r->energy,  r->order, r->key[0],   r->key[1],  r->item[0], r->item[1],
                            r->weights, r->rank,  r->distinct, r->squares, r->scratch};
    side_stream_destroy(&r->copies);
    for (void *array : arrays)
        cuda_array_give(array, ON_DEVICE);
    cuda_array_give(r->host_distinct, PINNED);
    for (uint64_t *keys : r->host_keys)
        cuda_array_give(keys, PINNED);
    cuda_array_give(r->host_squares, PINNED);
    cuda_array_give(r->host_sums, PINNED);
    cuda_array_give(r->decision, PINNED);
}

/* Binary digits of a number. */
static int digits_of(uint64_t number) {
    int digits = 0;
    for (; number > 0; number >>= 1)
        digits++;
    return digits;
}

/* Sorts the listed energies; key[1] and item[1] are then in order. */
static void sort(fine_levels *r, cuda_population *p, uint64_t count, uint64_t bound) {
    cub::DoubleBuffer<uint64_t> keys(r->key[0], r->key[1]);
    cub::DoubleBuffer<uint32_t> items(r->item[0], r->item[1]);
    size_t bytes = r->scratch_bytes;
    CUDA_CHECK(p, cub::DeviceRadixSort::SortPairs(r->scratch, bytes, keys, items, (uint32_t)count,
                                                  0, digits_of(2 * bound + 1), p->stream));
    if (keys.selector == 0) { /* the result is where the list was */
        uint64_t *const key = r->key[0];
        uint32_t *const item = r->item[0];
        r->key[0] = r->key[1];
        r->item[0] = r->item[1];
        r->key[1] = key;
        r->item[1] = item;
    }
}

void fine_levels_report(fine_levels *r, cuda_population *p, const engine_step *step,
                        const cuda_range *range, uint64_t bound) {
    if (p->failed || range->most == 0)
        return;
    p->levels_later = step->groups == 0 && step->next_width != 0 && p->device.interval.all == 0 &&
                      cuda_levels_may_be_later(p);
    if (range->first == 0)
        r->reported = 0;
    if (r->reported == r->groups) {
        cuda_check(p, cudaErrorInvalidValue, "more groups than there is room for");
        return;
    }
    const unsigned blocks = blocks_for(range->most);
    const double width = p->levels_later ? step->next_width : 0;
    ranking k = {
        range->replicas, *r,    r->squares + r->reported++ * POPULATION_BLOCKS, bound,
        range->most,     width, width / level_unit(p->device.levels),           step->next_target,
        p->rule};
    k.arrays.energy += range->first;
    k.arrays.order += range->first;
    k.arrays.distinct += range->first;
    list_energies<<<blocks, THREADS, 0, p->stream>>>(k);
    cuda_check_launch(p, "list_energies");
    sort(r, p, range->most, bound);
    for (uint32_t n = 0; n < 2; n++) {
        k.arrays.key[n] = r->key[n];
        k.arrays.item[n] = r->item[n];
    }
    mark_changes<<<blocks, THREADS, 0, p->stream>>>(k);
    cuda_check_launch(p, "mark_changes");
    size_t bytes = r->scratch_bytes;
    CUDA_CHECK(p, cub::DeviceScan::InclusiveSum(r->scratch, bytes, r->rank, r->rank,
                                                (uint32_t)range->most, p->stream));
    side_stream_join(&r->copies, p); /* of the last levels */
    CUDA_CHECK(p, cudaMemsetAsync(k.squares, 0, POPULATION_BLOCKS * sizeof *k.squares, p->stream));
    CUDA_CHECK(p, cudaMemsetAsync(r->weights, 0, WEIGHT_SUMS * sizeof *r->weights, p->stream));
    set_levels<<<blocks, THREADS, 0, p->stream>>>(k);
    cuda_check_launch(p, "set_levels");
    report_replicas<<<blocks, THREADS, 0, p->stream>>>(k);
    cuda_check_launch(p, "report_replicas");
    if (!p->levels_later)
        return;
    publish_weights<<<1, 1, 0, p->stream>>>(k);
    cuda_check_launch(p, "publish_weights");
}

/* What the pieces of a block add up to, from 2^64 on. */
static uint64_t high_part(const square_sums *s) {
    return s->high + (uint64_t)((((uint128)s->middle << 32) + s->low) >> 64);
}

/* Queues the copies of so many levels, and of the squares, to the host. */
static void queue_copies(fine_levels *r, cuda_population *p, uint64_t levels, uint64_t groups) {
    CUDA_CHECK(p, cudaMemcpyAsync(r->host_distinct, r->distinct, levels * sizeof *r->host_distinct,
                                  cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaMemcpyAsync(r->host_squares, r->squares,
                                  groups * POPULATION_BLOCKS * sizeof *r->host_squares,
                                  cudaMemcpyDeviceToHost, p->stream));
}

/* Adds what has come of group g, whose levels begin with the first of the group. */
static void take_group(const fine_levels *r, uint64_t first, uint64_t g, histogram *out) {
    memcpy(out->energy, r->host_distinct + first, out->end * sizeof *out->energy);
    for (uint32_t b = 0; b < POPULATION_BLOCKS; b++)
        out->energy2_high[b] = high_part(&r->host_squares[g * POPULATION_BLOCKS + b]);
}

/* The report is there, and so are the levels on the device. */
static void collect_weights(fine_levels *r, cuda_population *p, double width, histogram *out) {
    const uint64_t levels = r->decision->levels;
    out->next = r->decision->next;
    out->next.width = width;
    p->first = 0;
    p->end = levels;
    r->levels_under_way = levels;
    side_stream_swap(&r->copies, p);
    queue_copies(r, p, levels, 1);
    CUDA_CHECK(p, cudaMemcpyAsync(r->host_sums, p->device.sums, levels * sizeof *r->host_sums,
                                  cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaMemsetAsync(p->device.sums, 0, levels * sizeof *p->device.sums, p->stream));
    side_stream_swap(&r->copies, p);
}

void fine_levels_collect(fine_levels *r, cuda_population *p, const engine_step *step,
                         histogram out[]) {
    const uint64_t groups = r->reported;
    if (p->failed)
        return;
    if (p->levels_later) {
        collect_weights(r, p, step->next_width, out);
        return;
    }
    queue_copies(r, p, p->replicas, groups);
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    for (uint64_t g = 0; g < groups; g++) {
        take_group(r, step->groups > 0 ? step->group[g].first : 0, g, &out[g]);
        out[g].next.width = 0;
    }
}

bool fine_levels_complete(fine_levels *r, cuda_population *p, histogram *out) {
    const uint64_t levels = r->levels_under_way;
    r->levels_under_way = 0;
    if (levels == 0)
        return true;
    const cudaError_t error = cudaStreamSynchronize(r->copies.stream);
    if (error != cudaSuccess) {
        cuda_check(p, error, "the levels"); /* keeps an earlier failure */
        return false;
    }
    histogram_move(out, 0, levels);
    memcpy(out->level, r->host_sums, levels * sizeof *out->level);
    take_group(r, 0, 0, out);
    return true;
}

void fine_levels_expect(const fine_levels *r, cuda_population *p, const expected_copies *copies) {
    const uint64_t levels = p->end;
    if (p->failed || levels == 0)
        return;
    expect<<<blocks_for(levels), THREADS, 0, p->stream>>>(r->distinct, levels, *copies,
                                                          p->device.tau_hat);
    cuda_check_launch(p, "expect");
}

/* --- rounds --- */

fine_keys fine_keys_for(uint64_t bound) {
    return fine_keys{bound, (uint32_t)digits_of(2 * bound)};
}

void fine_levels_sort_groups(fine_levels *r, cuda_population *p, fine_keys keys,
                             const cuda_round *round, uint64_t chains) {
    const uint64_t groups = round->groups, count = groups * chains;
    cub::DoubleBuffer<uint64_t> of(r->key[0], r->key[1]);
    size_t bytes = r->scratch_bytes;
    if (p->failed)
        return;
    CUDA_CHECK(p,
               cub::DeviceRadixSort::SortKeys(r->scratch, bytes, of, (uint32_t)count, 0,
                                              (int)keys.digits + digits_of(groups - 1), p->stream));
    CUDA_CHECK(p,
               cudaMemcpyAsync(r->host_keys[round->turn], of.Current(),
                               count * sizeof **r->host_keys, cudaMemcpyDeviceToHost, p->stream));
}

/* Whole warps are of one group. */
static __global__ void add_group_replicas(cuda_replicas p, fine_levels r, fine_keys keys,
                                          cuda_round round, uint32_t chains) {
    const uint32_t chain = blockIdx.x * THREADS + threadIdx.x, g = blockIdx.y;
    const uint64_t k = (uint64_t)g * chains + chain;
    const bool counts = chain < chains;
    const order_moments of = moments_of(&p, counts ? r.order[k] : 0);
    if (counts)
        r.key[0][k] = fine_key_of(keys, g, r.energy[k]);
    add_to_blocks(&round.sums[g].all, counts ? 0 : UINT32_MAX,
                  block_sums{1, 0, 0, of.abs_m, of.m2, of.q_low, of.q_high});
}

void fine_levels_add_groups(fine_levels *r, cuda_population *p, fine_keys keys,
                            const cuda_round *round, uint64_t chains) {
    if (p->failed)
        return;
    add_group_replicas<<<dim3(blocks_for(chains), round->groups), THREADS, 0, p->stream>>>(
        p->device, *r, keys, *round, (uint32_t)chains);
    cuda_check_launch(p, "add_group_replicas");
    fine_levels_sort_groups(r, p, keys, round, chains);
}

void fine_levels_take_group(const fine_levels *r, fine_keys keys, const cuda_round *round,
                            uint64_t chains, uint64_t g, histogram *out) {
    const uint64_t *const key = r->host_keys[round->turn] + g * chains,
                          mask = ((uint64_t)1 << keys.digits) - 1;
    block_sums *const all = &out->block[0];
    uint128 squares = 0;
    size_t count = 0;
    for (uint64_t n = 0; n < chains; n++) {
        const int64_t energy = (int64_t)(key[n] & mask) - (int64_t)keys.bound;
        const uint64_t size = energy < 0 ? -(uint64_t)energy : (uint64_t)energy;
        if (n == 0 || key[n] != key[n - 1]) {
            out->energy[count] = energy;
            out->level[count++] = level_sums{};
        }
        out->level[count - 1].replicas++;
        all->energy += energy;
        squares += (uint128)size * size;
    }
    histogram_move(out, 0, count); /* of levels that follow it clears the sums */
    all->energy2 = (uint64_t)squares;
    out->energy2_high[0] = (uint64_t)(squares >> 64);
}
