/* How many points fall in each bin of the line of the parents, by rules whose points fall anywhere on it
 * (resample/multinomial.h). */
#ifndef PAISING_CUDA_SELECT_POINT_BINS_H
#define PAISING_CUDA_SELECT_POINT_BINS_H

#include "resample/multinomial.h"

/* Two countings take turns: each clears the counts of the next one. */
typedef struct {
    uint32_t *count[2]; /* device, [room] each */
    uint64_t room;
    uint32_t countings; /* so far */
    fall counted;       /* the last one; its line may have no length yet */
} point_bins;

/* What a selection is told of the points in all bins. */
typedef struct {
    const uint32_t *in_bin; /* device; NULL: there is one bin, which has all */
    uint64_t points;        /* that are counted: the first of the step's, or some more */
} counted_points;

/* The bins of so many points that are counted: none, where all points are in one. */
static inline uint64_t point_bins_of(uint64_t points) {
    const parent_line line = {0, points, 0};
    const selection_numbers none = {{{0, 0}}, 0};
    const uint32_t bits = fall_of(line, none).bits;
    return bits > 0 ? (uint64_t)1 << bits : 0;
}

#endif
