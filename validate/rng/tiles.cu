/* The double checkerboard on a GPU, a kernel for each generator, and a kernel that sums numbers.
 *
 * A spin is a bit, 1 up. A tile is eight words: those of its 128 even sites, x + y even, then those of the odd ones. Bit i of
 * word w is the site of thread 32 w + i: of row 4 w + i / 8, and of the pair of columns i % 8 there. So a warp has a word of
 * either colour, a half sweep compares every number with both thresholds and decides a word at a time, and lanes hold the same
 * words. A block does the same tile of LATTICES lattices, which hides the time of its loads: one launch is 256 flips a tile, and
 * loads and stores of generators cost more than these. */
#include "tile_generators.cuh"
#include "tiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATTICES   4 /* of a block */
#define WARPS      (THREADS / 32)
#define TILE_WORDS (2 * WARPS)
static_assert(TILES_ON_GPU % LATTICES == 0 && TILE == 16, "whole blocks, and two sites a thread");

/* --- Kernels --- */

struct tile_arguments {
    uint32_t *spins; /* [lattice][row of tiles][tile][colour][warp] */
    uint32_t *states;
    size_t words;
    const mtgp32_tables *tables;
    uint32_t size, hits, threshold[2];
};

/* Of a warp: what of one colour stands outside its word. */
struct surroundings {
    uint32_t above, below; /* the words of the warps before and after this one */
    uint32_t side;         /* bits of the tiles beside, at the ends of rows */
};

/* Of the neighbours in other pairs of columns: the bits that come from the tiles beside, and all. */
template <int COLOUR> static __device__ uint32_t side_of(uint32_t left, uint32_t right) {
    return COLOUR ? (left >> 7 & 0x01000100u) | (right << 7 & 0x00800080u)
                  : (left >> 7 & 0x00010001u) | (right << 7 & 0x80008000u);
}

template <int COLOUR> static __device__ uint32_t beside(uint32_t word, uint32_t side) {
    return COLOUR ? (word << 1 & 0xFE00FE00u) | (word >> 1 & 0x007F007Fu) | side
                  : (word << 1 & 0x00FE00FEu) | (word >> 1 & 0x7F007F00u) | side;
}

/* Bit i: whether site i and its neighbour 0 to 3 are antiparallel; `other`: the word of the other colour. */
template <int COLOUR>
static __device__ void compare(uint32_t anti[4], uint32_t own, uint32_t other, surroundings s) {
    anti[0] = own ^ other;
    anti[1] = own ^ __funnelshift_l(s.above, other, 8);
    anti[2] = own ^ __funnelshift_r(other, s.below, 8);
    anti[3] = own ^ beside<COLOUR>(other, s.side);
}

/* A number below 2 tiles, modulo tiles. */
static __device__ uint32_t wrap(uint32_t n, uint32_t tiles) {
    return n < tiles ? n : n - tiles;
}

/* The words of a tile of a lattice; row and column: below 2 tiles. */
static __device__ const uint32_t *tile_at(const uint32_t *spins, uint32_t tiles, uint32_t row,
                                          uint32_t column) {
    return spins + (size_t)(wrap(row, tiles) * tiles + wrap(column, tiles)) * TILE_WORDS;
}

/* Neighbours in `COLOUR` of a warp's sites, from memory; above and below: of the tile's first and last warp, else not set. */
template <int COLOUR>
static __device__ surroundings look_around(const uint32_t *spins, uint32_t tiles, uint32_t row,
                                           uint32_t column, uint32_t warp) {
    surroundings s = {};
    if (warp == 0)
        s.above = tile_at(spins, tiles, row + tiles - 1, column)[COLOUR * WARPS + WARPS - 1];
    if (warp == WARPS - 1)
        s.below = tile_at(spins, tiles, row + 1, column)[COLOUR * WARPS];
    s.side = side_of<!COLOUR>(tile_at(spins, tiles, row, column + tiles - 1)[COLOUR * WARPS + warp],
                              tile_at(spins, tiles, row, column + 1)[COLOUR * WARPS + warp]);
    return s;
}

/* Words of one colour of a tile, with those of the tiles above and below, in shared memory. */
typedef uint32_t tile_column[WARPS + 2];

/* A half sweep of a warp's sites of one colour: tiles.c, half_sweep. */
template <int COLOUR>
static __device__ void half_sweep(tile_column *colours, uint32_t *own, uint32_t side,
                                  const uint32_t threshold[2], uint32_t number) {
    const uint32_t warp = threadIdx.x / 32, *const other = colours[!COLOUR] + warp;
    uint32_t a[4];
    compare<COLOUR>(a, *own, other[1], surroundings{other[0], other[2], side});
    const uint32_t rare = __ballot_sync(~0u, number < threshold[0]),
                   often = __ballot_sync(~0u, number < threshold[1]),
                   any = a[0] | a[1] | a[2] | a[3],
                   two = (a[0] & a[1]) | (a[2] & a[3]) | ((a[0] | a[1]) & (a[2] | a[3]));
    *own ^= two | (often & any) | rare;
    if (threadIdx.x % 32 == 0)
        colours[COLOUR][warp + 1] = *own;
}

/* What a warp has of its tile of a lattice. */
struct warp_tile {
    uint32_t own[2], side[2]; /* by colour; side: for sites of that colour */
};

static __device__ warp_tile load_tile(tile_column *colours, const uint32_t *spins, uint32_t tiles,
                                      uint32_t row, uint32_t column) {
    const uint32_t warp = threadIdx.x / 32, *const tile = tile_at(spins, tiles, row, column);
    const surroundings even = look_around<0>(spins, tiles, row, column, warp),
                       odd = look_around<1>(spins, tiles, row, column, warp);
    const warp_tile t = {{tile[warp], tile[WARPS + warp]}, {odd.side, even.side}};
    if (threadIdx.x % 32 == 0) {
        colours[0][warp + 1] = t.own[0];
        colours[1][warp + 1] = t.own[1];
        if (warp == 0) {
            colours[0][0] = even.above;
            colours[1][0] = odd.above;
        }
        if (warp == WARPS - 1) {
            colours[0][WARPS + 1] = even.below;
            colours[1][WARPS + 1] = odd.below;
        }
    }
    return t;
}

/* tiles.c: update_tiles, a block a tile of LATTICES lattices, from number LATTICES blockIdx.y on. */
template <class G>
static __global__ void __launch_bounds__(THREADS) update_tiles(tile_arguments a, uint32_t colour) {
    __shared__ __align__(16) uint32_t pool[LATTICES][(G::pool + 3) / 4 * 4];
    __shared__ tile_column columns[LATTICES][2];
    const uint32_t tiles = a.size / TILE, row = blockIdx.x / (tiles / 2),
                   column = blockIdx.x % (tiles / 2) * 2 + (row + colour) % 2,
                   warp = threadIdx.x / 32, first = blockIdx.y * LATTICES;
    const size_t words = (size_t)tiles * tiles * TILE_WORDS;
    uint32_t *const spins = a.spins + first * words, *const state =
                                                         a.states +
                                                         ((size_t)first * gridDim.x + blockIdx.x) *
                                                             a.words;
    const size_t stride = gridDim.x * a.words;
    G generator[LATTICES];
    warp_tile tile[LATTICES];
#pragma unroll
    for (int k = 0; k < LATTICES; k++) {
        generator[k].load(state + k * stride, pool[k], a.tables, 2 * a.hits);
        tile[k] = load_tile(columns[k], spins + k * words, tiles, row, column);
    }
    __syncthreads();
    for (uint32_t n = 0; n < a.hits; n++) {
#pragma unroll
        for (int k = 0; k < LATTICES; k++)
            half_sweep<0>(columns[k], &tile[k].own[0], tile[k].side[0], a.threshold,
                          generator[k].next());
        __syncthreads();
#pragma unroll
        for (int k = 0; k < LATTICES; k++)
            half_sweep<1>(columns[k], &tile[k].own[1], tile[k].side[1], a.threshold,
                          generator[k].next());
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < LATTICES; k++) {
        generator[k].store(state + k * stride, 2 * a.hits);
        if (threadIdx.x % 32 < 2)
            spins[k * words + (tile_at(spins, tiles, row, column) - spins) +
                  threadIdx.x % 2 * WARPS + warp] =
                threadIdx.x % 2 ? tile[k].own[1] : tile[k].own[0];
    }
}

template <class G>
static __global__ void __launch_bounds__(THREADS)
    sum_numbers(tile_arguments a, uint32_t rounds, uint32_t *sum) {
    __shared__ __align__(16) uint32_t pool[G::pool];
    G generator;
    const size_t block = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
    generator.load(a.states + block * a.words, pool, a.tables, rounds);
    __syncthreads();
    uint32_t total = 0;
    for (uint32_t n = 0; n < rounds; n++)
        total += generator.next();
    sum[block * THREADS + threadIdx.x] = total;
}

/* Adds -sum s_i s_j to the energy of every lattice, blockIdx.y: a thread a word of even sites, all bonds of which are all there
 * are. */
static __global__ void add_energy(const uint32_t *all, uint32_t size, unsigned long long *energy) {
    const uint32_t tiles = size / TILE, n = blockIdx.x * THREADS + threadIdx.x, warp = n % WARPS,
                   row = n / WARPS / tiles, column = n / WARPS % tiles;
    const uint32_t *const spins = all + (size_t)blockIdx.y * tiles * tiles * TILE_WORDS,
                          *const tile = tile_at(spins, tiles, row, column),
                          *const odd = tile + WARPS;
    int of_word = 0;
    if (row < tiles) {
        surroundings s = look_around<1>(spins, tiles, row, column, warp);
        uint32_t anti[4];
        if (warp > 0)
            s.above = odd[warp - 1];
        if (warp < WARPS - 1)
            s.below = odd[warp + 1];
        compare<0>(anti, tile[warp], odd[warp], s);
        of_word = 2 * (__popc(anti[0]) + __popc(anti[1]) + __popc(anti[2]) + __popc(anti[3])) - 128;
    }
    of_word = __reduce_add_sync(~0u, of_word);
    if (threadIdx.x % 32 == 0)
        atomicAdd(energy + blockIdx.y, (unsigned long long)(long long)of_word);
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

/* Words of the spins of a lattice. */
static size_t spin_words(const tile_lattice *l) {
    return (size_t)l->setup.size * l->setup.size / 32;
}

/* Words of the generators of a lattice. */
static size_t words_of(const tile_lattice *l) {
    return l->blocks * l->words;
}

static cudaError_t allocate(tile_gpu *g, const tile_lattice *l) {
    const size_t n = g->lattices;
    cudaError_t error = cudaMalloc(&g->arguments.spins, n * spin_words(l) * sizeof(uint32_t));
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

/* Calls `visit` for every site of a lattice, with its bit of the words that a GPU has. */
template <class F> static void visit_sites(const tile_lattice *l, F visit) {
    const uint32_t size = l->setup.size;
    for (uint32_t y = 0; y < size; y++)
        for (uint32_t x = 0; x < size; x++) {
            const uint32_t thread = y % TILE * (TILE / 2) + x % TILE / 2,
                           tile = y / TILE * (size / TILE) + x / TILE;
            visit(l->spins + (size_t)y * size + x,
                  (size_t)tile * TILE_WORDS + (x + y) % 2 * WARPS + thread / 32, thread % 32);
        }
}

/* Lattices to the device, or back into them. Returns an error of memory of the host, too. */
static cudaError_t copy(tile_gpu *g, tile_lattice *lattices, bool back) {
    const size_t words = spin_words(lattices), bytes = words * sizeof(uint32_t),
                 state_bytes = words_of(lattices) * sizeof(uint32_t);
    uint32_t *const packed = (uint32_t *)malloc(bytes);
    cudaError_t error = packed ? cudaSuccess : cudaErrorMemoryAllocation;
    for (uint32_t n = 0; n < g->lattices && !error; n++) {
        tile_lattice *const l = &lattices[n];
        uint32_t *const spins = g->arguments.spins + n * words;
        uint32_t *const states = g->arguments.states + n * words_of(l);
        if (back) {
            error = cudaMemcpy(packed, spins, bytes, cudaMemcpyDeviceToHost);
            visit_sites(l, [=](int8_t *spin, size_t word, uint32_t bit) {
                *spin = packed[word] >> bit & 1 ? 1 : -1;
            });
            if (!error)
                error = cudaMemcpy(l->states, states, state_bytes, cudaMemcpyDeviceToHost);
        } else {
            memset(packed, 0, bytes);
            visit_sites(l, [=](int8_t *spin, size_t word, uint32_t bit) {
                packed[word] |= (uint32_t)(*spin > 0) << bit;
            });
            error = cudaMemcpy(spins, packed, bytes, cudaMemcpyHostToDevice);
            if (!error)
                error = cudaMemcpy(states, l->states, state_bytes, cudaMemcpyHostToDevice);
        }
    }
    free(packed);
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
    const uint32_t pairs = size * size / 64; /* of words: even and odd sites */
    const dim3 tiles(g->blocks, g->lattices / LATTICES),
        words((pairs + THREADS - 1) / THREADS, g->lattices);
    cudaError_t error = cudaMemsetAsync(g->energy, 0, steps * g->lattices * sizeof *g->energy);
    for (uint32_t n = 0; n < steps && !error; n++) {
        g->run.update<<<tiles, THREADS>>>(g->arguments, 0);
        g->run.update<<<tiles, THREADS>>>(g->arguments, 1);
        add_energy<<<words, THREADS>>>(g->arguments.spins, size, g->energy + n * g->lattices);
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
