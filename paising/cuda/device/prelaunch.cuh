/* Pre-launched kernels: the device's side.
 *
 * A waiting block that times out and a host that releases it at the same moment each publish that
 * first, and then read what the other has published. So at least one of them sees both. The block
 * decides, and writes the outcome for the host. */
#ifndef PAISING_CUDA_DEVICE_PRELAUNCH_CUH
#define PAISING_CUDA_DEVICE_PRELAUNCH_CUH

#include "cuda/device/launches.cuh"
#include "cuda/device/loads.cuh"
#include "cuda/device/prelaunch.h"

static __device__ uint64_t nanoseconds() {
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Waits for the host. Returns the length of the message, or 0 if the launch is cancelled or times
 * out. */
static __device__ uint32_t await_host(host_mailbox *host, uint32_t number) {
    const volatile uint64_t *const released = &host->released;
    const uint64_t begun = nanoseconds();
    uint64_t seen = *released;
    while (seen >> 32 != number && nanoseconds() - begun < PRELAUNCH_TIMEOUT)
        seen = *released;
    if (seen >> 32 != number) {
        *(volatile uint32_t *)&host->timed_out = number;
        __threadfence_system();
        seen = *released;
        if (seen >> 32 != number)
            seen = 0;
        *(volatile uint64_t *)&host->outcome = (uint64_t)number << 32 | ((uint32_t)seen > 0);
    }
    return (uint32_t)seen;
}

/* Waits for the host and copies its message to the device mailbox. Threads: all of one block, at
 * least MAILBOX_HEAD. Of the body each thread copies two numbers at a time. The head is published
 * last, once the launch before has ended. */
static __device__ void wait_for_host(host_mailbox *host, device_mailbox *device, uint32_t number) {
    __shared__ uint32_t numbers;
    const uint64_t mark = (uint64_t)number << 32;
    const uint32_t n = threadIdx.x;
    allow_next_launch(); /* its blocks can become resident meanwhile */
    if (n == 0)
        numbers = await_host(host, number);
    __syncthreads();
    const uint64_t argument = n < MAILBOX_HEAD && n < numbers ? __ldcv(&host->head[n]) : 0;
    const ulonglong2 *const from = (const ulonglong2 *)host->body;
    for (uint32_t at = n; MAILBOX_HEAD + 2 * at < numbers; at += blockDim.x)
        ((ulonglong2 *)device->body)[at] = __ldcv(&from[at]);
    await_launch_before();
    __syncthreads();
    if (n >= MAILBOX_HEAD)
        return;
    __threadfence();
    volatile uint64_t *const to = device->head;
    if (n == 0)
        to[0] = mark | (numbers > 0);
    to[1 + 2 * n] = mark | (uint32_t)argument;
    to[2 + 2 * n] = mark | argument >> 32;
}

/* Reads `bytes` bytes of the head from a device mailbox to shared memory, with acquire or relaxed
 * loads (LOAD), and *released. Returns false if the message has not arrived. All threads of the
 * block must call it. */
template <uint64_t LOAD(const uint64_t *)>
static __device__ __forceinline__ bool mailbox_read(bool *released, void *head, uint32_t bytes,
                                                    const device_mailbox *device, uint32_t number) {
    const uint32_t halves = bytes / sizeof(uint32_t);
    bool complete = true;
    for (uint32_t n = threadIdx.x; n <= halves; n += blockDim.x) {
        const uint64_t seen = LOAD(&device->head[n]);
        complete = complete && seen >> 32 == number;
        if (n == 0)
            *released = seen & 1;
        else
            ((uint32_t *)head)[n - 1] = (uint32_t)seen;
    }
    return __syncthreads_and(complete);
}

/* Waits for the message of the launch before, or of a block of it, and reads the head. Returns
 * whether the launch was released. Then the body is visible, too, and all that launches before it
 * have written. Mostly the message is there already, and the first, relaxed read succeeds. */
static __device__ __forceinline__ bool
mailbox_await(void *head, uint32_t bytes, const device_mailbox *device, uint32_t number) {
    __shared__ bool released;
    if (mailbox_read<load_relaxed>(&released, head, bytes, device, number))
        await_launch_before();
    else
        while (!mailbox_read<load_acquire>(&released, head, bytes, device, number))
            ;
    return released;
}

/* The same after the waiting launch has ended. */
static __device__ __forceinline__ bool prelaunch_was_released(const device_mailbox *device,
                                                              uint32_t number) {
    return *(const volatile uint64_t *)device->head == ((uint64_t)number << 32 | 1);
}

#endif
