/* What a device can do at most: rates of the operations that the kernels consist of, each measured
 * by a loop that does nothing else. A ceiling's work is a function of its thread (ceiling_work.h),
 * so that the host can check what the device made of it. */
#ifndef PAISING_CEILING_H
#define PAISING_CEILING_H

#include "base/portable.h"

#include <stddef.h>
#include <stdint.h>

C_DECLARATIONS_BEGIN

#define CEILING_BLOCK        256  /* threads a block */
#define CEILING_SHARED_WORDS 4096 /* 32-bit words of shared memory that a block reads */

typedef enum {
    CEILING_LOGIC,             /* three-input logic on 32 bits */
    CEILING_MULTIPLY_ADD,      /* 32 x 32 + 32 bits, the lower 32 */
    CEILING_WIDE_MULTIPLY_ADD, /* 32 x 32 + 64 bits */
    CEILING_MIX,               /* the first and the second in turn, both pipes at work */
    CEILING_PLANES,  /* MSC, mode independent: 32-bit random words decided (cuda/msc/planes.cuh) */
    CEILING_PHILOX,  /* SSC and the other modes: Philox4x32-10 calls, four numbers each */
    CEILING_COPY,    /* device memory, bytes read and written */
    CEILING_L2_READ, /* bytes read from the second-level cache */
    CEILING_SHARED_READ, /* bytes read from shared memory */
    CEILINGS
} ceiling_kind;

/* A device, and what is known of it; 0 or NAN: not known. */
typedef struct {
    char name[300];
    double clock_ghz; /* the highest */
    uint32_t multiprocessors;
    uint64_t threads;             /* of a loop, all of them at work at a time */
    double theoretical[CEILINGS]; /* by clock, lanes and bus, in 1e9 a second */
    uint64_t units[CEILINGS];     /* work of one run: operations, words, calls, bytes */
    uint32_t rounds[CEILINGS];    /* argument of the functions of ceiling_work.h */
    uint64_t copied, l2;          /* 32-bit words of memory that are copied, or read in turns */
    uint32_t *results;            /* device memory [threads] */
    uint32_t *from, *to;          /* device memory [copied] */
} ceiling_device;

/* Opens device `number`. Returns 0, or -1 with the reason. */
int ceiling_open(ceiling_device *d, int number, char *reason, size_t size);

/* Runs a ceiling once: the time goes to *seconds, what the threads found to results[threads].
 * Returns 0, or -1 with the reason. */
int ceiling_run(ceiling_device *d, ceiling_kind kind, double *seconds, uint32_t *results,
                char *reason, size_t size);

void ceiling_close(ceiling_device *d);

C_DECLARATIONS_END

#endif
