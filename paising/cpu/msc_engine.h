/* The MSC engine on the CPU, of which there are two parts: its steps (msc.c) and the ways of replicas out of it and
 * into it (msc_copies.c). */
#ifndef PAISING_CPU_MSC_ENGINE_H
#define PAISING_CPU_MSC_ENGINE_H

#include "any_coding.h"
#include "msc_kernels.h"

#include <stdbool.h>

typedef struct {
    msc_lattice lattice;
    uint32_t *in_order; /* [N] the words of a lattice in the order of their sites */
    double seconds[STAGES];
} msc_worker;

typedef struct {
    cpu_engine cpu;
    msc_shape shape;
    uint32_t word; /* p */
    rng_mode rng;
    size_t sites;           /* N */
    size_t words;           /* of a machine word's lattice */
    uint64_t machine_words; /* capacity of each buffer */
    uint32_t *spins;        /* [machine_words][2][rows][columns] (msc_shape.h), bit = lane */
    uint32_t *next;         /* the same, for the resampled population, or packed for save */
    uint64_t packed;        /* machine words that next[] holds packed, from the first on */
    uint32_t *staged;       /* [N] a machine word packed, for a share */
    bool loaded;            /* next[] holds the population packed, and spins[] does not yet */
    word_range made;        /* but for these words, which are made already */
    const msc_kernels *kernels;
    msc_worker *workers; /* [threads] */
} msc_engine;

/* Bytes of a buffer of machine words, with room for vectors that run over its end. */
static inline size_t msc_buffer_bytes(uint64_t machine_words, size_t words) {
    return (machine_words * words + VECTOR_ALIGNMENT) * sizeof(uint32_t);
}

/* Puts the words of a lattice, in the order of their sites, to their places in machine word w. */
void msc_place_words(const msc_engine *self, const uint32_t *in_order, uint64_t w);

/* Unpacks a population that was loaded. */
void msc_unpack_words(msc_engine *self);

/* Makes what a step can make of a share that has adopted, before its guests have come. */
void msc_begin_step(msc_engine *self, const engine_step *step);

/* Verbs of the engine. */
engine_status msc_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                       uint64_t *families);
engine_status msc_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                        const uint8_t *spins, const uint64_t *families);
overlap_collector msc_collect_lanes;
extern const struct partition_verbs msc_partition_verbs;

#endif
