/* The MSC engine on the CPU. It has two parts: steps (msc.c) and copies of replicas (msc_copies.c). */
#ifndef PAISING_CPU_MSC_ENGINE_H
#define PAISING_CPU_MSC_ENGINE_H

#include "any_coding.h"
#include "msc_kernels.h"

#include <stdbool.h>

typedef struct {
    msc_lattice lattice;
    uint32_t *in_order; /* [N, whole bytes] the words of a lattice in the order of their sites */
    double seconds[STAGES];
} msc_worker;

typedef struct {
    cpu_engine cpu;
    msc_shape shape;
    uint32_t word; /* p */
    rng_mode rng;
    visit_plan visits; /* order of updates: the checkerboard or tiles */
    size_t sites;      /* N */
    size_t words;      /* words of one machine word's lattice */
    uint32_t lowest,
        level_bonds; /* bonds that are counted in level 0 (model_counted_at_lowest), and from level to level */
    uint64_t machine_words; /* capacity of each of the next two buffers */
    uint32_t *spins;        /* [machine_words][2][rows][columns] (msc_shape.h), bit = lane */
    uint32_t *next;         /* like spins[], for the resampled population; or packed replicas */
    uint64_t packed;        /* the first `packed` machine words are in next[] in packed form */
    uint32_t *staged;       /* [N, likewise] one machine word in packed form */
    bool loaded;            /* the population is packed in next[], and not yet in spins[] */
    word_range made;        /* words for which the step has already been executed */
    const msc_kernels *kernels;
    msc_worker *workers; /* [threads] */
} msc_engine;

/* Bytes of a buffer of machine words, including room for vectors that extend over its end. */
static inline size_t msc_buffer_bytes(uint64_t machine_words, size_t words) {
    return (machine_words * words + VECTOR_ALIGNMENT) * sizeof(uint32_t);
}

/* Sites of whole bytes: the words behind the last site are 0 where a lattice is packed. */
static inline size_t msc_packed_sites(const msc_shape *shape) {
    return (shape->sites + 7) / 8 * 8;
}

/* Stores the words of a lattice, given in the order of its sites, in machine word w. */
void msc_place_words(const msc_engine *self, const uint32_t *in_order, uint64_t w);

/* Unpacks a loaded population. */
void msc_unpack_words(msc_engine *self);

/* Verbs of the engine. */
engine_status msc_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                       uint32_t *families);
engine_status msc_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                        const uint8_t *spins, const uint32_t *families);
overlap_collector msc_collect_lanes;

/* ... and of a share. */
engine_status msc_take(engine *base, const uint32_t *places, uint64_t count, uint8_t *spins);
engine_status msc_put(engine *base, uint64_t first, uint64_t count, const uint8_t *spins);
uint64_t msc_reserve(engine *base, uint64_t end);

#endif
