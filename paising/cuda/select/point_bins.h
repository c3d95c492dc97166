/* Numbers of points in each bin of the line of parents, for rules that throw points on it
 * (resample/multinomial.h). */
#ifndef PAISING_CUDA_SELECT_POINT_BINS_H
#define PAISING_CUDA_SELECT_POINT_BINS_H

#include "resample/multinomial.h"

/* Two sets of counts, used in turn. Each counting clears the other set. */
typedef struct {
    uint32_t *count[2]; /* device, [room] each */
    uint64_t room;
    uint32_t countings; /* so far */
    fall counted;       /* the last counting; its line may lack a length */
} point_bins;

/* The counts, as an argument of a selection. */
typedef struct {
    const uint32_t *in_bin; /* device; NULL: a single bin has all points */
    uint64_t points;        /* points that were counted, the first ones of the step */
} counted_points;

/* Returns the number of bins for so many points; 0 where a single bin has them all. */
static inline uint64_t point_bins_of(uint64_t points) {
    const parent_line line = {0, points, 0};
    const selection_numbers none = {{{0, 0}}, 0};
    const uint32_t bits = fall_of(line, none).bits;
    return bits > 0 ? (uint64_t)1 << bits : 0;
}

#endif
