/* The engine of spins that are not Ising's in single-spin coding: memory, launches, copies (step.cuh). */
#include "cuda/device/arrays.h"
#include "cuda/device/blocks.h"
#include "cuda/engine/bytes.h"
#include "cuda/engine/spins.h"
#include "cuda/states/step.cuh"
#include "cuda/states/walk.h"

#define COPY_THREADS 256
#define MOST_THREADS 256
#define SUMS_BYTES   1024 /* of shared memory, beside the spins, */
#define BELOW_BYTES  16   /* and a thread, in steps below a ceiling */

/* The spins of a population, [places][stride], and room for the next one. */
typedef struct {
    spin_model model;
    state_lattice lattice;
    uint32_t stride;
    uint64_t places;
    uint8_t *spins, *next; /* device */
    uint32_t *label;       /* device, [places][N] of clusters; NULL: there are none */
    bool in_shared;
    cuda_walks walks; /* of walkers */
} cuda_states;

/* --- founders, copies for save and load --- */

/* One thread two sites. */
static __global__ void randomise(uint8_t *spins, uint32_t sites, uint32_t stride, uint32_t states,
                                 uint64_t replicas, uint32_t origin, stream_key key) {
    const uint32_t pairs = (sites + 1) / 2;
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x, k = n / pairs;
    const uint32_t pair = (uint32_t)(n % pairs);
    if (k >= replicas)
        return;
    const stream_block draw = stream_draw(key, STREAM_RANDOMISE, pair, origin + (uint32_t)k, 0, 0);
    uint8_t *const at = spins + k * stride + 2 * pair;
    at[0] = (uint8_t)high_product((uint64_t)draw.number[1] << 32 | draw.number[0], states);
    if (2 * pair + 1 < sites)
        at[1] = (uint8_t)high_product((uint64_t)draw.number[3] << 32 | draw.number[2], states);
}

/* Copies replicas out: those of `places`, or from number `first` on. One thread a site. */
static __global__ void pack(const uint8_t *spins, uint32_t sites, uint32_t stride,
                            const uint32_t *places, uint64_t first, uint64_t count,
                            uint8_t *bytes) {
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x, k = n / sites;
    if (k < count)
        bytes[n] = spins[(places ? places[k] : first + k) * stride + n % sites];
}

/* Copies replicas in, from number `first` on. */
static __global__ void unpack(uint8_t *spins, uint32_t sites, uint32_t stride, uint64_t first,
                              uint64_t count, const uint8_t *bytes) {
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x, k = n / sites;
    if (k < count)
        spins[(first + k) * stride + n % sites] = bytes[n];
}

/* --- functions of the coding --- */

static void states_take_sample(void *, cuda_population *, const spin_model *) {
}

static int states_create(void *state, cuda_population *p, const engine_config *config) {
    cuda_states *const s = (cuda_states *)state;
    *s = cuda_states{};
    s->model = config->model;
    s->lattice = state_lattice_of(&config->model);
    s->stride = cuda_states_stride(&config->model);
    s->places = config->capacity;
    const uint64_t bytes = cuda_states_spin_bytes(config);
    CUDA_CHECK(p, cuda_take(&s->spins, bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&s->next, bytes, ON_DEVICE));
    if (engine_has_clusters(config))
        CUDA_CHECK(p, cuda_take(&s->label, cuda_ssc_label_bytes(config), ON_DEVICE));
    if (!p->failed) /* bytes behind the last site are copied with the others, and must be defined */
        CUDA_CHECK(p, cudaMemsetAsync(s->spins, 0, bytes, p->stream));
    const size_t most = s->stride + MOST_THREADS * BELOW_BYTES;
    s->in_shared = most + SUMS_BYTES <= (size_t)p->shared_limit;
    if (s->in_shared)
        cuda_allow_shared(p, (const void *)step_states<true>, most);
    return p->failed ? -1 : 0;
}

static void states_destroy(void *state) {
    cuda_states *const s = (cuda_states *)state;
    cuda_array_give(s->spins, ON_DEVICE);
    cuda_array_give(s->next, ON_DEVICE);
    cuda_array_give(s->label, ON_DEVICE);
    cuda_walks_destroy(&s->walks);
}

static void states_randomise(void *state, cuda_population *p, stream_key key) {
    cuda_states *const s = (cuda_states *)state;
    if (p->failed || p->replicas == 0)
        return;
    const uint32_t sites = s->lattice.sites;
    randomise<<<blocks_for(p->replicas * ((sites + 1) / 2), COPY_THREADS), COPY_THREADS, 0,
                p->stream>>>(s->spins, sites, s->stride, s->lattice.states, p->replicas,
                             (uint32_t)p->device.interval.origin, key);
    cuda_check_launch(p, "randomise (states)");
}

/* As many threads as quads of sites, in whole warps. */
static unsigned threads_for(const cuda_states *s) {
    const unsigned wanted = (s->lattice.sites / 4 + 31) / 32 * 32;
    return wanted < 32 ? 32 : wanted < MOST_THREADS ? wanted : MOST_THREADS;
}

static void states_exchange(void *state) {
    cuda_states *const s = (cuda_states *)state;
    uint8_t *const parents = s->spins;
    s->spins = s->next;
    s->next = parents;
}

static const void *states_stored(const void *state, uint64_t replicas, uint64_t *bytes) {
    const cuda_states *const s = (const cuda_states *)state;
    *bytes = replicas * s->stride;
    return s->spins;
}

static uint64_t states_at_once(const void *state) {
    return RESIDENT_THREADS / threads_for((const cuda_states *)state);
}

static void states_advance(void *state, cuda_population *p, const engine_step *step,
                           step_parts parts, const cuda_range *range) {
    cuda_states *const s = (cuda_states *)state;
    const bool collects = parts & PART_SELECT;
    const states_step k = {.replicas = range->replicas,
                           .parents = s->spins,
                           .children = collects ? s->next : s->spins,
                           .lattice = s->lattice,
                           .rule = range->rule->states,
                           .stride = s->stride,
                           .sweeps = step->sweeps,
                           .temperature = step->temperature,
                           .key = step->key,
                           .first = range->first,
                           .first_replica = (uint32_t)(p->device.interval.origin + range->first),
                           .clusters = range->rule->clusters,
                           .thresholds = step_rounding(step, range->rule),
                           .label = s->label};
    if (p->failed || range->most == 0)
        return;
    const unsigned threads = threads_for(s);
    const size_t below = k.rule.bounded ? threads * BELOW_BYTES : 0;
    if (s->in_shared)
        step_states<true>
            <<<(unsigned)range->most, threads, below + s->stride, p->stream>>>(k, parts);
    else
        step_states<false><<<(unsigned)range->most, threads, below, p->stream>>>(k, parts);
    cuda_check_launch(p, "step_states");
    if (collects)
        states_exchange(s);
}

static void states_walk(void *state, cuda_population *p, const engine_walk *walk) {
    cuda_states *const s = (cuda_states *)state;
    const state_lattices lattices = {s->spins, s->stride};
    cuda_states_walk(&s->walks, &lattices, &s->model, p, walk);
}

static uint8_t *states_room(void *state) {
    return ((cuda_states *)state)->next;
}

static void states_save(void *state, cuda_population *p, const uint32_t *places, uint64_t first,
                        uint64_t count, uint8_t *bytes) {
    const cuda_states *const s = (const cuda_states *)state;
    if (p->failed || count == 0)
        return;
    pack<<<blocks_for(count * s->lattice.sites, COPY_THREADS), COPY_THREADS, 0, p->stream>>>(
        s->spins, s->lattice.sites, s->stride, places, first, count, bytes);
    cuda_check_launch(p, "pack (states)");
}

static void states_load(void *state, cuda_population *p, uint64_t first, uint64_t count,
                        const uint8_t *bytes) {
    const cuda_states *const s = (const cuda_states *)state;
    if (p->failed || count == 0)
        return;
    unpack<<<blocks_for(count * s->lattice.sites, COPY_THREADS), COPY_THREADS, 0, p->stream>>>(
        s->spins, s->lattice.sites, s->stride, first, count, bytes);
    cuda_check_launch(p, "unpack (states)");
}

static uint64_t states_reserve(void *state, cuda_population *p, uint64_t end) {
    cuda_states *const s = (cuda_states *)state;
    const uint64_t each = s->stride;
    if (end <= s->places)
        return s->places;
    s->places =
        cuda_grow(p, (void **)&s->spins, (void **)&s->next, s->places * each, end * each) / each;
    if (s->label && s->places >= end) { /* labels live no longer than a sweep */
        cuda_array_give(s->label, ON_DEVICE);
        s->label = NULL;
        CUDA_CHECK(
            p, cuda_take(&s->label, s->places * s->lattice.sites * sizeof(uint32_t), ON_DEVICE));
    }
    return s->places;
}

static uint64_t states_unit(const engine_config *) {
    return 1;
}

static bool states_sweeps(const engine_config *config) {
    return config->model.spins != SPINS_ISING && config->model.spins != SPINS_VECTOR;
}

static bool states_shares_scratch(const void *) {
    return false;
}

const cuda_spins cuda_states_spins = {.sweeps = states_sweeps,
                                      .coding = CODING_SSC,
                                      .name = "SSC of states",
                                      .state_bytes = sizeof(cuda_states),
                                      .group_unit = states_unit,
                                      .create = states_create,
                                      .destroy = states_destroy,
                                      .take_sample = states_take_sample,
                                      .randomise = states_randomise,
                                      .step = states_advance,
                                      .shares_scratch = states_shares_scratch,
                                      .begin = NULL,
                                      .ahead = NULL,
                                      .room = states_room,
                                      .save = states_save,
                                      .load = states_load,
                                      .words = NULL,
                                      .compare = NULL,
                                      .place_of = NULL,
                                      .reserve = states_reserve,
                                      .batched = NULL,
                                      .walk = states_walk,
                                      .exchange = states_exchange,
                                      .stored = states_stored,
                                      .at_once = states_at_once};
