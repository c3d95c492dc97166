/* Counts work begun and done (work_clock.h). */
#include "work_clock.h"

#include "clock.h"

#include <stdatomic.h>

static atomic_uint_fast64_t begun, done;
static _Atomic double start; /* time of the first work; 0: none yet */

void work_begin(uint64_t amount) {
    double none = 0;
    if (start == 0)
        atomic_compare_exchange_strong(&start, &none, clock_seconds());
    begun += amount;
}

void work_done(uint64_t amount) {
    done += amount;
}

int64_t work_seconds_left(void) {
    const uint64_t all = begun, part = done;
    if (part == 0)
        return -1;
    if (part >= all)
        return 0;
    return 1 + (int64_t)((clock_seconds() - start) * (double)(all - part) / (double)part);
}
