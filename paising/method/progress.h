/* Output during a simulation, but with --quiet: an announcement on stderr, and the progress: a line that changes if stderr is a
 * terminal, else a line each minute. */
#ifndef PAISING_PROGRESS_H
#define PAISING_PROGRESS_H

#include "settings/parameters.h"

#include <stdbool.h>

/* Prints one line with the device and the options that reproduce the simulation. */
void progress_announce(const parameters *p, const char *device);

typedef struct {
    bool shown;               /* not with --quiet */
    bool to_terminal;         /* one line that changes; else a line each minute */
    uint32_t runs;            /* M */
    size_t first, count, all; /* samples first .. first + count - 1 of `all`; all = 0: no samples */
    double beta_end;          /* last inverse temperature of a run */
    double start;             /* seconds, monotonic clock */
    double last;              /* time of the last update */
} progress_line;

void progress_begin(progress_line *self, const parameters *p);

/* Makes the line show samples: `count` side by side, the first with number `first` of `all`, since
 * time `start`. shown: whether to show it at all. */
void progress_of_part(progress_line *self, bool shown, size_t first, size_t count, size_t all,
                      double start);

/* Called after each temperature, for runs `run` .. run + in_flight - 1, counted from 0. population
 * and ln Q of the last step are those of one of them. Updates the line at most a few times per
 * second. */
void progress_update(progress_line *self, uint32_t run, size_t in_flight, double beta,
                     uint64_t population, double ln_q);

/* The same after step `taken` of `steps` of a method of fixed temperatures. */
void progress_of_steps(progress_line *self, uint32_t taken, uint32_t steps);

/* Called after each sample that was made, of those that progress_of_part tells. */
void progress_of_samples(progress_line *self, uint32_t made);

/* The same as progress_of_steps of a flat-histogram method, which does not know its steps before the weights are found. */
void progress_of_walkers(progress_line *self, uint32_t taken, uint32_t steps, bool found);

/* How a simulation that ended early goes on, for the end of a message; empty if no checkpoint was saved. */
#define PROGRESS_TEXT_SIZE 600
const char *progress_how_to_go_on(char text[PROGRESS_TEXT_SIZE], const parameters *p, bool saved);

/* Erases the line. Must be called before other output to stderr. */
void progress_end(progress_line *self);

#endif
