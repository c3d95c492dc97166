/* Canonical simulation: R independent replicas at each of fixed temperatures, of which the series is all. */
#include "series.h"

static const series_method way = {.state_bytes = 0};

static exit_status run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *signal) {
    return series_run(p, engines, folder, &way, signal);
}

extern const method canonical_method;
const method canonical_method = {.run = run, .bytes = series_bytes};
