/* Reads the spins of a population from its engine, in pieces, and makes observables of them on the host (estimate/spin_observables.h). */
#ifndef PAISING_SPIN_READER_H
#define PAISING_SPIN_READER_H

#include "engine/engine.h"
#include "engine/site_order.h"
#include "estimate/spin_observables.h"

typedef struct {
    const spin_observable *of[SPIN_OBSERVABLES_MOST];
    size_t count;
    site_order order;   /* of Ising spins */
    uint64_t piece;     /* replicas that are read together */
    uint8_t *read;      /* [piece][packed bytes] as engines give them, */
    uint8_t *packed;    /* and row by row, */
    uint8_t *spin;      /* [piece][N] a byte each */
    uint32_t *room;     /* [piece][2 N] */
    uint32_t *families; /* [piece] */
} spin_reader;

/* Makes room for the observables of a model from number `first` on. Returns false without memory; spin_reader_destroy may be called
 * in each case. */
bool spin_reader_create(spin_reader *r, const spin_model *m, size_t first);
void spin_reader_destroy(spin_reader *r);
uint64_t spin_reader_bytes(const spin_model *m);

/* Fills value[replicas][r->count] of all replicas of an engine, and unless it is NULL packed[replicas][packed bytes] with their spins:
 * sites as in couplings.h, a bit each of Ising spins, else a byte. */
engine_status spin_reader_read(const spin_reader *r, engine *e, uint64_t replicas, double *value,
                               uint8_t *packed);

#endif
