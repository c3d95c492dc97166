/* build/planes STEP N: how many bit planes the mode `independent` decides a spin with (bernoulli.h), on
 * the average over the inverse temperatures STEP, 2 STEP, ..., N STEP: 32 replicas take a random word
 * for each plane, which is what bounds their rate (perf/README.md). */
#include "base/message.h"
#include "engine/bernoulli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const double step = argc == 3 ? strtod(argv[1], NULL) : 0;
    const long steps = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    if (!(step > 0 && step < 1) || steps < 1)
        return (int)complain(STATUS_REFUSED,
                             "usage: planes STEP N, the step above 0 and below 1, N from 1");
    double sum = 0;
    for (long n = 1; n <= steps; n++) {
        const double x = exp(-4 * step * (double)n); /* a flip costs the energy 4, or else 8 */
        const uint32_t threshold[BERNOULLI_CLASSES] = {(uint32_t)ldexp(x * x, 32),
                                                       (uint32_t)ldexp(x, 32)};
        bernoulli_table table;
        bernoulli_fill(&table, threshold);
        sum += table.planes;
    }
    printf("%.6g\n", sum / (double)steps);
    return (int)close_stdout();
}
