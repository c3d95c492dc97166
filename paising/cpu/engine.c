/* The table of CPU engines, one line per coding. They sweep every model of the table in
 * model/model.c: couplings of +1 and -1 on a square or cubic lattice. SSC sweeps graphs, too. */
#include "engine.h"

#include <stddef.h>

static const struct {
    uint64_t (*bytes)(const engine_config *config);
    engine *(*create)(const engine_config *config);
} engines[SPIN_CODINGS] = {
    [CODING_SSC] = {ssc_cpu_bytes, ssc_cpu_create}, [CODING_MSC] = {msc_cpu_bytes, msc_cpu_create}};

int engine_cpu_has(const engine_config *config) {
    if (config->model.real == REAL_FAST)
        return 0;
    return config->model.graph != NULL || config->model.levels.fine
               ? config->coding == CODING_SSC
               : model_kind_named(config->model.name) != NULL;
}

uint64_t engine_cpu_bytes(const engine_config *config) {
    return engine_cpu_has(config) ? engines[config->coding].bytes(config) : 0;
}

engine *engine_cpu_create(const engine_config *config) {
    return engine_cpu_has(config) ? engines[config->coding].create(config) : NULL;
}
