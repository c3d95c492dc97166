/* Multi-spin coding on the device: the first population, and the copies for save and load. */
#ifndef PAISING_CUDA_MSC_COPIES_CUH
#define PAISING_CUDA_MSC_COPIES_CUH

#include "engine/msc_layout.h"
#include "engine/streams.h"

static __global__ void randomise(uint32_t *spins, uint64_t quads_each, uint64_t quads,
                                 stream_key key) {
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n < quads) {
        const stream_block b = stream_draw(key, STREAM_RANDOMISE, (uint32_t)(n % quads_each),
                                           (uint32_t)(n / quads_each), 0, 0);
        ((uint4 *)spins)[n] = make_uint4(b.number[0], b.number[1], b.number[2], b.number[3]);
    }
}

/* A thread a byte of eight sites. */
static __global__ void copy_bytes(uint32_t *spins, uint64_t words_each, msc_layout layout,
                                  uint64_t first, uint64_t count, uint8_t *bytes, bool load) {
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count * words_each / 8)
        return;
    const uint64_t slot = msc_slot(&layout, first + n / (words_each / 8));
    const uint32_t place = slot % MACHINE_LANES;
    uint32_t *const site = spins + slot / MACHINE_LANES * words_each + n % (words_each / 8) * 8;
    uint32_t byte = load ? bytes[n] : 0;
    for (int i = 0; i < 8; i++) {
        if (!load)
            byte |= (site[i] >> place & 1) << i;
        else if (byte >> i & 1)
            atomicOr(&site[i], 1u << place);
        else
            atomicAnd(&site[i], ~(1u << place));
    }
    if (!load)
        bytes[n] = (uint8_t)byte;
}

#endif
