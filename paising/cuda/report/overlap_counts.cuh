/* Counting of a block's 32 pairs of replicas (overlaps.cu): sites and bonds that differ, of all lanes at a time, in bit-sliced
 * counters. A thread counts along a row, or over a plane across x; at the end a lane reads its own counts. */
#ifndef PAISING_CUDA_REPORT_OVERLAP_COUNTS_CUH
#define PAISING_CUDA_REPORT_OVERLAP_COUNTS_CUH

#include "cuda/device/lane_counters.cuh"
#include "cuda/report/overlap_request.cuh"

#include <type_traits>

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
    const uint32_t at = order[n], other_at = order == other_order ? at : other_order[n];
    return words.own[at] ^ (words.other ? words.other[other_at] : 0);
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

/* [Lz][Ly][Lx] which bonds of each site to the sites that follow are missing, if any may be: bit 0 in x, then in y and z.
 * They stand behind order[], which is as long as the longest pitch makes it. */
static __device__ __forceinline__ const uint8_t *missing_bonds(const overlap_request &o) {
    return (const uint8_t *)(o.order + o.edge[2] * o.edge[1] * (o.edge[0] + 1));
}

/* Returns all ones if a bond is there. */
static __device__ __forceinline__ uint32_t there(uint32_t missing, uint32_t bond) {
    return (missing >> bond & 1) - 1;
}

/* Counts sites x .. x + CHUNK - 1 of a row, and their bonds to the sites that follow in each direction. WHOLE: all are there. */
template <bool WHOLE, int BITS, bool STAGED, bool CUT>
static __device__ __forceinline__ void
count_chunk(const overlap_request &o, const pair_lattice<STAGED> &d, uint32_t row, uint32_t below,
            uint32_t behind, uint32_t x, lane_counter<BITS> *sites,
            lane_counter<NEAR_SLICES> *walls) {
    uint32_t own[CHUNK + 1], wall[3 * CHUNK];
#pragma unroll
    for (uint32_t i = 0; i <= CHUNK; i++) /* behind the last stands the first */
        own[i] = d.at(row, (WHOLE && i < CHUNK) || x + i < d.columns ? x + i : 0);
#pragma unroll
    for (uint32_t i = 0; i < CHUNK; i++) {
        const uint32_t is = WHOLE || x + i < d.columns ? UINT32_MAX : 0, at = is ? x + i : 0;
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
            if (n < rows && x + CHUNK <= d.columns)
                count_chunk<true, C::row, C::staged, C::cut>(o, d, row, below, behind, x, &sites,
                                                             &walls);
            else if (n < rows)
                count_chunk<false, C::row, C::staged, C::cut>(o, d, row, below, behind, x, &sites,
                                                              &walls);
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
        for (uint32_t i = 0; i < 8; i++) /* loads without branches are in flight together */
            own[i] = d.at(min(row + i, rows - 1), x) & (row + i < rows ? UINT32_MAX : 0);
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

/* Transposes 32 x 32 bits: lane r receives bit r of the word of lane j in bit j. Threads: a full warp. */
static __device__ __forceinline__ uint32_t transpose_lanes(uint32_t word) {
    uint32_t mask = 0xffff;
#pragma unroll
    for (uint32_t step = 16; step > 0; step /= 2) {
        const uint32_t other = __shfl_xor_sync(FULL_WARP, word, step);
        word = threadIdx.x & step ? (word & ~mask) | (other >> step & mask)
                                  : (word & mask) | (other << step & ~mask);
        mask ^= mask << step / 2;
    }
    return word;
}

/* Adds the waves of planes first .. first + planes - 1 across edge d to the lane's pair; the warps share them, some at a
 * time: lanes take the words of their counts, and receive their own counts side by side. */
template <typename C>
static __device__ __forceinline__ void add_planes(const overlap_request &o, uint32_t d,
                                                  uint32_t first, uint32_t planes,
                                                  const uint32_t *plane, pair_part<C> *pair) {
    typedef typename pair_part<C>::sum sum;
    constexpr uint32_t bits = C::plane <= 8 ? 8 : 16, some = MACHINE_LANES / bits;
    const uint32_t lane = threadIdx.x % MACHINE_LANES, warps = blockDim.x / MACHINE_LANES;
    sum cosine = 0, sine = 0;
    for (uint32_t n = threadIdx.x / MACHINE_LANES * some; n < planes; n += warps * some) {
        const uint32_t at = n + lane / bits, bit = lane % bits;
        const uint32_t counts =
            transpose_lanes(at < planes && bit < C::plane ? plane[at * C::plane + bit] : 0);
#pragma unroll
        for (uint32_t k = 0; k < some; k++) { /* behind the last plane counts are 0 */
            const int2 wave = o.wave[d][first + min(n + k, planes - 1)];
            const uint32_t count = counts >> k * bits & ((1u << bits) - 1);
            cosine += (sum)wave.x * (int32_t)count;
            sine += (sum)wave.y * (int32_t)count;
            pair->differ += d == 0 ? count : 0;
        }
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
        add_planes<C>(o, 0, x, across_x, c.of_x, pair);
        add_planes<C>(o, 2, z, across_z, c.of_z, pair);
    }
    if (ly > 1)
        add_planes<C>(o, 1, 0, ly, c.of_y, pair);
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

#endif
