/* How long the steps under way will take. Engines count the work that they begin and what is done of it, in any unit that
 * takes the same time wherever it is counted; a handler of signals may ask. */
#ifndef PAISING_WORK_CLOCK_H
#define PAISING_WORK_CLOCK_H

#include "portable.h"

#include <stdint.h>

C_DECLARATIONS_BEGIN

/* Both may be called by any thread. */
void work_begin(uint64_t amount);
void work_done(uint64_t amount);

/* Seconds until all that was begun is done, rounded up, at the speed since the first was begun; -1 before anything is done.
 * Safe in a handler (signal-safety(7)). */
int64_t work_seconds_left(void);

C_DECLARATIONS_END

#endif
