/* Multi-spin coding on the device: the table of a lattice's kernels (kernels.cuh). */
#ifndef PAISING_CUDA_MSC_INSTANCES_CUH
#define PAISING_CUDA_MSC_INSTANCES_CUH

#include "cuda/msc/copies.cuh"
#include "cuda/msc/kernels.cuh"
#include "cuda/msc/rounds.cuh"
#include "cuda/msc/step.cuh"

/* Batched and pre-launched kernels exist for whole steps in mode `independent` with strips in
 * registers. On lattices whose spins do not fit into registers they exist for one strip a thread.
 * More kernels would take long to compile. */
template <typename LATTICE, step_parts PARTS, rng_mode RNG, int EACH>
static constexpr bool kept_whole() {
    return PARTS == WHOLE_STEP && RNG == RNG_INDEPENDENT &&
           (EACH == 1 || (EACH > 1 && LATTICE::most_kept > 0));
}

template <typename LATTICE, step_parts PARTS, rng_mode RNG, int EACH>
static constexpr auto batch_of() -> void (*)(const msc_step, const batch_requests) {
    if constexpr (kept_whole<LATTICE, PARTS, RNG, EACH>())
        return make_batch_steps<LATTICE, EACH>;
    else
        return NULL;
}

template <typename LATTICE, step_parts PARTS, rng_mode RNG, int EACH>
static constexpr auto prelaunched_of()
    -> void (*)(const msc_step, const device_mailbox *, uint32_t) {
    if constexpr (kept_whole<LATTICE, PARTS, RNG, EACH>())
        return make_prelaunched_step<LATTICE, EACH>;
    else
        return NULL;
}

/* Rounds need no rule for missing bonds. */
template <typename LATTICE, int EACH>
static constexpr auto round_of() -> void (*)(const msc_round) {
    if constexpr (EACH == 1 && !LATTICE::cut)
        return make_round<LATTICE, EACH>;
    else
        return NULL;
}

template <typename LATTICE, step_parts PARTS, rng_mode RNG, int EACH>
static constexpr auto of_groups_of() -> void (*)(const msc_round) {
    if constexpr (PARTS == WHOLE_STEP && RNG == RNG_INDEPENDENT)
        return round_of<LATTICE, EACH>();
    else
        return NULL;
}

template <typename LATTICE, step_parts PARTS, rng_mode RNG, int LANES, int EACH, bool IN_SHARED>
static constexpr msc_kernel kernel_of() {
    return {make_step<LATTICE, PARTS, RNG, LANES, EACH, IN_SHARED>,
            PARTS,
            RNG,
            LANES,
            EACH,
            IN_SHARED,
            LATTICE::complement,
            batch_of<LATTICE, PARTS, RNG, EACH>(),
            prelaunched_of<LATTICE, PARTS, RNG, EACH>(),
            of_groups_of<LATTICE, PARTS, RNG, EACH>()};
}

/* With the complement there are kernels of sweeps, and of launch batches alone: enough for any step, and few to compile. */
template <typename LATTICE, int EACH> static constexpr msc_kernel batched_kernel_of() {
    return {NULL,
            WHOLE_STEP,
            RNG_INDEPENDENT,
            MACHINE_LANES,
            EACH,
            true,
            LATTICE::complement,
            make_batch_steps<LATTICE, EACH>,
            NULL,
            round_of<LATTICE, EACH>()};
}

/* Mode `independent`: strips of a thread in registers; or lattices in device memory. */
#define KEPT(LATTICE, PARTS, EACH)                                                                 \
    kernel_of<LATTICE, PARTS, RNG_INDEPENDENT, MACHINE_LANES, EACH, true>()
#define LOOP(LATTICE, PARTS) kernel_of<LATTICE, PARTS, RNG_INDEPENDENT, MACHINE_LANES, 0, false>()

/* The modes that compare numbers. */
#define COMPARISON(RNG, LANES)                                                                     \
    kernel_of<LATTICE, PART_SWEEP, RNG, LANES, 0, true>(),                                         \
        kernel_of<LATTICE, PART_SWEEP, RNG, LANES, 0, false>()
#define LCG(LANES)                                                                                 \
    kernel_of<LATTICE, PART_SWEEP, RNG_LCG, LANES, 1, true>(), COMPARISON(RNG_LCG, LANES)

/* The whole table. */
template <typename LATTICE, size_t COUNT>
static constexpr msc_kernels kernels_of(const msc_kernel (&kernels)[COUNT],
                                        void (*slabs)(const msc_step, const slab_cut),
                                        void (*complement)(const msc_step, const slab_cut)) {
    return {kernels,
            kernels + COUNT,
            LATTICE::classes,
            LATTICE::cut,
            block_bytes<LATTICE>,
            PACK_THREADS,
            PACK_SITES,
            randomise<LATTICE>,
            pack<LATTICE>,
            unpack<LATTICE>,
            compare,
            LATTICE::word_of_site,
            {slabs, complement}};
}

#endif
