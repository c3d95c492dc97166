/* The CPU engines: a line for each model and coding. */
#include "engine.h"

#include <string.h>

static const struct {
    const char *model;
    spin_coding coding;
    uint64_t (*bytes)(const engine_config *config);
    engine *(*create)(const engine_config *config);
} engines[] = {
    {"square", CODING_SSC, ssc_cpu_bytes, ssc_cpu_create},
    {"cubic", CODING_SSC, ssc_cpu_bytes, ssc_cpu_create},
    {"glass2d", CODING_SSC, ssc_cpu_bytes, ssc_cpu_create},
    {"glass3d", CODING_SSC, ssc_cpu_bytes, ssc_cpu_create},
    {"square", CODING_MSC, msc_cpu_bytes, msc_cpu_create},
    {"cubic", CODING_MSC, msc_cpu_bytes, msc_cpu_create},
    {"glass2d", CODING_MSC, msc_cpu_bytes, msc_cpu_create},
    {"glass3d", CODING_MSC, msc_cpu_bytes, msc_cpu_create},
};

enum { ENGINES = sizeof engines / sizeof *engines };

/* The line of a configuration; ENGINES: there is none. */
static size_t find_engine(const engine_config *config) {
    size_t n = 0;
    while (n < ENGINES && (engines[n].coding != config->coding ||
                           strcmp(engines[n].model, config->model.name) != 0))
        n++;
    return n;
}

int engine_cpu_has(const engine_config *config) {
    return find_engine(config) < ENGINES;
}

uint64_t engine_cpu_bytes(const engine_config *config) {
    const size_t n = find_engine(config);
    return n < ENGINES ? engines[n].bytes(config) : 0;
}

engine *engine_cpu_create(const engine_config *config) {
    const size_t n = find_engine(config);
    return n < ENGINES ? engines[n].create(config) : NULL;
}
