/* Populations divided among the processes of mpirun, the ranks: an engine made of engines. Each
 * rank has an engine of its own, which holds a share of the replicas (engine/partition.h): whole
 * machine words, evenly divided. Rank 0 runs the program. It sends each call of its engine as a
 * command to the other ranks, which execute commands until the program ends. The bits are those of
 * one engine that holds all replicas.
 *
 * A program built without MPI has one rank (alone.c). */
#ifndef PAISING_RANKS_H
#define PAISING_RANKS_H

#include "base/message.h"
#include "engine/engine.h"

#include <stdbool.h>

/* The memory that the engine of a rank needs, and where. */
typedef struct {
    char device[256];
    bool gpu;
    uint64_t host_bytes, host_available; /* UINT64_MAX: unknown */
    uint64_t device_bytes, device_available;
} rank_needs;

/* What a rank must be able to do for engines on a device, numbered as the maker does. prepare:
 * opens the device. make: creates an engine for a share, whose capacity is in *config, or returns
 * NULL with the reason. describe: fills *needs without creating it. */
typedef struct {
    void (*prepare)(int device);
    engine *(*make)(const engine_config *config, int device, char *reason, size_t size);
    void (*describe)(const engine_config *config, int device, rank_needs *needs);
} rank_maker;

/* This process among the ranks. A program not started by mpirun is rank 0 of 1, on its own host. */
typedef struct {
    uint32_t rank, count;
    uint32_t place, neighbours; /* number of this rank on its host, and ranks on its host */
} rank_world;

/* ranks_begin is called first, with the arguments of main, and ranks_end last. ranks_begin joins
 * the other ranks if mpirun started the program; all ranks must have the same options. Unless
 * OMP_NUM_THREADS is set it gives OpenMP this rank's share of the processors (processors.h).
 * Returns STATUS_OK, or STATUS_REFUSED after a message on stderr. */
exit_status ranks_begin(int argc, char **argv);
void ranks_end(void);

rank_world ranks_world(void);

/* The worker loop of ranks other than 0: executes commands until rank 0 calls ranks_end. */
void ranks_run_worker(const rank_maker *maker);

/* The configuration of the largest share; and the bytes of memory that a rank needs besides its
 * engine, on the host and on a GPU. */
engine_config ranks_share(const engine_config *config);
uint64_t ranks_bytes(const engine_config *config);
uint64_t ranks_device_bytes(const engine_config *config);

/* Rank 0 has the other ranks open a device while it does so itself: opening a GPU takes longer than
 * many runs. */
void ranks_prepare(int device);

/* Creates the engine of all ranks, for populations of about `population` replicas. Called by rank
 * 0. Returns NULL and the reason on failure. */
engine *ranks_engine(const engine_config *config, uint64_t population, int device,
                     const rank_maker *maker, char *reason, size_t size);

/* Fills needs[ranks] with the memory that each rank would need for such an engine. Called by rank
 * 0. */
void ranks_describe(const engine_config *config, int device, const rank_maker *maker,
                    rank_needs needs[]);

#endif
