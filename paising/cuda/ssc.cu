/* The single-spin-coded engine (Sec. 3): its memory, which kernel makes which part of a step (ssc_step.cuh), and
 * their launches. */
#include "ssc.h"

#include "bytes.h"
#include "ssc_step.cuh"

#include <string.h>

/* --- beginnings, copies for save and load, and comparison --- */

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

/* The spins of a site of 32 replicas as lanes, the first one's at `spin`. */
static __device__ uint32_t lanes_at(const uint8_t *spin, uint64_t replica_bytes,
                                    uint64_t replicas) {
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < 32 && lane < replicas; lane++)
        lanes |= (uint32_t)spin[lane * replica_bytes] << lane;
    return lanes;
}

/* Where replica k differs from replica k + offset: a thread a site of 32 pairs. */
static __global__ void compare(const uint8_t *spins, uint32_t sites, uint32_t half_bytes,
                               uint64_t offset, uint64_t pairs, uint32_t *differ) {
    const uint64_t replica_bytes = 2 * (uint64_t)half_bytes;
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t first = n / sites * 32;
    const uint32_t i = (uint32_t)(n % sites), parity = i >= sites / 2;
    if (first >= pairs)
        return;
    const uint8_t *const spin =
        spins + first * replica_bytes + parity * half_bytes + i - parity * (sites / 2);
    differ[n] = lanes_at(spin, replica_bytes, pairs - first) ^
                lanes_at(spin + offset * replica_bytes, replica_bytes, pairs - first);
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

static void ssc_compare(void *state, cuda_population *p) {
    cuda_ssc *const s = (cuda_ssc *)state;
    const uint32_t sites = s->size * s->size;
    const uint64_t pairs = overlap_pairs(p->replicas), words = (pairs + 31) / 32 * sites;
    if (p->failed || words == 0)
        return;
    compare<<<blocks_for(words, BLOCK_THREADS), BLOCK_THREADS, 0, p->stream>>>(
        s->spins, sites, s->half_bytes, overlap_offset(p->replicas), pairs, (uint32_t *)s->next);
    cuda_check_launch(p, "compare (SSC)");
}

static uint64_t ssc_unit(const engine_config *) {
    return 1;
}

static bool ssc_sweeps(const spin_model *model) {
    return strcmp(model->name, square_kind.name) == 0 && model->edge[0] == model->edge[1];
}

const cuda_spins cuda_ssc_spins = {
    ssc_sweeps,    CODING_SSC,  "SSC",    sizeof(cuda_ssc), ssc_unit, ssc_create, ssc_destroy,
    ssc_randomise, ssc_advance, ssc_room, ssc_save,         ssc_load, ssc_compare};
