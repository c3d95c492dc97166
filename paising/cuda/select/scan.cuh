/* Resampling on the device: a tile of parents. By the rule of eq. (2) it computes what resample()
 * in reference/plain.c does, by the other rules what population_select() in cpu/population.c does,
 * bit for bit.
 *
 * One block for each tile, four parents a thread, which share a call of Philox:
 *
 * - Each parent's number of children, and where they end among those of the tile; sums over the
 *   founders' blocks.
 * - The number of children before those of the tile, by decoupled look-back. A tile publishes its
 *   own sum as soon as it is known. It then reads the sums of tiles before it, 32 at a time, until
 *   it meets one that has published the sum of all tiles up to itself. So there is one pass,
 *   whatever the population (D. Merrill, M. Garland, "Single-pass parallel prefix scan with
 *   decoupled look-back", 2016). Blocks start in the order of their numbers, so that the tiles
 *   before make progress.
 * - The children, one a thread: a binary search in the tile finds the parent. So all threads have
 *   equal work, whether parents have many children or few.
 * - The families, which are contiguous. For a family that began in an earlier tile, the number of
 *   children before it is read there.
 *
 * Published sums carry the number of the selection, and need not be cleared. tau-hat is a kernel
 * argument if the occupied levels are not too many; otherwise it is copied before the launch. Rules
 * with a line of parents use look-back for it, too (line.cuh). */
#ifndef PAISING_CUDA_SELECT_SCAN_CUH
#define PAISING_CUDA_SELECT_SCAN_CUH

#include "cuda/select/families.cuh"
#include "cuda/select/rules.cuh"

/* The same as first_above (bisection.cuh), by a full warp. */
static __device__ uint32_t first_above_together(const uint32_t *numbers, uint32_t high,
                                                uint32_t x) {
    uint32_t low = 0;
    while (low < high) {
        const uint32_t step = (high - low + 31) / 32;
        const uint64_t probe = (uint64_t)low + (threadIdx.x % 32 + 1) * step - 1;
        low += step * __popc(__ballot_sync(FULL_WARP, probe < high && numbers[probe] <= x));
        high = min((uint64_t)high, (uint64_t)low + step - 1);
    }
    return low;
}

/* --- a tile of parents --- */

#define NOBODY UINT32_MAX /* family, and end of the children, of places without parents */

struct tile_memory {
    uint64_t tau_hat[GIVEN_LEVELS];
    /* Families of the parents and of the first one behind them. */
    uint32_t family[TILE_PARENTS + 1];
    uint32_t ends[TILE_PARENTS]; /* end of each parent's children in the tile */
    uint32_t before;             /* children of all tiles before */
    uint32_t family_begin;       /* children before those of the first family */
};

/* Returns the first parent in the tile that belongs to a family. */
static __device__ __forceinline__ uint32_t family_in_tile(const tile_memory *tile,
                                                          uint32_t family) {
    return family ? first_in_tile(tile->family, family - 1) : 0;
}

/* Sets children[] of the calling thread's `count` parents from number j on. Stores their families
 * in the tile, and adds them to the sums over the founders' blocks. Adjacent parents nearly always
 * share a block. */
template <resampling_rule RULE>
static __device__ __forceinline__ void count_children(tile_memory *tile, const selection &s,
                                                      uint64_t j, uint32_t count,
                                                      uint32_t children[4]) {
    uint32_t family[4], level[4], block = UINT32_MAX;
    uint64_t expected[4];
    parent_sums sums = {0, 0}, *const blocks = s.replicas.report->parent;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        family[n] = n < count ? s.replicas.parent_family[j + n] : NOBODY;
        level[n] = n < count ? s.replicas.level[j + n] : s.first_level;
    }
    const uint64_t *const tau_hat = tau_hat_at_hand(tile->tau_hat, s);
#pragma unroll
    for (uint32_t n = 0; n < 4; n++)
        expected[n] = tau_hat[level[n] - s.first_level];
    find_children<RULE>(s, j, count, expected, tile->ends, children);
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        tile->family[4 * threadIdx.x + n] = family[n];
        if (n >= count)
            continue;
        const uint32_t own = (uint32_t)population_block(family[n], s.replicas.founders);
        block = n == 0 ? own : block;
        if (s.again)
            continue;
        if (own == block) {
            sums.parents++;
            sums.tau_hat += expected[n];
        } else {
            atomic_add(&blocks[own].parents, 1);
            atomic_add(&blocks[own].tau_hat, expected[n]);
        }
    }
    add_to_blocks(blocks, s.again ? UINT32_MAX : block, sums);
}

/* --- between tiles --- */

/* Publishes a sum for later tiles. The last tile has none. */
static __device__ void publish_children(const selection &s, uint32_t tile, uint32_t mark,
                                        uint32_t children) {
    if ((uint64_t)(tile + 1) * TILE_PARENTS >= s.parents)
        return;
    __threadfence();
    *(volatile uint64_t *)&s.replicas.tiles[tile].children = (uint64_t)mark << 32 | children;
}

/* Waits for the sum of a tile; `whole`: for that of all tiles up to it. */
static __device__ uint64_t published_by(const selection &s, uint32_t tile, bool whole) {
    uint64_t published, mark;
    do {
        published = *(volatile uint64_t *)&s.replicas.tiles[tile].children;
        mark = published >> 32;
    } while (mark != s.mark + 1 && (whole || mark != s.mark));
    __threadfence();
    return published;
}

/* Returns the children of all tiles before `tile`. Threads: a full warp. */
static __device__ uint32_t children_before(const selection &s, uint32_t tile) {
    const uint32_t lane = threadIdx.x % 32;
    uint32_t children = 0;
    for (int64_t nearest = (int64_t)tile - 1;; nearest -= 32) {
        const uint64_t published = nearest >= lane
                                       ? published_by(s, (uint32_t)(nearest - lane), false)
                                       : (uint64_t)(s.mark + 1) << 32;
        const uint32_t whole = __ballot_sync(FULL_WARP, published >> 32 == s.mark + 1);
        const uint32_t last = whole ? __ffs((int)whole) - 1 : 31;
        children += (uint32_t)warp_sum(lane <= last ? (uint32_t)published : 0);
        if (whole)
            return children;
    }
}

/* Returns the children before those of the tile's first family, which began in an earlier tile.
 * Threads: a full warp. */
static __device__ uint32_t children_before_family(const selection &s, uint32_t tile,
                                                  uint32_t family) {
    const uint32_t parents = tile * TILE_PARENTS;
    const uint32_t begin =
        family ? first_above_together(s.replicas.parent_family, parents, family - 1) : 0;
    const uint32_t there = begin / TILE_PARENTS;
    const uint32_t before = there ? (uint32_t)published_by(s, there - 1, true) : 0;
    published_by(s, there, false);
    return before + *(volatile uint32_t *)&s.replicas.tiles[there].family;
}

/* --- families --- */

/* Publishes, for later tiles, the children of the tile before those of its last family, if that
 * family begins in the tile. */
static __device__ void publish_last_family(const tile_memory *tile, const selection &s,
                                           uint32_t number, uint32_t parents, bool goes_on) {
    const uint32_t begin = family_in_tile(tile, tile->family[parents - 1]);
    if (begin > 0 || !goes_on)
        s.replicas.tiles[number].family = begin ? tile->ends[begin - 1] : 0;
}

/* Reports the families that end with one of the calling thread's `count` parents. */
static __device__ void report_families_of(const tile_memory *tile, const selection &s,
                                          uint32_t count, bool goes_on) {
    uint32_t families = 0, begin = NOBODY; /* begin of the current family, if known */
    uint64_t squares = 0;
    for (uint32_t j = 4 * threadIdx.x; j < 4 * threadIdx.x + count; j++) {
        const uint32_t family = tile->family[j];
        if (j > 0 && tile->family[j - 1] != family)
            begin = j;
        if (tile->family[j + 1] == family)
            continue;
        if (begin == NOBODY)
            begin = family_in_tile(tile, family);
        uint32_t end_before = goes_on ? tile->family_begin : tile->before;
        if (begin > 0)
            end_before = tile->before + tile->ends[begin - 1];
        const uint64_t members = tile->before + tile->ends[j] - end_before;
        families += members > 0;
        squares += members * members;
    }
    sum_families(&s.replicas.report->families, &s.replicas.report->family_squares, families,
                 squares);
}

/* --- children --- */

#define CHILDREN_AT_ONCE 4 /* of a thread: independent searches overlap */

/* Lists the `all` children of a tile, whose first parent is number `first`. */
static __device__ __forceinline__ void write_children(const tile_memory *tile, const selection &s,
                                                      uint64_t first, uint32_t all) {
    for (uint32_t k = threadIdx.x; k < all; k += CHILDREN_AT_ONCE * THREADS) {
        uint32_t parent[CHILDREN_AT_ONCE];
#pragma unroll
        for (uint32_t n = 0; n < CHILDREN_AT_ONCE; n++)
            parent[n] = first_in_tile(tile->ends, min(k + n * THREADS, all - 1));
#pragma unroll
        for (uint32_t n = 0; n < CHILDREN_AT_ONCE; n++)
            if (k + n * THREADS < all) {
                const uint32_t child = tile->before + k + n * THREADS - s.skip;
                if (child >= s.replicas.capacity)
                    continue;
                s.replicas.parent[child] = (uint32_t)first + parent[n];
                s.replicas.family[child] = tile->family[parent[n]];
            }
    }
}

/* --- all of it --- */

/* Adds the children of a tile. The last tile publishes their number for the host, which need not
 * wait for the list. */
static __device__ void publish_count(const selection &s, uint32_t children) {
    const uint64_t mine = (uint64_t)1 << 40 | children;
    uint64_t *const all = &s.replicas.report->offspring;
    const uint64_t now = atomicAdd((unsigned long long *)all, (unsigned long long)mine) + mine;
    if (now >> 40 < (s.parents + TILE_PARENTS - 1) / TILE_PARENTS)
        return;
    *all = 0;
    *(volatile uint64_t *)&s.count->published = PUBLISHED_CHILDREN(now & (((uint64_t)1 << 40) - 1));
}

/* Processes the block's tile. */
template <resampling_rule RULE>
static __device__ __forceinline__ void select_tile(const selection &s) {
    typedef cub::BlockScan<uint32_t, THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan;
    __shared__ typename scan::TempStorage memory;
    __shared__ tile_memory tile;
    const uint32_t number = blockIdx.x, warp = threadIdx.x / 32, mine = 4 * threadIdx.x;
    const uint64_t first = (uint64_t)number * TILE_PARENTS;
    const uint32_t parents = (uint32_t)min((uint64_t)TILE_PARENTS, s.parents - first);
    const uint32_t count = mine < parents ? min(4, parents - mine) : 0;
    const uint32_t *const family = s.replicas.parent_family + first;
    const bool goes_on = s.counts_families && number > 0 && family[-1] == family[0];

    uint32_t children[4], end, all;
    allow_next_launch();
    count_children<RULE>(&tile, s, first + mine, count, children);
    scan(memory).ExclusiveSum(children[0] + children[1] + children[2] + children[3], end, all);
    if (threadIdx.x == 0 && s.count)
        publish_count(s, all);
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        end += children[n];
        tile.ends[mine + n] = n < count ? end : NOBODY;
    }
    if (threadIdx.x == 0)
        tile.family[parents] = first + parents < s.parents ? family[parents] : NOBODY;
    __syncthreads();

    if (warp == 0) {
        if (threadIdx.x == 0 && s.counts_families)
            publish_last_family(&tile, s, number, parents, goes_on);
        if (threadIdx.x == 0)
            publish_children(s, number, s.mark, all);
        const uint32_t before = children_before(s, number);
        if (threadIdx.x == 0) {
            publish_children(s, number, s.mark + 1, before + all);
            tile.before = before;
        }
    } else if (warp == 1 && goes_on) {
        const uint32_t begin = children_before_family(s, number, tile.family[0]);
        if (threadIdx.x % 32 == 0)
            tile.family_begin = begin;
    }
    __syncthreads();

    const uint64_t population =
        (uint64_t)tile.before + all; /* children of all tiles up to this one */
    if (threadIdx.x == 0 && first + parents == s.parents)
        s.replicas.report->population = population;
    if (s.counts_families)
        report_families_of(&tile, s, count, goes_on);
    if (population <= s.replicas.capacity || s.replicas.interval.all > 0)
        write_children(&tile, s, first, all);
}

#endif
