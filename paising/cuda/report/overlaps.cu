/* Overlaps of pairs of replicas on the device. They equal measure_pairs in cpu/overlaps.c.
 *
 * A block measures 32 pairs, whose difference D it has as words of 32 lanes. Sites and bonds that differ are counted for all
 * lanes at a time, in bit-sliced counters: a thread counts along a row, or over a plane across x. At the end a lane reads
 * its own counts. A lattice that is small enough stands in shared memory. */
#include "cuda/report/overlaps.h"

#include "cuda/device/arrays.h"
#include "cuda/device/lane_counters.cuh"
#include "cuda/engine/bytes.h"
#include "engine/msc_layout.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>

#define THREADS             256
#define OVERLAP_PUBLISHERS  64                                  /* blocks that publish a report */
#define FEW_MEMBERS         (CUDA_LOG_BYTES / sizeof(uint32_t)) /* whose logarithms are in a table */
#define MOST_ROWS_OF_BLOCKS 32768                               /* of a launch */
#define FAMILIES_EACH       4                                   /* replicas of a thread */
#define STAGED_SITES        12288 /* of a lattice in shared memory, at most */
#define STAGED_EDGE         255   /* Lx of one, at most */
#define ROW_NUMBERS         4096 /* numbers of the counts of rows that stand in shared memory at a time */
#define MOST_MEASURING      256 /* threads of a block that measures */

/* Arguments of the kernels. In two dimensions rows are counted along z: edge[1] is 1. */
struct overlap_request {
    cuda_pair_words words; /* [blocks] of the pairs */
    const uint32_t *
        order; /* [Lz][Ly][pitch] where the site x, y, z stands in it; the missing bonds follow (missing_bonds) */
    const uint32_t *other_order; /* the same of words.other */
    cuda_pairs pairs;
    uint32_t sites, edge[MODEL_MAX_DIMENSION];
    const int2 *wave[MODEL_MAX_DIMENSION];
    uint32_t direction[MODEL_MAX_DIMENSION]; /* of the model, that an edge has */
    uint32_t pitch;                          /* of the rows in order[] */
    uint32_t layers;                         /* of rows that are counted at a time */
    overlap_scale scale;
    overlap_report *report;
    uint32_t *differ_bins, *wall_bins; /* [OVERLAP_PARTS][bins] */
};

struct family_request {
    const uint32_t *family; /* [replicas] */
    uint64_t replicas;
    const uint32_t *log_of_few; /* [FEW_MEMBERS] family_log */
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

#define CHUNK       4 /* sites of a row that are counted together */
#define NEAR_SLICES 8 /* of a counter that is emptied before it is full */

/* How lattices of some sizes are measured: in shared memory or not; with so many bits of the counts of rows, and of planes. */
template <bool STAGED_, int ROW_, int PLANE_, bool CUT_ = false> struct pair_counting {
    static constexpr bool staged = STAGED_, cut = CUT_; /* cut: bonds may be missing */
    static constexpr int row = ROW_, plane = PLANE_;
};
typedef pair_counting<true, 4, 8> of_small;
typedef pair_counting<true, 8, 12> of_medium;
typedef pair_counting<false, 12, 16> of_large;

template <typename C> using cut = pair_counting<C::staged, C::row, C::plane, true>;

/* What a warp has counted of a pair. A lattice in shared memory has fewer than 2^16 sites. */
template <typename C> struct pair_part {
    typedef typename std::conditional<C::staged, int32_t, int64_t>::type sum;
    uint32_t differ, walls;
    sum cosine[MODEL_MAX_DIMENSION], sine[MODEL_MAX_DIMENSION];
};

/* The word of D at place n of the tables of places. */
static __device__ __forceinline__ uint32_t difference(const cuda_pair_words &words,
                                                      const uint32_t *order,
                                                      const uint32_t *other_order, uint32_t n) {
    return words.own[order[n]] ^ (words.other ? words.other[other_order[n]] : 0);
}

/* D of a block, by rows. */
template <bool STAGED> struct pair_lattice {
    cuda_pair_words words; /* STAGED: own, by rows */
    const uint32_t *order, *other_order;
    uint32_t columns, pitch;

    __device__ __forceinline__ uint32_t at(uint32_t row, uint32_t x) const {
        const uint32_t n = row * pitch + x;
        return STAGED ? words.own[n] : difference(words, order, other_order, n);
    }
};

/* Whether a lattice of these edges stands in shared memory. */
static bool is_staged(uint32_t lx, uint64_t sites) {
    return sites <= STAGED_SITES && lx <= STAGED_EDGE;
}

/* Rows in shared memory begin in different banks. */
static uint32_t row_pitch(uint32_t columns, bool staged) {
    return staged ? columns | 1 : columns;
}

/* Planes across x whose counts a block of so many threads has at a time. */
static __host__ __device__ __forceinline__ uint32_t planes_at_once(const overlap_request &o,
                                                                   uint32_t threads) {
    return threads < o.edge[0] ? threads : o.edge[0];
}

/* What a block counts in shared memory, in numbers of C::plane and C::row words. */
struct pair_counts {
    uint32_t *of_x; /* [planes_at_once] sites of some planes across x */
    uint32_t *of_y; /* [Ly] of those across y; not where Ly is 1 */
    uint32_t *of_z; /* [layers] of some across z */
    uint32_t *row;  /* [layers Ly] sites of each row */
};

/* Adds up counters of all lanes over a warp: the lane's own count. */
static __device__ __forceinline__ uint32_t warp_count(const lane_counter<NEAR_SLICES> &mine) {
    lane_counter<NEAR_SLICES + 5> sum = {};
#pragma unroll
    for (int k = 0; k < NEAR_SLICES; k++)
        sum.slice[k] = mine.slice[k];
#pragma unroll
    for (int step = 0; step < 5; step++) {
        uint32_t carry = 0;
#pragma unroll
        for (int k = 0; k < NEAR_SLICES + step; k++) {
            const uint32_t a = sum.slice[k], b = __shfl_xor_sync(FULL_WARP, a, 1 << step);
            sum.slice[k] = xor3(a, b, carry);
            carry = majority(a, b, carry);
        }
        sum.slice[NEAR_SLICES + step] = carry;
    }
    return sum.count(threadIdx.x % MACHINE_LANES);
}

/* [Lz][Ly][Lx] which bonds of each site to the sites that follow are missing, if any may be: bit 0 in x, then in y and z. They stand
 * behind order[], which is as long as the longest pitch makes it. */
static __device__ __forceinline__ const uint8_t *missing_bonds(const overlap_request &o) {
    return (const uint8_t *)(o.order + o.edge[2] * o.edge[1] * (o.edge[0] + 1));
}

/* Returns all ones if a bond is there. */
static __device__ __forceinline__ uint32_t there(uint32_t missing, uint32_t bond) {
    return (missing >> bond & 1) - 1;
}

/* Counts sites x .. x + CHUNK - 1 of a row, and their bonds to the sites that follow in each direction. */
template <int BITS, bool STAGED, bool CUT>
static __device__ __forceinline__ void
count_chunk(const overlap_request &o, const pair_lattice<STAGED> &d, uint32_t row, uint32_t below,
            uint32_t behind, uint32_t x, lane_counter<BITS> *sites,
            lane_counter<NEAR_SLICES> *walls) {
    uint32_t own[CHUNK + 1], wall[3 * CHUNK];
#pragma unroll
    for (uint32_t i = 0; i <= CHUNK; i++)
        own[i] = d.at(row, x + i < d.columns ? x + i : 0); /* behind the last stands the first */
#pragma unroll
    for (uint32_t i = 0; i < CHUNK; i++) {
        const uint32_t is = x + i < d.columns ? UINT32_MAX : 0, at = is ? x + i : 0;
        wall[3 * i] = (own[i] ^ own[i + 1]) & is;
        wall[3 * i + 1] = (own[i] ^ d.at(below, at)) & is;
        wall[3 * i + 2] = (own[i] ^ d.at(behind, at)) & is;
        if constexpr (CUT) {
            const uint32_t missing = missing_bonds(o)[row * d.columns + at];
#pragma unroll
            for (uint32_t n = 0; n < 3; n++)
                wall[3 * i + n] &= there(missing, n);
        }
        own[i] &= is;
    }
    uint32_t site[CHUNK], pairs[CHUNK / 2];
#pragma unroll
    for (uint32_t i = 0; i < CHUNK; i++)
        site[i] = own[i];
    lane_counter<3> some;
    some.slice[0] = add_masks(site, pairs);
    some.slice[1] = add_masks(pairs, &some.slice[2]);
    sites->add(some);
    lane_counter<4> bonds;
    uint32_t twos[3 * CHUNK / 2], fours[3 * CHUNK / 4];
    bonds.slice[0] = add_masks(wall, twos);
    bonds.slice[1] = add_masks(twos, fours);
    bonds.slice[2] = add_masks(fours, &bonds.slice[3]);
    walls->add(bonds);
}

template <int BITS>
static __device__ __forceinline__ void store_count(uint32_t *to, const lane_counter<BITS> &sites) {
#pragma unroll
    for (uint32_t k = 0; k < BITS; k += 4)
        *(uint4 *)&to[k] =
            make_uint4(sites.slice[k], sites.slice[k + 1], sites.slice[k + 2], sites.slice[k + 3]);
}

template <int BITS>
static __device__ __forceinline__ lane_counter<BITS> load_count(const uint32_t *from) {
    lane_counter<BITS> sites;
#pragma unroll
    for (uint32_t k = 0; k < BITS; k += 4) {
        const uint4 four = *(const uint4 *)&from[k];
        sites.slice[k] = four.x;
        sites.slice[k + 1] = four.y;
        sites.slice[k + 2] = four.z;
        sites.slice[k + 3] = four.w;
    }
    return sites;
}

/* Counts rows first .. first + rows - 1; returns the lane's bonds that differ among those that its warp has counted. */
template <typename C>
static __device__ __forceinline__ uint32_t count_rows(const overlap_request &o,
                                                      const pair_lattice<C::staged> &d,
                                                      uint32_t first, uint32_t rows, uint32_t *to) {
    const uint32_t ly = o.edge[1], lz = o.edge[2],
                   fill = ((1u << NEAR_SLICES) - 1) / (3 * CHUNK); /* chunks of a counter */
    lane_counter<NEAR_SLICES> walls = {};
    uint32_t count = 0, chunks = 0;
    for (uint32_t n = threadIdx.x; n - threadIdx.x < rows; n += blockDim.x) {
        const uint32_t row = first + n, y = row % ly, z = row / ly;
        const uint32_t below = y + 1 < ly ? row + 1 : row + 1 - ly, /* itself where Ly is 1 */
            behind = z + 1 < lz ? row + ly : y;
        lane_counter<C::row> sites = {};
        for (uint32_t x = 0; x < d.columns; x += CHUNK) {
            if (n < rows)
                count_chunk<C::row, C::staged, C::cut>(o, d, row, below, behind, x, &sites, &walls);
            if (++chunks == fill) {
                count += warp_count(walls);
                walls = lane_counter<NEAR_SLICES>{};
                chunks = 0;
            }
        }
        if (n < rows)
            store_count(to + n * C::row, sites);
    }
    return count + warp_count(walls);
}

/* Counts the sites of the plane across x at x in chunks first, first + step, ... of eight rows. */
template <typename C>
static __device__ __forceinline__ lane_counter<C::plane>
count_plane(const pair_lattice<C::staged> &d, uint32_t rows, uint32_t x, uint32_t first,
            uint32_t step) {
    lane_counter<C::plane> sites = {};
    for (uint32_t row = 8 * first; row < rows; row += 8 * step) {
        uint32_t own[8], twos[4], fours[2];
#pragma unroll
        for (uint32_t i = 0; i < 8; i++)
            own[i] = row + i < rows ? d.at(row + i, x) : 0;
        lane_counter<4> some;
        some.slice[0] = add_masks(own, twos);
        some.slice[1] = add_masks(twos, fours);
        some.slice[2] = add_masks(fours, &some.slice[3]);
        sites.add(some);
    }
    return sites;
}

/* Counts the sites of planes x .. x + planes - 1 across x, one a thread. Where a warp has room for all planes several times,
 * its lanes share the rows of a plane. */
template <typename C>
static __device__ __forceinline__ void count_planes(const pair_lattice<C::staged> &d, uint32_t rows,
                                                    uint32_t x, uint32_t planes, uint32_t *to) {
    const uint32_t thread = threadIdx.x, lx = d.columns, parts = MACHINE_LANES / lx;
    if (parts < 2) {
        if (thread < planes)
            store_count(to + thread * C::plane, count_plane<C>(d, rows, x + thread, 0, 1));
        return;
    }
    if (thread >= MACHINE_LANES || planes == 0)
        return;
    lane_counter<C::plane> sites = {};
    if (thread < parts * lx)
        sites = count_plane<C>(d, rows, thread % lx, thread / lx, parts);
    lane_counter<C::plane> all = sites, other;
    for (uint32_t part = 1; part < parts; part++) {
#pragma unroll
        for (int k = 0; k < C::plane; k++)
            other.slice[k] = __shfl_down_sync(FULL_WARP, sites.slice[k], part * lx);
        all.add(other);
    }
    if (thread < planes)
        store_count(to + thread * C::plane, all);
}

/* Adds the counts of every `step`-th row, `rows` of them, to a plane; `fresh`: to nothing. */
template <typename C>
static __device__ __forceinline__ void add_rows(const uint32_t *row, uint32_t rows, uint32_t step,
                                                bool fresh, uint32_t *to) {
    lane_counter<C::plane> sites = {};
    if (!fresh)
        sites = load_count<C::plane>(to);
    for (uint32_t n = 0; n < rows; n++)
        sites.add(load_count<C::row>(row + n * step * C::row));
    store_count(to, sites);
}

/* Adds the waves of planes first .. first + planes - 1 across edge d to the lane's pair; the warps share them. A plane has at
 * most `most` sites. */
template <typename C>
static __device__ __forceinline__ void add_planes(const overlap_request &o, uint32_t d,
                                                  uint32_t first, uint32_t planes, uint32_t most,
                                                  const uint32_t *plane, pair_part<C> *pair) {
    typedef typename pair_part<C>::sum sum;
    const uint32_t lane = threadIdx.x % MACHINE_LANES, warps = blockDim.x / MACHINE_LANES;
    sum cosine = 0, sine = 0;
    for (uint32_t n = threadIdx.x / MACHINE_LANES; n < planes; n += warps) {
        uint32_t count = 0;
        for (uint32_t k = 0; most >> k; k += 4) {
            const uint4 four = *(const uint4 *)&plane[n * C::plane + k];
            count += ((four.x >> lane & 1) + 2 * (four.y >> lane & 1) + 4 * (four.z >> lane & 1) +
                      8 * (four.w >> lane & 1))
                     << k;
        }
        const int2 wave = o.wave[d][first + n];
        cosine += (sum)wave.x * (int32_t)count;
        sine += (sum)wave.y * (int32_t)count;
        pair->differ += d == 0 ? count : 0;
    }
#pragma unroll
    for (uint32_t to = 0; to < MODEL_MAX_DIMENSION; to++) {
        pair->cosine[to] += to == o.direction[d] ? cosine : 0;
        pair->sine[to] += to == o.direction[d] ? sine : 0;
    }
}

/* Counts the lattice of a block; the lane's pair receives the part of its warp. */
template <typename C>
static __device__ __forceinline__ void count_lattice(const overlap_request &o,
                                                     const pair_lattice<C::staged> &d,
                                                     const pair_counts &c, pair_part<C> *pair) {
    const uint32_t lx = o.edge[0], ly = o.edge[1], lz = o.edge[2], thread = threadIdx.x;
    for (uint32_t x = 0, z = 0; x < lx || z < lz; x += blockDim.x, z += o.layers) {
        const uint32_t across_x = x < lx ? min(blockDim.x, lx - x) : 0,
                       across_z = z < lz ? min(o.layers, lz - z) : 0;
        if (x + z > 0)
            __syncthreads(); /* the counts before were read */
        count_planes<C>(d, ly * lz, x, across_x, c.of_x);
        if (across_z > 0)
            pair->walls += count_rows<C>(o, d, z * ly, across_z * ly, c.row);
        __syncthreads();
        for (uint32_t n = thread; n < across_z; n += blockDim.x)
            add_rows<C>(c.row + n * ly * C::row, ly, 1, true, c.of_z + n * C::plane);
        for (uint32_t y = blockDim.x - 1 - thread; ly > 1 && y < ly; y += blockDim.x)
            add_rows<C>(c.row + y * C::row, across_z, ly, z == 0, c.of_y + y * C::plane);
        __syncthreads();
        add_planes<C>(o, 0, x, across_x, ly * lz, c.of_x, pair);
        add_planes<C>(o, 2, z, across_z, lx * ly, c.of_z, pair);
    }
    if (ly > 1)
        add_planes<C>(o, 1, 0, ly, lx * lz, c.of_y, pair);
}

/* Adds the part of a pair that another warp has counted. */
template <typename C>
static __device__ __forceinline__ void add_part(overlap_pair *pair, const pair_part<C> &found) {
    pair->differ += found.differ;
    pair->walls += found.walls;
#pragma unroll
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

/* Measures the pairs of block blockIdx.x of the request. */
template <typename C>
static __device__ __forceinline__ void measure_block(const overlap_request &o) {
    extern __shared__ uint4 room[]; /* the counts, then the lattice; at the end the warps' pairs */
    const uint32_t lane = threadIdx.x % MACHINE_LANES, warp = threadIdx.x / MACHINE_LANES,
                   warps = blockDim.x / MACHINE_LANES, ly = o.edge[1];
    pair_counts c;
    c.of_x = (uint32_t *)room;
    c.of_y = c.of_x + planes_at_once(o, blockDim.x) * C::plane;
    c.of_z = c.of_y + ly * C::plane;
    c.row = c.of_z + o.layers * C::plane;
    uint32_t *const staged = c.row + o.layers * ly * C::row;
    const uint64_t block = blockIdx.x;
    const cuda_pair_words words = {
        o.words.own + block * o.words.own_each,
        o.words.other ? o.words.other + block * o.words.other_each : NULL, 0, 0};
    const pair_lattice<C::staged> d = {C::staged ? cuda_pair_words{staged, NULL, 0, 0} : words,
                                       o.order, o.other_order, o.edge[0], o.pitch};
    if (C::staged) {
        for (uint32_t n = threadIdx.x; n < o.pitch * ly * o.edge[2]; n += blockDim.x)
            staged[n] = difference(words, o.order, o.other_order, n);
        __syncthreads();
    }
    pair_part<C> part = {};
    count_lattice<C>(o, d, c, &part);
    __syncthreads();
    pair_part<C> *const found = (pair_part<C> *)room; /* [warps][MACHINE_LANES] */
    found[threadIdx.x] = part;
    __syncthreads();
    if (warp > 0)
        return;
    overlap_pair pair = {};
    for (uint32_t n = 0; n < warps; n++)
        add_part(&pair, found[n * MACHINE_LANES + lane]);
    report_pairs(o, (uint64_t)blockIdx.x * MACHINE_LANES + lane, pair);
}

/* The first place of the family of place k, whose replicas are adjacent, from k on downwards: in steps that double, and
 * then by halves. */
static __device__ __forceinline__ uint64_t family_begin(const uint32_t *family, uint64_t k) {
    uint64_t step = 1, begin = k; /* is in the family */
    while (begin >= step && family[begin - step] == family[k]) {
        begin -= step;
        step *= 2;
    }
    for (; step > 0; step /= 2)
        if (begin >= step && family[begin - step] == family[k])
            begin -= step;
    return begin;
}

/* Adds the logarithms of the families that end among this block's replicas. */
static __device__ __forceinline__ void add_logs(const family_request &r, uint32_t block,
                                                uint32_t blocks) {
    const uint32_t *const family = r.family;
    const uint64_t replicas = r.replicas;
    uint64_t logs = 0;
    for (uint64_t k = (uint64_t)block * blockDim.x + threadIdx.x; k < replicas;
         k += blocks * blockDim.x) {
        if (k + 1 < replicas && family[k + 1] == family[k])
            continue;
        const uint64_t members = k + 1 - family_begin(family, k);
        logs += members * (members < FEW_MEMBERS ? r.log_of_few[members] : family_log(members));
    }
    logs = warp_sum(logs);
    if (threadIdx.x % 32 == 0 && logs)
        atomic_add(&r.report->family_logs, logs);
}

/* --- kernels --- */

/* Measures the pairs and the families. The first `of_pairs` blocks of a row measure pairs. */
template <typename C>
static __device__ __forceinline__ void measure(const overlap_request &o, const family_request &f,
                                               uint32_t of_pairs) {
    if (blockIdx.x >= of_pairs)
        add_logs(f, blockIdx.x - of_pairs, gridDim.x - of_pairs);
    else if ((uint64_t)blockIdx.x * MACHINE_LANES < o.pairs.count)
        measure_block<C>(o);
}

template <typename C>
static __global__ void __launch_bounds__(MOST_MEASURING, C::staged ? 5 : 3)
    measure_one(const __grid_constant__ overlap_request o, const __grid_constant__ family_request f,
                uint32_t of_pairs) {
    measure<C>(o, f, of_pairs);
}

/* The same for each member of a batch. */
template <typename C>
static __global__ void __launch_bounds__(BATCH_THREADS)
    measure_batch(const __grid_constant__ batch_requests all, uint32_t of_pairs) {
    __shared__ batch_request r;
    fetch_own_request(&r, all);
    measure<C>(r.overlaps, r.families, of_pairs);
}

/* Where the groups of a round are, one after the other. */
struct group_steps {
    uint32_t words;        /* machine words of a group */
    uint32_t replicas;     /* likewise */
    uint64_t report_bytes; /* from one report to the next */
};

/* The same for each group of a round, one row of blocks each: the request is that of the first. */
template <typename C>
static __global__ void __launch_bounds__(MOST_MEASURING, C::staged ? 5 : 3)
    measure_groups(const __grid_constant__ overlap_request o,
                   const __grid_constant__ group_steps g) {
    __shared__ overlap_request r;
    fetch_request(&r, &o);
    if (threadIdx.x == 0) {
        const uint64_t k = blockIdx.y, words = k * g.words, bytes = k * g.report_bytes;
        r.words.own += words * o.words.own_each;
        r.words.other += words * o.words.other_each;
        r.pairs.family += k * g.replicas;
        r.pairs.partner += k * g.replicas;
        r.report = (overlap_report *)((char *)r.report + bytes);
        r.differ_bins = (uint32_t *)((char *)r.differ_bins + bytes);
        r.wall_bins = (uint32_t *)((char *)r.wall_bins + bytes);
    }
    __syncthreads();
    await_launch_before();
    measure_block<C>(r);
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

/* Publishes a report. The last block sets host->done. */
static __device__ __forceinline__ void publish(const overlap_request &o, overlap_report *host) {
    const uint32_t thread = blockIdx.x * BATCH_THREADS + threadIdx.x;
    uint32_t *const host_bins = (uint32_t *)(host + 1);
    publish_sums(host, o.report, thread);
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
    host->differ = o.report->differ;
    host->walls = o.report->walls;
    o.report->differ = o.report->walls = overlap_range{};
    o.report->done = 0;
    __threadfence_system();
    *(volatile uint64_t *)&host->done = 1;
}

static __global__ void __launch_bounds__(BATCH_THREADS)
    publish_one(const __grid_constant__ overlap_request o, overlap_report *host) {
    publish(o, host);
}

static __global__ void __launch_bounds__(BATCH_THREADS)
    publish_batch(const __grid_constant__ batch_requests all) {
    __shared__ batch_request r;
    fetch_own_request(&r, all);
    publish(r.overlaps, r.host);
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

/* Copies the logarithms of small families to the device. */
static void upload_logs(const cuda_overlaps *o, cuda_population *p) {
    uint32_t table[FEW_MEMBERS] = {};
    for (uint32_t m = 1; m < FEW_MEMBERS; m++)
        table[m] = (uint32_t)family_log(m);
    if (!p->failed)
        CUDA_CHECK(p, cudaMemcpy(o->log_of_few, table, sizeof table, cudaMemcpyHostToDevice));
}

/* Returns where the missing bonds begin in bytes behind the first place. */
static uint64_t missing_at(const spin_model *model) {
    return cuda_order_bytes(model) - (model->incomplete ? model->sites : 0);
}

/* In two dimensions rows are counted along z. The copy from pageable memory returns once the source may be freed. */
void cuda_overlaps_take_sample(const cuda_overlaps *o, cuda_population *p,
                               const spin_model *model) {
    if (p->failed || !o->order || !model->incomplete)
        return;
    uint8_t *const table = (uint8_t *)calloc(1, model->sites);
    if (!table) {
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for overlaps");
        return;
    }
    for (uint64_t site = 0; site < model->sites && model->sample; site++)
        for (uint32_t d = 0; d < model->dimension; d++)
            if (couplings_sign(model->sample, site, d) == 0)
                table[site] |= (uint8_t)(1 << (model->dimension == 2 ? 2 * d : d));
    CUDA_CHECK(p, cudaMemcpyAsync((uint8_t *)o->order + missing_at(model), table, model->sites,
                                  cudaMemcpyHostToDevice, p->stream));
    free(table);
}

/* Copies the table of places in the words of D to the device. */
static void upload_order(const uint32_t *to, cuda_population *p, const spin_model *model,
                         const pair_order &order) {
    const uint32_t lx = model->edge[0], ly = model->edge[1], rows = ly * model->edge[2],
                   half = (uint32_t)model->sites / 2;
    const uint32_t pitch = row_pitch(lx, is_staged(lx, model->sites));
    const uint64_t bytes = missing_at(model);
    uint32_t *const table = (uint32_t *)calloc(1, bytes);
    for (uint32_t row = 0; table && row < rows; row++)
        for (uint32_t x = 0; x < lx; x++) {
            const uint32_t parity = (x + row % ly + row / ly) % 2,
                           site = parity * half + row * (lx / 2) + x / 2;
            table[row * pitch + x] = order.place ? order.place(order.state, site) : site;
        }
    if (!table)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for overlaps");
    else if (!p->failed)
        CUDA_CHECK(p, cudaMemcpy((void *)to, table, bytes, cudaMemcpyHostToDevice));
    free(table);
}

int cuda_overlaps_create(cuda_overlaps *o, cuda_population *p, const spin_model *model,
                         const pair_order &order) {
    *o = cuda_overlaps{};
    if (!model->disordered)
        return 0;
    CUDA_CHECK(p, cuda_take(&o->waves, cuda_wave_bytes(model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->order, cuda_order_bytes(model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->read_order, cuda_order_bytes(model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->log_of_few, CUDA_LOG_BYTES, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->report, cuda_overlap_bytes(model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->host, cuda_overlap_bytes(model), PINNED));
    upload_waves(o, p, model);
    upload_order(o->order, p, model, order);
    upload_order(o->read_order, p, model, pair_order{});
    upload_logs(o, p);
    cuda_overlaps_take_sample(o, p, model);
    if (!p->failed)
        CUDA_CHECK(p, cudaMemset(o->report, 0, cuda_overlap_bytes(model)));
    return p->failed ? -1 : 0;
}

void cuda_overlaps_destroy(cuda_overlaps *o) {
    cuda_array_give(o->waves, ON_DEVICE);
    cuda_array_give(o->order, ON_DEVICE);
    cuda_array_give(o->read_order, ON_DEVICE);
    cuda_array_give(o->log_of_few, ON_DEVICE);
    cuda_array_give(o->report, ON_DEVICE);
    cuda_array_give(o->host, PINNED);
}

/* The kernels, and what decides their shared memory. */
typedef struct {
    uint32_t row, plane; /* words of a count */
    /* without and with bonds that may be missing */
    void (*one[2])(const overlap_request, const family_request, uint32_t);
    void (*batch[2])(const batch_requests, uint32_t);
    void (*groups)(const overlap_request, const group_steps); /* with all bonds */
} measuring_kernels;

template <typename C> static constexpr measuring_kernels kernels_of() {
    return measuring_kernels{C::row,
                             C::plane,
                             {measure_one<C>, measure_one<cut<C>>},
                             {measure_batch<C>, measure_batch<cut<C>>},
                             measure_groups<C>};
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
    const auto kernel = kernels_for(r)->groups;
    if (p->failed)
        return;
    CUDA_CHECK(
        p, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    cuda_launch_early(p, "measure_groups", kernel,
                      dim3(blocks_for(pairs, MACHINE_LANES), groups.groups), threads, bytes, r, g);
}

/* Writes lanes in the order of `read`: a row of blocks a machine word, one thread a place in the tables. */
static __global__ void order_lanes(const uint32_t *own, const uint32_t *order,
                                   const uint32_t *read_order, uint32_t places, uint32_t pitch,
                                   uint32_t columns, uint32_t own_each, uint32_t sites,
                                   uint32_t *to) {
    const uint64_t word = blockIdx.y;
    const uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < places && n % pitch < columns)
        to[word * sites + read_order[n]] = own[word * own_each + order[n]];
}

void cuda_overlaps_order(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                         const cuda_pair_words &pairs, uint64_t words, uint32_t *to) {
    const uint32_t lx = model->edge[0], pitch = row_pitch(lx, is_staged(lx, model->sites)),
                   places = pitch * model->edge[1] * model->edge[2];
    for (uint64_t first = 0; first < words && !p->failed; first += MOST_ROWS_OF_BLOCKS) {
        const uint64_t left = words - first;
        const unsigned rows = left < MOST_ROWS_OF_BLOCKS ? (unsigned)left : MOST_ROWS_OF_BLOCKS;
        order_lanes<<<dim3(blocks_for(places, 256), rows), 256, 0, p->stream>>>(
            pairs.own + first * pairs.own_each, o->order, o->read_order, places, pitch, lx,
            pairs.own_each, (uint32_t)model->sites, to + first * model->sites);
        cuda_check_launch(p, "order_lanes");
    }
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
