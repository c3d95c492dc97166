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
 * 2014.) Its error is a bootstrap over the runs: of resampled runs, each with its time. */
#ifndef PAISING_SUCCESS_H
#define PAISING_SUCCESS_H

#include <stdbool.h>
#include <stddef.h>

#define SUCCESS_WANTED 0.99

/* A run: whether it reached the energy, and its seconds. */
typedef struct {
    bool hit;
    double seconds;
} success_run;

/* p, and the limits of its interval of 95%. */
typedef struct {
    double missed, least, most;
} miss_estimate;

/* Of `runs` runs of which `hits` reached the energy. Without runs p is nan, from 0 to 1. */
miss_estimate success_missed(size_t hits, size_t runs);

/* The time to solution of runs of `seconds` each; infinite if all of them miss. */
double success_time(double seconds, double missed);

typedef struct {
    double seconds;     /* of a run, the mean */
    double solution;    /* time to solution in seconds */
    double error;       /* half of the interval of 68% of the bootstrap; nan: not known */
    double least, most; /* time to solution at the limits of p */
} success_times;

success_times success_times_of(const success_run run[], size_t runs);

#endif
