/* What the kernels of vectors are told, and the tables of these kernels (vectors.cu). */
#ifndef PAISING_CUDA_VECTORS_REQUEST_H
#define PAISING_CUDA_VECTORS_REQUEST_H

#include "cuda/engine/population.h"
#include "cuda/engine/round_state.h"
#include "engine/msc_layout.h"
#include "engine/ssc_numbers.h"
#include "engine/vector_overlaps.h"
#include "engine/vectors.h"
#include "engine/visits.h"

/* The sums over a lattice, in units of 2^-20: the energy, and the components of the magnetisation. */
typedef struct {
    uint64_t energy, component[3]; /* modulo 2^64 */
} vector_sums;

/* A launch for a range of the population. Spins are [replicas][n][2][N / 2]: components, sub-lattices, sites row by row. */
typedef struct {
    const cuda_report *report; /* of the range, with its population */
    uint64_t capacity;
    void *spins;            /* of the first replica of the range: floats or doubles */
    const void *parents;    /* [capacity] likewise, with PART_SELECT */
    const uint32_t *parent; /* [capacity], with PART_SELECT */
    vector_lattice lattice;
    vector_rule rule;
    float beta;      /* that of the rule, for floats */
    visit_plan plan; /* hits: 1 of the checkerboard */
    visit_stage stage;
    ssc_keys keys;
    uint32_t first_replica; /* its global number, for streams */
    uint32_t temperature;
    uint32_t sweeps, sweep; /* updates of the step; the number of the first sweep of this one */
    uint32_t parity;        /* the sub-lattice of a launch for one */
    bool in_tiles;          /* of the sites in tiles of the stage's colour only */
    vector_sums *sums;      /* [replicas] of the range */
    int64_t *energy;        /* likewise */
    uint32_t *order;        /* likewise */
} vector_request;

typedef struct {
    cuda_population *p;
    uint64_t replicas; /* at most */
    vector_request r;
} vector_launch;

/* A round of groups (cuda/engine/rounds.h): each group has its beta. */
typedef struct {
    double beta;
    float as_float;
} vector_beta;

struct vector_round : vector_request {
    cuda_round round;
    const vector_beta *betas; /* [groups] */
};

/* Pairs of replicas: those from `own` on, and those from `other` on. */
typedef struct {
    vector_lattice lattice;
    const void *own, *other;               /* of the first pair: floats or doubles */
    const int2 *wave[MODEL_MAX_DIMENSION]; /* [edge] cosines and sines */
    vector_pair *pair;                     /* [pairs] */
} pair_request;

/* The kernels of a kind of components. Each queues its work. */
typedef struct {
    void (*allow_shared)(cuda_population *p, const vector_lattice *l);
    void (*randomise)(const vector_launch *l, stream_key key);
    void (*step)(const vector_launch *l, step_parts parts);   /* a replica in shared memory */
    void (*round)(cuda_population *p, const vector_round *r); /* likewise, of groups */
    void (*collect)(const vector_launch *l);                  /* children from their parents */
    void (*half)(const vector_launch *l);    /* updates a sub-lattice in device memory, ... */
    void (*reflect)(const vector_launch *l); /* ... or reflects its spins */
    bool (*tiles)(
        const vector_launch
            *l); /* the hits of a stage; false: tiles are too large, and nothing was done */
    /* One sweep whose spins go to another array like `spins`. false: the lattice has no whole regions, and nothing was done. */
    bool (*regions)(const vector_launch *l, void *swept);
    /* Reflects clusters of the replicas, label[replicas][N], in one update. */
    void (*clusters)(const vector_launch *l, stream_key key, cluster_flips which, uint32_t *label);
    void (*measure)(const vector_launch *l);
    void (*pairs)(cuda_population *p, const pair_request *q, unsigned pairs);
    /* Replicas of `places`, or from number `first` on, to `packed` (engine.h), and back. */
    void (*pack)(const vector_launch *l, const uint32_t *places, uint64_t first, uint64_t count,
                 uint8_t *packed);
    void (*unpack)(const vector_launch *l, uint64_t first, uint64_t count, const uint8_t *packed);
} vector_kernels;

/* Bytes of a replica. */
static inline size_t vector_bytes(const vector_lattice *l) {
    return (size_t)l->sites * l->components *
           (l->real == REAL_DOUBLE ? sizeof(double) : sizeof(float));
}

extern const vector_kernels vector_float_kernels, vector_double_kernels, vector_fast_kernels;

#endif
