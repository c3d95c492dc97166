/* Founders, and copies for save and load, of populations in words of 32 replicas a site: of graphs, and of lattices without energy
 * levels. */
#ifndef PAISING_CUDA_GRAPH_COPIES_CUH
#define PAISING_CUDA_GRAPH_COPIES_CUH

#include "cuda/device/blocks.h"
#include "engine/msc_layout.h"
#include "engine/streams.h"

#define EVERY_LANE   0xffffffffu
#define COPY_THREADS 256

/* The spins of a population, [words][stride]. */
struct graph_copy {
    uint32_t *spins;
    uint32_t sites, stride;
};

/* A warp a word of replicas. Site i is bit i % 32 of number i / 32 % 4 of call i / 128. */
static __global__ void randomise(graph_copy s, uint64_t replicas, uint32_t origin, stream_key key) {
    const uint64_t word = ((uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x) / 32;
    const uint32_t lane = threadIdx.x % 32, k = (uint32_t)(word * MACHINE_LANES) + lane;
    if (word * MACHINE_LANES >= replicas)
        return;
    stream_block draw = {};
    for (uint32_t i = 0; i < s.sites; i += 32) {
        if (i % 128 == 0)
            draw = stream_draw(key, STREAM_RANDOMISE, i / 128, origin + k, 0, 0);
        const uint32_t n = i / 32 % 4, number = n == 0   ? draw.number[0]
                                                : n == 1 ? draw.number[1]
                                                : n == 2 ? draw.number[2]
                                                         : draw.number[3];
        uint32_t mine = 0; /* the word of site i + lane */
        for (uint32_t site = 0; site < 32; site++) {
            const uint32_t of_site = __ballot_sync(EVERY_LANE, number >> site & 1);
            mine = lane == site ? of_site : mine;
        }
        if (i + lane < s.sites)
            s.spins[word * s.stride + i + lane] = mine;
    }
}

/* Packs replicas into the bits of engine/engine.h: those of `places`, or from number `first` on. One thread a byte of eight
 * sites. */
static __global__ void pack(graph_copy s, const uint32_t *places, uint64_t first, uint64_t count,
                            uint8_t *bits) {
    const uint32_t bytes = (s.sites + 7) / 8;
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x;
    if (n >= count * bytes)
        return;
    const uint64_t replica = places ? places[n / bytes] : first + n / bytes;
    const uint32_t begin = (uint32_t)(n % bytes) * 8, end = min(begin + 8, s.sites);
    const uint32_t *const word = s.spins + replica / MACHINE_LANES * s.stride;
    uint32_t byte = 0;
    for (uint32_t i = begin; i < end; i++)
        byte |= (word[i] >> replica % MACHINE_LANES & 1) << (i - begin);
    bits[n] = (uint8_t)byte;
}

/* Unpacks replicas from number `first` on. One thread a site of 32 replicas, of which some may not be among them. */
static __global__ void unpack(graph_copy s, uint64_t first, uint64_t count, const uint8_t *bits) {
    const uint32_t bytes = (s.sites + 7) / 8;
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x;
    const uint64_t word = first / MACHINE_LANES + n / s.sites, begin = word * MACHINE_LANES;
    const uint32_t i = (uint32_t)(n % s.sites);
    if (begin >= first + count)
        return;
    uint32_t *const at = s.spins + word * s.stride + i;
    uint32_t spins = *at;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (begin + lane >= first && begin + lane < first + count) {
            const uint32_t up = bits[(begin + lane - first) * bytes + i / 8] >> i % 8 & 1;
            spins = (spins & ~(1u << lane)) | up << lane;
        }
    *at = spins;
}

/* Replicas that have places in so many bytes, and the bytes that so many places take, whole words. Behind the last word there are a
 * few. */
static inline uint64_t word_places(uint64_t bytes, uint32_t stride) {
    return (bytes / sizeof(uint32_t) - 4) / stride * MACHINE_LANES;
}

static inline uint64_t word_bytes(uint64_t places, uint32_t stride) {
    const uint64_t words = (places + MACHINE_LANES - 1) / MACHINE_LANES;
    return (words * stride + 4) * sizeof(uint32_t);
}

/* Queues these for `save` and `load` of spins.h. */
static inline void pack_replicas(graph_copy s, cuda_population *p, const uint32_t *places,
                                 uint64_t first, uint64_t count, uint8_t *bits) {
    if (p->failed || count == 0)
        return;
    pack<<<blocks_for(count * ((s.sites + 7) / 8), COPY_THREADS), COPY_THREADS, 0, p->stream>>>(
        s, places, first, count, bits);
    cuda_check_launch(p, "pack (words)");
}

static inline void unpack_replicas(graph_copy s, cuda_population *p, uint64_t first, uint64_t count,
                                   const uint8_t *bits) {
    const uint64_t words =
        (first + count + MACHINE_LANES - 1) / MACHINE_LANES - first / MACHINE_LANES;
    if (p->failed || count == 0)
        return;
    unpack<<<blocks_for(words * s.sites, COPY_THREADS), COPY_THREADS, 0, p->stream>>>(s, first,
                                                                                      count, bits);
    cuda_check_launch(p, "unpack (words)");
}

#endif
