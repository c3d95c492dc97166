/* Multi-spin coding on the device: the first population, the copies for save and load, and the
 * comparison of replicas. */
#ifndef PAISING_CUDA_MSC_COPIES_CUH
#define PAISING_CUDA_MSC_COPIES_CUH

#include "engine/msc_layout.h"
#include "engine/streams.h"
#include "msc_strip.cuh"

template <typename LATTICE>
static __global__ void randomise(uint32_t *spins, lattice_shape shape, uint64_t quads,
                                 uint32_t first_word, stream_key key) {
    const uint64_t quads_each = shape.quads;
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n < quads) {
        const stream_block b = stream_draw(key, STREAM_RANDOMISE, (uint32_t)(n % quads_each),
                                           first_word + (uint32_t)(n / quads_each), 0, 0);
        uint32_t *const lattice = spins + n / quads_each * 4 * quads_each;
        for (uint32_t i = 0; i < 4; i++)
            lattice[LATTICE::word_of_site(shape, 4 * (uint32_t)(n % quads_each) + i)] = b.number[i];
    }
}

/* A thread a byte of eight sites. */
template <typename LATTICE>
static __global__ void copy_bytes(uint32_t *spins, lattice_shape shape, msc_layout layout,
                                  uint64_t first, uint64_t count, uint8_t *bytes, bool load) {
    const uint64_t words_each = (uint64_t)shape.quads * 4;
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count * words_each / 8)
        return;
    const uint64_t slot = msc_slot(&layout, first + n / (words_each / 8));
    const uint32_t place = slot % MACHINE_LANES;
    const uint32_t site = (uint32_t)(n % (words_each / 8)) * 8;
    uint32_t *const lattice = spins + slot / MACHINE_LANES * words_each;
    uint32_t byte = load ? bytes[n] : 0;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t *const word = &lattice[LATTICE::word_of_site(shape, site + i)];
        if (!load)
            byte |= (*word >> place & 1) << i;
        else if (byte >> i & 1)
            atomicOr(word, 1u << place);
        else
            atomicAnd(word, ~(1u << place));
    }
    if (!load)
        bytes[n] = (uint8_t)byte;
}

/* A word of replicas first .. first + 31 of those that there are, a multiple of 32, as lanes. In the modes with
 * reordering they stand in as many words. */
static __device__ uint32_t lanes_at(const uint32_t *spins, uint64_t words_each,
                                    const msc_layout &layout, uint64_t first, uint32_t word) {
    if (!layout.reorder)
        return spins[first / MACHINE_LANES * words_each + word];
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < MACHINE_LANES && first + lane < layout.replicas; lane++) {
        const uint64_t slot = msc_slot(&layout, first + lane);
        const uint32_t there = spins[slot / MACHINE_LANES * words_each + word];
        lanes |= (there >> slot % MACHINE_LANES & 1) << lane;
    }
    return lanes;
}

/* Where replica k differs from replica k + offset, or without an offset from what stands in differ[]: a thread a word
 * of 32 pairs, the first of which is of replica `first`. */
template <typename LATTICE>
static __global__ void compare(const uint32_t *spins, lattice_shape shape, msc_layout layout,
                               uint64_t first, uint64_t offset, uint64_t words, uint32_t *differ) {
    const uint64_t words_each = (uint64_t)shape.quads * 4;
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= words)
        return;
    first += n / words_each * MACHINE_LANES;
    const uint32_t word = LATTICE::word_of_site(shape, (uint32_t)(n % words_each));
    const uint32_t others =
        offset ? lanes_at(spins, words_each, layout, first + offset, word) : differ[n];
    differ[n] = lanes_at(spins, words_each, layout, first, word) ^ others;
}

#endif
