/* Replicas are copied through a buffer that the engine has anyway (cuda_spins.room). A run
 * allocates nothing, so that the population may fill the device. */
#include "cuda/engine/copies.h"

#include "cuda/device/nvtx_section.h"
#include "engine/msc_layout.h"

engine_status cuda_copies_levels(engine *base, uint64_t first, uint64_t count, uint32_t *levels) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_engine_cancel_prelaunched(self);
    CUDA_CHECK(p, cudaMemcpyAsync(levels, p->device.level + first, count * sizeof *levels,
                                  cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    return cuda_engine_outcome(self);
}

/* A failure is returned and then cleared: the population is unchanged, and the next step can go on.
 * If the device is lost, that step fails by itself. */
engine_status cuda_copies_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                               uint32_t *families) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    if (p->failed)
        return cuda_engine_failure(self);
    cuda_engine_cancel_prelaunched(self);
    uint8_t *const room = self->spins->room(self->state);
    self->spins->save(self->state, p, NULL, first, count, room);
    CUDA_CHECK(p, cudaMemcpyAsync(spins, room, count * model_packed_bytes(&base->model),
                                  cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaMemcpyAsync(families, p->device.family + first, count * sizeof *families,
                                  cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    const engine_status status = cuda_engine_outcome(self);
    cuda_population_forget_failure(p);
    return status;
}

engine_status cuda_copies_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                                const uint8_t *spins, const uint32_t *families) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_engine_cancel_prelaunched(self);
    p->replicas = replicas;
    p->scattered = false;
    p->device.founders = 0;
    uint8_t *const room = self->spins->room(self->state);
    CUDA_CHECK(p, cudaMemcpyAsync(room, spins, count * model_packed_bytes(&base->model),
                                  cudaMemcpyHostToDevice, p->stream));
    CUDA_CHECK(p, cudaMemcpyAsync(p->device.family + first, families, count * sizeof *families,
                                  cudaMemcpyHostToDevice, p->stream));
    self->spins->load(self->state, p, first, count, room);
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    return cuda_engine_outcome(self);
}

engine_status cuda_copies_overlaps(engine *base, overlap_sums *out) {
    cuda_engine *const self = (cuda_engine *)base;
    const nvtx_section section("overlaps");
    const uint64_t replicas = self->population.replicas;
    self->spins->compare(self->state, &self->population, 0, overlap_offset(replicas),
                         (overlap_pairs(replicas) + MACHINE_LANES - 1) / MACHINE_LANES);
    cuda_overlaps_report(&self->pairs, &self->population, &base->model,
                         (const uint32_t *)self->spins->room(self->state), out);
    return cuda_engine_outcome(self);
}
