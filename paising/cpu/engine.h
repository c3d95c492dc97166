/* What the CPU engines share, and how each is made. */
#ifndef PAISING_CPU_ENGINE_H
#define PAISING_CPU_ENGINE_H

#include "engine/engine.h"

/* Host memory in bytes, and the engine (NULL without memory), of each coding. */
uint64_t ssc_cpu_bytes(const engine_config *config);
engine *ssc_cpu_create(const engine_config *config);
uint64_t msc_cpu_bytes(const engine_config *config);
engine *msc_cpu_create(const engine_config *config);

#endif
