/* What is simulated: Ising spins on a lattice, in integers only.
 *
 * Whoever must know how many spins, bonds, neighbours, energies or dimensions there are asks the
 * model. A kind of model is a file (square.c) and a line in the table of model.c. */
#ifndef PAISING_MODEL_H
#define PAISING_MODEL_H

#include "base/portable.h"

#include <stddef.h>
#include <stdint.h>

#define MODEL_MAX_DIMENSION 3
#define MODEL_MAX_GAPS      3

/* Single-spin coding (Sec. 3) keeps one byte a spin; multi-spin coding (Sec. 4) one bit a spin. */
typedef enum { CODING_SSC, CODING_MSC } spin_coding;
#define SPIN_CODINGS 2

/* The energies that a model can have: level n has the energy lowest + n * spacing. */
typedef struct {
    int64_t lowest;
    int64_t spacing;
    size_t count;
} energy_levels;

typedef struct {
    const char *name;
    const char *title; /* in the headers of data files */
    uint32_t dimension;
    uint32_t edge[MODEL_MAX_DIMENSION]; /* Lx, Ly, Lz; 1 beyond the dimension */
    uint64_t sites;                     /* N, one spin each */
    uint64_t bonds;
    uint32_t coordination; /* z, neighbours of a site */
    uint32_t colours;      /* sub-lattices without bonds inside: a sweep takes them one by one */
    energy_levels levels;
    size_t gaps;                  /* energies that a flip can gain above 0, ... */
    uint32_t gap[MODEL_MAX_GAPS]; /* ... with equal bonds, that of n antiparallel neighbours */
    uint32_t order_unit;          /* the order parameter |M| is a multiple of it: 2 if N is even */
} spin_model;

/* The edges that a coding has: multiples of `multiple` from `smallest` to `largest`. */
typedef struct {
    uint32_t smallest, multiple, largest;
} edge_rule;

/* A kind of model. */
typedef struct {
    const char *name;
    edge_rule edges[SPIN_CODINGS];
    spin_model (*create)(uint32_t edge);
} model_kind;

C_DECLARATIONS_BEGIN

/* All kinds; the first is the default. NULL ends the table. */
extern const model_kind *const model_kinds[];

/* Whether an edge obeys the rule. */
int edge_is_allowed(edge_rule rule, uint32_t edge);

/* The L x L ferromagnet with periodic boundaries (eq. 10, J = 1): square.c. */
extern const model_kind square_kind;
spin_model square_model(uint32_t edge);
#define SQUARE_MAX_EDGE 3072
#define SQUARE_EDGES    "even from 4 (ssc), a multiple of 16 (msc)" /* in words */
#define SQUARE_GAPS     2                                           /* for its kernels */

/* Bytes of one replica's spins as packed bits. */
size_t model_packed_bytes(const spin_model *m);

C_DECLARATIONS_END

/* The energy of level n. */
SHARED_FUNCTION int64_t level_energy(energy_levels levels, size_t n) {
    return levels.lowest + (int64_t)n * levels.spacing;
}

#endif
