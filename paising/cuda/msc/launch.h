/* Choice of the multi-spin-coded kernels for the parts of a step, and their launches. */
#ifndef PAISING_CUDA_MSC_LAUNCH_H
#define PAISING_CUDA_MSC_LAUNCH_H

#include "cuda/msc/kernels.cuh"

/* A launch of a kernel. */
typedef struct {
    const msc_kernel *kernel;   /* NULL: there is none for these parts */
    uint32_t lattices, threads; /* of a block */
    size_t shared_bytes;
} msc_launch;

/* The launches of a lattice in a mode. */
typedef struct {
    const msc_kernels *kernels;
    lattice_shape shape;
    /* multiprocessors: blocks in flight where lattices are in device memory */
    int concurrent;
    slab_cut cut;      /* for such lattices in mode `independent`; no slabs: not cut */
    uint32_t resident; /* words of stripes that the multiprocessors hold (resident.h); 0: none */
    /* without and with the complement, by step_parts; whole steps of launch batches; whether whole steps may be
     * pre-launched */
    msc_launch launch[2][WHOLE_STEP + 1];
    msc_launch batched[2];
    msc_launch of_groups[2]; /* rounds of groups */
    bool can_prelaunch[2];
} msc_launches;

/* The kernels of a model, or NULL; and its lattice, with couplings still NULL. */
const msc_kernels *msc_kernels_of(const spin_model *model);
lattice_shape msc_shape_of(const spin_model *model);

/* Whether a lattice and the point board of its strips fit into a block's shared memory. */
bool msc_fits_in_block(const msc_kernels *kernels, const lattice_shape &shape, int shared_limit);

/* Picks the kernels that keep the device busiest, for words of p lanes. A failure sets
 * p->failed. */
msc_launches msc_pick_launches(cuda_population *p, const spin_model *model, rng_mode rng,
                               uint32_t word);

/* Queues some parts of a step for so many machine words. */
void msc_launch_step(const msc_launches *l, cuda_population *p, msc_step *step, step_parts parts,
                     uint64_t words);

/* Queues a whole step for at most `words` machine words, with its place from a mailbox; mailbox
 * NULL: from `step`. Returns false if no kernel can. */
bool msc_launch_prelaunched(const msc_launches *l, cuda_population *p, msc_step *step,
                            uint64_t words, const prelaunch *prelaunch);

/* Whether one launch can make the whole steps of populations with these launches. */
bool msc_launches_match(const msc_launches *l, const msc_launches *other);

/* Queues the whole steps of a launch batch of at most `words` machine words each, with the flip
 * rule of `step`. */
void msc_launch_batch(const msc_launches *l, cuda_population *p, msc_step *step, uint64_t words,
                      const batch_requests &all);

/* Queues the steps of `groups` groups, whose rules the request has, without or with the complement. */
void msc_launch_round(const msc_launches *l, cuda_population *p, msc_round *round, uint32_t groups,
                      bool complement);

#endif
