/* What shares of a population consist of. */
#include "partition.h"

#include "capacity.h"
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

uint64_t partition_unit(const engine_config *config) {
    return config->coding == CODING_MSC ? msc_group_unit(config->word, config->rng) : MACHINE_LANES;
}

void partition_no_memory(engine *e, uint64_t end) {
    snprintf(e->error, sizeof e->error,
             "not enough memory for %" PRIu64 " replicas, those from other ranks among them; "
             "fewer (-R), more ranks, or more sweeps (-t), after which fewer come, would fit",
             end);
}
