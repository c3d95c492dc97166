/* Single-spin coded sweeps with generators of cuRAND, for a comparison: "users can readily replace it by any of the alternative RNGs
 * included in curand" (Barash et al. 2017, Sec. 3). A block of a GPU holds one lattice at a time in shared memory, and its threads
 * update one sub-lattice, then the other, by Metropolis' rule. Each thread draws one number for each of its spins, in turn.
 *
 *   site (x, y)   sub-lattice s = (x + y) mod 2, pair j = x / 2; x = 2 j + (y + s) mod 2
 *   spin          byte s N/2 + y L/2 + j of a lattice, 1 or -1
 *   thread t      has the sites t, t + 256, ... of a sub-lattice
 *   block b of B  has the replicas b, b + B, ..., each for all sweeps of a step; its states go on from replica to replica
 *
 * The twin makes the same on the CPU, thread after thread: it has the same spins. */
#ifndef PAISING_CURAND_SWEEP_H
#define PAISING_CURAND_SWEEP_H

#include "base/portable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    SWEEP_PHILOX,   /* Philox4x32-10, as the paper's: a subsequence a thread */
    SWEEP_XORWOW,   /* a sequence a thread, 2^67 numbers apart */
    SWEEP_MRG32K3A, /* a sequence a thread, 2^127 numbers apart */
    SWEEP_MTGP32,   /* a state and a parameter set a block, which its threads advance together */
    SWEEP_CONTROL,  /* XORWOW, all threads of a block with the same sequence: must be found out */
    SWEEP_GENERATORS
} sweep_generator;

#define SWEEP_THREADS 256 /* of a block: the most that share a state of MTGP32 */

/* What is simulated: edge L is 32, 64 or 128. A number below threshold[n] flips a spin whose energy rises by 4 J (n = 0) or
 * 8 J (n = 1): 2^32 exp(-4 beta), 2^32 exp(-8 beta). */
typedef struct {
    uint32_t edge, replicas, blocks;
    uint32_t threshold[2];
    uint64_t seed;
} sweep_task;

typedef struct sweep_population sweep_population;

C_DECLARATIONS_BEGIN

/* Takes GPU `number` and writes its name. Returns 0, or -1 with the reason. */
int sweep_open(int number, char *name, char *reason, size_t size);

/* A population with all spins up, on the GPU that was taken, or on the CPU (the twin). On a GPU blocks = 0 asks for as many as it
 * holds at a time. Returns NULL with the reason; else to be given to sweep_destroy. */
sweep_population *sweep_create(sweep_generator generator, bool on_gpu, const sweep_task *task,
                               char *reason, size_t size);
void sweep_destroy(sweep_population *p);

/* Makes `sweeps` sweeps of all replicas. bonds[replicas]: the sum of s s' over the 2 N bonds of each afterwards. *seconds: what
 * the GPU took; 0 of the twin. Returns 0, or -1 with the reason. */
int sweep_step(sweep_population *p, uint32_t sweeps, int32_t *bonds, double *seconds, char *reason,
               size_t size);

/* Copies the spins, [replicas][N], to the host. Returns 0, or -1 with the reason. */
int sweep_spins(sweep_population *p, int8_t *spins, char *reason, size_t size);

/* Bytes of state a thread. */
double sweep_state_bytes(sweep_generator generator);

C_DECLARATIONS_END

#endif
