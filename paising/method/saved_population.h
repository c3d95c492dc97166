/* A population in a file: all replicas, in pieces. */
#ifndef PAISING_SAVED_POPULATION_H
#define PAISING_SAVED_POPULATION_H

#include "base/section_file.h"
#include "engine/engine.h"

/* A piece is of about this size: the families of so many replicas, and their spins. Two of them are in
 * memory. */
#define SAVED_POPULATION_PIECE_BYTES ((uint64_t)16 << 20)

typedef struct {
    engine *worker;          /* has or takes the population */
    const histogram *report; /* of the population: how many replicas it has */
    uint64_t founders;       /* families are numbered 0 .. founders-1 */
} saved_population;

/* Writes or reads the population. Returns false when something failed (section_file.h). */
bool saved_population_transfer(section_file *f, const saved_population *p);

/* After it was read: has the engine measure what it was given, and holds that against the report. */
bool saved_population_agrees(section_file *f, const saved_population *p);

#endif
