/* The kernel of a round of words of 32 samples (engine/sample_sums.h): exchanges, sweeps, a measurement and the overlaps of all
 * temperatures, chains and samples in one launch.
 *
 * A row of blocks has a temperature, and a block some groups of 32 samples with all of their chains, in shared memory. It decides by the
 * levels of the round before, as the block of the other temperature does, and takes the exchanged bits of the other word:
 *
 *     word = own ^ ((own ^ partner) & accepted)
 *
 * Sweeps are those of msc/flips.cuh, with couplings of a word each. Then bonds and planes are counted in bit slices, a thread reads the
 * counts of a lane, and adds to the sums, which no other block writes. */
#ifndef PAISING_CUDA_SAMPLES_ROUND_CUH
#define PAISING_CUDA_SAMPLES_ROUND_CUH

#include "cuda/device/launches.cuh"
#include "cuda/msc/flips.cuh"
#include "cuda/msc/measure.cuh"
#include "cuda/samples/lattices.cuh"
#include "cuda/samples/request.cuh"

/* What flips.cuh reads of a step. */
struct sample_step {
    const sample_round &own;
    const plane_branches &planes;
    const point_marks &points;
    const double *more_than;
};

static __device__ __forceinline__ const double *more_than_of(const sample_step &step) {
    return step.more_than;
}

static __device__ __forceinline__ const site_rule *at_sites_of(const sample_step &) {
    return NULL;
}

/* A block's shared memory: its lattices, a board a warp, the counts of each lattice and the lanes that it has exchanged. The counts of
 * planes stand where the boards were. */
struct sample_memory {
    uint32_t boards; /* offset in bytes */
    lane_counts *counts;
    uint32_t *accepted, *planes;
};

static __host__ __device__ __forceinline__ uint32_t planes_of(const lattice_shape &shape,
                                                              uint32_t dimension) {
    return shape.edge[0] + shape.edge[1] + (dimension == 3 ? shape.edge[2] : 0);
}

/* Bytes behind the lattices before the counts. */
template <typename LATTICE>
static __host__ __device__ __forceinline__ size_t board_bytes_of(const sample_round &r,
                                                                 uint32_t threads) {
    const size_t boards = threads / 32 * sizeof(point_board<LATTICE::words>),
                 planes = (size_t)r.together * (r.chains / 2) * planes_of(r.shape, r.dimension) *
                          PLANE_SLICES * sizeof(uint32_t);
    return boards > planes ? boards : planes;
}

template <typename LATTICE> static size_t sample_block_bytes(const sample_round &r) {
    const uint32_t lattices = r.together * r.chains;
    return boards_behind((size_t)lattices * r.shape.quads * sizeof(uint4)) +
           board_bytes_of<LATTICE>(r, lattices * r.stride) +
           lattices * (sizeof(lane_counts) + sizeof(uint32_t));
}

template <typename LATTICE>
static __device__ __forceinline__ sample_memory memory_of(uint4 *shared, const sample_round &r) {
    const uint32_t lattices = r.together * r.chains;
    sample_memory m;
    m.boards = (uint32_t)boards_behind((size_t)lattices * r.shape.quads * sizeof(uint4));
    m.planes = (uint32_t *)((char *)shared + m.boards);
    m.counts = (lane_counts *)((char *)shared + m.boards + board_bytes_of<LATTICE>(r, blockDim.x));
    m.accepted = (uint32_t *)(m.counts + lattices);
    return m;
}

/* --- exchanges --- */

/* Which lanes of chain `chain` are exchanged between temperatures k and k + 1. Threads: a full warp. */
static __device__ __forceinline__ uint32_t decide(const sample_round &r, uint32_t k, uint32_t group,
                                                  uint32_t chain) {
    const uint32_t lane = threadIdx.x % 32,
                   each = r.groups * r.chains * MACHINE_LANES; /* of a temperature */
    const uint32_t *const level =
        r.level_from + (size_t)k * each + (group * r.chains + chain) * MACHINE_LANES + lane;
    const bool accepted =
        exchange_is_accepted(r.table, r.own[group * MACHINE_LANES + lane], r.number, k, chain,
                             (int64_t)__ldcg(level) - __ldcg(level + each));
    return __ballot_sync(FULL_WARP, accepted);
}

/* The lower temperature of the pair of temperature k in this round; none: r.temperatures. */
static __device__ __forceinline__ uint32_t lower_of(const sample_round &r, uint32_t k) {
    const uint32_t first = r.number % 2, lower = k - ((k - first) & 1);
    return r.exchanges && k >= first && lower + 1 < r.temperatures ? lower : r.temperatures;
}

#define QUADS_TOGETHER 4 /* that a thread loads at once */

/* Fills quads n, n + step, ... of a lattice, those below `quads`, with the thread's own, and in the accepted lanes with the partner's. */
static __device__ __forceinline__ void load_quads(uint4 *lattice, const uint4 *own,
                                                  const uint4 *partner, uint32_t n, uint32_t step,
                                                  uint32_t quads, uint32_t accepted) {
    uint4 quad[QUADS_TOGETHER], other[QUADS_TOGETHER];
#pragma unroll
    for (uint32_t i = 0; i < QUADS_TOGETHER; i++) {
        const uint32_t at = min(n + i * step, quads - 1);
        quad[i] = __ldcg(own + at);
        other[i] = accepted ? __ldcg(partner + at) : quad[i];
    }
#pragma unroll
    for (uint32_t i = 0; i < QUADS_TOGETHER; i++) {
        quad[i].x ^= (quad[i].x ^ other[i].x) & accepted;
        quad[i].y ^= (quad[i].y ^ other[i].y) & accepted;
        quad[i].z ^= (quad[i].z ^ other[i].z) & accepted;
        quad[i].w ^= (quad[i].w ^ other[i].w) & accepted;
        if (n + i * step < quads)
            lattice[n + i * step] = quad[i];
    }
}

/* --- planes --- */

/* Counts the sites of plane `plane` that are set in a lattice, to its slices. */
static __device__ __forceinline__ void count_plane(const sample_round &r, const uint32_t *lattice,
                                                   uint32_t plane, uint32_t *slices) {
    uint32_t d = 0, x = plane, edge = r.shape.edge[0];
    while (x >= edge) {
        x -= edge;
        edge = r.shape.edge[++d];
    }
    const uint32_t sites = sites_of(r.shape), each = sites / edge;
    const uint16_t *const word = r.plane_word + d * sites + x;
    lane_counter<PLANE_SLICES> sum = {};
    for (uint32_t n = 0; n < each; n += 8) {
        uint32_t own[8], twos[4], fours[2];
#pragma unroll
        for (uint32_t i = 0; i < 8; i++)
            own[i] = lattice[__ldg(word + min(n + i, each - 1) * edge)] &
                     (n + i < each ? UINT32_MAX : 0);
        lane_counter<4> some;
        some.slice[0] = add_masks(own, twos);
        some.slice[1] = add_masks(twos, fours);
        some.slice[2] = add_masks(fours, &some.slice[3]);
        sum.add(some);
    }
#pragma unroll
    for (int k = 0; k < PLANE_SLICES; k++)
        slices[k] = sum.slice[k];
}

/* Fills the waves of a lane, and its number of sites, from the slices of all planes. */
static __device__ __forceinline__ void read_planes(const sample_round &r, const uint32_t *slices,
                                                   uint32_t lane, overlap_pair *pair) {
    const int2 *wave = r.wave;
#pragma unroll
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++) {
        int32_t cosine = 0, sine = 0;
        uint32_t sites = 0;
        for (uint32_t x = 0; d < r.dimension && x < r.shape.edge[d];
             x++, slices += PLANE_SLICES, wave++) {
            uint32_t count = 0;
#pragma unroll
            for (uint32_t k = 0; k < PLANE_SLICES; k++)
                count |= (slices[k] >> lane & 1) << k;
            const int2 w = __ldg(wave);
            cosine += w.x * (int32_t)count;
            sine += w.y * (int32_t)count;
            sites += count;
        }
        pair->cosine[d] = cosine;
        pair->sine[d] = sine;
        if (d == 0)
            pair->differ = sites;
    }
}

/* --- the kernel --- */

/* Where a thread is. */
struct sample_place {
    uint32_t k, lattice, member; /* temperature; lattice in the block; thread of it */
    uint32_t group, chain;
    bool active;
};

static __device__ __forceinline__ sample_place place_of(const sample_round &r) {
    sample_place p;
    p.k = r.first + blockIdx.y;
    p.lattice = threadIdx.x / r.stride;
    p.member = threadIdx.x % r.stride;
    p.group = blockIdx.x * r.together + p.lattice / r.chains;
    p.chain = p.lattice % r.chains;
    p.active = p.group < r.groups;
    return p;
}

/* Lattices of at most a warp need no barrier of the block. */
static __device__ __forceinline__ void wait_for_lattice(const sample_round &r) {
    if (r.stride > 32)
        __syncthreads();
    else
        __syncwarp();
}

template <typename LATTICE>
static __device__ __forceinline__ void sweep_lattice(const sample_round &r, const sample_place &p,
                                                     uint32_t lattice, uint32_t boards,
                                                     const sample_bonds &bonds) {
    const group_rule &rule = r.rule[blockIdx.y];
    const sample_step step = {r, rule.planes, rule.points,
                              r.more_than + (size_t)p.k * BERNOULLI_MOST_POINTS};
    const uint32_t strip = p.active ? p.member : NO_STRIP / 2, owner = p.k * r.chains + p.chain,
                   group = kept(strips_of_group(rule.points, r.shape.strips, strip));
    const typename LATTICE::place place = LATTICE::place_of(r.shape, strip, lattice);
    const stream_block seed = stream_draw(r.key[p.active ? p.group : 0], STREAM_MWC,
                                          strip % (1u << 28), owner, 0, r.number + 1);
    strip_stream stream = {mwc_seed(seed.number[0], seed.number[1], seed.number[2], seed.number[3]),
                           0};
    sweep_place at = {owner, 0, shared_window(), LATTICE::distances(r.shape), {}, {}};
    at.board = place_on_board<LATTICE::words>(boards, rule.points.group);
#pragma unroll 1
    for (at.half_sweep = 0; at.half_sweep < 2 * r.sweeps; at.half_sweep++) {
        strip_spins spins =
            load_spins<LATTICE>(at, place, has_strip<RNG_INDEPENDENT>(at, place, group));
        flip_strip<LATTICE, RNG_INDEPENDENT, MACHINE_LANES>(step, at, place, bonds, group, stream,
                                                            spins);
        wait_for_lattice(r);
    }
}

/* Adds the measurements of group `group`, the one number `n` of the block. Walls were counted in the place of spins up. Threads: a full
 * warp. */
static __device__ __forceinline__ void add_sums(const sample_round &r, uint32_t k, uint32_t group,
                                                uint32_t n, const sample_memory &m) {
    const uint32_t lane = threadIdx.x % 32, pairs = r.overlaps ? r.chains / 2 : 0,
                   slices = planes_of(r.shape, r.dimension) * PLANE_SLICES;
    const bool exchanged = lower_of(r, k) == k;
    uint64_t sum[LANE_SUMS] = {};
    for (uint32_t chain = 0; chain < r.chains; chain++) {
        const uint32_t at = n * r.chains + chain;
        lane_add_level(sum, m.counts[at].bonds[lane] / 2);
        sum[LANE_ACCEPTED] += exchanged ? m.accepted[at] >> lane & 1 : 0;
    }
    for (uint32_t chain = 0; chain < pairs; chain++) {
        overlap_pair pair;
        read_planes(r, m.planes + (n * pairs + chain) * slices, lane, &pair);
        pair.walls = m.counts[n * r.chains + chain].up[lane];
        lane_add_pair(sum, sites_of(r.shape), r.waves, &pair);
    }
    uint64_t *const to = r.sums + ((size_t)k * r.groups + group) * LANE_SUMS * MACHINE_LANES + lane;
#pragma unroll
    for (uint32_t of = 0; of < LANE_SUMS; of++)
        to[of * MACHINE_LANES] = __ldcg(&to[of * MACHINE_LANES]) + sum[of];
}

/* Adds the counters of the threads of a lattice in the place of spins up. */
static __device__ __forceinline__ void add_walls(const strip_counters &walls, uint32_t width,
                                                 lane_counts *counts) {
    strip_counters c = {};
    c.up = walls.bonds;
    add_counters(c, width, counts);
}

template <typename LATTICE>
static __global__ void __maxnreg__(SAMPLE_REGISTERS)
    make_sample_round(const __grid_constant__ sample_round r) {
    extern __shared__ __align__(BOARD_ALIGNMENT) uint4 shared[];
    const sample_memory m = memory_of<LATTICE>(shared, r);
    const sample_place p = place_of(r);
    const uint32_t lattices = r.together * r.chains, quads = r.shape.quads, warp = threadIdx.x / 32,
                   warps = blockDim.x / 32, width = min(r.stride, 32u);
    uint4 *const lattice = shared + p.lattice * quads;
    const uint32_t at = place_in_window(lattice), lower = lower_of(r, p.k);
    for (uint32_t n = threadIdx.x; n < lattices * 2 * MACHINE_LANES; n += blockDim.x)
        ((uint32_t *)m.counts)[n] = 0;
    await_launch_before();

    for (uint32_t n = warp; n < lattices; n += warps) {
        const uint32_t group = blockIdx.x * r.together + n / r.chains;
        if (lower < r.temperatures && group < r.groups)
            m.accepted[n] = decide(r, lower, group, n % r.chains);
        else
            m.accepted[n] = 0;
    }
    __syncthreads();
    const size_t word = ((size_t)p.k * r.groups + p.group) * r.chains + p.chain;
    if (p.active) {
        const ptrdiff_t step = (ptrdiff_t)r.groups * r.chains * quads;
        const uint4 *const own = (const uint4 *)r.from + word * quads;
        for (uint32_t n = p.member; n < quads; n += QUADS_TOGETHER * r.stride)
            load_quads(lattice, own, p.k == lower ? own + step : own - step, n, r.stride, quads,
                       m.accepted[p.lattice]);
    }
    __syncthreads();

    const uint32_t strip = p.member < r.shape.strips ? p.member : 0;
    const sample_bonds bonds = {
        r.couplings + (size_t)(p.active ? p.group : 0) * LATTICE::bond_quads * r.shape.strips +
            strip,
        r.shape.strips};
    sweep_lattice<LATTICE>(r, p, at, place_in_window(shared) + m.boards, bonds);
    __syncthreads();

    allow_next_launch();
    const typename LATTICE::place place = LATTICE::place_of(r.shape, p.member, at);
    const bool has_strip = p.active && p.member < r.shape.strips;
    strip_counters count = {};
    if (has_strip)
        count = LATTICE::count(shared_window(), r.shape, place, bonds);
    __syncwarp();
    add_counters(count, width, &m.counts[p.lattice]);
    for (uint32_t n = p.member; p.active && n < quads; n += r.stride)
        ((uint4 *)r.to)[word * quads + n] = lattice[n];
    __syncthreads();
    for (uint32_t n = warp; n < lattices; n += warps) {
        const uint32_t group = blockIdx.x * r.together + n / r.chains, lane = threadIdx.x % 32;
        if (group < r.groups)
            r.level_to[(((size_t)p.k * r.groups + group) * r.chains + n % r.chains) *
                           MACHINE_LANES +
                       lane] = m.counts[n].bonds[lane] / 2;
    }
    if (!r.measures)
        return;

    if (r.overlaps) {
        const uint32_t pairs = r.chains / 2, planes = planes_of(r.shape, r.dimension);
        if (p.chain < pairs)
            for (uint32_t n = p.member; n < quads; n += r.stride) {
                const uint4 other = shared[(p.lattice + pairs) * quads + n];
                lattice[n].x ^= other.x;
                lattice[n].y ^= other.y;
                lattice[n].z ^= other.z;
                lattice[n].w ^= other.w;
            }
        __syncthreads();
        strip_counters walls = {};
        if (has_strip && p.chain < pairs)
            walls = LATTICE::plain::count(shared_window(), r.shape, place, no_bonds{});
        __syncwarp();
        add_walls(walls, width, &m.counts[p.lattice]);
        for (uint32_t n = threadIdx.x; n < r.together * pairs * planes; n += blockDim.x) {
            const uint32_t pair = n / planes,
                           of = pair / pairs * r.chains + pair % pairs; /* its lattice */
            count_plane(r, (const uint32_t *)(shared + of * quads), n % planes,
                        m.planes + n * PLANE_SLICES);
        }
    }
    __syncthreads();
    for (uint32_t n = warp; n < r.together; n += warps)
        if (blockIdx.x * r.together + n < r.groups)
            add_sums(r, p.k, blockIdx.x * r.together + n, n, m);
}

/* The random states of all temperatures: a thread draws four sites of a word. */
template <typename LATTICE>
static __global__ void randomise_samples(uint32_t *spins, lattice_shape shape, uint32_t groups,
                                         uint32_t chains, uint64_t quads, const stream_key *key) {
    const uint32_t each = sites_of(shape) / 4;
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, word = n / each;
    if (n >= quads)
        return;
    const uint32_t chain = (uint32_t)(word % chains), group = (uint32_t)(word / chains % groups),
                   k = (uint32_t)(word / chains / groups), quad = (uint32_t)(n % each);
    const stream_block b =
        stream_draw(key[group], STREAM_RANDOMISE, quad, k * chains + chain, 0, 0);
    for (uint32_t i = 0; i < 4; i++)
        spins[word * 4 * shape.quads + LATTICE::word_of_site(shape, 4 * quad + i)] = b.number[i];
}

#endif
