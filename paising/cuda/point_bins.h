/* The points of rules whose points fall anywhere on the line of the parents (resample/line.h), in bins: equal pieces of the
 * line, each with the numbers of the points that fall there. */
#ifndef PAISING_CUDA_POINT_BINS_H
#define PAISING_CUDA_POINT_BINS_H

#include "resample/line.h"

#define BIN_POINTS 96  /* of a bin on average, */
#define BIN_ROOM   190 /* and those that it has room for: nine standard deviations more */

/* count[]: points, also where there is no room for all; of every other drawing. Counts stand far from each other, since many
 * points are counted at a time. */
typedef struct {
    uint32_t count[2];
    uint32_t number[BIN_ROOM];
} point_bin;

/* Those that are at hand. */
typedef struct {
    point_bin *bin;       /* device */
    uint32_t parity;      /* which count it is; the other one is cleared for the next drawing */
    uint64_t all;         /* bins of the whole line, */
    uint64_t first, here; /* of which so many are `here`, from number `first` on */
} point_bins;

/* What is drawn, and by which numbers. */
typedef struct {
    point_bins bins;
    uint64_t room;   /* for so many bins */
    uint64_t points; /* on the whole line */
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
