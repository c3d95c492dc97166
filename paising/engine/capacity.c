/* The room for a population, and whether it fits into memory. */
#include "capacity.h"

#include "partition.h"

#include <inttypes.h>
#include <math.h>

uint64_t population_capacity(uint64_t population, uint32_t word) {
    return population + (uint64_t)ceil(8 * sqrt((double)population)) + word;
}

uint64_t populations_capacity(uint64_t population, uint64_t populations, uint32_t word) {
    return populations == 1 ? population_capacity(population, word) : population * populations;
}

uint64_t capacity_largest_population(engine_config config, uint64_t populations, uint64_t available,
                                     memory_need *need) {
    config.group = 0;
    const uint64_t unit = populations > 1 ? partition_unit(&config) : 1;
    uint64_t fits = 0, too_large = MOST_REPLICAS / populations / unit + 1; /* units */
    while (too_large - fits > 1) {
        const uint64_t middle = fits + (too_large - fits) / 2;
        config.capacity = populations_capacity(middle * unit, populations, config.word);
        config.group = populations > 1 ? middle * unit : 0;
        const bool numbered = config.capacity <= MOST_REPLICAS;
        const uint64_t bytes = numbered ? need(&config) : UINT64_MAX;
        if (bytes <= available && bytes < UINT64_MAX)
            fits = middle;
        else
            too_large = middle;
    }
    return fits * unit;
}

exit_status capacity_check(const engine_config *config, uint64_t population, uint64_t populations,
                           uint64_t available, memory_need *need) {
    const uint64_t bytes = need(config);
    if (bytes <= available)
        return STATUS_OK;
    const uint64_t largest = capacity_largest_population(*config, populations, available, need);
    char size[LATTICE_TEXT_SIZE];
    return complain(STATUS_REFUSED,
                    "-R %" PRIu64 "%s: the population needs %.1f MB of memory at %s"
                    ", %.1f MB are available; the largest that fits is %" PRIu64,
                    population, populations > 1 ? " at each temperature" : "", 1e-6 * (double)bytes,
                    model_size_text(size, &config->model), 1e-6 * (double)available, largest);
}
