/* Multi-spin coding on the device: founders, copies for save and load, comparison of replicas. */
#ifndef PAISING_CUDA_MSC_COPIES_CUH
#define PAISING_CUDA_MSC_COPIES_CUH

#include "cuda/msc/request.cuh"
#include "engine/msc_layout.h"
#include "engine/streams.h"

template <typename LATTICE>
static __global__ void randomise(uint32_t *spins, lattice_shape shape, uint64_t quads,
                                 uint32_t first_word, stream_key key) {
    const uint64_t quads_each = sites_of(shape) / 4;
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n < quads) {
        const stream_block b = stream_draw(key, STREAM_RANDOMISE, (uint32_t)(n % quads_each),
                                           first_word + (uint32_t)(n / quads_each), 0, 0);
        uint32_t *const lattice = spins + n / quads_each * 4 * shape.quads;
        for (uint32_t i = 0; i < 4; i++)
            lattice[LATTICE::word_of_site(shape, 4 * (uint32_t)(n % quads_each) + i)] = b.number[i];
    }
}

#define PACK_THREADS 128
#define PACK_SITES   (4 * PACK_THREADS)

/* Packs replicas: those of `count` places, or from number `first` on. A row of blocks for 32
 * replicas, four sites a thread. Eight lanes of a warp make a byte. Mostly the next replica is in
 * the same machine word. */
template <typename LATTICE>
static __global__ void __launch_bounds__(PACK_THREADS)
    pack(const uint32_t *spins, lattice_shape shape, msc_layout layout, const uint32_t *places,
         uint64_t first, uint64_t count, uint8_t *bytes) {
    constexpr uint32_t turns = PACK_SITES / PACK_THREADS;
    const uint32_t sites = sites_of(shape), bytes_each = (sites + 7) / 8,
                   first_site = (blockIdx.z * gridDim.y + blockIdx.y) * PACK_SITES + threadIdx.x;
    const uint64_t begin = (uint64_t)blockIdx.x * 32, own = begin + threadIdx.x % 32;
    const uint64_t own_slot =
        own < count ? msc_slot(&layout, places ? places[own] : first + own) : 0;
    uint64_t held = UINT64_MAX; /* the machine word in word[] */
    uint32_t word[turns] = {};
    for (uint64_t n = begin; n < begin + 32 && n < count; n++) {
        const uint64_t slot = __shfl_sync(0xffffffffu, own_slot, (int)(n - begin));
#pragma unroll
        for (uint32_t turn = 0; turn < turns; turn++) {
            const uint32_t site = first_site + turn * PACK_THREADS;
            if (slot / MACHINE_LANES != held && site < sites)
                word[turn] = spins[slot / MACHINE_LANES * 4 * shape.quads +
                                   LATTICE::word_of_site(shape, site)];
            const uint32_t up = __ballot_sync(0xffffffffu, word[turn] >> slot % MACHINE_LANES & 1);
            if (site % 8 == 0 && site < sites)
                bytes[n * bytes_each + site / 8] = (uint8_t)(up >> site % 32);
        }
        held = slot / MACHINE_LANES;
    }
}

/* Unpacks replicas from a multiple of 32 on: one thread a site of 32 replicas. They are one machine
 * word. In the modes with reordering they are lanes of 32 words, which other threads also write. */
template <typename LATTICE>
static __global__ void unpack(uint32_t *spins, lattice_shape shape, msc_layout layout,
                              uint64_t first, uint64_t count, const uint8_t *bytes) {
    const uint32_t sites = sites_of(shape), bytes_each = (sites + 7) / 8;
    const uint64_t words_each = 4 * (uint64_t)shape.quads;
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t begin = (first / MACHINE_LANES + n / sites) * MACHINE_LANES;
    const uint32_t site = (uint32_t)(n % sites), place = LATTICE::word_of_site(shape, site);
    uint32_t lanes = 0, up = 0;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        const uint64_t k = begin + lane;
        if (k < first || k >= first + count)
            continue;
        const uint32_t bit = bytes[(k - first) * bytes_each + site / 8] >> site % 8 & 1;
        lanes |= 1u << lane;
        up |= bit << lane;
        if (!layout.reorder)
            continue;
        const uint64_t slot = msc_slot(&layout, k);
        uint32_t *const word = &spins[slot / MACHINE_LANES * words_each + place];
        if (bit)
            atomicOr(word, 1u << slot % MACHINE_LANES);
        else
            atomicAnd(word, ~(1u << slot % MACHINE_LANES));
    }
    uint32_t *const word = &spins[begin / MACHINE_LANES * words_each + place];
    if (lanes && !layout.reorder)
        *word = (*word & ~lanes) | up;
}

/* Returns a word of replicas first .. first + 31 as lanes, in the modes with reordering, where they are in different
 * machine words. */
static __device__ uint32_t lanes_at(const uint32_t *spins, uint64_t words_each,
                                    const msc_layout &layout, uint64_t first, uint32_t word) {
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < MACHINE_LANES && first + lane < layout.replicas; lane++) {
        const uint64_t slot = msc_slot(&layout, first + lane);
        const uint32_t there = spins[slot / MACHINE_LANES * words_each + word];
        lanes |= (there >> slot % MACHINE_LANES & 1) << lane;
    }
    return lanes;
}

/* Writes where replicas differ, in the modes with reordering. One thread a word of 32 pairs. */
static __global__ void compare(const __grid_constant__ msc_comparison c) {
    const uint64_t words_each = (uint64_t)c.shape.quads * 4,
                   n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= c.words)
        return;
    const uint64_t first = c.first + n / words_each * MACHINE_LANES;
    const uint32_t word = (uint32_t)(n % words_each);
    c.differ[n] =
        lanes_at(c.spins, words_each, c.layout, first, word) ^
        (c.offset ? lanes_at(c.spins, words_each, c.layout, first + c.offset, word) : c.differ[n]);
}

#endif
