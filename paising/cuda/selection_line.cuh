/* The line of the parents on the device (resample/line.h), for the rules that have one: what each tile has before
 * it, and for rules whose points fall anywhere how many fall on each parent.
 *
 *   weigh      a block a tile: the weight of its parents
 *   add_up     one block: of all tiles before each
 *   mark_ends  a block a tile: where each of its parents ends
 *   drop       a thread two points, which share a call of Philox: whose they are, by bisection, and counts them.
 *              Counts have no order.
 *
 * And what each parent then has of it, for `select`. */
#ifndef PAISING_CUDA_SELECTION_LINE_CUH
#define PAISING_CUDA_SELECTION_LINE_CUH

#include "selection_request.cuh"

#define ADD_UP_THREADS 1024
#define DROP_THREADS   256

/* The weights of the calling thread's parents, 0 where it has none. Returns their sum. */
template <resampling_rule RULE>
static __device__ __forceinline__ uint64_t weigh_parents(const selection &s, uint64_t weight[4]) {
    __shared__ uint64_t room[GIVEN_LEVELS];
    uint64_t j, sum = 0;
    const uint32_t count = parents_of_thread(s, &j);
    const uint64_t *const tau_hat = tau_hat_at_hand(room, s);
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        weight[n] = 0;
        if (n < count)
            weight[n] = resampling_weight(RULE, tau_hat[s.replicas.level[j + n] - s.first_level]);
        sum += weight[n];
    }
    return sum;
}

template <resampling_rule RULE>
static __global__ void __launch_bounds__(THREADS) weigh(const __grid_constant__ selection s) {
    typedef cub::BlockReduce<uint64_t, THREADS> reduce;
    __shared__ typename reduce::TempStorage memory;
    uint64_t weight[4];
    const uint64_t all = reduce(memory).Sum(weigh_parents<RULE>(s, weight));
    if (threadIdx.x == 0)
        s.replicas.tiles[blockIdx.x].weight = all;
}

static __global__ void __launch_bounds__(ADD_UP_THREADS)
    add_up(selection_tile *tiles, uint32_t count) {
    typedef cub::BlockScan<uint64_t, ADD_UP_THREADS> scan;
    __shared__ typename scan::TempStorage memory;
    uint64_t before = 0;
    for (uint32_t first = 0; first < count; first += ADD_UP_THREADS) {
        const uint32_t n = first + threadIdx.x;
        uint64_t sum, all;
        scan(memory).ExclusiveSum(n < count ? tiles[n].weight : 0, sum, all);
        if (n < count)
            tiles[n].weight = before + sum;
        before += all;
        __syncthreads();
    }
}

template <resampling_rule RULE>
static __global__ void __launch_bounds__(THREADS) mark_ends(const __grid_constant__ selection s) {
    typedef cub::BlockScan<uint64_t, THREADS> scan;
    __shared__ typename scan::TempStorage memory;
    uint64_t weight[4], end, j;
    scan(memory).ExclusiveSum(weigh_parents<RULE>(s, weight), end);
    const uint32_t count = parents_of_thread(s, &j);
    end += s.replicas.tiles[blockIdx.x].weight;
    for (uint32_t n = 0; n < count; n++) {
        end += weight[n];
        s.replicas.ends[j + n] = end;
        s.replicas.fallen[j + n] = 0;
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
        atomicAdd(&fallen[low[n]], 1);
}

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
        typedef cub::BlockScan<uint64_t, THREADS> scan;
        __shared__ typename scan::TempStorage memory;
        uint64_t weight = 0;
#pragma unroll
        for (uint32_t n = 0; n < 4; n++)
            weight += n < count ? resampling_weight(RULE, tau_hat[n]) : 0;
        scan(memory).ExclusiveSum(weight, end);
        end += s.replicas.tiles[blockIdx.x].weight;
        offset = systematic_offset(s.line, s.numbers);
        before = resampling_before(RULE, s.line, s.numbers, offset, end);
    } else if constexpr (RULE == RESAMPLE_NEAREST) {
        four = resampling_shared(s.numbers, (uint32_t)j);
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
            children[n] = (uint32_t)resampling_copies_of(RULE, s.numbers, (uint32_t)(j + n), &four,
                                                         tau_hat[n]);
        }
    }
}

#endif
