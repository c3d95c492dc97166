/* Canonical simulation: R independent replicas at each of fixed temperatures, of which the series is all, but for spins that are
 * vectors. */
#include "series.h"
#include "vector_series.h"

static const series_method way = {.state_bytes = 0};

static exit_status run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *signal) {
    return series_run(p, engines, folder, p->vector_observables ? &vector_series : &way, signal);
}

static memory_share bytes(const parameters *p) {
    memory_share share = series_bytes(p);
    share.each += p->vector_observables ? vector_series_bytes(p) : 0;
    return share;
}

extern const method canonical_method;
const method canonical_method = {.run = run, .bytes = bytes};
