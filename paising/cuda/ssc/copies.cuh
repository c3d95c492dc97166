/* Founders, copies for save and load, and comparison of replicas in single-spin coding (ssc.cu). */
#ifndef PAISING_CUDA_SSC_COPIES_CUH
#define PAISING_CUDA_SSC_COPIES_CUH

#include "cuda/ssc/octet_spins.cuh"

#define COPY_THREADS 256

/* The spins of a population. */
struct ssc_copy {
    uint8_t *spins;
    uint32_t sites, half_bytes;
};

/* One thread a site: site i of N is bit i % 32 of number i / 32 % 4 of call i / 128. */
static __global__ void randomise(ssc_copy s, uint64_t replicas, uint32_t origin, stream_key key) {
    const uint32_t sites = s.sites;
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x;
    const uint64_t k = n / sites;
    const uint32_t i = (uint32_t)(n % sites);
    if (k >= replicas)
        return;
    const stream_block b = stream_draw(key, STREAM_RANDOMISE, i / 128, origin + (uint32_t)k, 0, 0);
    const uint32_t parity = i >= sites / 2;
    s.spins[k * (2 * s.half_bytes) + parity * s.half_bytes + i - parity * (sites / 2)] =
        b.number[i / 32 % 4] >> i % 32 & 1;
}

/* Returns the address of site i of a replica. */
static __device__ uint8_t *spin_of(const ssc_copy &s, uint64_t replica, uint32_t i) {
    const uint32_t parity = i >= s.sites / 2;
    return s.spins + replica * (2 * s.half_bytes) + parity * s.half_bytes + i -
           parity * (s.sites / 2);
}

/* Packs replicas into the bits of engine/engine.h: those of `places`, or from number `first` on.
 * One thread a byte of eight sites. */
static __global__ void pack(ssc_copy s, const uint32_t *places, uint64_t first, uint64_t count,
                            uint8_t *bits) {
    const uint32_t bytes = (s.sites + 7) / 8;
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x;
    if (n >= count * bytes)
        return;
    const uint64_t replica = places ? places[n / bytes] : first + n / bytes;
    const uint32_t begin = (uint32_t)(n % bytes) * 8, end = min(begin + 8, s.sites);
    uint32_t byte = 0;
    for (uint32_t i = begin; i < end; i++)
        byte |= (uint32_t)*spin_of(s, replica, i) << (i - begin);
    bits[n] = (uint8_t)byte;
}

/* Unpacks replicas from number `first` on. */
static __global__ void unpack(ssc_copy s, uint64_t first, uint64_t count, const uint8_t *bits) {
    const uint32_t bytes = (s.sites + 7) / 8;
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x;
    if (n >= count * bytes)
        return;
    const uint32_t begin = (uint32_t)(n % bytes) * 8, end = min(begin + 8, s.sites);
    for (uint32_t i = begin; i < end; i++)
        *spin_of(s, first + n / bytes, i) = bits[n] >> (i - begin) & 1;
}

/* Returns the spins of a quad of sites of 32 replicas as lanes. `quad`: those of the first
 * replica. */
static __device__ __forceinline__ four_registers lanes_at(const uint32_t *quad,
                                                          uint32_t replica_words,
                                                          uint64_t replicas) {
    four_registers eight = {}; /* replicas in each; a byte's bits for each site */
#pragma unroll
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (lane < replicas)
            eight.of[lane / 8] += quad[(uint64_t)lane * replica_words] << lane % 8;
    return transposed(eight);
}

/* Writes where replica k differs from replica k + offset, or with offset 0 from differ[]. One
 * thread a quad of sites of 32 pairs. `replicas`: the number of replicas in `spins`. */
static __global__ void compare(const uint8_t *spins, uint32_t half_sites, uint32_t half_bytes,
                               uint64_t offset, uint64_t replicas, uint64_t words,
                               uint32_t *differ) {
    const uint32_t quads = (half_sites + 3) / 4, replica_words = half_bytes / 2;
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t word = n / (2 * quads), first = word * MACHINE_LANES;
    const uint32_t of_both = (uint32_t)(n % (2 * quads)), parity = of_both >= quads,
                   quad = of_both - parity * quads;
    if (word >= words)
        return;
    const uint32_t *const spin =
        (const uint32_t *)spins + first * replica_words + parity * (half_bytes / 4) + quad;
    const uint64_t others = first + offset < replicas ? replicas - first - offset : 0;
    const four_registers own = lanes_at(spin, replica_words, replicas - first),
                         other =
                             offset ? lanes_at(spin + offset * replica_words, replica_words, others)
                                    : four_registers{};
    uint32_t *const to = differ + (2 * word + parity) * half_sites + 4 * quad;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
        if (4 * quad + i < half_sites)
            to[i] = own.of[i] ^ (offset ? other.of[i] : to[i]);
}

#endif
