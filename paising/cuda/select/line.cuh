/* The line of parents on the device (resample/line.h), for the rules that use one: each tile finds
 * where it begins by decoupled look-back, as for the children (scan.cuh). */
#ifndef PAISING_CUDA_SELECT_LINE_CUH
#define PAISING_CUDA_SELECT_LINE_CUH

#include "cuda/select/request.cuh"

/* --- between tiles --- */

/* Publishes a weight for later tiles: that of the tile (s.mark), or of all tiles up to it (s.mark +
 * 1). */
static __device__ void publish_weight(const selection &s, uint32_t tile, uint32_t mark,
                                      uint64_t weight) {
    volatile uint64_t *const published = s.replicas.tiles[tile].weight;
    published[0] = (uint64_t)mark << 32 | (uint32_t)weight;
    published[1] = (uint64_t)mark << 32 | weight >> 32;
}

/* Waits until a tile has published a weight. Sets *mark to its mark. */
static __device__ uint64_t weight_published_by(const selection &s, uint32_t tile, uint32_t *mark) {
    const volatile uint64_t *const published = s.replicas.tiles[tile].weight;
    uint64_t low, high;
    do {
        low = published[0];
        high = published[1];
        *mark = low >> 32;
    } while (high >> 32 != *mark || (*mark != s.mark && *mark != s.mark + 1));
    return high << 32 | (uint32_t)low;
}

/* Returns the weight of all tiles before `tile`. Threads: a full warp. */
static __device__ uint64_t weight_before(const selection &s, uint32_t tile) {
    const uint32_t lane = threadIdx.x % 32;
    uint64_t before = 0;
    for (int64_t nearest = (int64_t)tile - 1;; nearest -= 32) {
        uint32_t mark = s.mark + 1;
        const uint64_t published =
            nearest >= lane ? weight_published_by(s, (uint32_t)(nearest - lane), &mark) : 0;
        const uint32_t whole = __ballot_sync(FULL_WARP, mark == s.mark + 1);
        const uint32_t last = whole ? __ffs((int)whole) - 1 : 31;
        before += warp_sum(lane <= last ? published : 0);
        if (whole)
            return before;
    }
}

/* Where the parents of a thread begin on the line, and where those of its tile begin and end. */
struct line_stretch {
    uint64_t mine, begin, end;
};

/* Returns that for a thread whose parents weigh `weight` together. All threads of the block must
 * call it, once. */
static __device__ __forceinline__ line_stretch stretch_on_line(const selection &s,
                                                               uint64_t weight) {
    typedef cub::BlockScan<uint64_t, THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan;
    __shared__ typename scan::TempStorage memory;
    __shared__ uint64_t before;
    uint64_t begin, all;
    scan(memory).ExclusiveSum(weight, begin, all);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            publish_weight(s, blockIdx.x, s.mark, all);
        const uint64_t found = weight_before(s, blockIdx.x);
        if (threadIdx.x == 0) {
            publish_weight(s, blockIdx.x, s.mark + 1, found + all);
            before = found;
        }
    }
    __syncthreads();
    const uint64_t tile = s.line.before + before;
    return line_stretch{tile + begin, tile, tile + all};
}

#endif
