/* Creation of the CPU engines. */
#ifndef PAISING_CPU_ENGINE_H
#define PAISING_CPU_ENGINE_H

#include "engine/engine.h"

/* For each coding: host memory in bytes, and creation of an engine (NULL without memory). */
uint64_t ssc_cpu_bytes(const engine_config *config);
engine *ssc_cpu_create(const engine_config *config);
uint64_t msc_cpu_bytes(const engine_config *config);
engine *msc_cpu_create(const engine_config *config);

#endif
