/* Pre-launched kernels: the host's side. */
#include "cuda/device/arrays.h"
#include "cuda/device/prelaunch.cuh"
#include "cuda/engine/bytes.h"

#include <stdlib.h>
#include <string.h>

static_assert(sizeof(device_mailbox) <= PRELAUNCH_BYTES && sizeof(host_mailbox) <= PRELAUNCH_BYTES,
              "what is counted");

bool prelaunch_is_possible() {
    const char *const blocks = getenv("CUDA_LAUNCH_BLOCKING");
    return !blocks || strcmp(blocks, "0") == 0;
}

cudaError_t prelaunch_create(prelaunch *p, uint64_t room, cudaStream_t stream) {
    *p = prelaunch{};
    p->room = room += room % 2;
    cudaError_t error = cuda_take(&p->host, sizeof *p->host + room * sizeof *p->host->body, PINNED);
    if (!error)
        error =
            cuda_take(&p->device, sizeof *p->device + room * sizeof *p->device->body, ON_DEVICE);
    if (!error) {
        *p->host = host_mailbox{};
        error = cudaMemsetAsync(p->device, 0, sizeof *p->device, stream);
    }
    return error;
}

void prelaunch_destroy(prelaunch *p) {
    cuda_array_give(p->host, PINNED);
    cuda_array_give(p->device, ON_DEVICE);
    *p = prelaunch{};
}

void prelaunch_prepare(prelaunch *p) {
    if (++p->number == 0) /* 0 is the number of none */
        p->number++;
    p->waits = true;
}

static void publish_release(prelaunch *p, uint64_t numbers) {
    __atomic_store_n(&p->host->released, (uint64_t)p->number << 32 | numbers, __ATOMIC_RELEASE);
    p->waits = false;
}

bool prelaunch_release(prelaunch *p, uint64_t numbers) {
    if (!p->waits)
        return false;
    publish_release(p, numbers);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&p->host->timed_out, __ATOMIC_ACQUIRE) != p->number)
        return true;
    uint64_t outcome;
    do
        outcome = __atomic_load_n(&p->host->outcome, __ATOMIC_ACQUIRE);
    while (outcome >> 32 != p->number);
    return (uint32_t)outcome > 0;
}

void prelaunch_cancel(prelaunch *p) {
    if (p->waits)
        publish_release(p, 0);
}
