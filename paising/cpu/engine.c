/* The CPU engines, by the coding of the spins. */
#include "engine.h"

uint64_t engine_cpu_bytes(const engine_config *config) {
    return config->coding == CODING_SSC ? ssc_cpu_bytes(config) : msc_cpu_bytes(config);
}

engine *engine_cpu_create(const engine_config *config) {
    return config->coding == CODING_SSC ? ssc_cpu_create(config) : msc_cpu_create(config);
}
