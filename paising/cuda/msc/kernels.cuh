/* The multi-spin-coded kernels, lattice by lattice: tables that msc_launch.cu reads, each from a file of its own
 * (msc_square.cu, ...), as they take long to compile. */
#ifndef PAISING_CUDA_MSC_KERNELS_CUH
#define PAISING_CUDA_MSC_KERNELS_CUH

#include "cuda/msc/request.cuh"
#include "cuda/msc/slabs.cuh"

/* A kernel of a step (make_step), for some parts of it in a mode. */
struct msc_kernel {
    void (*function)(const msc_step);
    step_parts parts;
    rng_mode rng;
    uint32_t lanes; /* of a word in a machine word, in modes `shared` and `lcg`; 32 in the others */
    uint32_t
        each; /* strips that a thread keeps in registers, at most; 0: it loops over its strips */
    bool in_shared; /* the lattice lies in shared memory */
    void (*batched)(const msc_step,
                    const batch_requests); /* the same for companions; NULL: there is none */
    void (*prelaunched)(
        const msc_step, const device_mailbox *,
        uint32_t number); /* the same behind a gate, which tells an msc_place; likewise */
};

/* The kernels of a lattice. */
struct msc_kernels {
    const msc_kernel *begin, *end; /* every combination that a launch can ask for */
    uint32_t classes;              /* of random decisions */

    /* Shared memory of a block of so many lattices and threads. */
    size_t (*block_bytes)(const msc_kernel &kernel, const lattice_shape &shape, uint32_t lattices,
                          uint32_t threads);

    /* The kernels of msc_copies.cuh and msc_slabs.cuh; a block of `pack` has some sites of 32 replicas. */
    uint32_t pack_threads, pack_sites;
    void (*randomise)(uint32_t *spins, lattice_shape shape, uint64_t quads, uint32_t first_word,
                      stream_key key);
    void (*pack)(const uint32_t *spins, lattice_shape shape, msc_layout layout,
                 const uint32_t *places, uint64_t first, uint64_t count, uint8_t *bytes);
    void (*unpack)(uint32_t *spins, lattice_shape shape, msc_layout layout, uint64_t first,
                   uint64_t count, const uint8_t *bytes);
    void (*compare)(const msc_comparison);
    void (*compare_batch)(const batch_requests);         /* of companions */
    void (*sweep_slabs)(const msc_step, const slab_cut); /* NULL: it is not cut into slabs */
};

/* Of the square lattice; of the cubic one where rows have an even number of cells, and an odd one (msc_cells.cuh); of
 * both with couplings. */
extern const msc_kernels msc_square, msc_glass2d, msc_cubic[2], msc_glass3d[2];

#endif
