/* What shares of a population consist of. */
#include "partition.h"

#include "msc_layout.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t partition_places(engine *e, uint64_t end) {
    if (end <= MOST_REPLICAS)
        return e->verbs->partition->reserve(e, end);
    snprintf(e->error, sizeof e->error,
             "no places for %" PRIu64 " replicas, those from other ranks among them, which must be "
             "fewer than 2^32: more ranks, or more sweeps (-t), after which fewer come, would do",
             end);
    return 0;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t partition_unit(const engine_config *config) {
    const uint64_t words =
        config->coding == CODING_MSC ? msc_group_unit(config->word, config->rng) : MACHINE_LANES;
    return config->group > 0 && !config->walkers
               ? words / common_divisor(config->group, words) * config->group
               : words;
}

void partition_no_memory(engine *e, uint64_t end) {
    snprintf(e->error, sizeof e->error,
             "not enough memory for %" PRIu64 " replicas, those from other ranks among them; "
             "fewer (-R), more ranks, or more sweeps (-t), after which fewer come, would fit",
             end);
}
