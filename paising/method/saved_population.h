/* A population in a checkpoint: all replicas, in pieces. */
#ifndef PAISING_SAVED_POPULATION_H
#define PAISING_SAVED_POPULATION_H

#include "base/section_file.h"
#include "engine/engine.h"

typedef struct {
    engine *worker; /* holds or receives the population */
    uint64_t replicas;
    uint64_t founders; /* families are numbered 0 .. founders - 1 */
    bool in_any_order; /* families need not rise */
} saved_population;

/* The most bytes that a transfer takes besides the engine. */
uint64_t saved_population_bytes(const spin_model *model);

/* Writes or reads the population. Returns false on failure (section_file.h). */
bool saved_population_transfer(section_file *f, const saved_population *p);

/* After reading: has the engine measure the population, and compares the result with the report that was saved.
 * Returns false if they differ. */
bool saved_population_agrees(section_file *f, engine *e, const histogram *report);

/* What failed, if not all went well: an engine, not the file. Returns whether it did. */
bool saved_population_engine_did(section_file *f, const engine *e, engine_status status);

#endif
