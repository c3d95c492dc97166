/* Multinomial resampling: every point falls anywhere on the line, independently of the others. */
#ifndef PAISING_MULTINOMIAL_H
#define PAISING_MULTINOMIAL_H

#include "line.h"

/* The weight of the line at which point k falls: it is a child of the parent that begins there or before, and ends
 * behind it. */
STREAM_FUNCTION uint64_t multinomial_point(parent_line line, selection_numbers numbers,
                                           uint64_t k) {
    return line_random(line, numbers, k);
}

#endif
