/* Small arrays, cut from shared pages. */
#include "cuda/device/arrays.h"

#include "cuda/engine/bytes.h"

#include <mutex>
#include <stdlib.h>
#include <sys/mman.h>

#define SMALL     (CUDA_PAGE_BYTES / 8) /* larger arrays are allocated each */
#define ALIGNMENT 256

/* A page. Space is cut from it once, and not reused. */
typedef struct page {
    char *begin;
    size_t size, used;
    size_t arrays; /* not yet given back */
    int device;
    struct page *next;
} page;

/* The pages of a place; the first one of a device is the one in use. */
static page *pages[ARRAY_PLACES];
static std::mutex lock;

static cudaError_t allocate(void **array, size_t bytes, array_place place) {
    return place == ON_DEVICE ? cudaMalloc(array, bytes) : cudaMallocHost(array, bytes);
}

static void release(void *array, array_place place) {
    if (place == ON_DEVICE)
        cudaFree(array);
    else
        cudaFreeHost(array);
}

/* An array of its own. In pinned memory it asks for large pages of the system: the host of an H200 pins 84 MB of them in 19 ms, and
 * cudaMallocHost takes 44. */
static cudaError_t allocate_large(void **array, size_t bytes, array_place place) {
    if (place == ON_DEVICE || bytes == 0)
        return allocate(array, bytes, place);
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

static void release_large(void *array, array_place place) {
    if (place == ON_DEVICE) {
        release(array, place);
        return;
    }
    cudaHostUnregister(array);
    free(array);
}

/* Finds or allocates a page with room for `bytes`. */
static cudaError_t find_page(page **found, size_t bytes, array_place place) {
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    page *p = pages[place];
    while (p && p->device != device)
        p = p->next;
    *found = p;
    if (error || (p && p->used + bytes <= p->size))
        return error;
    /* The driver pins host memory in pages, too, at a millisecond each, and cuts small arrays from
     * its own pages. Half a page is enough for one population, and leaves the driver the other
     * half. */
    const size_t size = place == PINNED && !p ? CUDA_PAGE_BYTES / 2 : CUDA_PAGE_BYTES;
    void *begin = NULL;
    error = allocate(&begin, size, place);
    p = error ? NULL : (page *)malloc(sizeof *p);
    if (!p) {
        release(begin, place);
        return error ? error : cudaErrorMemoryAllocation;
    }
    *p = page{(char *)begin, size, 0, 0, device, pages[place]};
    pages[place] = *found = p;
    return cudaSuccess;
}

cudaError_t cuda_array_take(void **array, size_t bytes, array_place place) {
    const size_t aligned = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *array = NULL;
    if (bytes == 0 || aligned > SMALL)
        return allocate_large(array, bytes, place);
    const std::lock_guard<std::mutex> own(lock);
    page *from = NULL;
    const cudaError_t error = find_page(&from, aligned, place);
    if (error)
        return error;
    *array = from->begin + from->used;
    from->used += aligned;
    from->arrays++;
    return cudaSuccess;
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
        release_large(array, place);
        return;
    }
    release(from->begin, place);
    *link = from->next;
    free(from);
}
