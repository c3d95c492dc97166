/* The sequential order of the Ising test on a GPU: a thread has a lattice of its own, and visits site after site, because the next
 * site has to wait. Neighbouring threads have neighbouring lattices: a word is 32 sites of a row, bit 0 the first, and words lie
 * [row][word][lattice]. What the neighbours above, below and to the right decide is found for a word at a time; only the left
 * neighbour, and which number is the next, are found for each site. */
#include "engine/streams.h"
#include "streams_under_test.h"
#include "tiles.h"

#include <stdio.h>
#include <stdlib.h>

#define THREADS  SEQUENCE_BLOCK
#define LONG_LAG 521

struct sequence_arguments {
    uint32_t *spins;        /* [row][word][lattice] */
    uint32_t *states;       /* [word][lattice] */
    uint32_t *keys;         /* [lattice][2] */
    int64_t *sum, *squares; /* [lattice]: of D and D^2 over all steps */
    int64_t origin;
    uint32_t size, count, threshold[2];
};

/* --- Generators: `number` is the next one of the sequence, and take() goes on to the one after it --- */

struct one_lcg32 {
    static constexpr uint32_t shared = 0;
    uint32_t number;
    __device__ void load(const uint32_t *s, uint32_t, uint32_t *) {
        number = *s;
    }
    __device__ void take() {
        lcg32_step(&number, LCG_MULTIPLIER, LCG_INCREMENT);
    }
    __device__ void store(uint32_t *s, uint32_t) {
        *s = number;
    }
};

struct one_lcg64 {
    static constexpr uint32_t shared = 0;
    uint64_t x;
    uint32_t number;
    __device__ void load(const uint32_t *s, uint32_t count, uint32_t *) {
        x = (uint64_t)s[count] << 32 | s[0];
        number = s[count];
    }
    __device__ void take() {
        number = lcg64_step(&x, LCG64_MULTIPLIER, LCG64_INCREMENT);
    }
    __device__ void store(uint32_t *s, uint32_t count) {
        s[0] = (uint32_t)x;
        s[count] = (uint32_t)(x >> 32);
    }
};

/* The rings of a block lie in shared memory, [place][thread]: no two threads of a warp use the same bank. */
struct one_fibonacci_521 {
    static constexpr uint32_t shared = LONG_LAG * THREADS;
    uint32_t *ring, at, number, after;
    static __device__ uint32_t wrap(uint32_t place) {
        return place < LONG_LAG ? place : place - LONG_LAG;
    }
    /* What stands at a place, and the number s before the one that is to stand there. */
    __device__ uint32_t sum_at(uint32_t place) const {
        return ring[place * THREADS] + ring[wrap(place + LONG_LAG - FIBONACCI_521_S) * THREADS];
    }
    __device__ void load(const uint32_t *s, uint32_t count, uint32_t *memory) {
        ring = memory + threadIdx.x;
        for (uint32_t n = 0; n < LONG_LAG; n++)
            ring[n * THREADS] = s[(size_t)n * count];
        at = s[(size_t)LONG_LAG * count];
        number = sum_at(at);
        after = sum_at(wrap(at + 1));
    }
    __device__ void take() {
        ring[at * THREADS] = number;
        number = after;
        at = wrap(at + 1);
        after = sum_at(wrap(at + 1));
    }
    __device__ void store(uint32_t *s, uint32_t count) {
        for (uint32_t n = 0; n < LONG_LAG; n++)
            s[(size_t)n * count] = ring[n * THREADS];
        s[(size_t)LONG_LAG * count] = at;
    }
};

/* --- Kernels --- */

/* Random spins: tiles.c, tiles_create. A thread a lattice and row. */
static __global__ void randomise(sequence_arguments a) {
    const uint32_t n = blockIdx.x * THREADS + threadIdx.x, row = blockIdx.y, words = a.size / 32;
    const stream_key key = {{a.keys[2 * n], a.keys[2 * n + 1]}};
    for (uint32_t w = 0; w < words; w++) {
        uint32_t word = 0;
        for (uint32_t b = 0; b < 32; b++)
            word |= stream_philox(key, 32 * w + b, row, 0, 0).number[0] % 2 << b;
        a.spins[((size_t)row * words + w) * a.count + n] = word;
    }
}

/* A lattice: its words of a row are `stride` apart. */
struct lattice_words {
    uint32_t *spins, words;
    size_t stride;
    __device__ uint32_t *row(uint32_t y) const {
        return spins + (size_t)y * words * stride;
    }
};

/* 32 sites, one after the other. none, one: how many of the neighbours above, below and to the right are antiparallel; left: the
 * site before the first, and then the last one. */
template <class G>
static __device__ __forceinline__ uint32_t update_word(G *g, uint32_t here, uint32_t none,
                                                       uint32_t one, uint32_t *left,
                                                       const uint32_t threshold[2]) {
    const uint32_t rare = threshold[0], often = threshold[1];
    uint32_t word = 0;
#pragma unroll
    for (uint32_t b = 0; b < 32; b++) {
        const uint32_t spin = here >> b & 1;
        const bool same = spin == *left, all_parallel = same && none >> b & 1,
                   costs = same ? (none | one) >> b & 1 : none >> b & 1;
        const bool flips = !costs || g->number < (all_parallel ? rare : often);
        if (costs)
            g->take();
        *left = spin ^ flips;
        word |= *left << b;
    }
    return word;
}

/* tiles.c: sweep_row. */
template <class G>
static __device__ __forceinline__ void sweep_row(const lattice_words *l, uint32_t y, uint32_t size,
                                                 G *g, const uint32_t threshold[2]) {
    uint32_t *const row = l->row(y);
    const uint32_t *const above = l->row(y > 0 ? y - 1 : size - 1), *const below = l->row(
                                                                        y + 1 < size ? y + 1 : 0);
    uint32_t left = row[(l->words - 1) * l->stride] >> 31, here = row[0], up = above[0],
             down = below[0], first = 0;
    for (uint32_t w = 0; w < l->words; w++) {
        const bool last = w + 1 == l->words;
        const size_t after = (w + 1) * l->stride;
        const uint32_t next = last ? first : row[after], next_up = last ? 0 : above[after],
                       next_down = last ? 0 : below[after];
        const uint32_t a = here ^ up, b = here ^ down, c = here ^ (here >> 1 | next << 31),
                       two = (a & b) | (a & c) | (b & c),
                       word =
                           update_word(g, here, ~(a | b | c), (a ^ b ^ c) & ~two, &left, threshold);
        row[w * l->stride] = word;
        first = w == 0 ? word : first;
        here = next;
        up = next_up;
        down = next_down;
    }
}

static __device__ int64_t energy_of(const lattice_words *l, uint32_t size) {
    int64_t anti = 0;
    for (uint32_t y = 0; y < size; y++) {
        const uint32_t *const row = l->row(y), *const below = l->row(y + 1 < size ? y + 1 : 0);
        for (uint32_t w = 0; w < l->words; w++) {
            const uint32_t here = row[w * l->stride],
                           next = row[(w + 1 < l->words ? w + 1 : 0) * l->stride];
            anti += __popc(here ^ below[w * l->stride]) + __popc(here ^ (here >> 1 | next << 31));
        }
    }
    return 2 * anti - 2 * (int64_t)size * size;
}

template <class G>
static __global__ void __launch_bounds__(THREADS) sweep(sequence_arguments a, uint32_t steps) {
    extern __shared__ uint32_t memory[];
    const uint32_t n = blockIdx.x * THREADS + threadIdx.x;
    const lattice_words l = {a.spins + n, a.size / 32, a.count};
    int64_t sum = 0, squares = 0;
    G g;
    g.load(a.states + n, a.count, memory);
    for (uint32_t step = 0; step < steps; step++) {
        for (uint32_t y = 0; y < a.size; y++)
            sweep_row(&l, y, a.size, &g, a.threshold);
        const int64_t d = energy_of(&l, a.size) - a.origin;
        sum += d;
        squares += d * d;
    }
    g.store(a.states + n, a.count);
    a.sum[n] += sum;
    a.squares[n] += squares;
}

/* --- The host --- */

typedef void (*sweep_kernel)(sequence_arguments, uint32_t);

struct sequence_gpu {
    sequence_arguments arguments;
    sweep_kernel run;
    uint32_t shared; /* bytes of a block */
};

static int failure(cudaError_t error, const char *what, char *reason, size_t size) {
    snprintf(reason, size, "%s: %s", what, cudaGetErrorString(error));
    return -1;
}

template <class G> static cudaError_t choose(sequence_gpu *g) {
    g->run = sweep<G>;
    g->shared = G::shared * sizeof(uint32_t);
    return cudaFuncSetAttribute(g->run, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)g->shared);
}

static cudaError_t choose_for(sequence_gpu *g, generator_id id) {
    switch (id) {
    case GENERATOR_LCG32_SKIPPED:
        return choose<one_lcg32>(g);
    case GENERATOR_LCG64_SKIPPED:
        return choose<one_lcg64>(g);
    case GENERATOR_FIBONACCI_521:
        return choose<one_fibonacci_521>(g);
    default:
        return cudaErrorNotSupported;
    }
}

static size_t spin_bytes(const sequence_arguments *a) {
    return (size_t)a->size * a->size / 8 * a->count;
}

static cudaError_t allocate(sequence_arguments *a) {
    const size_t n = a->count;
    cudaError_t error = cudaMalloc(&a->spins, spin_bytes(a));
    if (!error)
        error = cudaMalloc(&a->states, SEQUENCE_WORDS * n * sizeof *a->states);
    if (!error)
        error = cudaMalloc(&a->keys, 2 * n * sizeof *a->keys);
    if (!error)
        error = cudaMalloc(&a->sum, 2 * n * sizeof *a->sum);
    a->squares = a->sum + n;
    return error;
}

/* States and keys of all lattices. */
static cudaError_t seed(sequence_arguments *a, const tile_setup *s) {
    const size_t n = a->count, state_bytes = SEQUENCE_WORDS * n * sizeof(uint32_t),
                 key_bytes = 2 * n * sizeof(uint32_t);
    uint32_t *const states = (uint32_t *)calloc(1, state_bytes);
    uint32_t *const keys = (uint32_t *)malloc(key_bytes);
    cudaError_t error = states && keys ? cudaSuccess : cudaErrorMemoryAllocation;
    if (!error) {
        sequence_start(s, a->count, states, keys);
        error = cudaMemcpy(a->states, states, state_bytes, cudaMemcpyHostToDevice);
    }
    if (!error)
        error = cudaMemcpy(a->keys, keys, key_bytes, cudaMemcpyHostToDevice);
    free(states);
    free(keys);
    return error;
}

int sequence_gpu_open(sequence_gpu **gpu, const tile_setup *s, uint32_t count, int64_t origin,
                      char *reason, size_t size) {
    sequence_gpu *const g = *gpu = (sequence_gpu *)calloc(1, sizeof *g);
    if (!g) {
        snprintf(reason, size, "not enough memory");
        return -1;
    }
    sequence_arguments *const a = &g->arguments;
    a->origin = origin;
    a->size = s->size;
    a->count = count;
    a->threshold[0] = s->threshold[0];
    a->threshold[1] = s->threshold[1];
    cudaError_t error = choose_for(g, s->generator);
    if (!error)
        error = allocate(a);
    if (!error)
        error = seed(a, s);
    if (error)
        return failure(error, "lattices in sequence", reason, size);
    randomise<<<dim3(count / THREADS, a->size), THREADS>>>(*a);
    error = cudaDeviceSynchronize();
    return error ? failure(error, "lattices in sequence", reason, size) : 0;
}

int sequence_gpu_advance(sequence_gpu *g, uint32_t steps, int64_t *sum, int64_t *squares,
                         char *reason, size_t size) {
    const sequence_arguments *const a = &g->arguments;
    const size_t bytes = a->count * sizeof *sum;
    cudaError_t error = cudaMemset(a->sum, 0, 2 * bytes);
    if (!error) {
        g->run<<<a->count / THREADS, THREADS, g->shared>>>(*a, steps);
        error = cudaGetLastError();
    }
    if (!error)
        error = cudaMemcpy(sum, a->sum, bytes, cudaMemcpyDeviceToHost);
    if (!error)
        error = cudaMemcpy(squares, a->squares, bytes, cudaMemcpyDeviceToHost);
    return error ? failure(error, "sweeps in sequence", reason, size) : 0;
}

void sequence_gpu_close(sequence_gpu *g) {
    if (!g)
        return;
    cudaFree(g->arguments.spins);
    cudaFree(g->arguments.states);
    cudaFree(g->arguments.keys);
    cudaFree(g->arguments.sum);
    free(g);
}
