/* Memory that processes of a host share between GPUs, by CUDA IPC: over NVLink or PCIe, or on one
 * GPU. Copies and kernels read exported memory like their own.
 *
 * Failure: containers may forbid IPC, and some GPUs do not reach each other. So memory that is
 * opened is tested once: a kernel must read the mark that its owner has written there. */
#include "cuda/partition/peers.h"

#include <string.h>
#include <unistd.h>

/* Contents of a peer_handle. */
struct export_memory {
    cudaIpcMemHandle_t memory;
    /* PCI bus address of the device, since processes may number devices differently */
    char device[32];
    uint64_t mark; /* first word of the memory */
};
static_assert(sizeof(export_memory) <= sizeof(peer_handle), "a handle has room for it");

/* Whether a call has succeeded. Clears the error, which the next launch would return. */
static bool is_well(cudaError_t error) {
    cudaGetLastError();
    return error == cudaSuccess;
}

static void free_exported(void *memory) {
    is_well(cudaFree(memory));
}

/* Returns a mark that no other export on this host has. */
static uint64_t next_mark() {
    static uint32_t exports;
    return (uint64_t)getpid() << 32 | ++exports;
}

/* Writes the mark, and waits until it is in device memory. */
static bool write_mark(void *memory, uint64_t mark) {
    return is_well(cudaMemcpy(memory, &mark, sizeof mark, cudaMemcpyHostToDevice)) &&
           is_well(cudaStreamSynchronize(0));
}

static void *export_own(uint64_t bytes, peer_handle *handle) {
    export_memory o = {};
    void *memory = NULL;
    int device;
    o.mark = next_mark();
    if (!is_well(cudaMalloc(&memory, bytes)))
        return NULL;
    if (is_well(cudaIpcGetMemHandle(&o.memory, memory)) && is_well(cudaGetDevice(&device)) &&
        is_well(cudaDeviceGetPCIBusId(o.device, sizeof o.device, device)) &&
        write_mark(memory, o.mark)) {
        memcpy(handle, &o, sizeof o);
        return memory;
    }
    free_exported(memory);
    return NULL;
}

/* Whether the current device can access another one. A device that this process does not see is
 * assumed accessible. */
static bool reaches(const char *device) {
    int here, there, can = 1;
    return is_well(cudaGetDevice(&here)) &&
           (!is_well(cudaDeviceGetByPCIBusId(&there, device)) || here == there ||
            (is_well(cudaDeviceCanAccessPeer(&can, here, there)) && can));
}

static __global__ void read_mark(const uint64_t *seen, uint64_t *mark) {
    *mark = *seen;
}

/* Whether a kernel on the current device reads `mark` at `seen`. */
static bool mark_is_visible(const void *seen, uint64_t mark) {
    uint64_t *found = NULL;
    if (!is_well(cudaMallocHost((void **)&found, sizeof *found)))
        return false;
    *found = ~mark;
    read_mark<<<1, 1>>>((const uint64_t *)seen, found);
    const bool good =
        is_well(cudaGetLastError()) && is_well(cudaStreamSynchronize(0)) && *found == mark;
    cudaFreeHost(found);
    return good;
}

static void close_seen(void *seen) {
    is_well(cudaIpcCloseMemHandle(seen));
}

static void *open_peer(const peer_handle *handle) {
    export_memory o;
    void *seen = NULL;
    memcpy(&o, handle, sizeof o);
    if (!reaches(o.device) ||
        !is_well(cudaIpcOpenMemHandle(&seen, o.memory, cudaIpcMemLazyEnablePeerAccess)))
        return NULL;
    if (mark_is_visible(seen, o.mark))
        return seen;
    close_seen(seen);
    return NULL;
}

/* An NVLink that is idle for some 0.1 s enters a low-power state. Leaving it takes as long as a
 * step of few sweeps. Reading a few bytes is not enough to leave it. */
#define WAKING_BYTES 65536
#define THREADS      1024

static __global__ void __launch_bounds__(THREADS)
    read_words(const volatile uint64_t *seen, uint32_t count) {
    for (uint32_t n = threadIdx.x; n < count; n += THREADS)
        (void)seen[n];
}

/* Uses a stream that no population waits for. */
static void warm_up_link(const void *seen, uint64_t bytes) {
    const uint64_t read = bytes < WAKING_BYTES ? bytes : WAKING_BYTES;
    read_words<<<1, THREADS, 0, cudaStreamPerThread>>>((const volatile uint64_t *)seen,
                                                       (uint32_t)(read / sizeof(uint64_t)));
    is_well(cudaGetLastError());
}

const peer_verbs cuda_peers = {export_own, free_exported, open_peer, close_seen, warm_up_link};
