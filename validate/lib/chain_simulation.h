/* Simulations of the made-up model (chain.h), whose parameters go on naming a square lattice. */
#ifndef PAISING_CHAIN_SIMULATION_H
#define PAISING_CHAIN_SIMULATION_H

#include "base/clock.h"
#include "chain.h"
#include "engine/capacity.h"
#include "method/simulation.h"
#include "method/simulation_results.h"
#include "scratch.h"

#define SITES 31
#define RUNS  24

/* Eleven temperatures, and the multi-histogram analysis at those between them too. */
static const parameters given = {.stripes = 1,
                                 .size = {{16}},
                                 .population = 1000,
                                 .sweeps = 2,
                                 .beta_end = 1,
                                 .dbeta = 0.1,
                                 .runs = RUNS,
                                 .seed = 11,
                                 .precision = 17,
                                 .output = "out",
                                 .coding = CODING_SSC,
                                 .device = DEVICE_CPU,
                                 .word = 32,
                                 .reweight = true,
                                 .reweight_step = 0.05};

static inline engine *engine_of(const parameters *p, const spin_model *model) {
    engine *const e = chain_engine(model, population_capacity(p->population, p->word));
    assert_non_null(e);
    return e;
}

/* Makes the result p->output. */
static inline void simulate(const parameters *p, const spin_model *model) {
    engine *const e = engine_of(p, model);
    result_folder folder;
    simulation s;
    assert_int_equal(result_folder_open(&folder, p), STATUS_OK);
    assert_int_equal(simulation_begin(&s, p, &e, 1, clock_seconds()), STATUS_OK);
    assert_int_equal(simulation_run(&s), STATUS_OK);
    assert_int_equal(simulation_publish(&s, &folder), STATUS_OK);
    simulation_end(&s);
    result_folder_close(&folder);
    e->verbs->destroy(e);
}

#endif
