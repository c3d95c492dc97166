/* Replicas are copied through a buffer that the engine has anyway (cuda_spins.room). A run
 * allocates nothing, so that the population may fill the device. */
#include "cuda/engine/copies.h"

#include "engine/spins_hash.h"

engine_status cuda_copies_levels(engine *base, uint64_t first, uint64_t count, uint32_t *levels) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_engine_cancel_prelaunched(self);
    CUDA_CHECK(p, cudaMemcpyAsync(levels, p->device.level + first, count * sizeof *levels,
                                  cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    return cuda_engine_outcome(self);
}

engine_status cuda_copies_energies(engine *base, uint64_t first, uint64_t count,
                                   int64_t *energies) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    CUDA_CHECK(p, cudaMemcpyAsync(energies, self->spins->energies(self->state) + first,
                                  count * sizeof *energies, cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    return cuda_engine_outcome(self);
}

static __global__ void hash_spins(const uint8_t *spins, uint64_t sites, uint64_t bytes,
                                  uint64_t count, uint64_t *hashes) {
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n < count)
        hashes[n] = spins_hash(spins + n * bytes, sites);
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

/* parent_family[] is free between two steps, and has room for hashes of half of the capacity, rounded up. */
engine_status cuda_copies_hashes(engine *base, uint64_t first, uint64_t count, uint64_t *hashes,
                                 uint32_t *families) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    const uint64_t bytes = model_packed_bytes(&base->model), most = (p->device.capacity + 1) / 2;
    uint64_t *const found = (uint64_t *)p->device.parent_family;
    cuda_engine_cancel_prelaunched(self);
    uint8_t *const room = self->spins->room(self->state);
    for (uint64_t n = 0; n < count && !p->failed; n += most) {
        const uint64_t some = count - n < most ? count - n : most;
        self->spins->save(self->state, p, NULL, first + n, some, room);
        hash_spins<<<(unsigned)((some + 255) / 256), 256, 0, p->stream>>>(room, base->model.sites,
                                                                          bytes, some, found);
        cuda_check_launch(p, "hash_spins");
        CUDA_CHECK(p, cudaMemcpyAsync(hashes + n, found, some * sizeof *hashes,
                                      cudaMemcpyDeviceToHost, p->stream));
    }
    CUDA_CHECK(p, cudaMemcpyAsync(families, p->device.family + first, count * sizeof *families,
                                  cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    return cuda_engine_outcome(self);
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
