/* Points on the line: how many fall on each parent of a tile. A tile draws the points of all bins
 * that it overlaps (resample/multinomial.h), and finds the parents that they fall on. The numbers
 * of points in the bins were counted before (point_counts.h), up to a few points. The order of
 * points does not matter. */
#ifndef PAISING_CUDA_SELECT_POINTS_CUH
#define PAISING_CUDA_SELECT_POINTS_CUH

#include "cuda/select/line.cuh"

#define CELL_BITS 10 /* bits of a cell's number */
#define CELLS     (1 << CELL_BITS)

/* The parents of a tile on the line, and the points on each. For the search the tile is divided
 * into cells of 2^cell_bits units. A cell knows the thread in whose four parents it begins. Without
 * cells, searches would begin at the same words, with bank conflicts in shared memory. */
struct tile_stretch {
    uint64_t begin, end;
    uint32_t cell_bits;
    const uint64_t *ends; /* [TILE_PARENTS] end of each parent */
    uint16_t *cells;      /* [CELLS + 1] */
    uint32_t *fallen;     /* [TILE_PARENTS] */
};

/* --- cells --- */

/* Returns the first cell that does not begin before x on the line. */
static __device__ __forceinline__ uint32_t cell_from(const tile_stretch &tile, uint64_t x) {
    return x == tile.begin ? 0 : (uint32_t)((x - tile.begin - 1) >> tile.cell_bits) + 1;
}

#define CELLS_ALONE 8 /* cells that a thread writes alone */

/* Writes the cells that begin in the calling thread's parents, which extend from `begin` to `end`.
 * Warps share the work for parents with many cells. All threads of the block must call it. */
static __device__ __forceinline__ void write_cells(const tile_stretch &tile, uint64_t begin,
                                                   uint64_t end) {
    const uint32_t from = cell_from(tile, begin), to = cell_from(tile, end);
    const bool alone = to - from <= CELLS_ALONE;
    for (uint32_t c = from; alone && c < to; c++)
        tile.cells[c] = (uint16_t)threadIdx.x;
    for (uint32_t left = __ballot_sync(FULL_WARP, !alone); left; left &= left - 1) {
        const uint32_t lane = threadIdx.x % 32, helped = (uint32_t)__ffs((int)left) - 1;
        const uint32_t last = __shfl_sync(FULL_WARP, to, helped);
        for (uint32_t c = __shfl_sync(FULL_WARP, from, helped) + lane; c < last; c += 32)
            tile.cells[c] = (uint16_t)(threadIdx.x - lane + helped);
    }
    for (uint32_t c = cell_from(tile, tile.end) + threadIdx.x; c <= CELLS; c += THREADS)
        tile.cells[c] = THREADS - 1;
}

/* Returns the parent at a place of the tile. */
static __device__ __forceinline__ uint32_t parent_at(const tile_stretch &tile, uint64_t place) {
    const uint32_t cell = (uint32_t)((place - tile.begin) >> tile.cell_bits);
    uint32_t first = 4 * tile.cells[cell], last = 4 * tile.cells[cell + 1] + 3;
    while (first < last) {
        const uint32_t middle = (first + last) / 2;
        const bool before = tile.ends[middle] <= place;
        first = before ? middle + 1 : first;
        last = before ? last : middle;
    }
    return first;
}

/* --- bins --- */

/* One or two consecutive points of a bin, or none. */
struct point_pair {
    uint64_t bin;
    uint32_t number, points;
};

/* Counts the points of a pair that fall on the tile. */
static __device__ __forceinline__ void count_pair(const fall &f, const tile_stretch &tile,
                                                  const point_pair &pair) {
    uint64_t place[2];
    fall_pair(&f, pair.bin, pair.number, place);
#pragma unroll
    for (uint32_t n = 0; n < 2; n++)
        if (n < pair.points && place[n] >= tile.begin && place[n] < tile.end)
            atomicAdd(&tile.fallen[parent_at(tile, place[n])], 1);
}

#define BINS_AT_ONCE 32 /* one for each lane */

/* Returns the counted points of the calling thread's bin, of the BINS_AT_ONCE bins from `first`
 * on. */
static __device__ __forceinline__ uint32_t counted_in(const selection &s, uint64_t first,
                                                      const bin_range &bins) {
    if (threadIdx.x >= BINS_AT_ONCE || first + threadIdx.x >= bins.end)
        return 0;
    const uint32_t *const in_bin = s.counted.in_bin;
    return in_bin ? in_bin[first + threadIdx.x] : (uint32_t)s.line.points;
}

/* Sets points[], which was 0, to the points of these bins: those counted, plus or minus the
 * difference. */
static __device__ __forceinline__ void add_points(const selection &s, const fall &f, uint64_t first,
                                                  uint32_t counted, uint32_t points[BINS_AT_ONCE]) {
    const uint64_t low = min(s.counted.points, s.line.points),
                   high = s.counted.in_bin ? max(s.counted.points, s.line.points) : low;
    const uint32_t each = s.counted.points < s.line.points ? 1 : UINT32_MAX;
    for (uint64_t four = low / 4 + threadIdx.x; 4 * four < high; four += THREADS) {
        const stream_block numbers = fall_four(&f, four);
#pragma unroll
        for (uint32_t n = 0; n < 4; n++) {
            const uint64_t k = 4 * four + n, bin = fall_bin(&f, numbers.number[n]) - first;
            if (k >= low && k < high && bin < BINS_AT_ONCE)
                atomicAdd(&points[bin], each);
        }
    }
    if (threadIdx.x < BINS_AT_ONCE)
        atomicAdd(&points[threadIdx.x], counted);
}

/* BINS_AT_ONCE bins, one a lane: its points, and the pairs in this bin and those before it. */
struct lane_bins {
    uint64_t first;
    uint32_t count, points, pairs;
};

static __device__ __forceinline__ lane_bins bins_from(uint64_t first, const bin_range &bins,
                                                      const uint32_t points[BINS_AT_ONCE]) {
    const uint32_t lane = threadIdx.x % 32;
    lane_bins b = {first, (uint32_t)min(bins.end - first, (uint64_t)BINS_AT_ONCE), 0, 0};
    b.points = lane < b.count ? points[lane] : 0;
    b.pairs = (b.points + 1) / 2;
#pragma unroll
    for (uint32_t below = 1; below < 32; below *= 2) {
        const uint32_t there = __shfl_up_sync(FULL_WARP, b.pairs, below);
        b.pairs += lane >= below ? there : 0;
    }
    return b;
}

/* Returns pair k. Threads: a full warp. */
static __device__ __forceinline__ point_pair pair_of(const lane_bins &b, uint32_t k) {
    uint32_t bin = 0, before = 0;
    for (uint32_t n = 0; n + 1 < b.count; n++) {
        const uint32_t end = __shfl_sync(FULL_WARP, b.pairs, n);
        bin += k >= end;
        before = k >= end ? end : before;
    }
    const uint32_t points = __shfl_sync(FULL_WARP, b.points, bin), first = 2 * (k - before);
    return point_pair{b.first + bin, k - before, first < points ? min(2, points - first) : 0};
}

/* Counts the points of these bins that fall on the tile. */
static __device__ __forceinline__ void count_binned(const fall &f, const tile_stretch &tile,
                                                    const lane_bins &b) {
    const uint32_t all = __shfl_sync(FULL_WARP, b.pairs, 31), lane = threadIdx.x % 32;
    for (uint32_t k = threadIdx.x; k - lane < all; k += THREADS)
        count_pair(f, tile, pair_of(b, k));
}

/* Counts the points on all parents of the tile in fallen[] (shared memory). tau_hat: that of the
 * calling thread's parents. All threads of the block must call it, once. */
template <resampling_rule RULE>
static __device__ __forceinline__ void count_fallen(const selection &s, uint32_t count,
                                                    const uint64_t tau_hat[4], uint32_t *fallen) {
    __shared__ uint64_t ends[TILE_PARENTS];
    __shared__ uint32_t points[BINS_AT_ONCE];
    __shared__ uint16_t cells[CELLS + 1];
    const fall f = fall_of(s.line, s.numbers);
    const uint32_t mine = 4 * threadIdx.x;
    uint64_t weight[4], sum = 0;
    if (threadIdx.x < BINS_AT_ONCE)
        points[threadIdx.x] = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        weight[n] = n < count ? resampling_weight(RULE, tau_hat[n]) : 0;
        sum += weight[n];
    }
    const line_stretch on = stretch_on_line(s, sum);
    const uint32_t length_bits = 64 - (uint32_t)__clzll((long long)(on.end - on.begin));
    const tile_stretch tile = {
        on.begin, on.end, length_bits > CELL_BITS ? length_bits - CELL_BITS : 0,
        ends,     cells,  fallen};
    const bin_range bins = fall_bins(&f, on.begin, on.end);
    uint64_t first = bins.first, end = on.mine;
    uint32_t counted = counted_in(s, first, bins);
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        end += weight[n];
        ends[mine + n] = end;
        fallen[mine + n] = 0;
    }
    write_cells(tile, on.mine, end);
    while (first < bins.end) {
        add_points(s, f, first, counted, points);
        __syncthreads();
        count_binned(f, tile, bins_from(first, bins, points));
        first += BINS_AT_ONCE;
        counted = counted_in(s, first, bins);
        __syncthreads();
        if (threadIdx.x < BINS_AT_ONCE)
            points[threadIdx.x] = 0;
        __syncthreads();
    }
}

#endif
