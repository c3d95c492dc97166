/* Pre-launched kernels: kernels that are queued before the host knows their arguments.
 *
 * One block of a kernel polls a host mailbox in pinned memory until the host writes the message
 * there. The block copies the message to a device mailbox, where the blocks of the next launch read
 * it. That takes some 2 us. A launch takes the host 4 us and the device as much again.
 *
 * Failure: a block that is not released times out after PRELAUNCH_TIMEOUT, so that other work of
 * the device and tools that serialise kernels need not wait for the host. Kernels behind a launch
 * that timed out or was cancelled return at once.
 *
 * Thread: one host thread for each mailbox. */
#ifndef PAISING_CUDA_DEVICE_PRELAUNCH_H
#define PAISING_CUDA_DEVICE_PRELAUNCH_H

#include <cuda_runtime.h>
#include <stdint.h>

#define PRELAUNCH_TIMEOUT 1000000 /* ns */
#define MAILBOX_HEAD      48      /* 64-bit numbers of a message before its body */

/* Written by the host, read by the waiting block, or the reverse; in pinned memory. */
typedef struct {
    /* By the host: launch number << 32 | length of the message; length 0: cancelled. */
    uint64_t released;
    /* By the block: number of a launch that has timed out, ... */
    uint32_t timed_out;
    /* ... and then number << 32 | 1: it was released all the same, or 0: it was not. */
    uint64_t outcome;
    alignas(16) uint64_t head[MAILBOX_HEAD], body[];
} host_mailbox;

/* The message on the device. head[0] is launch number << 32 | 1 (released) or 0 (not). Then follow
 * the halves of the head's numbers, each below the launch number. So each word tells to which
 * launch it belongs. */
typedef struct {
    uint64_t head[1 + 2 * MAILBOX_HEAD];
    alignas(16) uint64_t body[];
} device_mailbox;

typedef struct {
    host_mailbox *host;
    device_mailbox *device;
    uint64_t room;   /* capacity of the body, in numbers */
    uint32_t number; /* of the last pre-launched kernel */
    bool waits;      /* the host has neither released nor cancelled it */
} prelaunch;

/* Whether kernels may wait for the host. Not if launches block until their kernel ends, as debuggers and profilers demand:
 * the host would wait for a kernel that waits for it. */
bool prelaunch_is_possible();

/* create allocates mailboxes with a body of `room` numbers. destroy frees them. Pre of destroy: no
 * kernel uses them. */
cudaError_t prelaunch_create(prelaunch *p, uint64_t room, cudaStream_t stream);
void prelaunch_destroy(prelaunch *p);

/* Begins another pre-launched kernel. The caller queues a launch that calls wait_for_host
 * (prelaunch.cuh) with p->number, and kernels behind it that take the same number. */
void prelaunch_prepare(prelaunch *p);

/* Releases the waiting kernel with `numbers` numbers, at least one, of host->head and host->body,
 * which the caller has written. Returns false if the kernel has timed out, or none waits. */
bool prelaunch_release(prelaunch *p, uint64_t numbers);

/* Cancels the waiting kernel, if there is one. */
void prelaunch_cancel(prelaunch *p);

#endif
