/* Multi-spin coding on the device: updates of square and cubic lattices by tiles (engine/msc_tiles.h). */
#ifndef PAISING_CUDA_MSC_TILES_H
#define PAISING_CUDA_MSC_TILES_H

#include "cuda/msc/points.cuh"
#include "cuda/msc/request.cuh"

/* Queues the updates of a step, step.own.sweeps of them, in `words` machine words whose lanes are lattices or stripes.
 * streams[words][strips] */
void msc_sweep_tiles(cuda_population *p, const msc_step &step, const visit_plan &visits,
                     strip_stream *streams, uint32_t words);

#endif
