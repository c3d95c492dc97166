/* Multi-spin coding on the device: what the kernels of a step are told. */
#ifndef PAISING_CUDA_MSC_REQUEST_CUH
#define PAISING_CUDA_MSC_REQUEST_CUH

#include "cuda/device/batch_requests.cuh"
#include "cuda/engine/population.h"
#include "cuda/msc/planes.cuh"
#include "cuda/msc/points.cuh"
#include "engine/msc_layout.h"

/* The machine words of a launch: so many at most, from one on and, behind the last, on from the first. */
struct msc_words {
    uint32_t from, count, all;
};

static const msc_words every_word = {0, UINT32_MAX, UINT32_MAX};

/* What of a population a launch makes, and its place in a larger one. */
struct msc_place {
    cuda_interval interval;
    int64_t inherited; /* as of the range */
    msc_words words;
    uint32_t first_word; /* of the range, among the machine words that streams are counted by */
};

/* A population whose step is made, and its lattice. */
struct msc_population {
    cuda_replicas replicas;
    msc_place place;
    const uint32_t *parents; /* [machine words][L^2] spins before the resampling */
    uint32_t *children;      /* the same after it */
    void *scratch;         /* where a lattice is too large for a block: [blocks][strips] streams */
    uint64_t parent_count; /* R_{i-1} */
    lattice_shape shape;
    uint32_t word;     /* p */
    uint32_t lattices; /* that a block holds */
    rng_mode rng;
    uint32_t sweeps; /* theta */
    uint32_t temperature;
    stream_key key;
};

/* And what decides its flips. */
struct msc_step {
    msc_population own;
    rounding thresholds; /* for the modes that compare numbers */
    plane_branches planes;
    point_rule points;
};

/* Where replica k differs from replica k + offset, or without an offset from what stands in differ[]: a thread a word
 * of 32 pairs, the first of which is of replica `first`. */
struct msc_comparison {
    const uint32_t *spins;
    lattice_shape shape;
    msc_layout layout;
    uint64_t first, offset, words;
    uint32_t *differ;
};

#define MOST_THREADS 1024

/* How many of them the population at hand has; none if it outgrew its memory. */
static __device__ uint32_t words_at_hand(const msc_population &own, const msc_place &place) {
    const uint64_t population = children_of(own.replicas, place.interval);
    const uint64_t words =
        population <= own.replicas.capacity ? msc_machine_words(own.word, population) : 0;
    return min((uint32_t)words, place.words.count);
}

/* Which one is number n of them. */
static __device__ __forceinline__ uint32_t word_at(const msc_place &place, uint32_t n) {
    const uint32_t w = place.words.from + n;
    return w < place.words.all ? w : w - place.words.all;
}

static_assert(sizeof(msc_step) + sizeof(batch_requests) <= 4096,
              "the limit on kernel arguments of every toolkit");

#endif
