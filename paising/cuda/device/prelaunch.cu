/* Gates: what the host does. */
#include "cuda/device/arrays.h"
#include "cuda/device/prelaunch.cuh"
#include "cuda/engine/bytes.h"

static_assert(sizeof(device_mailbox) <= PRELAUNCH_BYTES && sizeof(host_mailbox) <= PRELAUNCH_BYTES,
              "what is counted");

cudaError_t prelaunch_create(prelaunch *g, uint64_t room) {
    *g = prelaunch{};
    g->room = room += room % 2;
    cudaError_t error = cuda_take(&g->host, sizeof *g->host + room * sizeof *g->host->body, PINNED);
    if (!error)
        error =
            cuda_take(&g->device, sizeof *g->device + room * sizeof *g->device->body, ON_DEVICE);
    if (!error) {
        *g->host = host_mailbox{};
        error = cudaMemset(g->device, 0, sizeof *g->device);
    }
    return error;
}

void prelaunch_destroy(prelaunch *g) {
    cuda_array_give(g->host, PINNED);
    cuda_array_give(g->device, ON_DEVICE);
    *g = prelaunch{};
}

void prelaunch_prepare(prelaunch *g) {
    if (++g->number == 0) /* which would be none */
        g->number++;
    g->waits = true;
}

static void say(prelaunch *g, uint64_t numbers) {
    __atomic_store_n(&g->host->opened, (uint64_t)g->number << 32 | numbers, __ATOMIC_RELEASE);
    g->waits = false;
}

bool prelaunch_release(prelaunch *g, uint64_t numbers) {
    if (!g->waits)
        return false;
    say(g, numbers);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&g->host->impatient, __ATOMIC_ACQUIRE) != g->number)
        return true;
    uint64_t outcome;
    do
        outcome = __atomic_load_n(&g->host->outcome, __ATOMIC_ACQUIRE);
    while (outcome >> 32 != g->number);
    return (uint32_t)outcome > 0;
}

void prelaunch_cancel(prelaunch *g) {
    if (g->waits)
        say(g, 0);
}
