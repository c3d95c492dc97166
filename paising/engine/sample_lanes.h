/* Machine words of 32 samples: bit b of each word is of sample b. The samples share one MSC engine, whose population at each temperature
 * has R chains of each: replica 32 r + b is chain r of sample b. A sample of its own sees an engine of R chains that makes rounds
 * (rounds.h). Exchanges of a sample are decided by its own key and energies, and swap its bits alone.
 *
 * Bits do not mix, and each has random numbers of its own (bernoulli.h): what comes out for a sample depends on its bit and on the key
 * of the word, and not on which other samples are there. */
#ifndef PAISING_SAMPLE_LANES_H
#define PAISING_SAMPLE_LANES_H

#include "engine.h"

#define SAMPLE_LANES 32

typedef struct sample_lanes sample_lanes;

/* Makes the lanes of an engine that has read_orders and read_pairs (engine.h), whose model has `lanes` or one sample. The engine must
 * outlive them. key: of the sweeps' random numbers. Returns NULL without memory. */
sample_lanes *sample_lanes_create(engine *shared, stream_key key);
void sample_lanes_destroy(sample_lanes *word);

/* Adds the engine of a sample in bit `lane`, which the word owns; model: that of the sample. Each lane is added once, before the first
 * round. The engines of a word make the same rounds: each must have begun a round before one of them waits for it. */
engine *sample_lanes_add(sample_lanes *word, uint32_t lane, const spin_model *model);

#endif
