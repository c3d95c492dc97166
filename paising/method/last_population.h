/* A copy of the spins of the population that an engine holds when a simulation ends. */
#ifndef PAISING_LAST_POPULATION_H
#define PAISING_LAST_POPULATION_H

#include "base/message.h"
#include "engine/engine.h"

typedef struct {
    uint64_t replicas; /* 0: there is none */
    uint64_t sites;    /* N */
    bool bits;         /* a bit a spin, 1 for spin up; else its state in a byte */
    size_t bytes;      /* of a replica */
    /* [replicas][bytes], sites as couplings.h numbers them; of a graph, those of its file */
    uint8_t *spins;
} last_population;

/* Copies the population of an engine between two steps: of methods with several temperatures that of all, one temperature after the
 * other. Nothing is copied of stripes, of which no engine says how many there are, and of a population that died out. Returns
 * STATUS_OK, or after a message STATUS_FAILED. */
exit_status last_population_copy(last_population *to, engine *e);
void last_population_destroy(last_population *p);

/* Unpacks replicas first .. first + count - 1 into spins[count][N]: 1 and -1, or states. */
void last_population_unpack(const last_population *p, uint64_t first, uint64_t count,
                            int8_t spins[]);

#endif
