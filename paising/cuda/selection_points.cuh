/* Points that fall anywhere on the line: how many fall on each parent of a tile. They stand in bins (points.h), of which a
 * tile looks through those that it reaches into, a warp a bin: draws each point anew by its number, and finds by bisection
 * whose it is. Counts have no order. A tile of which a point is in no bin, for want of room, goes through all of
 * the line. */
#ifndef PAISING_CUDA_SELECTION_POINTS_CUH
#define PAISING_CUDA_SELECTION_POINTS_CUH

#include "selection_line.cuh"

#define POINTS_AT_ONCE 4 /* of a thread: their searches do not wait for each other */
#define NO_POINT       UINT32_MAX

/* The parents of a tile on the line, and the points on each. */
struct tile_stretch {
    uint64_t begin, end;
    const uint64_t *ends; /* [TILE_PARENTS] of each */
    uint32_t *fallen;     /* [TILE_PARENTS] */
};

/* Counts some points, of those that are the tile's. */
static __device__ __forceinline__ void count_points(const selection &s, const tile_stretch &tile,
                                                    const uint32_t k[POINTS_AT_ONCE]) {
    uint64_t point[POINTS_AT_ONCE];
    uint32_t parent[POINTS_AT_ONCE];
#pragma unroll
    for (uint32_t n = 0; n < POINTS_AT_ONCE; n++)
        point[n] = multinomial_point(s.line, s.numbers, k[n]);
#pragma unroll
    for (uint32_t n = 0; n < POINTS_AT_ONCE; n++)
        parent[n] = first_in_tile(tile.ends, point[n]);
#pragma unroll
    for (uint32_t n = 0; n < POINTS_AT_ONCE; n++)
        if (k[n] < s.line.points && point[n] >= tile.begin && point[n] < tile.end)
            atomicAdd(&tile.fallen[parent[n]], 1);
}

/* Counts those in bins from .. to-1. Returns whether all points of the calling warp's bins are there. */
static __device__ __forceinline__ bool count_binned(const selection &s, const tile_stretch &tile,
                                                    uint64_t from, uint64_t to) {
    bool there = true;
    for (uint64_t bin = from + threadIdx.x / 32; bin < to; bin += THREADS / 32) {
        const uint64_t place = bin - s.bins.first;
        if (place >= s.bins.here)
            return false;
        const point_bin *const b = &s.bins.bin[place];
        const uint32_t points = b->count[s.bins.parity];
        there = there && points <= BIN_ROOM;
        for (uint32_t i = threadIdx.x % 32; i < min(points, BIN_ROOM); i += 32 * POINTS_AT_ONCE) {
            uint32_t k[POINTS_AT_ONCE];
#pragma unroll
            for (uint32_t n = 0; n < POINTS_AT_ONCE; n++)
                k[n] = i + 32 * n < min(points, BIN_ROOM) ? b->number[i + 32 * n] : NO_POINT;
            count_points(s, tile, k);
        }
    }
    return there;
}

/* Counts those of the line. */
static __device__ void count_all(const selection &s, const tile_stretch &tile) {
    for (uint64_t first = 0; first < s.line.points; first += POINTS_AT_ONCE * THREADS) {
        uint32_t k[POINTS_AT_ONCE];
#pragma unroll
        for (uint32_t n = 0; n < POINTS_AT_ONCE; n++)
            k[n] = (uint32_t)min(first + n * THREADS + threadIdx.x, (uint64_t)NO_POINT);
        count_points(s, tile, k);
    }
}

/* Makes fallen[], in shared memory, of all parents of the tile, from the tau-hat of the calling thread's; called once by all
 * threads. */
template <resampling_rule RULE>
static __device__ __forceinline__ void count_fallen(const selection &s, uint32_t count,
                                                    const uint64_t tau_hat[4], uint32_t *fallen) {
    __shared__ uint64_t ends[TILE_PARENTS], bins[2];
    const uint32_t mine = 4 * threadIdx.x;
    const parent_line in_bins = {s.line.length, s.bins.all, 0};
    uint64_t weight[4], sum = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        weight[n] = n < count ? resampling_weight(RULE, tau_hat[n]) : 0;
        sum += weight[n];
    }
    const line_stretch on = stretch_on_line(s, sum);
    uint64_t end = on.mine;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        end += weight[n];
        ends[mine + n] = end;
        fallen[mine + n] = 0;
    }
    if (threadIdx.x == 0) {
        bins[0] = line_place_of(in_bins, on.begin).strata;
    } else if (threadIdx.x == 32) {
        const line_place place = line_place_of(in_bins, on.end);
        bins[1] = place.strata + (place.rest > 0 ? 1 : 0);
    }
    __syncthreads();
    const tile_stretch tile = {on.begin, on.end, ends, fallen};
    if (__syncthreads_and(count_binned(s, tile, bins[0], bins[1])))
        return;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++)
        fallen[mine + n] = 0;
    __syncthreads();
    count_all(s, tile);
    __syncthreads();
}

#endif
