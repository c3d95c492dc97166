/* Gates on the device. A gate that loses its patience and a host that opens it at that moment each say so before they look
 * what the other has said, so that one at least knows of both; what holds then the gate decides. */
#ifndef PAISING_CUDA_GATE_CUH
#define PAISING_CUDA_GATE_CUH

#include "gate.h"
#include "launches.cuh"

static __device__ uint64_t nanoseconds() {
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* How many numbers the gate is opened with: none, if it is dismissed or closes. */
static __device__ uint32_t gate_await_host(gate_door *door, uint32_t number) {
    const volatile uint64_t *const opened = &door->opened;
    const uint64_t begun = nanoseconds();
    uint64_t seen = *opened;
    while (seen >> 32 != number && nanoseconds() - begun < GATE_PATIENCE)
        seen = *opened;
    if (seen >> 32 != number) {
        *(volatile uint32_t *)&door->impatient = number;
        __threadfence_system();
        seen = *opened;
        if (seen >> 32 != number)
            seen = 0;
        *(volatile uint64_t *)&door->outcome = (uint64_t)number << 32 | ((uint32_t)seen > 0);
    }
    return (uint32_t)seen;
}

/* Is the gate; called by all threads of a block. What is told comes two numbers a thread at a time. That it is told is said when
 * the launch before has ended. */
static __device__ void stand_as_gate(gate_door *door, gate_news *news, uint32_t number) {
    __shared__ uint32_t numbers;
    allow_next_launch(); /* whose blocks find their places meanwhile */
    if (threadIdx.x == 0)
        numbers = gate_await_host(door, number);
    __syncthreads();
    const ulonglong2 *const from = (const ulonglong2 *)door->message;
    for (uint32_t n = threadIdx.x; n < (numbers + 1) / 2; n += blockDim.x)
        ((ulonglong2 *)news->message)[n] = __ldcv(&from[n]);
    await_launch_before();
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    __threadfence();
    *(volatile uint64_t *)&news->outcome = (uint64_t)number << 32 | (numbers > 0);
}

/* Waits for a gate; called by all threads of a block whose launch may begin when the gate has. Returns whether it was opened:
 * then all is there that the launches before the gate have written. */
static __device__ __forceinline__ bool gate_await(const gate_news *news, uint32_t number) {
    __shared__ bool opened;
    if (threadIdx.x == 0) {
        uint64_t seen;
        do /* a fence behind it would take longer */
            asm volatile("ld.acquire.gpu.u64 %0, [%1];"
                         : "=l"(seen)
                         : "l"(&news->outcome)
                         : "memory");
        while (seen >> 32 != number);
        opened = seen & 1;
    }
    __syncthreads();
    return opened;
}

/* The same of a gate that has ended. */
static __device__ __forceinline__ bool gate_was_opened(const gate_news *news, uint32_t number) {
    return *(const volatile uint64_t *)&news->outcome == ((uint64_t)number << 32 | 1);
}

#endif
