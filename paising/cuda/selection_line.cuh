/* The line of the parents on the device (resample/line.h), for the rules that have one: where each tile begins, by
 * looking back as for the children (selection.cu); and for rules whose points fall anywhere how many fall on each
 * parent.
 *
 *   mark_ends  a block a tile: where each of its parents ends
 *   drop       a thread two points, which share a call of Philox: whose they are, by bisection, and counts them.
 *              Counts have no order.
 *
 * And what each parent then has of it, for `select`. */
#ifndef PAISING_CUDA_SELECTION_LINE_CUH
#define PAISING_CUDA_SELECTION_LINE_CUH

#include "selection_request.cuh"

#define DROP_THREADS 256

/* --- what tiles tell each other --- */

/* Tells a weight to the tiles behind: that of the tile, or with the mark of the whole that of all up to it. */
static __device__ void tell_weight(const selection &s, uint32_t tile, uint32_t mark,
                                   uint64_t weight) {
    volatile uint64_t *const told = s.replicas.tiles[tile].weight;
    told[0] = (uint64_t)mark << 32 | (uint32_t)weight;
    told[1] = (uint64_t)mark << 32 | weight >> 32;
}

/* Waits until a tile has told one. *mark becomes its mark. */
static __device__ uint64_t weight_told_by(const selection &s, uint32_t tile, uint32_t *mark) {
    const volatile uint64_t *const told = s.replicas.tiles[tile].weight;
    uint64_t low, high;
    do {
        low = told[0];
        high = told[1];
        *mark = low >> 32;
    } while (high >> 32 != *mark || (*mark != s.mark && *mark != s.mark + 1));
    return high << 32 | (uint32_t)low;
}

/* The weight of all tiles before one; called by a full warp. */
static __device__ uint64_t weight_before(const selection &s, uint32_t tile) {
    const uint32_t lane = threadIdx.x % 32;
    uint64_t before = 0;
    for (int64_t nearest = (int64_t)tile - 1;; nearest -= 32) {
        uint32_t mark = s.mark + 1;
        const uint64_t told =
            nearest >= lane ? weight_told_by(s, (uint32_t)(nearest - lane), &mark) : 0;
        const uint32_t whole = __ballot_sync(FULL_WARP, mark == s.mark + 1);
        const uint32_t last = whole ? __ffs((int)whole) - 1 : 31;
        before += warp_sum(lane <= last ? told : 0);
        if (whole)
            return before;
    }
}

/* Where the calling thread's parents begin, which weigh so much together; called once by all threads of a block. */
static __device__ __forceinline__ uint64_t begin_on_line(const selection &s, uint64_t weight) {
    typedef cub::BlockScan<uint64_t, THREADS> scan;
    __shared__ typename scan::TempStorage memory;
    __shared__ uint64_t before;
    uint64_t begin, all;
    scan(memory).ExclusiveSum(weight, begin, all);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            tell_weight(s, blockIdx.x, s.mark, all);
        const uint64_t found = weight_before(s, blockIdx.x);
        if (threadIdx.x == 0) {
            tell_weight(s, blockIdx.x, s.mark + 1, found + all);
            before = found;
        }
    }
    __syncthreads();
    return s.line.before + before + begin;
}

/* --- kernels --- */

template <resampling_rule RULE>
static __global__ void __launch_bounds__(THREADS) mark_ends(const __grid_constant__ selection s) {
    __shared__ uint64_t room[GIVEN_LEVELS];
    uint64_t weight[4], j, sum = 0;
    const uint32_t count = parents_of_thread(s, &j);
    const uint64_t *const tau_hat = tau_hat_at_hand(room, s);
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        weight[n] = 0;
        if (n < count)
            weight[n] = resampling_weight(RULE, tau_hat[s.replicas.level[j + n] - s.first_level]);
        sum += weight[n];
    }
    uint64_t end = begin_on_line(s, sum);
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        end += weight[n];
        if (n < count) {
            s.replicas.ends[j + n] = end;
            s.replicas.fallen[j + n] = 0;
        }
    }
}

static __global__ void __launch_bounds__(DROP_THREADS)
    drop(uint64_t parents, parent_line line, selection_numbers numbers, const uint64_t *ends,
         uint32_t *fallen) {
    const uint64_t first = 2 * ((uint64_t)blockIdx.x * DROP_THREADS + threadIdx.x);
    if (first >= line.points)
        return;
    uint64_t point[2], low[2] = {0, 0}; /* parents that end before the point, or there */
    for (uint32_t n = 0; n < 2; n++)
        point[n] = multinomial_point(line, numbers, first + n);
    for (uint64_t count = parents; count > 0;) {
        const uint64_t half = count / 2;
#pragma unroll
        for (uint32_t n = 0; n < 2; n++)
            low[n] += ends[low[n] + half] <= point[n] ? count - half : 0;
        count = half;
    }
    for (uint32_t n = 0; n < 2 && first + n < line.points; n++)
        if (point[n] >= line.before && low[n] < parents) /* else it falls on a parent elsewhere */
            atomicAdd(&fallen[low[n]], 1);
}

/* --- children --- */

/* The children of the calling thread's parents, which are `count` from number j on, and of which tau-hat is given, by
 * the rule. */
template <resampling_rule RULE>
static __device__ __forceinline__ void find_children(const selection &s, uint64_t j, uint32_t count,
                                                     const uint64_t tau_hat[4],
                                                     uint32_t children[4]) {
    constexpr resampling_way way = resampling_way_of(RULE);
    uint64_t end = 0, before = 0,
             offset = 0; /* on the line; their children; of systematic points */
    stream_block four = {{0, 0, 0, 0}};
    if constexpr (way == BY_PLACE) {
        uint64_t weight = 0;
#pragma unroll
        for (uint32_t n = 0; n < 4; n++)
            weight += n < count ? resampling_weight(RULE, tau_hat[n]) : 0;
        end = begin_on_line(s, weight);
        offset = systematic_offset(s.line, s.numbers);
        before = resampling_before(RULE, s.line, s.numbers, offset, end);
    } else if constexpr (RULE == RESAMPLE_NEAREST) {
        four = resampling_shared(s.numbers, (uint32_t)(s.replicas.origin + j));
    }
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        children[n] = 0;
        if (n >= count)
            continue;
        if constexpr (way == BY_PLACE) {
            end += resampling_weight(RULE, tau_hat[n]);
            const uint64_t with = resampling_before(RULE, s.line, s.numbers, offset, end);
            children[n] = (uint32_t)(with - before);
            before = with;
        } else if constexpr (way == BY_POINTS) {
            children[n] = (uint32_t)resampling_sure(RULE, tau_hat[n]) + s.replicas.fallen[j + n];
        } else {
            children[n] = (uint32_t)resampling_copies_of(
                RULE, s.numbers, (uint32_t)(s.replicas.origin + j + n), &four, tau_hat[n]);
        }
    }
}

#endif
