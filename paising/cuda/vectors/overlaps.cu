/* Overlaps of populations of vectors (overlaps.h). They equal those of cpu/ssc_vectors.c. */
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
    CUDA_CHECK(p, cuda_take(&o->family, 2 * config->capacity * sizeof *o->family, PINNED));
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

/* Adds pairs whose families are on the host. */
static void add_pairs(const cuda_vector_overlaps *o, cuda_population *p,
                      const cuda_vector_measure *by, const vector_pairs *pairs, overlap_sums *out) {
    const vector_lattice *const l = by->lattice;
    const uint64_t bonds = vector_overlap_bonds(by->model), bytes = vector_bytes(l);
    pair_request q = {};
    q.lattice = *l;
    q.pair = o->pair;
    const int2 *wave = o->waves;
    for (uint32_t d = 0; d < l->dimension; d++) {
        q.wave[d] = wave;
        wave += l->edge[d];
    }
    for (uint64_t k = 0; k < pairs->count && !p->failed; k += o->at_once) {
        const uint64_t left = pairs->count - k, some = left < o->at_once ? left : o->at_once;
        q.own = (const uint8_t *)pairs->own + k * bytes;
        q.other = (const uint8_t *)pairs->other + k * bytes;
        measure(o, p, by->kernels, &q, some);
        for (uint64_t n = k; n < k + some && !p->failed; n++)
            if (pairs->own_family[n] == pairs->other_family[n])
                out->relatives++;
            else
                vector_overlaps_add(out, pairs->number + n, &o->host[n - k], by->model, bonds);
    }
}

/* Brings families to the host. */
static void take_families(cuda_population *p, uint32_t *to, const uint32_t *family,
                          uint64_t count) {
    if (!p->failed && count > 0)
        CUDA_CHECK(p,
                   cudaMemcpyAsync(to, family, count * sizeof *to, cudaMemcpyDefault, p->stream));
}

void cuda_vector_overlaps_fill(const cuda_vector_overlaps *o, cuda_population *p,
                               const cuda_vector_measure *by, const void *spins, uint64_t first,
                               uint64_t count, bool families, overlap_sums *out) {
    const uint64_t offset = overlap_offset(count);
    overlap_sums_begin(out, count);
    take_families(p, o->family, p->device.family + first, count);
    const vector_pairs pairs = {
        spins,     (const uint8_t *)spins + offset * vector_bytes(by->lattice),
        o->family, o->family + offset,
        0,         out->pairs};
    add_pairs(o, p, by, &pairs, out);
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    if (families && !p->failed)
        out->family_logs = overlap_family_logs(o->family, count);
}

void cuda_vector_overlaps_add(const cuda_vector_overlaps *o, cuda_population *p,
                              const cuda_vector_measure *by, uint64_t first,
                              const vector_pairs *pairs, overlap_sums *out) {
    vector_pairs here = *pairs;
    here.own_family = o->family;
    here.other_family = o->family + pairs->count;
    take_families(p, o->family, p->device.family + first, pairs->count);
    take_families(p, o->family + pairs->count, pairs->other_family, pairs->count);
    add_pairs(o, p, by, &here, out);
}
