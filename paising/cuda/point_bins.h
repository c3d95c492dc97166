/* The points of rules whose points fall anywhere on the line of the parents (resample/line.h), in bins: equal pieces of the
 * line, each with the numbers of the points that fall there. */
#ifndef PAISING_CUDA_POINT_BINS_H
#define PAISING_CUDA_POINT_BINS_H

#include "resample/line.h"

#define BIN_POINTS 96  /* of a bin on average, */
#define BIN_ROOM   192 /* and as many as it has room for, which is ten standard deviations more */

/* Pointers are to device memory. */
typedef struct {
    uint32_t *number; /* [room][BIN_ROOM] */
    uint32_t
        *count;   /* [room] of the points in each, also where they are more than it has room for */
    uint64_t all; /* bins of the whole line, */
    uint64_t first, here; /* of which these are kept: as many, from number `first` on */
} point_bins;

/* What is drawn, and by which numbers. */
typedef struct {
    point_bins bins;
    uint32_t *spare; /* [room] counts that the next drawing finds cleared */
    uint64_t room;
    uint64_t points;
    selection_numbers numbers;
} point_drawing;

/* The bins that a population has room for: a share's parents may have more children than it has replicas. */
static inline uint64_t point_bins_room(uint64_t capacity) {
    return (capacity + capacity / 4) / BIN_POINTS + 2;
}

static inline uint64_t point_bins_of(uint64_t points) {
    return (points + BIN_POINTS - 1) / BIN_POINTS;
}

#endif
