/* The single-spin-coded engine's kernels (Sec. 3): one byte a spin, the sub-lattices apart, a group
 * of threads a pair of replicas. What they compute, bit for bit: metropolis_sweep() and
 * measure_lattice() in reference/plain.c.
 *
 * One kernel makes a whole temperature step: it reads two parents, sweeps them theta times and
 * measures them while they lie in shared memory (in device memory where the lattice is too large),
 * and writes the children: two bytes of device memory a spin and temperature. While they are worked
 * on, the two spins of a site share a byte: those of replica k, which is even, are in the low
 * nibbles, those of replica k + 1 in the high ones. A thread takes the sites of a quad (streams.h)
 * at once: where rows are a multiple of four sites, as the four bytes of a register, eight spins for
 * the price of one. What each flip has to itself is a quarter of a Philox call, less what the pair
 * shares of it (ssc_numbers.h), and two comparisons. With the stages apart the same kernel
 * makes the parts of the step one by one (step_parts). */
#include "ssc.h"

#include "bytes.h"
#include "engine/ssc_numbers.h"

#define BLOCK_THREADS  256
#define BLOCKS_AT_ONCE 5 /* on a multiprocessor: what registers must allow */
#define UNROLLED_QUADS 8 /* of a thread, where their number is known */

struct ssc_step {
    cuda_replicas replicas;
    const uint8_t *parents; /* [replicas][2][half_bytes] */
    uint8_t *children;
    uint32_t size; /* L */
    uint32_t half_bytes;
    uint32_t group; /* threads a pair */
    uint32_t sweeps;
    uint32_t temperature;
    ssc_keys keys;
    rounding thresholds;
    uint32_t first_replica; /* of the range, among those that streams are counted by */
};

/* --- quads: four sites of one row, as the bytes of a register --- */

/* Where a quad stands, and its neighbours in the other sub-lattice, as indices of quads. The one
 * across has its own index; the fourth neighbours are those across moved by a column, which
 * takes a byte from the quad beside. */
struct quad_place {
    uint32_t own, above, below, beside;
    uint32_t moved; /* byte selector of across and beside */
};

static __device__ __forceinline__ quad_place place_quad(uint32_t size, uint32_t parity,
                                                        uint32_t quad) {
    const uint32_t row_quads = size / 8, row = quad / row_quads, j = quad % row_quads;
    const uint32_t above = row ? row - 1 : size - 1, below = row + 1 < size ? row + 1 : 0;
    const uint32_t right = j + 1 < row_quads ? j + 1 : 0, left = j ? j - 1 : row_quads - 1;
    const bool to_right = (row + parity) % 2;
    return quad_place{quad, above * row_quads + j, below * row_quads + j,
                      row * row_quads + (to_right ? right : left), to_right ? 0x4321u : 0x2107u};
}

/* The neighbours up of each spin of a quad, 0 to 4. */
static __device__ __forceinline__ uint32_t ups_around(const uint32_t *other,
                                                      const quad_place &place) {
    const uint32_t across = other[place.own];
    const uint32_t side = __byte_perm(across, other[place.beside], place.moved);
    return other[place.above] + across + other[place.below] + side;
}

/* --- the same for lattices whose rows are not a multiple of four sites: site by site --- */

/* The neighbours up of the two spins of a site. */
static __device__ __forceinline__ uint32_t ups_around_site(const uint8_t *other, uint32_t size,
                                                           uint32_t parity, uint32_t site) {
    const uint32_t columns = size / 2, row = site / columns, j = site % columns;
    const uint32_t above = row ? row - 1 : size - 1, below = row + 1 < size ? row + 1 : 0;
    const uint32_t right = j + 1 < columns ? j + 1 : 0, left = j ? j - 1 : columns - 1;
    const uint32_t side = (row + parity) % 2 ? right : left;
    return other[above * columns + j] + other[site] + other[below * columns + j] +
           other[row * columns + side];
}

/* --- the Metropolis update, of as many spins as a register has nibbles --- */

/* The number d of antiparallel neighbours of each spin, from the number of those up. */
static __device__ __forceinline__ uint32_t antiparallel(uint32_t spins, uint32_t ups) {
    const uint32_t spin_up = spins * 0xf; /* all ones in the nibbles of spins up */
    return (ups & ~spin_up) | ((0x44444444u - ups) & spin_up);
}

/* How many of the two thresholds each of four numbers is below, in every other nibble from bit `from` on. In
 * C the compiler makes three instructions of a comparison and the addition that depends on it; these are two. */
static __device__ __forceinline__ uint32_t thresholds_above(const stream_block &b,
                                                            const threshold_set &t, uint32_t from) {
    uint32_t nibbles = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++)
#pragma unroll
        for (uint32_t d = 0; d < 2; d++)
            asm("{.reg .pred below;\n"
                "setp.lt.u32 below, %1, %2;\n"
                "@below add.u32 %0, %0, %3;}"
                : "+r"(nibbles)
                : "r"(b.number[n]), "r"(t.threshold[d]), "r"(1u << (8 * n + from)));
    return nibbles;
}

/* The spins after the update: one with d >= 2 flips; one with d < 2 gains the energy 8 - 4 d and flips if
 * its number is below threshold d. As the threshold of d = 0 is the lower one, these are the spins for which d
 * and the number of thresholds above make at least 2: with 6, bit 3 of the nibble. */
static __device__ __forceinline__ uint32_t flip(uint32_t spins, uint32_t ups, uint32_t above) {
    const uint32_t reached = antiparallel(spins, ups) + above + 0x66666666u;
    return spins ^ (reached >> 3 & 0x11111111u);
}

/* --- a temperature step --- */

/* SIZE is L where it is known at compile time, ANY_QUADS for other multiples of eight, ANY_SITES
 * for other sizes. */
#define ANY_SITES 0
#define ANY_QUADS 1

/* Threads a pair: as many as a sub-lattice has quads, in a power of two. */
static __host__ __device__ constexpr uint32_t group_for(uint32_t size) {
    uint32_t group = 1;
    while (group < BLOCK_THREADS && 4 * group < size * size / 2)
        group *= 2;
    return group;
}

/* What decides the spins of a pair in a sweep. */
struct pair_sweep {
    threshold_set thresholds[2];
    ssc_moment moment[2];
};

/* The thresholds above the numbers of a quad, in the nibbles of its spins. */
static __device__ __forceinline__ uint32_t decide_quad(const ssc_step &step,
                                                       const pair_sweep &sweep, uint32_t quad) {
    const ssc_place place = ssc_place_of(&step.keys, quad, step.temperature);
    uint32_t above = 0;
#pragma unroll
    for (uint32_t n = 0; n < 2; n++)
        above += thresholds_above(ssc_numbers(&step.keys, place, sweep.moment[n]),
                                  sweep.thresholds[n], 4 * n);
    return above;
}

/* The quads of a sub-lattice that fall to a thread. Where everything is known, they are a whole, even number
 * of rows apart, so that their neighbours stand at the same distances but at the edges of the lattice. */
template <uint32_t SIZE> struct thread_quads {
    static constexpr uint32_t row = SIZE / 8, apart = group_for(SIZE),
                              count = SIZE * SIZE / 8 / apart;
    static_assert(count == 1 || apart % (2 * row) == 0, "rows apart");
    quad_place first, last;

    __device__ __forceinline__ thread_quads(const ssc_step &, uint32_t parity, uint32_t member)
        : first(place_quad(SIZE, parity, member)),
          last(place_quad(SIZE, parity, member + (count - 1) * apart)) {
    }

    __device__ __forceinline__ quad_place place(uint32_t n) const {
        const uint32_t own = first.own + n * apart;
        return quad_place{own, n == 0 ? first.above : own - row,
                          n == count - 1 ? last.below : own + row, first.beside + n * apart,
                          first.moved};
    }
};

template <> struct thread_quads<ANY_QUADS> {
    uint32_t size, parity, member, apart, count;

    __device__ __forceinline__ thread_quads(const ssc_step &step, uint32_t parity, uint32_t member)
        : size(step.size), parity(parity), member(member), apart(step.group),
          count((step.size * step.size / 8 + step.group - 1 - member) / step.group) {
    }

    __device__ __forceinline__ quad_place place(uint32_t n) const {
        return place_quad(size, parity, member + n * apart);
    }
};

/* The update of a thread's part of one sub-lattice. */
template <uint32_t SIZE>
static __device__ __forceinline__ void
sweep_sub_lattice(uint8_t *lattice, uint32_t half_bytes, const ssc_step &step,
                  const pair_sweep &sweep, uint32_t parity, uint32_t member) {
    uint8_t *const own = lattice + parity * half_bytes;
    const uint8_t *const other = lattice + (parity ? 0 : half_bytes);
    const uint32_t size = SIZE > ANY_QUADS ? SIZE : step.size, sites = size * size / 2;
    const uint32_t quads = (sites + 3) / 4;
    if constexpr (SIZE == ANY_SITES) {
        for (uint32_t quad = member; quad < quads; quad += step.group) {
            const uint32_t above = decide_quad(step, sweep, parity * quads + quad);
            for (uint32_t n = 0; n < 4 && 4 * quad + n < sites; n++) {
                const uint32_t site = 4 * quad + n;
                const uint32_t ups = ups_around_site(other, size, parity, site);
                own[site] = (uint8_t)flip(own[site], ups, above >> 8 * n & 0xff);
            }
        }
    } else {
        const thread_quads<SIZE> mine(step, parity, member);
        constexpr int unrolled = SIZE > ANY_QUADS ? UNROLLED_QUADS : 1;
#pragma unroll(unrolled)
        for (uint32_t n = 0; n < mine.count; n++) {
            const quad_place place = mine.place(n);
            uint32_t *const spins = (uint32_t *)own + place.own;
            *spins = flip(*spins, ups_around((const uint32_t *)other, place),
                          decide_quad(step, sweep, parity * quads + place.own));
        }
    }
}

/* Waits for the threads of the pair. */
template <uint32_t SIZE> static __device__ __forceinline__ void wait_for_group() {
    if (SIZE > ANY_QUADS && group_for(SIZE) <= 32)
        __syncwarp();
    else
        __syncthreads();
}

/* Antiparallel bonds and spins up: what a thread has seen of a replica. */
struct spin_counts {
    uint32_t bonds, ups;
};

/* Adds those of a quad, or of a site, of the even sub-lattice and of that across it. */
static __device__ __forceinline__ void count_spins(spin_counts seen[2], uint32_t even, uint32_t odd,
                                                   uint32_t ups) {
    const uint32_t bonds = antiparallel(even, ups), up = even + odd;
#pragma unroll
    for (uint32_t n = 0; n < 2; n++) {
        seen[n].bonds = __dp4a(bonds >> 4 * n & 0x0f0f0f0fu, 0x01010101u, seen[n].bonds);
        seen[n].ups = __dp4a(up >> 4 * n & 0x0f0f0f0fu, 0x01010101u, seen[n].ups);
    }
}

/* What a thread sees of its pair. */
template <uint32_t SIZE>
static __device__ __forceinline__ void measure_pair(spin_counts seen[2], const uint8_t *lattice,
                                                    uint32_t half_bytes, const ssc_step &step,
                                                    uint32_t member) {
    const uint8_t *const even = lattice, *const odd = lattice + half_bytes;
    if constexpr (SIZE == ANY_SITES) {
        for (uint32_t site = member; site < step.size * step.size / 2; site += step.group)
            count_spins(seen, even[site], odd[site], ups_around_site(odd, step.size, 0, site));
    } else {
        const thread_quads<SIZE> mine(step, 0, member);
        constexpr int unrolled = SIZE > ANY_QUADS ? UNROLLED_QUADS : 1;
#pragma unroll(unrolled)
        for (uint32_t n = 0; n < mine.count; n++) {
            const quad_place place = mine.place(n);
            count_spins(seen, ((const uint32_t *)even)[place.own],
                        ((const uint32_t *)odd)[place.own],
                        ups_around((const uint32_t *)odd, place));
        }
    }
}

/* Sixteen bytes of two replicas as one, and back. */
static __device__ __forceinline__ uint4 paired(uint4 a, uint4 b) {
    return uint4{a.x | b.x << 4, a.y | b.y << 4, a.z | b.z << 4, a.w | b.w << 4};
}

static __device__ __forceinline__ uint4 one_of(uint4 pair, uint32_t n) {
    const uint32_t bit = 4 * n, mask = 0x01010101;
    return uint4{pair.x >> bit & mask, pair.y >> bit & mask, pair.z >> bit & mask,
                 pair.w >> bit & mask};
}

/* Adds up what the threads of a block have seen, and reports its replicas, `first` and those after it.
 * `sums` has room for all of them, and all threads must call it; those of no pair have seen nothing. */
static __device__ __forceinline__ void report_block(const ssc_step &step, spin_counts *sums,
                                                    const spin_counts seen[2], uint32_t group,
                                                    uint64_t first, uint64_t population) {
    const uint32_t replicas = 2 * BLOCK_THREADS / group, pair = threadIdx.x / group;
    for (uint32_t n = threadIdx.x; n < replicas; n += BLOCK_THREADS)
        sums[n] = spin_counts{0, 0};
    __syncthreads();
    for (uint32_t n = 0; n < 2; n++) {
        spin_counts add = seen[n];
        if (group >= 32) {
            const uint64_t both = warp_sum((uint64_t)add.ups << 32 | add.bonds);
            add = spin_counts{(uint32_t)both, (uint32_t)(both >> 32)};
        }
        if (group < 32 || threadIdx.x % 32 == 0) {
            atomicAdd(&sums[2 * pair + n].bonds, add.bonds);
            atomicAdd(&sums[2 * pair + n].ups, add.ups);
        }
    }
    __syncthreads();
    const uint32_t half = step.size * step.size / 2;
    for (uint32_t n = threadIdx.x; n / 32 * 32 < replicas; n += BLOCK_THREADS) {
        const bool counts = n < replicas && first + n < population;
        const uint32_t up = counts ? sums[n].ups : 0;
        report_replicas(&step.replicas, counts, first + n, population,
                        counts ? sums[n].bonds / 2 : 0, up > half ? up - half : half - up);
    }
}

template <step_parts PARTS, bool IN_SHARED, uint32_t SIZE>
static __global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_AT_ONCE)
    step_replicas(const __grid_constant__ ssc_step step) {
    constexpr bool collects = PARTS & PART_SELECT, sweeps = PARTS & PART_SWEEP,
                   measures = PARTS & PART_MEASURE;
    constexpr uint32_t least_group = group_for(SIZE > ANY_QUADS ? SIZE : 0);
    extern __shared__ uint4 shared[];
    __shared__ spin_counts sums[2 * BLOCK_THREADS / least_group];
    const uint64_t population = step.replicas.report->population;
    const uint32_t group = SIZE > ANY_QUADS ? group_for(SIZE) : step.group;
    const uint32_t half_bytes = SIZE > ANY_QUADS ? SIZE * SIZE / 2 : step.half_bytes;
    const uint32_t member = threadIdx.x % group, pair = threadIdx.x / group;
    const uint64_t first = (uint64_t)blockIdx.x * (2 * BLOCK_THREADS / group);
    if (population > step.replicas.capacity || first >= population)
        return;
    /* The last one of an odd number of replicas makes a pair with itself. */
    const uint64_t k[2] = {first + 2 * pair, min(first + 2 * pair + 1, population - 1)};
    const bool active = k[0] < population;
    const uint32_t vectors = 2 * half_bytes / sizeof(uint4); /* of a replica */
    uint4 *const child[2] = {(uint4 *)step.children + k[0] * vectors,
                             (uint4 *)step.children + k[1] * vectors};
    uint4 *const spins = IN_SHARED ? shared + pair * vectors : child[0];
    uint8_t *const lattice = (uint8_t *)spins;

    if (active) {
        const uint4 *from[2] = {child[0], child[1]};
        if (collects)
            for (uint32_t n = 0; n < 2; n++)
                from[n] =
                    (const uint4 *)step.parents + (uint64_t)step.replicas.parent[k[n]] * vectors;
        for (uint32_t n = member; n < vectors; n += group)
            spins[n] = paired(from[0][n], from[1][n]);
    }
    __syncthreads();

    if (sweeps) {
        const uint32_t replica[2] = {step.first_replica + (uint32_t)k[0],
                                     step.first_replica + (uint32_t)k[1]};
        for (uint32_t sweep = 0; sweep < step.sweeps;) {
            pair_sweep now;
            for (uint32_t n = 0; n < 2; n++)
                now.thresholds[n] = round_thresholds(&step.thresholds, replica[n], sweep);
            const uint32_t turn_end = min(step.sweeps, sweep + ROUNDING_SWEEPS);
#pragma unroll 1
            for (; sweep < turn_end; sweep++) {
                for (uint32_t n = 0; n < 2; n++)
                    now.moment[n] = ssc_moment_of(&step.keys, replica[n], sweep);
#pragma unroll 1
                for (uint32_t parity = 0; parity < 2; parity++) {
                    if (active)
                        sweep_sub_lattice<SIZE>(lattice, half_bytes, step, now, parity, member);
                    wait_for_group<SIZE>();
                }
            }
        }
    }

    spin_counts seen[2] = {};
    if (active && measures)
        measure_pair<SIZE>(seen, lattice, half_bytes, step, member);
    if (!IN_SHARED) /* children take the place of what is measured */
        __syncthreads();
    if (active && (collects || sweeps || !IN_SHARED))
        for (uint32_t n = member; n < vectors; n += group) {
            const uint4 both = spins[n];
            child[0][n] = one_of(both, 0);
            child[1][n] = one_of(both, 1);
        }
    if (measures)
        report_block(step, sums, seen, group, first, population);
}

/* --- beginnings, and copies for save and load --- */

/* A thread a site: index i of N, bit i % 32 of number i / 32 % 4 of call i / 128. */
static __global__ void randomise(cuda_ssc s, uint64_t replicas, stream_key key) {
    const uint32_t sites = s.size * s.size;
    const uint64_t n = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    const uint64_t k = n / sites;
    const uint32_t i = (uint32_t)(n % sites);
    if (k >= replicas)
        return;
    const stream_block b = stream_draw(key, STREAM_RANDOMISE, i / 128, (uint32_t)k, 0, 0);
    const uint32_t parity = i >= sites / 2;
    s.spins[k * s.replica_bytes + parity * s.half_bytes + i - parity * (sites / 2)] =
        b.number[i / 32 % 4] >> i % 32 & 1;
}

/* A thread a byte of eight sites, to or from the bits of engine/engine.h in the room. */
static __global__ void copy_bits(cuda_ssc s, uint64_t first, uint64_t count, bool load) {
    const uint32_t sites = s.size * s.size, bytes = (sites + 7) / 8;
    const uint64_t n = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (n >= count * bytes)
        return;
    uint8_t *const bits = s.next;
    uint8_t *const spins = s.spins + (first + n / bytes) * s.replica_bytes;
    uint32_t byte = load ? bits[n] : 0;
    for (uint32_t bit = 0; bit < 8; bit++) {
        const uint32_t i = (uint32_t)(n % bytes) * 8 + bit;
        if (i >= sites)
            break;
        const uint32_t parity = i >= sites / 2;
        uint8_t *const spin = spins + parity * s.half_bytes + i - parity * (sites / 2);
        if (load)
            *spin = byte >> bit & 1;
        else
            byte |= (uint32_t)*spin << bit;
    }
    if (!load)
        bits[n] = (uint8_t)byte;
}

/* --- kernels and launches --- */

static unsigned blocks_for(uint64_t items, unsigned each) {
    return (unsigned)((items + each - 1) / each);
}

/* The kernels for a size, or for any (ANY_QUADS, ANY_SITES). */
struct ssc_kernels {
    uint32_t size;
    bool in_shared;                                   /* lattices lie in shared memory */
    void (*function[WHOLE_STEP + 1])(const ssc_step); /* by step_parts */
};

template <uint32_t SIZE, bool IN_SHARED> static constexpr ssc_kernels kernels_for() {
    return {SIZE,
            IN_SHARED,
            {nullptr, step_replicas<PART_SELECT, IN_SHARED, SIZE>,
             step_replicas<PART_SWEEP, IN_SHARED, SIZE>, nullptr,
             step_replicas<PART_MEASURE, IN_SHARED, SIZE>, nullptr, nullptr,
             step_replicas<WHOLE_STEP, IN_SHARED, SIZE>}};
}

/* The first ones that suit L serve, and the last ones suit any. */
static const ssc_kernels kernels[] = {
    kernels_for<16, true>(),         kernels_for<32, true>(),
    kernels_for<64, true>(),         kernels_for<128, true>(),
    kernels_for<256, true>(),        kernels_for<ANY_QUADS, true>(),
    kernels_for<ANY_QUADS, false>(), kernels_for<ANY_SITES, true>(),
    kernels_for<ANY_SITES, false>()};

/* Bytes of the lattices of a block. */
static size_t lattice_bytes(const cuda_ssc *s) {
    return BLOCK_THREADS / group_for(s->size) * s->replica_bytes;
}

static bool suit(const ssc_kernels *k, const cuda_ssc *s, int shared_limit) {
    const bool size_suits =
        k->size == s->size || k->size == ANY_SITES || (k->size == ANY_QUADS && s->size % 8 == 0);
    const size_t counts_bytes = sizeof(spin_counts) * 2 * BLOCK_THREADS;
    return size_suits && (!k->in_shared || lattice_bytes(s) + counts_bytes <= (size_t)shared_limit);
}

static size_t dynamic_bytes(const cuda_ssc *s) {
    return s->kernels->in_shared ? lattice_bytes(s) : 0;
}

/* Picks the kernels, and lets them have their shared memory. */
static void prepare_kernels(cuda_ssc *s, cuda_population *p) {
    s->kernels = kernels;
    while (!suit(s->kernels, s, p->shared_limit))
        s->kernels++;
    for (const auto function : s->kernels->function)
        if (function)
            cuda_allow_shared(p, (const void *)function, dynamic_bytes(s));
}

static void launch_step(const cuda_ssc *s, cuda_population *p, const ssc_step &step,
                        step_parts parts, uint64_t replicas) {
    if (p->failed)
        return;
    const unsigned blocks = blocks_for(replicas, 2 * BLOCK_THREADS / step.group);
    s->kernels->function[parts]<<<blocks, BLOCK_THREADS, dynamic_bytes(s), p->stream>>>(step);
    cuda_check_launch(p, "step_replicas (SSC)");
}

/* --- the engine's part --- */

static int ssc_create(void *state, cuda_population *p, const engine_config *config) {
    cuda_ssc *const s = (cuda_ssc *)state;
    *s = cuda_ssc{};
    s->size = config->model.edge[0];
    s->half_bytes = cuda_ssc_half_bytes(config->model.edge[0]);
    s->replica_bytes = 2 * s->half_bytes;
    const uint64_t bytes = cuda_ssc_spin_bytes(config);
    CUDA_CHECK(p, cudaMalloc(&s->spins, bytes));
    CUDA_CHECK(p, cudaMalloc(&s->next, bytes));
    /* Padding is copied with the spins: it must have a value. */
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(s->spins, 0, bytes, p->stream));
    prepare_kernels(s, p);
    return p->failed ? -1 : 0;
}

static void ssc_destroy(void *state) {
    cuda_ssc *const s = (cuda_ssc *)state;
    cudaFree(s->spins);
    cudaFree(s->next);
}

static void ssc_randomise(void *state, cuda_population *p, stream_key key) {
    cuda_ssc *const s = (cuda_ssc *)state;
    if (p->failed)
        return;
    const uint64_t sites = p->replicas * s->size * s->size;
    randomise<<<blocks_for(sites, BLOCK_THREADS), BLOCK_THREADS, 0, p->stream>>>(*s, p->replicas,
                                                                                 key);
    cuda_check_launch(p, "randomise (SSC)");
}

static void ssc_advance(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                        const cuda_range *range) {
    cuda_ssc *const s = (cuda_ssc *)state;
    const bool collects = parts & PART_SELECT;
    uint8_t *const children = collects ? s->next : s->spins;
    const ssc_step k = {.replicas = range->replicas,
                        .parents = s->spins,
                        .children = children + range->first * s->replica_bytes,
                        .size = s->size,
                        .half_bytes = s->half_bytes,
                        .group = group_for(s->size),
                        .sweeps = step->sweeps,
                        .temperature = step->temperature,
                        .keys = ssc_keys_of(step->key),
                        .thresholds = step_rounding(step, range->rule),
                        .first_replica = (uint32_t)range->first};
    launch_step(s, p, k, parts, range->most);
    if (collects) {
        uint8_t *const parents = s->spins;
        s->spins = s->next;
        s->next = parents;
    }
}

static uint8_t *ssc_room(void *state) {
    return ((cuda_ssc *)state)->next;
}

static void copy(cuda_ssc *s, cuda_population *p, uint64_t first, uint64_t count, bool load) {
    const uint64_t bytes = count * (((uint64_t)s->size * s->size + 7) / 8);
    copy_bits<<<blocks_for(bytes, BLOCK_THREADS), BLOCK_THREADS, 0, p->stream>>>(*s, first, count,
                                                                                 load);
    cuda_check_launch(p, "copy_bits (SSC)");
}

/* A replica's place does not depend on how many there are. */
static void ssc_save(void *state, cuda_population *p, uint64_t, uint64_t first, uint64_t count) {
    copy((cuda_ssc *)state, p, first, count, false);
}

static void ssc_load(void *state, cuda_population *p, uint64_t, uint64_t first, uint64_t count) {
    copy((cuda_ssc *)state, p, first, count, true);
}

static uint64_t ssc_unit(const engine_config *) {
    return 1;
}

const cuda_spins cuda_ssc_spins = {"square",    CODING_SSC, "SSC",       sizeof(cuda_ssc),
                                   ssc_unit,    ssc_create, ssc_destroy, ssc_randomise,
                                   ssc_advance, ssc_room,   ssc_save,    ssc_load};
