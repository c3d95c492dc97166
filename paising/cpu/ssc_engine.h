/* The SSC engine on the CPU. It has two parts: steps (ssc.c) and copies of replicas (ssc_copies.c). */
#ifndef PAISING_CPU_SSC_ENGINE_H
#define PAISING_CPU_SSC_ENGINE_H

#include "any_coding.h"
#include "ssc_lattice.h"
#include "ssc_vectors.h"
#include "walk.h"

typedef struct {
    cpu_engine cpu;
    ssc_lattice lattice;
    size_t sites;    /* N */
    size_t bytes;    /* of the spins of a replica: N, but for vectors */
    uint64_t places; /* replicas that fit into each of the next two */
    int8_t *spins;   /* [places][bytes] */
    int8_t *next;    /* like spins[], for the resampled population */
    /* [threads][N, rounded up to 8] a lattice with its sub-lattices one after the other */
    int8_t *apart;
    uint32_t *numbers; /* [threads][] random numbers for one sub-lattice */
    uint8_t *packed;   /* [N / 8, rounded up] a lattice in packed form (`read` of engine.h) */
    uint32_t *label;   /* [threads][N] of cluster updates; NULL: it has none */
    visit_plan visits; /* order of local updates */
    walk_space walk;   /* of walkers; zero: it has none */
} ssc_engine;

/* Bytes of apart[] for a thread. */
static inline size_t ssc_apart_bytes(const spin_model *model) {
    return (model->sites + 7) / 8 * 8;
}

/* Verbs of the engine. */
engine_status ssc_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                       uint32_t *families);
engine_status ssc_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                        const uint8_t *spins, const uint32_t *families);
engine_status ssc_overlaps(engine *base, overlap_sums *out);
engine_status ssc_group_overlaps(engine *base, uint64_t first, uint64_t count, overlap_sums *out);
overlap_collector ssc_collect_lanes;

/* ... and of a share. */
extern const struct partition_verbs ssc_partition_verbs;

#endif
