/* Counts points in bins. Where the bins fit, a block counts its points in shared memory first:
 * atomic additions to device memory would limit the speed. */
#include "cuda/select/point_counts.h"

#include "cuda/device/arrays.h"
#include "cuda/engine/bytes.h"
#include "resample/rules.h"

#define THREADS     512
#define MOST_BLOCKS 264

/* A selection corrects counts of a few points more or less: each tile draws the difference, four
 * points a thread at a time. Above this difference all points are counted again. */
#define MOST_CORRECTED 8192

/* Arguments of a counting: `count` is the set to fill, `other` the set to clear. */
typedef struct {
    fall falls;
    uint32_t *count, *other;
    uint64_t room;
    bool apart; /* each block has shared memory for all bins */
} point_counting;

/* --- the kernel --- */

static __global__ void __launch_bounds__(THREADS)
    count_points(const __grid_constant__ point_counting c) {
    extern __shared__ uint32_t own[];
    const uint64_t thread = (uint64_t)blockIdx.x * THREADS + threadIdx.x,
                   threads = (uint64_t)gridDim.x * THREADS, points = c.falls.line.points;
    const uint32_t bins = 1u << c.falls.bits;
    uint32_t *const count = c.apart ? own : c.count;
    for (uint64_t n = thread; n < c.room; n += threads)
        c.other[n] = 0;
    for (uint32_t n = threadIdx.x; c.apart && n < bins; n += THREADS)
        own[n] = 0;
    __syncthreads();
    for (uint64_t k = 4 * thread; k < points; k += 4 * threads) {
        const stream_block four = fall_four(&c.falls, k / 4);
#pragma unroll
        for (uint32_t n = 0; n < 4; n++)
            if (k + n < points)
                atomicAdd(&count[fall_bin(&c.falls, four.number[n])], 1);
    }
    __syncthreads();
    for (uint32_t n = threadIdx.x; c.apart && n < bins; n += THREADS)
        if (own[n] > 0)
            atomicAdd(&c.count[n], own[n]);
}

/* --- host --- */

/* Returns the shared memory of a block for so many bins; 0: they do not fit. */
static size_t bytes_apart(const cuda_population *p, uint64_t bins) {
    const uint64_t bytes = bins * sizeof(uint32_t);
    return bytes <= (uint64_t)p->shared_limit ? bytes : 0;
}

/* Allocates cleared counts for so many bins. */
static void make_room(cuda_population *p, uint64_t bins) {
    const uint64_t bytes = bins * sizeof(uint32_t), most = (uint64_t)p->shared_limit;
    cuda_points_destroy(p);
    cuda_allow_shared(p, (const void *)count_points, bytes < most ? bytes : most);
    for (uint32_t *&count : p->bins.count)
        if (CUDA_CHECK(p, cuda_take(&count, bytes, ON_DEVICE)))
            CUDA_CHECK(p, cudaMemsetAsync(count, 0, bytes, p->stream));
    p->bins.room = bins;
}

int cuda_points_create(cuda_population *p, const engine_config *config) {
    const uint64_t bins = cuda_point_bytes(config) / sizeof(uint32_t);
    if (bins > 0)
        make_room(p, bins);
    return p->failed ? -1 : 0;
}

void cuda_points_destroy(cuda_population *p) {
    for (uint32_t *&count : p->bins.count) {
        cuda_array_give(count, ON_DEVICE);
        count = NULL;
    }
}

/* Queues a counting. The line of an interval has more points than the interval has room for
 * replicas. */
static void queue_counting(cuda_population *p, const fall &falls) {
    point_bins *const own = &p->bins;
    const uint64_t bins = point_bins_of(falls.line.points),
                   blocks = (falls.line.points / 4 + THREADS) / THREADS;
    if (bins > own->room)
        make_room(p, bins);
    if (bins == 0 || p->failed)
        return;
    const uint32_t set = own->countings++ % 2;
    const size_t shared = bytes_apart(p, bins);
    own->counted = falls;
    count_points<<<(unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), THREADS, shared,
                   p->stream>>>(
        point_counting{falls, own->count[set], own->count[1 - set], own->room, shared > 0});
    cuda_check_launch(p, "count_points");
}

/* Whether counts can be used for other points. */
static bool counts_fit(const fall &counted, const fall &wanted) {
    const selection_numbers &a = counted.numbers, &b = wanted.numbers;
    const uint64_t there = counted.line.points, points = wanted.line.points;
    return counted.bits == wanted.bits && a.temperature == b.temperature &&
           a.key.word[0] == b.key.word[0] && a.key.word[1] == b.key.word[1] &&
           there <= points + MOST_CORRECTED && points <= there + MOST_CORRECTED;
}

counted_points cuda_points_counted(cuda_population *p, const engine_step *step) {
    const fall falls = fall_of(step->line, {step->key, step->temperature});
    if (falls.bits == 0)
        return counted_points{NULL, 0};
    if (!counts_fit(p->bins.counted, falls))
        queue_counting(p, falls);
    return counted_points{p->bins.count[(p->bins.countings - 1) % 2], p->bins.counted.line.points};
}

void cuda_points_ahead(cuda_population *p, const engine_step *step) {
    if (resampling_way_of(p->rule) == BY_POINTS && p->device.interval.all == 0)
        queue_counting(p, fall_of(step->line, {step->key, step->temperature + 1}));
}
