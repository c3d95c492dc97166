/* Tables of the multi-spin-coded kernels, one for each lattice, which launch.cu reads. Each is
 * compiled in a file of its own (square.cu, ...), since that takes long. */
#ifndef PAISING_CUDA_MSC_KERNELS_CUH
#define PAISING_CUDA_MSC_KERNELS_CUH

#include "cuda/msc/request.cuh"
#include "cuda/msc/round_request.cuh"
#include "cuda/msc/slabs.cuh"

/* A kernel of a step (make_step), for some parts of it in a mode. */
struct msc_kernel {
    void (*function)(const msc_step); /* NULL: it is for launch batches alone */
    step_parts parts;
    rng_mode rng;
    /* of a word in a machine word in modes `shared` and `lcg`; 32 in the others */
    uint32_t lanes;
    /* most strips of a thread in registers; 0: it loops over its strips */
    uint32_t each;
    bool in_shared;  /* the lattice is in shared memory */
    bool complement; /* of kernels that sweep: for the flips of DOWNHILL_COMPLEMENT */
    /* for launch batches; NULL: there is none */
    void (*batched)(const msc_step, const batch_requests);
    /* pre-launched, with an msc_place in the mailbox; NULL: there is none */
    void (*prelaunched)(const msc_step, const device_mailbox *, uint32_t number);
    /* for rounds of groups; NULL: there is none */
    void (*of_groups)(const msc_round);
};

/* The kernels of a lattice. */
struct msc_kernels {
    const msc_kernel *begin, *end; /* every combination that a launch can need */
    uint32_t classes;              /* of random decisions */
    bool cut;                      /* bonds may be missing */

    /* Returns the shared memory of a block of so many lattices and threads. */
    size_t (*block_bytes)(const msc_kernel &kernel, const lattice_shape &shape, uint32_t lattices,
                          uint32_t threads);

    /* The kernels of copies.cuh and slabs.cuh. A block of `pack` packs some sites of 32
     * replicas. */
    uint32_t pack_threads, pack_sites;
    void (*randomise)(uint32_t *spins, lattice_shape shape, uint64_t quads, uint32_t first_word,
                      stream_key key);
    void (*pack)(const uint32_t *spins, lattice_shape shape, msc_layout layout,
                 const uint32_t *places, uint64_t first, uint64_t count, uint8_t *bytes);
    void (*unpack)(uint32_t *spins, lattice_shape shape, msc_layout layout, uint64_t first,
                   uint64_t count, const uint8_t *bytes);
    void (*compare)(const msc_comparison);

    /* On the host: the word of a site (strip.cuh). */
    uint32_t (*word_of_site)(const lattice_shape &shape, uint32_t site);

    /* without and with the complement; NULL: lattices are not cut into slabs */
    void (*sweep_slabs[2])(const msc_step, const slab_cut);
};

/* For the square lattice with edges that are multiples of 16; for the cubic one where rows have an even, and an odd number of cells
 * (cells.cuh); each without and with couplings. */
extern const msc_kernels msc_square, msc_glass2d, msc_cubic[2], msc_glass3d[2];

/* For the square lattice with any even edges (rows.cuh), without and with couplings. */
extern const msc_kernels msc_uneven2d[2];

/* With couplings of which some may be missing: for edges that are multiples of 16, and any even ones; likewise. */
extern const msc_kernels msc_cut2d[2], msc_cut3d[2];

#endif
