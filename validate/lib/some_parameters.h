/* Parameters of a small simulation, for tests of what is done with any. */
#ifndef PAISING_SOME_PARAMETERS_H
#define PAISING_SOME_PARAMETERS_H

#include "settings/parameters.h"

static inline parameters some_parameters(void) {
    return (parameters){.stripes = 1,
                        .size = {{16}},
                        .population = 1000,
                        .sweeps = 10,
                        .beta_end = 0.5,
                        .dbeta = 0.25,
                        .runs = 2,
                        .seed = 7,
                        .precision = 6,
                        .coding = CODING_MSC,
                        .word = 32};
}

#endif
