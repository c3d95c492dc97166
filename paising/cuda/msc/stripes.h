/* Multi-spin coding on the device: lattices that are cut into stripes, the lanes of a word (model_stripe). One lattice is spread over
 * the whole device: a launch is a half sweep of all of them. Square lattices that the multiprocessors hold are swept by resident.cu. */
#ifndef PAISING_CUDA_MSC_STRIPES_H
#define PAISING_CUDA_MSC_STRIPES_H

#include "cuda/msc/measure.cuh"
#include "cuda/msc/points.cuh"
#include "cuda/msc/request.cuh"

/* Queues the seeding of the strips' streams for a step. */
void msc_seed_streams(cuda_population *p, const msc_step &step, strip_stream *streams,
                      uint32_t words);

/* Queues the sweeps of a step in `words` machine words. streams[words][strips] */
void msc_sweep_stripes(cuda_population *p, const msc_step &step, strip_stream *streams,
                       uint32_t words);

/* Queues the counting of their lanes: counts[words]. */
void msc_count_stripes(cuda_population *p, const msc_step &step, lane_counts *counts,
                       uint32_t words);

#endif
