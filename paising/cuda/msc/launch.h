/* Which multi-spin-coded kernels make which parts of a step, and their launches. */
#ifndef PAISING_CUDA_MSC_LAUNCH_H
#define PAISING_CUDA_MSC_LAUNCH_H

#include "cuda/msc/kernels.cuh"

/* How a kernel is launched. */
typedef struct {
    const msc_kernel *kernel;   /* NULL: there is none for these parts */
    uint32_t lattices, threads; /* of a block */
    size_t shared_bytes;
} msc_launch;

/* The launches of a lattice in a mode. */
typedef struct {
    const msc_kernels *kernels;
    lattice_shape shape;
    int concurrent; /* blocks in flight, one a multiprocessor, where lattices lie in device memory */
    slab_cut cut;   /* then, in mode `independent`, for the sweeps; no slabs: it is not cut */
    msc_launch launch[WHOLE_STEP + 1]; /* by step_parts: what makes them */
    msc_launch batched;                /* the whole steps of companions */
    bool can_prelaunch;                /* whole steps may be told their place */
} msc_launches;

/* The kernels of a model, NULL if there are none, and its lattice, whose couplings have no place yet. */
const msc_kernels *msc_kernels_of(const spin_model *model);
lattice_shape msc_shape_of(const spin_model *model);

/* Whether a lattice and the correction of its strips find room in a block's shared memory. */
bool msc_fits_in_block(const msc_kernels *kernels, const lattice_shape &shape, int shared_limit);

/* Picks the kernels for a model that keep the device busiest, for words of p lanes. */
msc_launches msc_pick_launches(cuda_population *p, const spin_model *model, rng_mode rng,
                               uint32_t word);

/* Queues some parts of a step for so many machine words. */
void msc_launch_step(const msc_launches *l, cuda_population *p, msc_step *step, step_parts parts,
                     uint64_t words);

/* Queues a whole step behind a gate that tells where it is made, for so many at most; NULL: as the step has it. Returns
 * false where no kernel can. */
bool msc_launch_prelaunched(const msc_launches *l, cuda_population *p, msc_step *step,
                            uint64_t words, const prelaunch *prelaunch);

/* Whether one launch makes the whole steps of populations with these launches each. */
bool msc_launches_match(const msc_launches *l, const msc_launches *other);

/* Queues the whole steps of companions of so many machine words at most, with the flips of `step`. */
void msc_launch_batch(const msc_launches *l, cuda_population *p, msc_step *step, uint64_t words,
                      const batch_requests &all);

#endif
