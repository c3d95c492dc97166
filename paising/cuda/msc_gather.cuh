/* Multi-spin coding on the device: collecting the 32 replicas of a machine word from their parents. */
#ifndef PAISING_CUDA_MSC_GATHER_CUH
#define PAISING_CUDA_MSC_GATHER_CUH

#include "msc_request.cuh"

/* Where the 32 lanes of a machine word come from: spins of machine word `word`, rotated left. */
struct gather_plan {
    uint32_t count;
    struct {
        uint32_t word, rotation, lanes, unused;
    } source[MACHINE_LANES];
};

/* Makes the plan of machine word w; called by a full warp. Lanes of one source and one rotation are
 * taken together; sources of one word follow each other where siblings do. */
static __device__ __forceinline__ void fill_plan(gather_plan *plan, const msc_step &step,
                                                 uint64_t w) {
    const uint32_t lane = threadIdx.x & 31;
    const msc_layout children =
        msc_layout_of(step.word, step.rng, step.replicas.report->population);
    const msc_layout parents = msc_layout_of(step.word, step.rng, step.parent_count);
    const uint64_t k = msc_replica(&children, w * MACHINE_LANES + lane);
    const bool occupied = k < children.replicas;
    uint32_t word = UINT32_MAX, rotation = 0;
    if (occupied) {
        const uint64_t slot = msc_slot(&parents, step.replicas.parent[k]);
        word = (uint32_t)(slot / MACHINE_LANES);
        rotation = (lane - (uint32_t)slot) % 32;
    }
    const uint32_t lanes = __match_any_sync(FULL_WARP, (unsigned long long)word << 32 | rotation);
    const bool first = occupied && lane == __ffs((int)lanes) - 1;
    const uint32_t firsts = __ballot_sync(FULL_WARP, first);
    if (first) {
        const uint32_t n = __popc(firsts & ((1u << lane) - 1));
        plan->source[n] = {word, rotation, lanes, 0};
    }
    if (lane == 0)
        plan->count = __popc(firsts);
}

/* Quad `at` of the children's lattice, which has so many. */
static __device__ __forceinline__ uint4 gather(const gather_plan *plan, const uint32_t *parents,
                                               uint32_t quads, uint32_t at) {
    uint4 child = {0, 0, 0, 0}, spins = {0, 0, 0, 0};
    uint32_t loaded = UINT32_MAX;
    for (uint32_t n = 0; n < plan->count; n++) {
        const auto source = plan->source[n];
        if (source.word != loaded) {
            spins = __ldg((const uint4 *)parents + (uint64_t)source.word * quads + at);
            loaded = source.word;
        }
        child.x |= __funnelshift_l(spins.x, spins.x, source.rotation) & source.lanes;
        child.y |= __funnelshift_l(spins.y, spins.y, source.rotation) & source.lanes;
        child.z |= __funnelshift_l(spins.z, spins.z, source.rotation) & source.lanes;
        child.w |= __funnelshift_l(spins.w, spins.w, source.rotation) & source.lanes;
    }
    return child;
}

#endif
