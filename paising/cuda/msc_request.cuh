/* Multi-spin coding on the device: what the kernels of a step are told. */
#ifndef PAISING_CUDA_MSC_REQUEST_CUH
#define PAISING_CUDA_MSC_REQUEST_CUH

#include "engine/msc_layout.h"
#include "msc_planes.cuh"
#include "msc_points.cuh"
#include "population.h"

struct msc_step {
    cuda_replicas replicas;
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
    rounding thresholds; /* for the modes that compare numbers */
    plane_branches planes;
    point_rule points;
    uint32_t first_word; /* of the range, among the machine words that streams are counted by */
};

#define MOST_THREADS 1024

/* Machine words of the population at hand; none if it outgrew its memory. */
static __device__ uint64_t words_at_hand(const msc_step &step) {
    const uint64_t population = step.replicas.report->population;
    return population <= step.replicas.capacity ? msc_machine_words(step.word, population) : 0;
}

static_assert(sizeof(msc_step) <= 4096, "what a kernel can be given by any toolkit");

#endif
