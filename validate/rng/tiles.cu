/* The double checkerboard on a GPU, a kernel for each generator, and a kernel that sums numbers. */
#include "tile_generators.cuh"
#include "tiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Kernels --- */

struct tile_arguments {
    int8_t *spins;
    uint32_t *states;
    size_t words;
    const mtgp32_tables *tables;
    uint32_t size, hits, threshold[2];
};

/* A tile with the sites around it, from column LEFT - 1 on: four sites are a word of memory, here and in the lattice. */
#define LEFT    4
#define COLUMNS (LEFT + TILE + 4)

typedef int8_t tile_rows[COLUMNS];

/* The place of site n, from the one before the tile that begins at `first`, in a ring of `size` sites. */
static __device__ uint32_t around(uint32_t first, uint32_t n, uint32_t size) {
    const uint32_t after = first + n;
    return after == 0 ? size - 1 : after > size ? 0 : after - 1;
}

/* Loads of a tile: a thread has at most one, of a word of four sites in rows 0 to TILE + 1, or of a site in either column beside it. */
static __device__ void load_tile(tile_rows *tile, const int8_t *spins, uint32_t size, uint32_t row,
                                 uint32_t column) {
    const uint32_t words = (TILE + 2) * (TILE / 4), n = threadIdx.x, side = n - words;
    static_assert((TILE + 2) * (TILE / 4) + 2 * TILE <= THREADS, "a load a thread");
    if (n < words) {
        const uint32_t y = n / (TILE / 4), x = n % (TILE / 4) * 4;
        *(uint32_t *)(tile[y] + LEFT + x) =
            *(const uint32_t *)(spins + (size_t)around(row, y, size) * size + column + x);
    } else if (side < 2 * TILE) {
        const uint32_t y = side % TILE + 1, x = side / TILE * (TILE + 1);
        tile[y][LEFT - 1 + x] = spins[(size_t)(row + y - 1) * size + around(column, x, size)];
    }
}

static __device__ void store_tile(const tile_rows *tile, int8_t *spins, uint32_t size, uint32_t row,
                                  uint32_t column) {
    const uint32_t y = threadIdx.x / (TILE / 4), x = threadIdx.x % (TILE / 4) * 4;
    if (y < TILE)
        *(uint32_t *)(spins + (size_t)(row + y) * size + column + x) =
            *(const uint32_t *)(tile[y + 1] + LEFT + x);
}

/* tiles.c: update_tiles, a block a tile; blockIdx.y: of which lattice. */
template <class G>
static __global__ void __launch_bounds__(THREADS) update_tiles(tile_arguments a, uint32_t colour) {
    __shared__ __align__(16) uint32_t pool[G::pool];
    __shared__ __align__(4) tile_rows tile[TILE + 2];
    const uint32_t half = a.size / TILE / 2, tile_row = blockIdx.x / half, row = tile_row * TILE,
                   column = (blockIdx.x % half * 2 + (tile_row + colour) % 2) * TILE;
    int8_t *const spins = a.spins + blockIdx.y * (size_t)a.size * a.size;
    uint32_t *const state = a.states + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * a.words;
    G generator;
    load_tile(tile, spins, a.size, row, column);
    generator.load(state, pool, a.tables);
    __syncthreads();
    const uint32_t y = threadIdx.x / (TILE / 2) + 1,
                   even = LEFT + threadIdx.x % (TILE / 2) * 2 + (y + 1) % 2;
    for (uint32_t n = 0; n < 2 * a.hits; n++) {
        const uint32_t x = even ^ n % 2, number = generator.next();
        const int s = tile[y][x], parallel = s * (tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] +
                                                  tile[y][x + 1]);
        if (parallel <= 0 || number < (parallel == 2 ? a.threshold[1] : a.threshold[0]))
            tile[y][x] = (int8_t)-s;
        __syncthreads();
    }
    generator.store(state);
    store_tile(tile, spins, a.size, row, column);
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

/* Adds -sum s_i s_j to the energy of every lattice, blockIdx.y: a block a row. Four sites are a word; bytes of +1 and -1 differ in
 * bit 1. */
static __global__ void add_energy(const int8_t *all, uint32_t size, unsigned long long *energy) {
    const uint32_t words = size / 4, below = (blockIdx.x + 1) % size;
    const uint32_t *const spins = (const uint32_t *)all + blockIdx.y * (size_t)size * words,
                          *const row = spins + (size_t)blockIdx.x * words;
    int differ = 0;
    for (uint32_t x = threadIdx.x; x < words; x += blockDim.x) {
        const uint32_t here = row[x], after = row[x + 1 < words ? x + 1 : 0],
                       right = __funnelshift_r(here, after, 8);
        differ += __popc((here ^ right) & 0x02020202) +
                  __popc((here ^ spins[(size_t)below * words + x]) & 0x02020202);
    }
    differ = __reduce_add_sync(~0u, differ);
    if (threadIdx.x % 32 == 0)
        atomicAdd(energy + blockIdx.y,
                  (unsigned long long)(2LL * differ - (threadIdx.x == 0 ? 2LL * size : 0)));
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
    const uint32_t size = g->arguments.size;
    const dim3 tiles(g->blocks, g->lattices), rows(size, g->lattices);
    cudaError_t error = cudaMemsetAsync(g->energy, 0, steps * g->lattices * sizeof *g->energy);
    for (uint32_t n = 0; n < steps && !error; n++) {
        g->run.update<<<tiles, THREADS>>>(g->arguments, 0);
        g->run.update<<<tiles, THREADS>>>(g->arguments, 1);
        add_energy<<<rows, THREADS>>>(g->arguments.spins, size, g->energy + n * g->lattices);
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
