/* What the CPU engines share, and how each is made. */
#ifndef REFERENCE_ENGINE_CPU_H
#define REFERENCE_ENGINE_CPU_H

#include "engine.h"

/* The levels of the L x L Ising model with periodic boundaries (eq. 10, J = 1): -2N, -2N + 4, ...,
 * 2N; level n has 2 n antiparallel bonds. */
static inline energy_levels ising_levels(uint32_t size) {
    const int64_t sites = (int64_t)size * size;
    const energy_levels levels = {-2 * sites, 4, (size_t)sites + 1};
    return levels;
}

/* Host memory in bytes, and the engine (NULL without memory), of each coding. */
uint64_t ssc_cpu_bytes(const engine_config *config);
engine *ssc_cpu_create(const engine_config *config);
uint64_t msc_cpu_bytes(const engine_config *config);
engine *msc_cpu_create(const engine_config *config);

#endif
