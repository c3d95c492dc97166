/* One simulation (execution.h). */
#include "execution.h"

#include "method.h"
#include "settings/plans.h"

exit_status execution_begin(execution *x, parameters *p) {
    exit_status status;
    *x = (execution){.given = p};
    x->sample = parameters_couplings(p, &x->drawn, &status);
    return status;
}

void execution_end(execution *x) {
    couplings_destroy(&x->drawn);
}

exit_status execution_check(const execution *x, execution_needs *needs) {
    const parameters *const p = x->given;
    const memory_share own = method_of(p)->bytes(p);
    device_placement place;
    const exit_status status = placement_find(p, &place);
    if (status)
        return status;
    const uint32_t in_flight = pool_size(p, &place, own);
    *needs = (execution_needs){pool_host_bytes(&place, own, in_flight),
                               place.gpu ? pool_device_bytes(&place, in_flight) : 0};
    return pool_check(p, &place, own);
}

exit_status execution_run(execution *x, result_folder *folder, last_population *last, int *signal) {
    parameters *const p = x->given;
    const method *const way = method_of(p);
    engine_pool engines;
    exit_status status = pool_create(&engines, p, x->sample, way->bytes(p));
    if (status)
        return status;
    status = way->run(p, &engines, folder, signal);
    if (!status && last != NULL)
        status = last_population_copy(last, engines.member[(p->runs - 1) % engines.count]);
    pool_destroy(&engines);
    return status;
}
