/* A population in a file: all replicas, in pieces. */
#ifndef PAISING_SAVED_POPULATION_H
#define PAISING_SAVED_POPULATION_H

#include "base/section_file.h"
#include "engine/engine.h"

typedef struct {
    engine *worker;          /* has or takes the population */
    const histogram *report; /* of the population: how many replicas it has */
    uint64_t founders;       /* families are numbered 0 .. founders-1 */
} saved_population;

/* Bytes that this takes at most beside the engine, of runs that begin with so many replicas. */
uint64_t saved_population_bytes(const spin_model *model, uint64_t founders);

/* Writes or reads the population. Returns false when something failed (section_file.h). */
bool saved_population_transfer(section_file *f, const saved_population *p);

/* After it was read: has the engine measure what it was given, and holds that against the report. */
bool saved_population_agrees(section_file *f, const saved_population *p);

#endif
