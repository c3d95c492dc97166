/* The generators of curand_sweep.h: how a block seeds its states, and how a thread of a GPU, or of the twin, draws a number. The
 * functions of cuRAND's headers are compiled for the CPU too. */
#ifndef PAISING_CURAND_GENERATORS_CUH
#define PAISING_CURAND_GENERATORS_CUH

#include "perf/curand/curand_sweep.h"

#define QUALIFIERS static inline __host__ __device__
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>

/* A state a thread, which stays in registers. SAME: all threads of a block have the sequence of its first one. */
template <typename STATE, bool SAME> struct one_a_thread {
    typedef STATE state;
    static constexpr uint32_t states = SWEEP_THREADS; /* of a block */
    struct pool {};                                   /* in shared memory */
    STATE own;

    static __host__ __device__ void seed(STATE *s, uint64_t seed, uint32_t block, uint32_t thread) {
        curand_init(seed, (uint64_t)block * SWEEP_THREADS + (SAME ? 0 : thread), 0, s);
    }
    __device__ void load(const STATE *s, pool *) {
        own = s[threadIdx.x];
    }
    __device__ uint32_t next() {
        return curand(&own);
    }
    __device__ void store(STATE *s) const {
        s[threadIdx.x] = own;
    }
    /* Numbers of all threads of a block, in the twin. */
    static void draw(STATE *s, uint32_t numbers[SWEEP_THREADS]) {
        for (uint32_t t = 0; t < SWEEP_THREADS; t++)
            numbers[t] = curand(&s[t]);
    }
};

/* A state a block, which is in shared memory. Block b has parameter set b mod 200; its seed differs from those of all others. */
struct one_a_block {
    typedef curandStateMtgp32_t state;
    static constexpr uint32_t states = 1;
    typedef curandStateMtgp32_t pool;
    curandStateMtgp32_t *common;

    /* On the host; `tables` are those of the device, or of the twin. */
    static void seed(state *s, uint64_t seed, uint32_t block, mtgp32_kernel_params_t *tables) {
        s->pIdx = (int)(block % CURAND_NUM_MTGP32_PARAMS);
        s->offset = 0;
        s->k = tables;
        mtgp32_init_state(s->s, &mtgp32dc_params_fast_11213[s->pIdx], (uint32_t)seed + block);
    }
    __device__ void load(const state *s, pool *memory) {
        for (uint32_t n = threadIdx.x; n < MTGP32_STATE_SIZE; n += SWEEP_THREADS)
            memory->s[n] = s->s[n];
        if (threadIdx.x == 0) {
            memory->offset = s->offset;
            memory->pIdx = s->pIdx;
            memory->k = s->k;
        }
        common = memory;
        __syncthreads();
    }
    __device__ uint32_t next() {
        return curand(common);
    }
    __device__ void store(state *s) const {
        for (uint32_t n = threadIdx.x; n < MTGP32_STATE_SIZE; n += SWEEP_THREADS)
            s->s[n] = common->s[n];
        if (threadIdx.x == 0)
            s->offset = common->offset;
    }
    /* As curand(): thread t makes word offset + 351 + t from words that no thread of the same call makes. */
    static void draw(state *s, uint32_t numbers[SWEEP_THREADS]) {
        const uint32_t pos = s->k->pos_tbl[s->pIdx];
        for (uint32_t t = 0; t < SWEEP_THREADS; t++) {
            const uint32_t at = (uint32_t)s->offset + t;
            const uint32_t word =
                para_rec(s->k, s->s[at & MTGP32_STATE_MASK], s->s[(at + 1) & MTGP32_STATE_MASK],
                         s->s[(at + pos) & MTGP32_STATE_MASK], s->pIdx);
            s->s[(at + MTGPDC_N) & MTGP32_STATE_MASK] = word;
            numbers[t] = temper(s->k, word, s->s[(at + pos - 1) & MTGP32_STATE_MASK], s->pIdx);
        }
        s->offset = (s->offset + SWEEP_THREADS) & MTGP32_STATE_MASK;
    }
};

typedef one_a_thread<curandStatePhilox4_32_10_t, false> philox;
typedef one_a_thread<curandStateXORWOW_t, false> xorwow;
typedef one_a_thread<curandStateMRG32k3a_t, false> mrg32k3a;
typedef one_a_thread<curandStateXORWOW_t, true> control;
typedef one_a_block mtgp32;

/* The parameters of MTGP32 as cuRAND's functions read them. */
static void fill_tables(mtgp32_kernel_params_t *k) {
    k->mask[0] = mtgp32dc_params_fast_11213[0].mask;
    for (int n = 0; n < CURAND_NUM_MTGP32_PARAMS; n++) {
        const mtgp32_params_fast_t *const p = &mtgp32dc_params_fast_11213[n];
        k->pos_tbl[n] = (uint32_t)p->pos;
        k->sh1_tbl[n] = (uint32_t)p->sh1;
        k->sh2_tbl[n] = (uint32_t)p->sh2;
        memcpy(k->param_tbl[n], p->tbl, sizeof p->tbl);
        memcpy(k->temper_tbl[n], p->tmp_tbl, sizeof p->tmp_tbl);
        memcpy(k->single_temper_tbl[n], p->flt_tmp_tbl, sizeof p->flt_tmp_tbl);
    }
}

#endif
