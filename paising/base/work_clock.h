/* An estimate of how long the current steps will take. Engines count the work that they begin and
 * complete, in any unit of constant duration. A signal handler may ask. */
#ifndef PAISING_WORK_CLOCK_H
#define PAISING_WORK_CLOCK_H

#include "portable.h"

#include <stdint.h>

C_DECLARATIONS_BEGIN

/* May be called by any thread. */
void work_begin(uint64_t amount);
void work_done(uint64_t amount);

/* Seconds until all work begun is done, rounded up, at the mean speed so far; -1 before any is
 * done. Safe in a signal handler (signal-safety(7)). */
int64_t work_seconds_left(void);

C_DECLARATIONS_END

#endif
