/* Pinned, so that copies need not stop over, and the host need not wait for them. */
#include "foster_parents.h"

void cuda_foster_parents_reserve(cuda_foster_parents *f, cuda_population *p, uint64_t children) {
    if (p->failed || children <= f->room)
        return;
    cuda_foster_parents_destroy(f);
    CUDA_CHECK(p, cudaMallocHost((void **)&f->place, children * sizeof *f->place));
    CUDA_CHECK(p, cudaMallocHost((void **)&f->family.low, children * sizeof *f->family.low));
    if (p->device.family.high)
        CUDA_CHECK(p, cudaMallocHost((void **)&f->family.high, children * sizeof *f->family.high));
    f->room = children;
}

void cuda_foster_parents_destroy(cuda_foster_parents *f) {
    cudaFreeHost(f->place);
    cudaFreeHost(f->family.low);
    cudaFreeHost(f->family.high);
    *f = cuda_foster_parents{};
}

static void copy_in(cuda_population *p, void *to, const void *from, uint64_t bytes) {
    if (!p->failed)
        CUDA_CHECK(p, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, p->stream));
}

void cuda_foster_parents_bring(const cuda_foster_parents *f, cuda_population *p,
                               const foster_parent *parents, uint64_t count, uint64_t at,
                               uint32_t *to, const family_list &families) {
    const family_list from = f->family.from((int64_t)at);
    if (p->failed || count == 0)
        return;
    for (uint64_t n = 0; n < count; n++) {
        f->place[at + n] = parents[n].place;
        from.set(n, parents[n].family);
    }
    copy_in(p, to, f->place + at, count * sizeof *f->place);
    copy_in(p, families.low, from.low, count * sizeof *from.low);
    if (families.high)
        copy_in(p, families.high, from.high, count * sizeof *from.high);
}
