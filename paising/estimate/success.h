/* How often independent runs reach an energy, and the time to solution.
 *
 * Of n runs k reach it. The probability p to miss it is estimated by 1 - k / n, with the interval of
 * Wilson (J. Am. Stat. Assoc. 22, 209, 1927), which holds for k = 0 and k = n too. The time to
 * solution is that of runs one after the other until one of them reaches the energy with a
 * probability of 99%,
 *
 *     TTS = t ln(0.01) / ln(p),
 *
 * t the mean time of a run; at least t, since no run ends before. (Ronnow et al., Science 345, 420,
 * 2014.) Its error is a bootstrap over the runs. All of this is counted in runs, so that it is the same
 * on every device: it is to be multiplied by t. */
#ifndef PAISING_SUCCESS_H
#define PAISING_SUCCESS_H

#include <stddef.h>

#define SUCCESS_WANTED 0.99

/* p, and the limits of its interval of 95%. */
typedef struct {
    double missed, least, most;
} miss_estimate;

/* Of `runs` runs of which `hits` reached the energy. Without runs p is nan, from 0 to 1. */
miss_estimate success_missed(size_t hits, size_t runs);

/* The time to solution in units of the time of a run; infinite if all of them miss. */
double success_runs(double missed);

/* The time to solution in units of the mean time of a run. */
typedef struct {
    double runs;        /* nan: there is no run */
    double error;       /* half of the interval of 68% of the bootstrap; nan: not known */
    double least, most; /* at the limits of p */
} success_effort;

/* Of `runs` runs of which `hits` reached the energy. */
success_effort success_effort_of(size_t hits, size_t runs);

#endif
