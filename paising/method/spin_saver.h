/* Copies of populations for --save-spins, which are kept until the result is written, and the first
 * population of --load-spins. */
#ifndef PAISING_SPIN_SAVER_H
#define PAISING_SPIN_SAVER_H

#include "base/section_file.h"
#include "engine/engine.h"
#include "files/spins_files.h"

/* Copies, in the order in which they were made. */
typedef struct {
    saved_spins *of; /* [count] */
    size_t count;
} spin_copies;

/* Adds a copy of the population of an engine, of so many replicas, which was measured last. Returns
 * ENGINE_OUTGROWN without memory. */
engine_status spin_saver_add(spin_copies *copies, engine *e, const histogram *report, uint32_t run,
                             double beta);

/* How many runs have a copy at or above an inverse temperature of --save-spins. */
uint32_t spin_copies_runs(const spin_copies *copies, double asked);

/* Moves all copies to the end of *to. Returns 0, or -1 without memory. */
int spin_copies_move(spin_copies *to, spin_copies *from);

/* The copies in a checkpoint: at most `most` replicas each, of runs up to `last_run`. */
bool spin_copies_transfer(section_file *f, spin_copies *copies, const spin_model *model,
                          uint64_t most, uint32_t last_run);

void spin_copies_destroy(spin_copies *copies);

/* The most bytes that the copies of a run take. */
uint64_t spin_saver_bytes(const parameters *p);

#endif
