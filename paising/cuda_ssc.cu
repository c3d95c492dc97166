/* The single-spin-coded engine's kernels (Sec. 3): one byte a spin, the sub-lattices apart, a group
 * of threads a replica.
 *
 * One kernel makes a whole temperature step: it reads the parent, sweeps it theta times and
 * measures it while it lies in shared memory (in device memory where the lattice is too large), and
 * writes the child: two bytes of device memory a spin and temperature. A spin flip costs a quarter
 * of a Philox call. A thread takes the four spins of a quad (streams.h) at once: where rows are a
 * multiple of four sites, as the four bytes of a register. */
#include "cuda_ssc.h"

#define BLOCK_THREADS 256
#define FULL_WARP     0xffffffffu

struct ssc_step {
    cuda_replicas replicas;
    const uint8_t *parents; /* [replicas][2][half_bytes] */
    uint8_t *children;
    uint64_t parent_count; /* R_{i-1}; 0: no resampling */
    uint32_t size;         /* L */
    uint32_t half_bytes;
    uint32_t group; /* threads a replica */
    uint32_t sweeps;
    uint32_t temperature;
    stream_key key;
    uint32_t threshold[2];
};

/* --- the Metropolis update --- */

/* Four 0 or 1 bytes: whether the numbers are below a threshold. */
static __device__ __forceinline__ uint32_t below(const stream_block &b, uint32_t threshold) {
    uint32_t bytes = 0;
#pragma unroll
    for (int n = 0; n < 4; n++)
        bytes |= b.number[n] < threshold ? 1u << 8 * n : 0;
    return bytes;
}

/* A quad within one row: four sites at once. Bytes: s the spins, n the number of their neighbours
 * up, 0 to 4; d = n or 4 - n antiparallel neighbours. A spin with d >= 2 flips; one with d < 2
 * gains the energy 8 - 4 d and flips if its number is below threshold[d]. */
static __device__ __forceinline__ void flip_quad(uint8_t *own, const uint8_t *other,
                                                 const ssc_step &step, uint32_t parity,
                                                 uint32_t quad, const stream_block &b) {
    const uint32_t row_words = step.size / 8; /* quads a row */
    const uint32_t row = quad / row_words, j = quad % row_words;
    const uint32_t above = row ? row - 1 : step.size - 1,
                   below_row = row + 1 < step.size ? row + 1 : 0;
    const uint32_t *const words = (const uint32_t *)other;
    const uint32_t across = words[quad];
    /* The fourth neighbours are one column to the right (or left) of the third ones. */
    const bool to_right = (row + parity) % 2;
    const uint32_t next = words[row * row_words + (to_right ? (j + 1 < row_words ? j + 1 : 0)
                                                            : (j ? j - 1 : row_words - 1))];
    const uint32_t side =
        to_right ? __byte_perm(across, next, 0x4321) : __byte_perm(across, next, 0x2107);
    const uint32_t n =
        words[above * row_words + j] + across + words[below_row * row_words + j] + side;

    const uint32_t s = ((uint32_t *)own)[quad];
    const uint32_t up = s * 0xffu; /* all ones in the bytes of spins up */
    /* d, each byte: n of a spin down, 4 - n of a spin up. */
    const uint32_t d = (n & ~up) | ((0x04040404u - n) & up);
    const uint32_t two_or_more = (d >> 1 | d >> 2) & 0x01010101u, one = d & 0x01010101u;
    const uint32_t accept =
        (one & below(b, step.threshold[1])) | (~one & below(b, step.threshold[0]));
    ((uint32_t *)own)[quad] = s ^ (two_or_more | accept);
}

/* A quad of a lattice whose rows are not a multiple of four sites: site by site. */
static __device__ __forceinline__ void flip_sites(uint8_t *own, const uint8_t *other,
                                                  const ssc_step &step, uint32_t parity,
                                                  uint32_t quad, const stream_block &b) {
    const uint32_t columns = step.size / 2;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        const uint32_t site = 4 * quad + n, row = site / columns, j = site % columns;
        if (site >= step.size * columns)
            return;
        const uint32_t above = row ? row - 1 : step.size - 1;
        const uint32_t below_row = row + 1 < step.size ? row + 1 : 0;
        const uint32_t side =
            (row + parity) % 2 ? (j + 1 < columns ? j + 1 : 0) : (j ? j - 1 : columns - 1);
        const uint32_t ups = other[above * columns + j] + other[row * columns + j] +
                             other[below_row * columns + j] + other[row * columns + side];
        const uint32_t d = own[site] ? 4 - ups : ups;
        if (d >= 2 || b.number[n] < step.threshold[d])
            own[site] ^= 1;
    }
}

/* --- measurement --- */

/* Bonds and spins of the sites of one quad of the even sub-lattice and of its odd counterpart. */
static __device__ __forceinline__ void measure_quad(const uint8_t *lattice, const ssc_step &step,
                                                    uint32_t quad, uint32_t &bonds, uint32_t &ups) {
    const uint32_t columns = step.size / 2;
    const uint8_t *const odd = lattice + step.half_bytes;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        const uint32_t site = 4 * quad + n, row = site / columns, j = site % columns;
        if (site >= step.size * columns)
            return;
        const uint32_t above = row ? row - 1 : step.size - 1;
        const uint32_t below_row = row + 1 < step.size ? row + 1 : 0;
        const uint32_t side = row % 2 ? (j + 1 < columns ? j + 1 : 0) : (j ? j - 1 : columns - 1);
        const uint32_t spin = lattice[site];
        const uint32_t neighbours = odd[above * columns + j] + odd[site] +
                                    odd[below_row * columns + j] + odd[row * columns + side];
        bonds += spin ? 4 - neighbours : neighbours;
        ups += spin + odd[site];
    }
}

/* --- a temperature step --- */

template <bool IN_SHARED, bool ROWS_OF_QUADS>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    step_replicas(const __grid_constant__ ssc_step step) {
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
    const uint32_t quads = (step.size * step.size / 2 + 3) / 4;
    uint8_t *const child = step.children + k * replica_bytes;
    uint8_t *const lattice = IN_SHARED ? (uint8_t *)shared + group * replica_bytes : child;

    if (threadIdx.x < groups)
        counts[threadIdx.x][0] = counts[threadIdx.x][1] = 0;
    if (active) {
        const uint64_t parent = step.parent_count ? step.replicas.parent[k] : k;
        const uint4 *const from = (const uint4 *)(step.parents + parent * replica_bytes);
        for (uint32_t n = member; n < replica_bytes / 16; n += step.group)
            ((uint4 *)lattice)[n] = from[n];
    }
    __syncthreads();

    for (uint32_t sweep = 0; sweep < step.sweeps; sweep++)
        for (uint32_t parity = 0; parity < 2; parity++) {
            uint8_t *const own = lattice + parity * step.half_bytes;
            const uint8_t *const other = lattice + (parity ? 0 : step.half_bytes);
            if (active)
                for (uint32_t quad = member; quad < quads; quad += step.group) {
                    const stream_block b = stream_draw(step.key, STREAM_SSC, parity * quads + quad,
                                                       (uint32_t)k, sweep, step.temperature);
                    if (ROWS_OF_QUADS)
                        flip_quad(own, other, step, parity, quad, b);
                    else
                        flip_sites(own, other, step, parity, quad, b);
                }
            __syncthreads();
        }

    uint32_t bonds = 0, ups = 0;
    if (active) {
        for (uint32_t quad = member; quad < quads; quad += step.group)
            measure_quad(lattice, step, quad, bonds, ups);
        if (IN_SHARED)
            for (uint32_t n = member; n < replica_bytes / 16; n += step.group)
                ((uint4 *)child)[n] = ((const uint4 *)lattice)[n];
        if (step.group < 32) {
            atomicAdd(&counts[group][0], bonds);
            atomicAdd(&counts[group][1], ups);
        }
    }
    if (step.group >= 32) {
        bonds = __reduce_add_sync(FULL_WARP, bonds);
        ups = __reduce_add_sync(FULL_WARP, ups);
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

/* A thread a byte of eight sites, to or from the bits of engine.h. */
static __global__ void copy_bits(cuda_ssc s, uint64_t first, uint64_t count, uint8_t *bits,
                                 bool load) {
    const uint32_t sites = s.size * s.size, bytes = (sites + 7) / 8;
    const uint64_t n = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (n >= count * bytes)
        return;
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

/* --- launches --- */

#define LARGEST_SHARED_BYTES 220000 /* of the 227 KB a block of compute capability 9.0 may have */

static unsigned blocks_for(uint64_t items, unsigned each) {
    return (unsigned)((items + each - 1) / each);
}

static uint32_t half_bytes_for(uint32_t size) {
    return (size * size / 2 + 15) / 16 * 16;
}

/* Threads a replica: as many as a sub-lattice has quads, in a power of two. */
static uint32_t group_for(uint32_t size) {
    uint32_t group = 1;
    while (group < BLOCK_THREADS && 4 * group < size * size / 2)
        group *= 2;
    return group;
}

template <bool IN_SHARED, bool ROWS_OF_QUADS>
static void launch(cuda_population *p, const ssc_step &step) {
    const uint32_t groups = BLOCK_THREADS / step.group;
    const size_t bytes = IN_SHARED ? groups * 2 * step.half_bytes : 0;
    const auto kernel = step_replicas<IN_SHARED, ROWS_OF_QUADS>;
    CUDA_CHECK(
        p, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    kernel<<<blocks_for(p->device.capacity, groups), BLOCK_THREADS, bytes, p->stream>>>(step);
    CUDA_CHECK(p, cudaGetLastError());
}

static void launch_step(cuda_population *p, const ssc_step &step) {
    if (p->failed)
        return;
    const bool in_shared = BLOCK_THREADS / step.group * 2 * step.half_bytes <= LARGEST_SHARED_BYTES;
    if (step.size % 8 == 0)
        in_shared ? launch<true, true>(p, step) : launch<false, true>(p, step);
    else
        in_shared ? launch<true, false>(p, step) : launch<false, false>(p, step);
}

/* --- the engine's part --- */

uint64_t cuda_ssc_bytes(const engine_config *config) {
    return 4 * config->capacity * half_bytes_for(config->size);
}

int cuda_ssc_create(cuda_ssc *s, cuda_population *p, const engine_config *config) {
    *s = cuda_ssc{};
    s->size = config->size;
    s->half_bytes = half_bytes_for(config->size);
    s->replica_bytes = 2 * s->half_bytes;
    CUDA_CHECK(p, cudaMalloc(&s->spins, config->capacity * s->replica_bytes));
    CUDA_CHECK(p, cudaMalloc(&s->next, config->capacity * s->replica_bytes));
    /* Padding is copied with the spins: it must have a value. */
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(s->spins, 0, config->capacity * s->replica_bytes, p->stream));
    return p->failed ? -1 : 0;
}

void cuda_ssc_destroy(cuda_ssc *s) {
    cudaFree(s->spins);
    cudaFree(s->next);
}

void cuda_ssc_randomise(cuda_ssc *s, cuda_population *p, stream_key key) {
    if (p->failed)
        return;
    const uint64_t sites = p->replicas * s->size * s->size;
    randomise<<<blocks_for(sites, BLOCK_THREADS), BLOCK_THREADS, 0, p->stream>>>(*s, p->replicas,
                                                                                 key);
    CUDA_CHECK(p, cudaGetLastError());
}

void cuda_ssc_step(cuda_ssc *s, cuda_population *p, const engine_step *step) {
    const ssc_step k = {.replicas = p->device,
                        .parents = s->spins,
                        .children = s->next,
                        .parent_count = p->replicas,
                        .size = s->size,
                        .half_bytes = s->half_bytes,
                        .group = group_for(s->size),
                        .sweeps = step->sweeps,
                        .temperature = step->temperature,
                        .key = step->key,
                        .threshold = {step->threshold[0], step->threshold[1]}};
    launch_step(p, k);
    uint8_t *const parents = s->spins;
    s->spins = s->next;
    s->next = parents;
}

void cuda_ssc_measure(cuda_ssc *s, cuda_population *p) {
    const ssc_step k = {.replicas = p->device,
                        .parents = s->spins,
                        .children = s->spins,
                        .parent_count = 0,
                        .size = s->size,
                        .half_bytes = s->half_bytes,
                        .group = group_for(s->size),
                        .sweeps = 0};
    launch_step(p, k);
}

static void copy(cuda_ssc *s, cuda_population *p, uint64_t first, uint64_t count, uint8_t *bits,
                 bool load) {
    const uint64_t bytes = count * (((uint64_t)s->size * s->size + 7) / 8);
    copy_bits<<<blocks_for(bytes, BLOCK_THREADS), BLOCK_THREADS, 0, p->stream>>>(*s, first, count,
                                                                                 bits, load);
    CUDA_CHECK(p, cudaGetLastError());
}

void cuda_ssc_save(cuda_ssc *s, cuda_population *p, uint64_t first, uint64_t count,
                   uint8_t *bytes) {
    copy(s, p, first, count, bytes, false);
}

void cuda_ssc_load(cuda_ssc *s, cuda_population *p, uint64_t first, uint64_t count,
                   const uint8_t *bytes) {
    copy(s, p, first, count, (uint8_t *)bytes, true);
}
