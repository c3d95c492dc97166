/* Populations that are divided among the processes of mpirun, its ranks: an engine made of engines. Each rank has an
 * engine of its own, which holds a share of the replicas (engine/share.h): whole machine words, evenly divided. Rank 0
 * is the program; what it asks of the engine that it sees it tells the others, which serve until it ends. The
 * bits are those of one engine that holds all.
 *
 * Built without MPI there is one rank (alone.c). */
#ifndef PAISING_RANKS_H
#define PAISING_RANKS_H

#include "base/message.h"
#include "engine/engine.h"

#include <stdbool.h>

/* What the engine of a rank takes, where it is. */
typedef struct {
    char device[256];
    bool gpu;
    uint64_t host_bytes, host_available; /* UINT64_MAX: not known */
    uint64_t device_bytes, device_available;
} rank_needs;

/* What every rank can do: get ready for engines on a device, as the maker numbers them; make the engine of a configuration
 * whose capacity is the rank's there, NULL with the reason if it fails; and say what it would take. */
typedef struct {
    void (*prepare)(int device);
    engine *(*make)(const engine_config *config, int device, char *reason, size_t size);
    void (*describe)(const engine_config *config, int device, rank_needs *needs);
} rank_maker;

/* Who is who; of a program that was not started by mpirun: rank 0 of 1, on a host of its own. */
typedef struct {
    uint32_t rank, count;
    uint32_t place,
        neighbours; /* the rank's number among those of its host, and how many these are */
} rank_world;

/* To be called first, with what main was given, and last by all that return from it. The first joins the others, where
 * mpirun started the program, all of them with the same options, and gives OpenMP this rank's share of the processors
 * (processors.h), unless OMP_NUM_THREADS says how many. Returns STATUS_OK, or STATUS_REFUSED after a line on stderr. */
exit_status ranks_begin(int argc, char **argv);
void ranks_end(void);

rank_world ranks_world(void);

/* Any rank but 0: does as it is told, until rank 0 calls ranks_end. */
void ranks_run_worker(const rank_maker *maker);

/* The configuration of the largest share, and memory that ranks take beside their engines: on the host, and on a GPU. */
engine_config ranks_share(const engine_config *config);
uint64_t ranks_bytes(const engine_config *config);
uint64_t ranks_device_bytes(const engine_config *config);

/* Has the other ranks get ready for engines on a device, while rank 0, which calls this, does: to open a GPU takes longer than
 * many a run. */
void ranks_prepare(int device);

/* Creates the engine of all ranks, for populations of about `population` replicas; called by rank 0. Returns NULL with
 * the reason. */
engine *ranks_engine(const engine_config *config, uint64_t population, int device,
                     const rank_maker *maker, char *reason, size_t size);

/* What each rank would take for such an engine: needs[ranks]; called by rank 0. */
void ranks_describe(const engine_config *config, int device, const rank_maker *maker,
                    rank_needs needs[]);

#endif
