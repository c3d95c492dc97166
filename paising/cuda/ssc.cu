/* The single-spin-coded engine's kernels (Sec. 3): one byte a spin, the sub-lattices apart, a group
 * of threads a replica. What they compute, bit for bit: metropolis_sweep() and measure_lattice() in
 * reference/plain.c.
 *
 * One kernel makes a whole temperature step: it reads the parent, sweeps it theta times and
 * measures it while it lies in shared memory (in device memory where the lattice is too large), and
 * writes the child: two bytes of device memory a spin and temperature. A spin flip costs a quarter
 * of a Philox call. A thread takes the four spins of a quad (streams.h) at once: where rows are a
 * multiple of four sites, as the four bytes of a register. With the stages apart the same kernel
 * makes the parts of the step one by one (step_parts). */
#include "ssc.h"

#include "bytes.h"

#define BLOCK_THREADS 256

struct ssc_step {
    cuda_replicas replicas;
    const uint8_t *parents; /* [replicas][2][half_bytes] */
    uint8_t *children;
    uint32_t size; /* L */
    uint32_t half_bytes;
    uint32_t group; /* threads a replica */
    uint32_t sweeps;
    uint32_t temperature;
    stream_key key;
    rounding thresholds;
    uint32_t first_replica; /* of the range, among those that streams are counted by */
};

/* --- quads: four sites of one row, as the bytes of a register --- */

/* Where the neighbours of a quad stand in the other sub-lattice, as indices of quads. The one
 * across has the quad's own index; the fourth neighbours are those across moved by a column, which
 * takes a byte from the quad beside. */
struct quad_place {
    uint32_t above, below, beside;
    uint32_t moved; /* byte selector of across and beside */
};

static __device__ __forceinline__ quad_place place_quad(uint32_t size, uint32_t parity,
                                                        uint32_t quad) {
    const uint32_t row_quads = size / 8, row = quad / row_quads, j = quad % row_quads;
    const uint32_t above = row ? row - 1 : size - 1, below = row + 1 < size ? row + 1 : 0;
    const uint32_t right = j + 1 < row_quads ? j + 1 : 0, left = j ? j - 1 : row_quads - 1;
    const bool to_right = (row + parity) % 2;
    return quad_place{above * row_quads + j, below * row_quads + j,
                      row * row_quads + (to_right ? right : left), to_right ? 0x4321u : 0x2107u};
}

/* Four spins of one sub-lattice and their surroundings. Bytes: `spins` 0 or 1; `antiparallel`, the
 * number d of antiparallel neighbours, 0 to 4. */
struct quad_state {
    uint32_t spins, across, antiparallel;
};

static __device__ __forceinline__ quad_state look_at_quad(const uint32_t *own,
                                                          const uint32_t *other, uint32_t quad,
                                                          const quad_place &place) {
    quad_state q;
    q.spins = own[quad];
    q.across = other[quad];
    const uint32_t side = __byte_perm(q.across, other[place.beside], place.moved);
    const uint32_t ups = other[place.above] + q.across + other[place.below] + side;
    const uint32_t spin_up = q.spins * 0xffu; /* all ones in the bytes of spins up */
    q.antiparallel = (ups & ~spin_up) | ((0x04040404u - ups) & spin_up);
    return q;
}

/* Four 0 or 1 bytes: whether the numbers are below a threshold. */
static __device__ __forceinline__ uint32_t below(const stream_block &b, uint32_t threshold) {
    uint32_t bytes = 0;
#pragma unroll
    for (int n = 0; n < 4; n++)
        bytes |= b.number[n] < threshold ? 1u << 8 * n : 0;
    return bytes;
}

/* The Metropolis update of a quad: a spin with d >= 2 flips; one with d < 2 gains the energy 8 - 4
 * d and flips if its number is below its threshold. */
static __device__ __forceinline__ void flip_quad(uint32_t *own, const uint32_t *other,
                                                 const threshold_set &limits, uint32_t quad,
                                                 const quad_place &place, const stream_block &b) {
    const quad_state q = look_at_quad(own, other, quad, place);
    const uint32_t d = q.antiparallel;
    const uint32_t two_or_more = (d >> 1 | d >> 2) & 0x01010101u, one = d & 0x01010101u;
    const uint32_t accepted =
        (one & below(b, limits.threshold[1])) | (~one & below(b, limits.threshold[0]));
    own[quad] = q.spins ^ (two_or_more | accepted);
}

/* Adds the antiparallel bonds and the spins up of a quad of the even sub-lattice and of the quad
 * across it. */
static __device__ __forceinline__ void measure_quad(const uint32_t *even, const uint32_t *odd,
                                                    uint32_t quad, const quad_place &place,
                                                    uint32_t &bonds, uint32_t &ups) {
    const quad_state q = look_at_quad(even, odd, quad, place);
    bonds = __dp4a(q.antiparallel, 0x01010101u, bonds);
    ups = __dp4a(q.spins + q.across, 0x01010101u, ups);
}

/* --- the same for lattices whose rows are not a multiple of four sites: site by site --- */

/* The number of antiparallel neighbours of a site. */
static __device__ __forceinline__ uint32_t antiparallel_at(const uint8_t *own, const uint8_t *other,
                                                           uint32_t size, uint32_t parity,
                                                           uint32_t site) {
    const uint32_t columns = size / 2, row = site / columns, j = site % columns;
    const uint32_t above = row ? row - 1 : size - 1, below = row + 1 < size ? row + 1 : 0;
    const uint32_t right = j + 1 < columns ? j + 1 : 0, left = j ? j - 1 : columns - 1;
    const uint32_t side = (row + parity) % 2 ? right : left;
    const uint32_t ups = other[above * columns + j] + other[site] + other[below * columns + j] +
                         other[row * columns + side];
    return own[site] ? 4 - ups : ups;
}

static __device__ __forceinline__ void flip_sites(uint8_t *own, const uint8_t *other,
                                                  const ssc_step &step, const threshold_set &limits,
                                                  uint32_t parity, uint32_t quad,
                                                  const stream_block &b) {
    for (uint32_t n = 0; n < 4 && 4 * quad + n < step.size * step.size / 2; n++) {
        const uint32_t site = 4 * quad + n;
        const uint32_t d = antiparallel_at(own, other, step.size, parity, site);
        if (d >= 2 || b.number[n] < (d ? limits.threshold[1] : limits.threshold[0]))
            own[site] ^= 1;
    }
}

static __device__ __forceinline__ void measure_sites(const uint8_t *even, const uint8_t *odd,
                                                     uint32_t size, uint32_t quad, uint32_t &bonds,
                                                     uint32_t &ups) {
    for (uint32_t site = 4 * quad; site < 4 * quad + 4 && site < size * size / 2; site++) {
        bonds += antiparallel_at(even, odd, size, 0, site);
        ups += even[site] + odd[site];
    }
}

/* --- a temperature step --- */

/* SIZE is L where it is known at compile time, ANY_QUADS for other multiples of eight, ANY_SITES
 * for other sizes. */
#define ANY_SITES 0
#define ANY_QUADS 1

/* Threads a replica: as many as a sub-lattice has quads, in a power of two. */
static __host__ __device__ constexpr uint32_t group_for(uint32_t size) {
    uint32_t group = 1;
    while (group < BLOCK_THREADS && 4 * group < size * size / 2)
        group *= 2;
    return group;
}

/* The quads of one sub-lattice that fall to a thread. */
template <uint32_t SIZE>
static __device__ __forceinline__ void
sweep_sub_lattice(uint8_t *lattice, const ssc_step &step, const threshold_set &limits,
                  uint32_t parity, uint32_t member, uint32_t replica, uint32_t sweep) {
    uint8_t *const own = lattice + parity * step.half_bytes;
    const uint8_t *const other = lattice + (parity ? 0 : step.half_bytes);
    const uint32_t size = SIZE > ANY_QUADS ? SIZE : step.size;
    const uint32_t quads = (size * size / 2 + 3) / 4;
    for (uint32_t quad = member; quad < quads; quad += step.group) {
        const stream_block b = stream_draw(step.key, STREAM_SSC, parity * quads + quad, replica,
                                           sweep, step.temperature);
        if (SIZE == ANY_SITES)
            flip_sites(own, other, step, limits, parity, quad, b);
        else
            flip_quad((uint32_t *)own, (const uint32_t *)other, limits, quad,
                      place_quad(size, parity, quad), b);
    }
}

/* The same with everything known: a thread's quads are a whole, even number of rows apart, so that
 * its neighbours stand at the same distances but at the edges of the lattice. */
template <uint32_t SIZE>
static __device__ __forceinline__ void
sweep_known(uint8_t *lattice, const ssc_step &step, const threshold_set &limits, uint32_t parity,
            uint32_t member, uint32_t replica, uint32_t sweep) {
    constexpr uint32_t quads = SIZE * SIZE / 8, group = group_for(SIZE), row_quads = SIZE / 8;
    static_assert(quads == group || group % (2 * row_quads) == 0, "rows apart");
    uint32_t *const own = (uint32_t *)lattice + parity * quads;
    const uint32_t *const other = (const uint32_t *)lattice + (parity ? 0 : quads);
    const quad_place first = place_quad(SIZE, parity, member);
    const quad_place last = place_quad(SIZE, parity, member + quads - group);
#pragma unroll
    for (uint32_t n = 0; n < quads / group; n++) {
        const uint32_t quad = member + n * group;
        const quad_place place = {n == 0 ? first.above : quad - row_quads,
                                  n == quads / group - 1 ? last.below : quad + row_quads,
                                  first.beside + n * group, first.moved};
        const stream_block b = stream_draw(step.key, STREAM_SSC, parity * quads + quad, replica,
                                           sweep, step.temperature);
        flip_quad(own, other, limits, quad, place, b);
    }
}

template <step_parts PARTS, bool IN_SHARED, uint32_t SIZE>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    step_replicas(const __grid_constant__ ssc_step step) {
    constexpr bool collects = PARTS & PART_SELECT, sweeps = PARTS & PART_SWEEP,
                   measures = PARTS & PART_MEASURE;
    extern __shared__ uint4 shared[];
    __shared__ uint32_t counts[BLOCK_THREADS][2];
    const uint64_t population = step.replicas.report->population;
    const uint32_t groups = BLOCK_THREADS / step.group;
    const uint32_t member = threadIdx.x % step.group, group = threadIdx.x / step.group;
    const uint64_t first = (uint64_t)blockIdx.x * groups, k = first + group;
    if (population > step.replicas.capacity || first >= population)
        return;
    const bool active = group < groups && k < population;
    const uint32_t replica_bytes = 2 * step.half_bytes;
    const uint32_t size = SIZE > ANY_QUADS ? SIZE : step.size;
    const uint32_t quads = (size * size / 2 + 3) / 4;
    uint8_t *const child = step.children + k * replica_bytes;
    const uint32_t replica = step.first_replica + (uint32_t)k;
    uint8_t *const lattice = IN_SHARED ? (uint8_t *)shared + group * replica_bytes : child;

    if (threadIdx.x < groups)
        counts[threadIdx.x][0] = counts[threadIdx.x][1] = 0;
    if (active && (collects || IN_SHARED)) {
        const uint4 *const from =
            collects
                ? (const uint4 *)(step.parents + (uint64_t)step.replicas.parent[k] * replica_bytes)
                : (const uint4 *)child;
        for (uint32_t n = member; n < replica_bytes / 16; n += step.group)
            ((uint4 *)lattice)[n] = from[n];
    }
    __syncthreads();

    if (sweeps) {
        for (uint32_t sweep = 0; sweep < step.sweeps;) {
            const threshold_set limits = round_thresholds(&step.thresholds, replica, sweep);
            const uint32_t turn_end = min(step.sweeps, sweep + ROUNDING_SWEEPS);
#pragma unroll 1
            for (; sweep < turn_end; sweep++)
#pragma unroll 1
                for (uint32_t parity = 0; parity < 2; parity++) {
                    if (active) {
                        if constexpr (SIZE > ANY_QUADS)
                            sweep_known<SIZE>(lattice, step, limits, parity, member, replica,
                                              sweep);
                        else
                            sweep_sub_lattice<SIZE>(lattice, step, limits, parity, member, replica,
                                                    sweep);
                    }
                    __syncthreads();
                }
        }
    }

    uint32_t bonds = 0, ups = 0;
    if (active) {
        if (measures)
            for (uint32_t quad = member; quad < quads; quad += step.group)
                if (SIZE == ANY_SITES)
                    measure_sites(lattice, lattice + step.half_bytes, size, quad, bonds, ups);
                else
                    measure_quad((const uint32_t *)lattice,
                                 (const uint32_t *)(lattice + step.half_bytes), quad,
                                 place_quad(size, 0, quad), bonds, ups);
        if (IN_SHARED && (collects || sweeps))
            for (uint32_t n = member; n < replica_bytes / 16; n += step.group)
                ((uint4 *)child)[n] = ((const uint4 *)lattice)[n];
        if (measures && step.group < 32) {
            atomicAdd(&counts[group][0], bonds);
            atomicAdd(&counts[group][1], ups);
        }
    }
    if (!measures)
        return;
    if (step.group >= 32) {
        bonds = (uint32_t)warp_sum(bonds);
        ups = (uint32_t)warp_sum(ups);
        if (threadIdx.x % 32 == 0 && active) {
            atomicAdd(&counts[group][0], bonds);
            atomicAdd(&counts[group][1], ups);
        }
    }
    __syncthreads();
    const uint32_t half = step.size * step.size / 2;
    for (uint32_t n = threadIdx.x; n / 32 * 32 < groups; n += BLOCK_THREADS) {
        const bool counts_it = n < groups && first + n < population;
        const uint32_t up = counts_it ? counts[n][1] : 0;
        report_replicas(&step.replicas, counts_it, first + n, population,
                        counts_it ? counts[n][0] / 2 : 0, up > half ? up - half : half - up);
    }
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
    const size_t counts_bytes = sizeof(uint32_t) * 2 * BLOCK_THREADS;
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
    const unsigned blocks = blocks_for(replicas, BLOCK_THREADS / step.group);
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
                        .key = step->key,
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
