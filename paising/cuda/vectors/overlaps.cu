/* Overlaps of populations of vectors (overlaps.h). They equal ssc_vectors_overlaps of cpu/ssc_vectors.c. */
#include "cuda/vectors/overlaps.h"

#include "cuda/device/arrays.h"
#include "cuda/engine/bytes.h"
#include "cuda/report/overlaps.h"

int cuda_vector_overlaps_create(cuda_vector_overlaps *o, cuda_population *p,
                                const engine_config *config) {
    *o = cuda_vector_overlaps{};
    if (!config->model.disordered)
        return 0;
    o->at_once = cuda_vector_pairs(config);
    CUDA_CHECK(p, cuda_take(&o->pair, o->at_once * sizeof *o->pair, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->host, o->at_once * sizeof *o->host, PINNED));
    CUDA_CHECK(p, cuda_take(&o->family, config->capacity * sizeof *o->family, PINNED));
    const uint64_t bytes = cuda_vector_wave_bytes(&config->model);
    CUDA_CHECK(p, cuda_take(&o->waves, bytes, ON_DEVICE));
    cuda_upload_waves(o->waves, bytes, p, &config->model);
    return p->failed ? -1 : 0;
}

void cuda_vector_overlaps_destroy(cuda_vector_overlaps *o) {
    cuda_array_give(o->pair, ON_DEVICE);
    cuda_array_give(o->host, PINNED);
    cuda_array_give(o->family, PINNED);
    cuda_array_give(o->waves, ON_DEVICE);
}

/* Measures `some` pairs, and brings them to the host. */
static void measure(const cuda_vector_overlaps *o, cuda_population *p,
                    const vector_kernels *kernels, const pair_request *q, uint64_t some) {
    kernels->pairs(p, q, (unsigned)some);
    if (!p->failed)
        CUDA_CHECK(p, cudaMemcpyAsync(o->host, o->pair, some * sizeof *o->host,
                                      cudaMemcpyDeviceToHost, p->stream));
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
}

void cuda_vector_overlaps_add(const cuda_vector_overlaps *o, cuda_population *p,
                              const vector_kernels *kernels, const vector_lattice *l,
                              const spin_model *model, void *spins, uint64_t first, uint64_t count,
                              bool families, overlap_sums *out) {
    const uint64_t bonds = vector_overlap_bonds(model), bytes = vector_bytes(l);
    pair_request q = {};
    q.r.lattice = *l;
    q.offset = overlap_offset(count);
    q.pair = o->pair;
    const int2 *wave = o->waves;
    for (uint32_t d = 0; d < l->dimension; d++) {
        q.wave[d] = wave;
        wave += l->edge[d];
    }
    overlap_sums_begin(out, count);
    CUDA_CHECK(p, cudaMemcpyAsync(o->family, p->device.family + first, count * sizeof *o->family,
                                  cudaMemcpyDeviceToHost, p->stream));
    for (uint64_t k = 0; k < out->pairs && !p->failed; k += o->at_once) {
        const uint64_t left = out->pairs - k, some = left < o->at_once ? left : o->at_once;
        q.r.spins = (uint8_t *)spins + k * bytes;
        measure(o, p, kernels, &q, some);
        for (uint64_t n = k; n < k + some && !p->failed; n++)
            if (o->family[n] == o->family[n + q.offset])
                out->relatives++;
            else
                vector_overlaps_add(out, n, &o->host[n - k], model, bonds);
    }
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    if (families && !p->failed)
        out->family_logs = overlap_family_logs(o->family, count);
}
