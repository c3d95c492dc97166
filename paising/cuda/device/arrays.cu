/* Arrays that are cut from shared pages. */
#include "cuda/device/arrays.h"

#include "cuda/engine/bytes.h"

#include <mutex>
#include <stdlib.h>
#include <sys/mman.h>

#define PARTS     8 /* an array takes at most this part of a page; larger ones are allocated each */
#define ALIGNMENT 256

/* Pages get larger up to this size, so that many engines take few of them. */
static const size_t most_bytes[ARRAY_PLACES] = {32 * CUDA_PAGE_BYTES, 8 * CUDA_PAGE_BYTES};

/* A page. Space is cut from it once, and not reused. */
typedef struct page {
    char *begin;
    size_t size, used;
    size_t arrays; /* not yet given back */
    int device;
    struct page *next;
} page;

/* The pages of a place, the last one first. */
static page *pages[ARRAY_PLACES];
static std::mutex lock;

/* Memory for an array or a page. In pinned memory whole pages of the system are asked for: the host of an H200 pins 84 MB of large
 * ones in 19 ms, and cudaMallocHost takes 44. */
static cudaError_t allocate(void **array, size_t bytes, array_place place) {
    if (place == ON_DEVICE)
        return cudaMalloc(array, bytes);
    const size_t whole = (bytes + CUDA_PAGE_BYTES - 1) / CUDA_PAGE_BYTES * CUDA_PAGE_BYTES;
    void *const begin = aligned_alloc(CUDA_PAGE_BYTES, whole);
    if (!begin)
        return cudaErrorMemoryAllocation;
    madvise(begin, whole, MADV_HUGEPAGE); /* without it only slower */
    const cudaError_t error = cudaHostRegister(begin, whole, cudaHostRegisterDefault);
    if (error)
        free(begin);
    else
        *array = begin;
    return error;
}

static void release(void *array, array_place place) {
    if (place == ON_DEVICE) {
        cudaFree(array);
        return;
    }
    cudaHostUnregister(array);
    free(array);
}

/* The page of a device with room for `bytes`; NULL: none. */
static page *page_with_room(int device, size_t bytes, array_place place) {
    page *p = pages[place];
    while (p && (p->device != device || bytes > p->size / PARTS || p->used + bytes > p->size))
        p = p->next;
    return p;
}

/* The size of the next page of a device. */
static size_t next_size(int device, array_place place) {
    const page *p = pages[place];
    while (p && p->device != device)
        p = p->next;
    const size_t size = p ? 2 * p->size : CUDA_PAGE_BYTES;
    return size < most_bytes[place] ? size : most_bytes[place];
}

/* Returns NULL without memory. */
static page *add_page(int device, size_t size, array_place place) {
    void *begin = NULL;
    page *const added = (page *)malloc(sizeof *added);
    if (!added || allocate(&begin, size, place)) {
        cudaGetLastError(); /* else the next launch would return it */
        free(added);
        return NULL;
    }
    *added = page{(char *)begin, size, 0, 0, device, pages[place]};
    return pages[place] = added;
}

/* Cuts an array from a page, a new one where none has room. NULL: it is too large for a page, or there is no memory for one. */
static void *cut(size_t bytes, int device, array_place place) {
    const std::lock_guard<std::mutex> own(lock);
    const size_t size = next_size(device, place);
    page *from = page_with_room(device, bytes, place);
    if (!from && bytes <= size / PARTS)
        from = add_page(device, size, place);
    if (!from)
        return NULL;
    void *const array = from->begin + from->used;
    from->used += bytes;
    from->arrays++;
    return array;
}

cudaError_t cuda_array_take(void **array, size_t bytes, array_place place) {
    const size_t aligned = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    int device = 0;
    *array = NULL;
    const cudaError_t error = cudaGetDevice(&device);
    if (error || bytes == 0)
        return error;
    *array = cut(aligned, device, place);
    return *array ? cudaSuccess : allocate(array, bytes, place);
}

/* Returns the link to the page that holds an array; a link to NULL if none does. */
static page **page_of(const void *array, array_place place) {
    page **link = &pages[place];
    while (*link && ((const char *)array < (*link)->begin ||
                     (const char *)array >= (*link)->begin + (*link)->size))
        link = &(*link)->next;
    return link;
}

void cuda_array_give(void *array, array_place place) {
    if (!array)
        return;
    const std::lock_guard<std::mutex> own(lock);
    page **const link = page_of(array, place), *const from = *link;
    if (from && --from->arrays > 0)
        return;
    if (!from) {
        release(array, place);
        return;
    }
    release(from->begin, place);
    *link = from->next;
    free(from);
}
