/* Multi-spin coding on the device: square lattices cut into stripes that stay on the multiprocessors for all sweeps of a step. Their first
 * edge is a multiple of 64, and a stripe has a multiple of 24, 32, 40, 48, 56 or 64 rows. On an H200 they have 2^26 sites at most, all
 * together, and further ones follow in another launch. */
#ifndef PAISING_CUDA_MSC_RESIDENT_H
#define PAISING_CUDA_MSC_RESIDENT_H

#include "cuda/msc/request.cuh"

/* Returns how many machine words the multiprocessors hold at a time; 0: none, the lattice is too large or of another shape.
 * A failure sets p->failed. */
uint32_t msc_resident_words(cuda_population *p, const lattice_shape &shape);

/* Queues the sweeps of a step in `words` machine words, as msc_sweep_stripes does (stripes.h), at most `at_once` in a launch.
 * memory: [words][strips] streams, in whose place tiles send their edges. */
void msc_sweep_resident(cuda_population *p, const msc_step &step, void *memory, uint32_t words,
                        uint32_t at_once);

#endif
