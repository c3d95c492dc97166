/* The generators of the double checkerboard on a GPU: `pool` words of shared memory; load, next, store by all threads of a
 * block, with a barrier after load. load and store are told how many numbers a thread draws between them. What a block needs of its generator is in registers and in shared memory while it works, and in device memory between
 * launches. The numbers of MTGP32 are cuRAND's: its device function, with the state that mtgp32.c made. */
#ifndef PAISING_RNG_TILE_GENERATORS_CUH
#define PAISING_RNG_TILE_GENERATORS_CUH

#include "generators.h"

#include <curand_kernel.h>
#include <curand_mtgp32_kernel.h>

#define THREADS GENERATOR_BLOCK

typedef mtgp32_kernel_params_t mtgp32_tables;

struct lcg32 {
    static constexpr int pool = 1;
    uint32_t x, a, c;
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *, uint32_t) {
        x = s[threadIdx.x];
        a = s[THREADS];
        c = s[THREADS + 1];
    }
    __device__ uint32_t next() {
        return lcg32_step(&x, a, c);
    }
    __device__ void store(uint32_t *s, uint32_t) {
        s[threadIdx.x] = x;
    }
};

struct lcg64 {
    static constexpr int pool = 1;
    uint64_t x, a, c;
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *, uint32_t) {
        const uint32_t *const shared = s + 2 * THREADS;
        x = (uint64_t)s[THREADS + threadIdx.x] << 32 | s[threadIdx.x];
        a = (uint64_t)shared[1] << 32 | shared[0];
        c = (uint64_t)shared[3] << 32 | shared[2];
    }
    __device__ uint32_t next() {
        return lcg64_step(&x, a, c);
    }
    __device__ void store(uint32_t *s, uint32_t) {
        s[threadIdx.x] = (uint32_t)x;
        s[THREADS + threadIdx.x] = (uint32_t)(x >> 32);
    }
};

struct mwc1 {
    static constexpr int pool = 1;
    uint32_t x, c, a;
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *, uint32_t) {
        x = s[threadIdx.x];
        c = s[THREADS + threadIdx.x];
        a = s[2 * THREADS + threadIdx.x];
    }
    __device__ uint32_t next() {
        return mwc1_step(&x, &c, a);
    }
    __device__ void store(uint32_t *s, uint32_t) {
        s[threadIdx.x] = x;
        s[THREADS + threadIdx.x] = c;
    }
};

template <uint32_t R, uint32_t S> struct fibonacci {
    static_assert(S >= THREADS && R - S >= THREADS, "a thread would read what another one writes");
    static constexpr int pool = R;
    uint32_t *ring, first, at;
    /* Of a few draws, two parts of the ring: the oldest numbers, and those s before the new ones. */
    __device__ void load(const uint32_t *s, uint32_t *memory, const mtgp32_tables *,
                         uint32_t draws) {
        ring = memory;
        first = s[R];
        at = (first + threadIdx.x) % R;
        for (uint32_t n = threadIdx.x; n < min(R, draws * THREADS); n += THREADS) {
            const uint32_t oldest = (first + n) % R, other = (first + n + R - S) % R;
            ring[oldest] = s[oldest];
            ring[other] = s[other];
        }
    }
    __device__ uint32_t next() {
        const uint32_t other = at + R - S;
        const uint32_t number = ring[at] + ring[other < R ? other : other - R];
        ring[at] = number;
        at = at + THREADS < R ? at + THREADS : at + THREADS - R;
        __syncthreads();
        return number;
    }
    __device__ void store(uint32_t *s, uint32_t draws) {
        for (uint32_t n = threadIdx.x; n < min(R, draws * THREADS); n += THREADS)
            s[(first + n) % R] = ring[(first + n) % R];
        if (threadIdx.x == 0)
            s[R] = at;
    }
};

/* Six words a thread. */
template <uint32_t (*STEP)(uint32_t *)> struct six_words {
    static constexpr int pool = 1;
    uint32_t x[6];
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *, uint32_t) {
        for (int k = 0; k < 6; k++)
            x[k] = s[k * THREADS + threadIdx.x];
    }
    __device__ uint32_t next() {
        return STEP(x);
    }
    __device__ void store(uint32_t *s, uint32_t) {
        for (int k = 0; k < 6; k++)
            s[k * THREADS + threadIdx.x] = x[k];
    }
};

struct mtgp32 {
    static constexpr int pool = sizeof(curandStateMtgp32_t) / sizeof(uint32_t);
    curandStateMtgp32_t *state;
    __device__ void load(const uint32_t *s, uint32_t *memory, const mtgp32_tables *tables,
                         uint32_t) {
        state = (curandStateMtgp32_t *)memory;
        for (uint32_t n = threadIdx.x; n < MTGP32_RING; n += THREADS)
            state->s[n] = s[n];
        if (threadIdx.x == 0) {
            state->offset = (int)s[MTGP32_RING];
            state->pIdx = (int)s[MTGP32_RING + 1];
            state->k = (mtgp32_tables *)tables;
        }
    }
    __device__ uint32_t next() {
        return curand(state);
    }
    __device__ void store(uint32_t *s, uint32_t) {
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
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *, uint32_t) {
        x = s[threadIdx.x];
        weyl = s[THREADS];
    }
    __device__ uint32_t next() {
        x ^= left<10, 9>();
        x ^= right<10, 27>();
        x ^= left<10, 24>();
        weyl += WEYL_INCREMENT;
        return x + weyl;
    }
    __device__ void store(uint32_t *s, uint32_t) {
        s[threadIdx.x] = x;
        if (threadIdx.x == 0)
            s[THREADS] = weyl;
    }
};

template <int ROUNDS> struct philox {
    static constexpr int pool = 1;
    uint32_t thread, drawn, key[2], x[4];
    __device__ void load(const uint32_t *s, uint32_t *, const mtgp32_tables *, uint32_t) {
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
    __device__ void store(uint32_t *s, uint32_t) {
        s[THREADS + threadIdx.x] = drawn;
    }
};

#endif
