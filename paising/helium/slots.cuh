/* Slots: places in memory of the host where a kernel that goes on leaves copies of the atoms. A slot holds all walkers after one
 * part of their moves; there are SLOTS, used in turn. The host first fills the counts of accepted moves with a value that is
 * impossible. The kernel writes the atoms of a walker, and then its count. So the host sees by the count that the atoms are there, and
 * analyses them meanwhile. A kernel that is SLOTS parts ahead waits. */
#ifndef PAISING_HELIUM_SLOTS_CUH
#define PAISING_HELIUM_SLOTS_CUH

#include <stdint.h>

#define SLOTS      8u
#define IMPOSSIBLE UINT64_MAX

/* In pinned memory of the host. */
typedef struct {
    uint32_t *coordinate; /* [SLOTS][walkers][words] */
    uint64_t *accepted;   /* [SLOTS][walkers] */
    uint32_t *released;   /* parts that the host has analysed since the launch */
    uint32_t walkers, words;
} host_slots;

static cudaError_t slots_make(host_slots *s, uint32_t walkers, uint32_t words) {
    s->walkers = walkers;
    s->words = words;
    const size_t entries = (size_t)SLOTS * walkers;
    cudaError_t error = cudaMallocHost(&s->coordinate, entries * words * sizeof *s->coordinate);
    if (!error)
        error = cudaMallocHost(&s->accepted, entries * sizeof *s->accepted);
    return error ? error : cudaMallocHost(&s->released, sizeof *s->released);
}

static void slots_free(host_slots *s) {
    cudaFreeHost(s->coordinate);
    cudaFreeHost(s->accepted);
    cudaFreeHost(s->released);
}

/* The atoms of a walker, and of those behind it, after part t. */
static uint32_t *slots_coordinate(const host_slots *s, uint32_t t, uint32_t walker) {
    return s->coordinate + ((size_t)(t % SLOTS) * s->walkers + walker) * s->words;
}

/* Before a launch. */
static void slots_clear(host_slots *s) {
    for (size_t n = 0; n < (size_t)SLOTS * s->walkers; n++)
        s->accepted[n] = IMPOSSIBLE;
    __atomic_store_n(s->released, 0, __ATOMIC_RELEASE);
}

/* Waits for a walker's atoms after part t; *accepted: moves in that part. The error of the kernel, if it ended without. */
static cudaError_t slots_wait(const host_slots *s, uint32_t t, uint32_t walker,
                              uint64_t *accepted) {
    const uint64_t *const there = &s->accepted[(size_t)(t % SLOTS) * s->walkers + walker];
    cudaError_t state = cudaErrorNotReady;
    for (uint32_t n = 1;; n++) {
        *accepted = __atomic_load_n(there, __ATOMIC_ACQUIRE);
        if (*accepted != IMPOSSIBLE)
            return cudaSuccess;
        if (state != cudaErrorNotReady)
            return state ? state : cudaErrorUnknown;
        if (n % 4096 == 0)
            state = cudaStreamQuery(0);
    }
}

/* The host has analysed all walkers of part t. */
static void slots_release(const host_slots *s, uint32_t t) {
    for (uint32_t w = 0; w < s->walkers; w++)
        s->accepted[(size_t)(t % SLOTS) * s->walkers + w] = IMPOSSIBLE;
    __atomic_store_n(s->released, t + 1, __ATOMIC_RELEASE);
}

/* All threads of all blocks of a walker, number `thread` of `threads`: wait for the slot of part t, and write the atoms there. */
static __device__ void slots_write(const host_slots *s, uint32_t t, uint32_t walker,
                                   const uint32_t *atoms, uint32_t thread, uint32_t threads) {
    if (threadIdx.x == 0)
        while (t >= *(volatile const uint32_t *)s->released + SLOTS)
            __nanosleep(500);
    __syncthreads();
    uint32_t *const to = s->coordinate + ((size_t)(t % SLOTS) * s->walkers + walker) * s->words;
    for (uint32_t n = thread; n < s->words; n += threads)
        to[n] = __ldcg(&atoms[n]);
    __threadfence_system();
}

/* One thread, when all have written: says how many moves were accepted. */
static __device__ void slots_say(const host_slots *s, uint32_t t, uint32_t walker,
                                 uint64_t accepted) {
    __threadfence_system();
    *(volatile uint64_t *)&s->accepted[(size_t)(t % SLOTS) * s->walkers + walker] = accepted;
}

#endif
