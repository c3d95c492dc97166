/* A simulation from its parameters to the files of its result, for tests of what it writes. */
#ifndef PAISING_WHOLE_SIMULATION_H
#define PAISING_WHOLE_SIMULATION_H

#include "device/pool.h"
#include "method/method.h"
#include "scratch.h"
#include "settings/plans.h"

/* Makes the result given->output, of the couplings that the parameters ask for; those of a file leave their
 * fingerprint. */
static inline void make_result(parameters *given) {
    parameters p = *given;
    couplings c = {0};
    exit_status status;
    engine_pool engines;
    result_folder folder;
    int number;
    const couplings *const sample = parameters_couplings(&p, &c, &status);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(pool_create(&engines, &p, sample, method_of(&p)->bytes(&p)), STATUS_OK);
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_int_equal(method_of(&p)->run(&p, &engines, &folder, &number), STATUS_OK);
    result_folder_close(&folder);
    pool_destroy(&engines);
    couplings_destroy(&c);
    given->fingerprint = p.fingerprint;
}

#endif
