/* Multi-spin coding on the device: arguments of the kernels of a step. */
#ifndef PAISING_CUDA_MSC_REQUEST_CUH
#define PAISING_CUDA_MSC_REQUEST_CUH

#include "cuda/device/batch_requests.cuh"
#include "cuda/engine/population.h"
#include "cuda/msc/planes.cuh"
#include "cuda/msc/points.cuh"
#include "engine/msc_layout.h"

/* Machine words of a launch: at most `count` words from `from` on, which wrap around after
 * `all`. */
struct msc_words {
    uint32_t from, count, all;
};

static const msc_words every_word = {0, UINT32_MAX, UINT32_MAX};

/* The words that a launch makes, and the interval that they belong to. */
struct msc_place {
    cuda_interval interval;
    int64_t inherited; /* as in cuda_range */
    msc_words words;
    /* global number of the range's first machine word, for random streams */
    uint32_t first_word;
};

/* How levels follow from counted bonds: twice the number in level 0 (model_counted_at_lowest), and 1 if they are two bonds
 * apart, not one. */
struct msc_levels {
    uint32_t lowest_and_shift;
};

/* A population and its lattice. */
struct msc_population {
    cuda_replicas replicas;
    msc_place place;
    const uint32_t *parents; /* [machine words][L^2] spins before the resampling */
    uint32_t *children;      /* [machine words][L^2] spins after it */
    /* for lattices too large for a block: [blocks][strips] streams */
    void *scratch;
    uint64_t parent_count; /* R_{i-1} */
    lattice_shape shape;
    uint32_t word;     /* p */
    uint32_t lattices; /* of a block */
    rng_mode rng : 8;
    uint32_t complement : 8; /* for the choice of kernels: DOWNHILL_COMPLEMENT */
    uint32_t sweeps;         /* theta */
    uint32_t temperature;
    stream_key key;
    msc_levels levels; /* where bonds may be missing */
};

/* A population and the rule of its flips. */
struct msc_step {
    msc_population own;
    union {
        rounding thresholds; /* for the modes that compare numbers */
        plane_branches planes;
        site_rule at_sites; /* where bonds may be missing */
    };
    point_rule points;
};

/* What decides how many points there are, and which of them count where bonds may be missing. */
static __device__ __forceinline__ const double *more_than_of(const msc_step &step) {
    return step.points.more_than;
}

static __device__ __forceinline__ const site_rule *at_sites_of(const msc_step &step) {
    return &step.at_sites;
}

/* A comparison of replica k with replica k + offset, or with offset 0 with differ[]. One thread a
 * word of 32 pairs; the first one is that of replica `first`. */
struct msc_comparison {
    const uint32_t *spins;
    lattice_shape shape;
    msc_layout layout;
    uint64_t first, offset, words;
    uint32_t *differ;
};

#define MOST_THREADS 1024

/* Returns the machine words that the launch makes of the current population; 0 if it outgrew its
 * memory. */
static __device__ uint32_t words_at_hand(const msc_population &own, const msc_place &place) {
    const uint64_t population = children_of(own.replicas, place.interval);
    const uint64_t words =
        population <= own.replicas.capacity ? msc_machine_words(own.word, population) : 0;
    return min((uint32_t)words, place.words.count);
}

/* Returns the n-th machine word of a launch. */
static __device__ __forceinline__ uint32_t word_at(const msc_place &place, uint32_t n) {
    const uint32_t w = place.words.from + n;
    return w < place.words.all ? w : w - place.words.all;
}

static_assert(sizeof(msc_step) + sizeof(batch_requests) <= 4096,
              "the limit on kernel arguments of every toolkit");

#endif
