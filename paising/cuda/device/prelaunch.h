/* Gates: launches that are queued before the host knows what they are told. The gate, a block of a kernel, stands before
 * them in the stream until the host opens it with a message, which it brings to the device. That takes some two microseconds,
 * where a launch takes the host four and the device as many.
 *
 * A gate that nobody opens closes by itself after PRELAUNCH_TIMEOUT, so that other work of the device, and tools that run one
 * kernel at a time, need not wait for the host. What stands behind a gate that has closed, or was dismissed, finds that it
 * is not meant, and does nothing. */
#ifndef PAISING_CUDA_DEVICE_PRELAUNCH_H
#define PAISING_CUDA_DEVICE_PRELAUNCH_H

#include <cuda_runtime.h>
#include <stdint.h>

#define PRELAUNCH_TIMEOUT 1000000 /* ns */
#define MAILBOX_HEAD      48      /* numbers of a message that stand before its body */

/* What the host and a gate say to each other, in pinned memory. */
typedef struct {
    uint64_t released;  /* number << 32 | numbers of the message; none: the gate is dismissed */
    uint32_t timed_out; /* the number of a gate that waits no longer, */
    uint64_t outcome;   /* and then number << 32 | 1: it saw that it was opened, 0: it did not */
    alignas(16) uint64_t head[MAILBOX_HEAD], body[];
} host_mailbox;

/* What a gate has brought to the device: number of the last gate << 32 | 1: it was opened, 0: it has closed; and each half of
 * the numbers of the head likewise, so that who looks sees with it of which gate it is. */
typedef struct {
    uint64_t head[1 + 2 * MAILBOX_HEAD];
    alignas(16) uint64_t body[];
} device_mailbox;

typedef struct {
    host_mailbox *host;
    device_mailbox *device;
    uint64_t room;   /* numbers that the body of a message may have */
    uint32_t number; /* of the last gate that was queued */
    bool waits;      /* for the host, as far as it knows */
} prelaunch;

/* Makes room for messages with bodies of so many numbers; and frees it, when nothing is under way. */
cudaError_t prelaunch_create(prelaunch *p, uint64_t room);
void prelaunch_destroy(prelaunch *p);

/* Gets ready for another gate: a block of a kernel that is queued next (wait_for_host, gate.cuh), which is told its number, as
 * is what stands behind it. */
void prelaunch_prepare(prelaunch *p);

/* Opens it with so many numbers of door->head and door->body, at least one. Returns false if it had closed, or none waits. */
bool prelaunch_release(prelaunch *p, uint64_t numbers);

/* Has it closed, if it waits. */
void prelaunch_cancel(prelaunch *p);

#endif
