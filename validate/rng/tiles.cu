/* The double checkerboard on a GPU, a kernel for each generator, and a kernel that sums numbers. What a block needs of its
 * generator is in registers and in shared memory while it works, and in device memory between launches. The numbers of
 * MTGP32 are cuRAND's: its device function, with the state that mtgp32.c made. */
#include "tiles.h"

#include <curand_kernel.h>
#include <curand_mtgp32_kernel.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS GENERATOR_BLOCK

typedef mtgp32_kernel_params_t mtgp32_tables;

/* --- Generators: `pool` words of shared memory; load, next, store by all threads of a block --- */

struct lcg32 {
    static constexpr int pool = 1;
    uint32_t x, a, c;
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *) {
        x = s[threadIdx.x];
        a = s[THREADS];
        c = s[THREADS + 1];
    }
    __device__ uint32_t next() {
        return lcg32_step(&x, a, c);
    }
    __device__ void store(uint32_t *s) {
        s[threadIdx.x] = x;
    }
};

struct lcg64 {
    static constexpr int pool = 1;
    uint64_t x, a, c;
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *) {
        const uint32_t *const shared = s + 2 * THREADS;
        x = (uint64_t)s[THREADS + threadIdx.x] << 32 | s[threadIdx.x];
        a = (uint64_t)shared[1] << 32 | shared[0];
        c = (uint64_t)shared[3] << 32 | shared[2];
    }
    __device__ uint32_t next() {
        return lcg64_step(&x, a, c);
    }
    __device__ void store(uint32_t *s) {
        s[threadIdx.x] = (uint32_t)x;
        s[THREADS + threadIdx.x] = (uint32_t)(x >> 32);
    }
};

struct mwc1 {
    static constexpr int pool = 1;
    uint32_t x, c, a;
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *) {
        x = s[threadIdx.x];
        c = s[THREADS + threadIdx.x];
        a = s[2 * THREADS + threadIdx.x];
    }
    __device__ uint32_t next() {
        return mwc1_step(&x, &c, a);
    }
    __device__ void store(uint32_t *s) {
        s[threadIdx.x] = x;
        s[THREADS + threadIdx.x] = c;
    }
};

template <uint32_t R, uint32_t S> struct fibonacci {
    static_assert(S >= THREADS && R - S >= THREADS, "a thread would read what another one writes");
    static constexpr int pool = R;
    uint32_t *ring, at;
    __device__ void load(const uint32_t *s, uint32_t *memory, const mtgp32_tables *) {
        ring = memory;
        at = (s[R] + threadIdx.x) % R;
        for (uint32_t n = threadIdx.x; n < R; n += THREADS)
            ring[n] = s[n];
        __syncthreads();
    }
    __device__ uint32_t next() {
        const uint32_t other = at + R - S;
        const uint32_t number = ring[at] + ring[other < R ? other : other - R];
        ring[at] = number;
        at = at + THREADS < R ? at + THREADS : at + THREADS - R;
        __syncthreads();
        return number;
    }
    __device__ void store(uint32_t *s) {
        for (uint32_t n = threadIdx.x; n < R; n += THREADS)
            s[n] = ring[n];
        if (threadIdx.x == 0)
            s[R] = at;
    }
};

/* Six words a thread. */
template <uint32_t (*STEP)(uint32_t *)> struct six_words {
    static constexpr int pool = 1;
    uint32_t x[6];
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *) {
        for (int k = 0; k < 6; k++)
            x[k] = s[k * THREADS + threadIdx.x];
    }
    __device__ uint32_t next() {
        return STEP(x);
    }
    __device__ void store(uint32_t *s) {
        for (int k = 0; k < 6; k++)
            s[k * THREADS + threadIdx.x] = x[k];
    }
};

struct mtgp32 {
    static constexpr int pool = sizeof(curandStateMtgp32_t) / sizeof(uint32_t);
    curandStateMtgp32_t *state;
    __device__ void load(const uint32_t *s, uint32_t *memory, const mtgp32_tables *tables) {
        state = (curandStateMtgp32_t *)memory;
        for (uint32_t n = threadIdx.x; n < MTGP32_RING; n += THREADS)
            state->s[n] = s[n];
        if (threadIdx.x == 0) {
            state->offset = (int)s[MTGP32_RING];
            state->pIdx = (int)s[MTGP32_RING + 1];
            state->k = (mtgp32_tables *)tables;
        }
        __syncthreads();
    }
    __device__ uint32_t next() {
        return curand(state);
    }
    __device__ void store(uint32_t *s) {
        for (uint32_t n = threadIdx.x; n < MTGP32_RING; n += THREADS)
            s[n] = state->s[n];
        if (threadIdx.x == 0)
            s[MTGP32_RING] = (uint32_t)state->offset;
    }
};

struct xorshift_weyl {
    static constexpr int pool = 1;
    uint32_t x, weyl;
    /* Words of the lanes n and n + 1 after this one, or before it; 0 beyond the warp. */
    template <int N, int BITS> __device__ uint32_t left() const {
        const uint32_t lane = threadIdx.x % 32, a = __shfl_down_sync(~0u, x, N),
                       b = __shfl_down_sync(~0u, x, N + 1);
        return words_left(lane + N < 32 ? a : 0, lane + N + 1 < 32 ? b : 0, BITS);
    }
    template <int N, int BITS> __device__ uint32_t right() const {
        const uint32_t lane = threadIdx.x % 32, a = __shfl_up_sync(~0u, x, N),
                       b = __shfl_up_sync(~0u, x, N + 1);
        return words_right(lane >= N ? a : 0, lane >= N + 1 ? b : 0, BITS);
    }
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *) {
        x = s[threadIdx.x];
        weyl = s[THREADS];
        __syncthreads(); /* thread 0 stores the Weyl number after all have read it */
    }
    __device__ uint32_t next() {
        x ^= left<10, 9>();
        x ^= right<10, 27>();
        x ^= left<10, 24>();
        weyl += WEYL_INCREMENT;
        return x + weyl;
    }
    __device__ void store(uint32_t *s) {
        s[threadIdx.x] = x;
        if (threadIdx.x == 0)
            s[THREADS] = weyl;
    }
};

template <int ROUNDS> struct philox {
    static constexpr int pool = 1;
    uint32_t thread, drawn, key[2], x[4];
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *) {
        thread = s[threadIdx.x];
        drawn = s[THREADS + threadIdx.x];
        key[0] = s[2 * THREADS];
        key[1] = s[2 * THREADS + 1];
        philox_quad(x, thread, drawn / 4, key, ROUNDS);
    }
    __device__ uint32_t next() {
        if (drawn % 4 == 0)
            philox_quad(x, thread, drawn / 4, key, ROUNDS);
        const uint32_t n = drawn++ % 4;
        return n < 2 ? (n == 0 ? x[0] : x[1]) : (n == 2 ? x[2] : x[3]);
    }
    __device__ void store(uint32_t *s) {
        s[THREADS + threadIdx.x] = drawn;
    }
};

/* --- Kernels --- */

struct tile_arguments {
    int8_t *spins;
    uint32_t *states;
    size_t words;
    const mtgp32_tables *tables;
    uint32_t size, hits, threshold[2];
};

/* Site n of the tile that begins at `first`, from the one before it on, in a ring of `size` sites. */
static __device__ uint32_t around(uint32_t first, uint32_t n, uint32_t size) {
    const uint32_t after = first + n;
    return after == 0 ? size - 1 : after > size ? 0 : after - 1;
}

/* tiles.c: update_tiles, a block a tile; blockIdx.y: of which lattice. */
template <class G>
static __global__ void __launch_bounds__(THREADS) update_tiles(tile_arguments a, uint32_t colour) {
    __shared__ __align__(16) uint32_t pool[G::pool];
    __shared__ int8_t spin[TILE + 2][TILE + 2];
    const uint32_t half = a.size / TILE / 2, tile_row = blockIdx.x / half, row = tile_row * TILE,
                   column = (blockIdx.x % half * 2 + (tile_row + colour) % 2) * TILE;
    int8_t *const spins = a.spins + blockIdx.y * (size_t)a.size * a.size;
    uint32_t *const state = a.states + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * a.words;
    G generator;
    for (uint32_t n = threadIdx.x; n < (TILE + 2) * (TILE + 2); n += THREADS) {
        const uint32_t y = n / (TILE + 2), x = n % (TILE + 2);
        spin[y][x] = spins[(size_t)around(row, y, a.size) * a.size + around(column, x, a.size)];
    }
    generator.load(state, pool, a.tables);
    __syncthreads();
    const uint32_t y = threadIdx.x / (TILE / 2), pair = threadIdx.x % (TILE / 2) * 2;
    for (uint32_t n = 0; n < 2 * a.hits; n++) {
        const uint32_t x = pair + (y + n) % 2, number = generator.next();
        const int s = spin[y + 1][x + 1], parallel = s * (spin[y][x + 1] + spin[y + 2][x + 1] +
                                                          spin[y + 1][x] + spin[y + 1][x + 2]);
        if (parallel <= 0 || number < (parallel == 2 ? a.threshold[1] : a.threshold[0]))
            spin[y + 1][x + 1] = (int8_t)-s;
        __syncthreads();
    }
    generator.store(state);
    for (uint32_t n = threadIdx.x; n < TILE * TILE; n += THREADS)
        spins[(size_t)(row + n / TILE) * a.size + column + n % TILE] =
            spin[n / TILE + 1][n % TILE + 1];
}

template <class G>
static __global__ void __launch_bounds__(THREADS)
    sum_numbers(tile_arguments a, uint32_t rounds, uint32_t *sum) {
    __shared__ __align__(16) uint32_t pool[G::pool];
    G generator;
    const size_t block = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
    generator.load(a.states + block * a.words, pool, a.tables);
    uint32_t total = 0;
    for (uint32_t n = 0; n < rounds; n++)
        total += generator.next();
    sum[block * THREADS + threadIdx.x] = total;
}

#define SEGMENT 256 /* columns */

/* Adds -sum s_i s_j to the energy of every lattice, blockIdx.y: a warp a segment of a row. */
static __global__ void add_energy(const int8_t *all, uint32_t size, unsigned long long *energy) {
    const int8_t *const spins = all + blockIdx.y * (size_t)size * size;
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32,
                   segments = (size + SEGMENT - 1) / SEGMENT, row = warp / segments,
                   first = warp % segments * SEGMENT,
                   end = first + SEGMENT < size ? first + SEGMENT : size;
    if (row >= size)
        return;
    const int8_t *const here = spins + (size_t)row * size, *const below =
                                                               spins +
                                                               (size_t)((row + 1) % size) * size;
    int sum = 0;
    for (uint32_t x = first + lane; x < end; x += 32)
        sum -= here[x] * (below[x] + here[(x + 1) % size]);
    for (int width = 16; width > 0; width /= 2)
        sum += __shfl_down_sync(~0u, sum, width);
    if (lane == 0)
        atomicAdd(energy + blockIdx.y, (unsigned long long)(long long)sum);
}

/* --- The host --- */

typedef void (*tile_kernel)(tile_arguments, uint32_t);
typedef void (*sum_kernel)(tile_arguments, uint32_t, uint32_t *);

typedef struct {
    tile_kernel update;
    sum_kernel sum;
} kernels;

template <class G> static kernels kernels_of(void) {
    return kernels{update_tiles<G>, sum_numbers<G>};
}

static kernels kernels_for(generator_id id) {
    switch (id) {
    case GENERATOR_LCG32:
    case GENERATOR_LCG32_SKIPPED:
        return kernels_of<lcg32>();
    case GENERATOR_LCG64:
    case GENERATOR_LCG64_SKIPPED:
        return kernels_of<lcg64>();
    case GENERATOR_MWC:
        return kernels_of<mwc1>();
    case GENERATOR_FIBONACCI_521:
        return kernels_of<fibonacci<521, FIBONACCI_521_S>>();
    case GENERATOR_FIBONACCI_1279:
        return kernels_of<fibonacci<1279, FIBONACCI_1279_S>>();
    case GENERATOR_XORWOW:
        return kernels_of<six_words<xorwow_step>>();
    case GENERATOR_MTGP32:
        return kernels_of<mtgp32>();
    case GENERATOR_XORSHIFT_WEYL:
        return kernels_of<xorshift_weyl>();
    case GENERATOR_PHILOX_7:
        return kernels_of<philox<7>>();
    case GENERATOR_PHILOX_10:
        return kernels_of<philox<10>>();
    case GENERATOR_MRG32K3A:
        return kernels_of<six_words<mrg32k3a_step>>();
    case GENERATOR_EXTERNAL:
    case GENERATORS:
        break;
    }
    return kernels{};
}

struct tile_gpu {
    tile_arguments arguments;
    kernels run;
    uint32_t blocks, lattices;
    mtgp32_tables *tables;
    unsigned long long *energy; /* [ENERGIES][lattices] */
    uint32_t *sum;              /* [lattices][blocks][THREADS] */
};

#define ENERGIES 4096 /* of a batch of launches */

static int failure(cudaError_t error, const char *what, char *reason, size_t size) {
    snprintf(reason, size, "%s: %s", what, cudaGetErrorString(error));
    return -1;
}

/* The tables of cuRAND's function, of all sets. */
static void fill_tables(mtgp32_tables *t) {
    memset(t, 0, sizeof *t);
    for (uint32_t n = 0; n < mtgp32_sets(); n++) {
        const mtgp32_set set = mtgp32_set_at(n);
        t->pos_tbl[n] = set.pos;
        t->sh1_tbl[n] = set.sh1;
        t->sh2_tbl[n] = set.sh2;
        t->mask[0] = set.mask; /* of all sets the same */
        memcpy(t->param_tbl[n], set.table, sizeof set.table);
        memcpy(t->temper_tbl[n], set.temper, sizeof set.temper);
    }
}

static size_t sites_of(const tile_lattice *l) {
    return (size_t)l->setup.size * l->setup.size;
}

/* Words of the generators of a lattice. */
static size_t words_of(const tile_lattice *l) {
    return l->blocks * l->words;
}

static cudaError_t allocate(tile_gpu *g, const tile_lattice *l) {
    const size_t n = g->lattices;
    cudaError_t error = cudaMalloc(&g->arguments.spins, n * sites_of(l));
    if (!error)
        error = cudaMalloc(&g->arguments.states, n * words_of(l) * sizeof *l->states);
    if (!error)
        error = cudaMalloc(&g->tables, sizeof *g->tables);
    if (!error)
        error = cudaMalloc(&g->energy, n * ENERGIES * sizeof *g->energy);
    if (!error)
        error = cudaMalloc(&g->sum, n * l->blocks * THREADS * sizeof *g->sum);
    return error;
}

/* Lattices to the device, or back into them. */
static cudaError_t copy(tile_gpu *g, tile_lattice *lattices, bool back) {
    cudaError_t error = cudaSuccess;
    for (uint32_t n = 0; n < g->lattices && !error; n++) {
        tile_lattice *const l = &lattices[n];
        int8_t *const spins = g->arguments.spins + n * sites_of(l);
        uint32_t *const states = g->arguments.states + n * words_of(l);
        const size_t bytes = words_of(l) * sizeof *states;
        const cudaMemcpyKind kind = back ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
        error = cudaMemcpy(back ? l->spins : spins, back ? spins : l->spins, sites_of(l), kind);
        if (!error)
            error = cudaMemcpy(back ? l->states : states, back ? states : l->states, bytes, kind);
    }
    return error;
}

int tile_gpu_open(tile_gpu **gpu, const tile_lattice lattices[], uint32_t count, char *reason,
                  size_t size) {
    static mtgp32_tables tables;
    tile_gpu *const g = *gpu = (tile_gpu *)calloc(1, sizeof *g);
    if (!g) {
        snprintf(reason, size, "not enough memory");
        return -1;
    }
    const tile_setup *const s = &lattices->setup;
    g->run = kernels_for(s->generator);
    g->blocks = lattices->blocks;
    g->lattices = count;
    g->arguments = tile_arguments{};
    g->arguments.words = lattices->words;
    g->arguments.size = s->size;
    g->arguments.hits = s->hits;
    g->arguments.threshold[0] = s->threshold[0];
    g->arguments.threshold[1] = s->threshold[1];
    if (!g->run.update) {
        snprintf(reason, size, "this generator has no kernel");
        return -1;
    }
    cudaError_t error = allocate(g, lattices);
    if (!error)
        error = copy(g, (tile_lattice *)lattices, false);
    fill_tables(&tables);
    if (!error)
        error = cudaMemcpy(g->tables, &tables, sizeof tables, cudaMemcpyHostToDevice);
    g->arguments.tables = g->tables;
    return error ? failure(error, "device memory", reason, size) : 0;
}

/* As many steps as there are energies. */
static cudaError_t launch_batch(tile_gpu *g, uint32_t steps) {
    const uint32_t size = g->arguments.size, warps = size * ((size + SEGMENT - 1) / SEGMENT);
    const dim3 tiles(g->blocks, g->lattices), segments(warps / 4 + 1, g->lattices);
    cudaError_t error = cudaMemsetAsync(g->energy, 0, steps * g->lattices * sizeof *g->energy);
    for (uint32_t n = 0; n < steps && !error; n++) {
        g->run.update<<<tiles, THREADS>>>(g->arguments, 0);
        g->run.update<<<tiles, THREADS>>>(g->arguments, 1);
        add_energy<<<segments, 128>>>(g->arguments.spins, size, g->energy + n * g->lattices);
        error = cudaGetLastError();
    }
    return error;
}

int tile_gpu_advance(tile_gpu *g, uint32_t steps, int64_t energy[], char *reason, size_t size) {
    static_assert(sizeof *energy == sizeof *g->energy, "energies are copied");
    for (uint32_t done = 0; done < steps;) {
        const uint32_t now = steps - done < ENERGIES ? steps - done : ENERGIES;
        cudaError_t error = launch_batch(g, now);
        if (!error)
            error = cudaMemcpy(energy + (size_t)done * g->lattices, g->energy,
                               (size_t)now * g->lattices * sizeof *energy, cudaMemcpyDeviceToHost);
        if (error)
            return failure(error, "tiles", reason, size);
        done += now;
    }
    return 0;
}

int tile_gpu_read(tile_gpu *g, tile_lattice lattices[], char *reason, size_t size) {
    const cudaError_t error = copy(g, lattices, true);
    return error ? failure(error, "reading the tiles", reason, size) : 0;
}

int tile_gpu_sum(tile_gpu *g, uint32_t rounds, uint32_t sum[], double *seconds, char *reason,
                 size_t size) {
    cudaEvent_t before = NULL, after = NULL;
    float milliseconds = 0;
    cudaError_t error = cudaEventCreate(&before);
    if (!error)
        error = cudaEventCreate(&after);
    if (!error)
        error = cudaEventRecord(before);
    if (!error) {
        g->run.sum<<<dim3(g->blocks, g->lattices), THREADS>>>(g->arguments, rounds, g->sum);
        error = cudaGetLastError();
    }
    if (!error)
        error = cudaEventRecord(after);
    if (!error)
        error = cudaMemcpy(sum, g->sum, (size_t)g->lattices * g->blocks * THREADS * sizeof *sum,
                           cudaMemcpyDeviceToHost);
    if (!error)
        error = cudaEventElapsedTime(&milliseconds, before, after);
    if (before)
        cudaEventDestroy(before);
    if (after)
        cudaEventDestroy(after);
    *seconds = 1e-3 * milliseconds;
    return error ? failure(error, "sums", reason, size) : 0;
}

void tile_gpu_close(tile_gpu *g) {
    if (!g)
        return;
    cudaFree(g->arguments.spins);
    cudaFree(g->arguments.states);
    cudaFree(g->tables);
    cudaFree(g->energy);
    cudaFree(g->sum);
    free(g);
}
