/* What the program says while it works: a line at the start, and one on a terminal that says how far it is. */
#ifndef PAISING_PROGRESS_H
#define PAISING_PROGRESS_H

#include "settings/parameters.h"

#include <stdbool.h>

/* Prints a line on stderr, of the device and the options by which the simulation can be made again. */
void progress_announce(const parameters *p, const char *device);

typedef struct {
    bool shown;               /* stderr is a terminal */
    uint32_t runs;            /* M */
    size_t first, count, all; /* these samples, of all that are made; all = 0: there are none */
    double beta_end;          /* where a run ends */
    double start;             /* seconds, monotonic clock */
    double last;              /* when the line was last drawn */
} progress_line;

void progress_begin(progress_line *self, const parameters *p);

/* Makes it the line of `count` samples side by side, behind `first` of `all`, made since `start`; one of them
 * shows it. */
void progress_of_part(progress_line *self, bool shown, size_t first, size_t count, size_t all,
                      double start);

/* To be called after each temperature of runs number `run`, from 0, and those after it, `in_flight` in all;
 * population and ln Q of the last step are those of one of them. Redraws the line a few times per second
 * at most. */
void progress_update(progress_line *self, uint32_t run, size_t in_flight, double beta,
                     uint64_t population, double ln_q);

/* Erases the line. To be called before anything else is printed on stderr. */
void progress_end(progress_line *self);

#endif
