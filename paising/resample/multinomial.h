/* Multinomial resampling: every point falls anywhere on the line, independently of the others.
 *
 * The points are drawn in two stages. The line is cut into 2^b bins of equal length, with b the
 * smallest for which a bin has at most BIN_POINTS points on average (rounded down); up to
 * ONE_BIN_POINTS points there is one bin. The first draw chooses the bin of each point; only the
 * number of points per bin is kept, since points are alike. The second draw places the points of a
 * bin anywhere in it, by random numbers that belong to the bin. To know the points on a part of the
 * line, it is enough to draw those of its bins; no point is stored, sorted or searched. */
#ifndef PAISING_MULTINOMIAL_H
#define PAISING_MULTINOMIAL_H

#include "line.h"

/* Up to ONE_BIN_POINTS points there is one bin: the parents are few, and each needs all points. */
#define BIN_POINTS     1024
#define ONE_BIN_POINTS 2048

/* The values of `sweep` in the random counters of the two draws (engine/streams.h). */
#define DRAW_OF_BINS   1
#define DRAW_OF_POINTS 2

/* The points of one selection: line, random numbers and bins. */
typedef struct {
    parent_line line;
    selection_numbers numbers;
    uint32_t bits; /* b: the number of bins is 2^b */
} fall;

SHARED_FUNCTION fall fall_of(parent_line line, selection_numbers numbers) {
    fall f = {line, numbers, 0};
    if (line.points > ONE_BIN_POINTS)
        while (line.points >> f.bits > BIN_POINTS)
            f.bits++;
    return f;
}

/* --- bins --- */

/* The random numbers that choose the bins of points 4 four .. 4 four + 3. */
STREAM_FUNCTION stream_block fall_four(const fall *f, uint64_t four) {
    return stream_draw(f->numbers.key, STREAM_RESAMPLE, 0, (uint32_t)four, DRAW_OF_BINS,
                       f->numbers.temperature);
}

SHARED_FUNCTION uint32_t fall_bin(const fall *f, uint32_t number) {
    return (uint32_t)((uint64_t)number << f->bits >> 32);
}

/* Bins first .. end - 1 cover the part of the line between two weights. There may be one bin too
 * many on either side, because the limits are computed in doubles with five roundings. */
typedef struct {
    uint64_t first, end;
} bin_range;

SHARED_FUNCTION bin_range fall_bins(const fall *f, uint64_t begin, uint64_t end) {
    const uint64_t all = (uint64_t)1 << f->bits;
    const double of_unit = (double)all / (double)f->line.length;
    bin_range bins = {0, 0};
    if (f->line.length == 0)
        return bins;
    bins.first = (uint64_t)((double)begin * of_unit * (1 - 0x1p-50));
    bins.end = (uint64_t)((double)end * of_unit * (1 + 0x1p-50)) + 1;
    if (bins.end > all)
        bins.end = all;
    return bins;
}

/* --- positions --- */

/* The weight at which a point of a bin falls, from its random number r. The parent that begins at
 * or before this weight and ends behind it gets the child. Bin and r together form a number of 64
 * bits. */
SHARED_FUNCTION uint64_t fall_place(const fall *f, uint64_t bin, uint64_t r) {
    return line_scaled(f->line, bin << 1 << (63 - f->bits) | r >> f->bits);
}

/* The positions of points 2 pair and 2 pair + 1 of a bin. */
STREAM_FUNCTION void fall_pair(const fall *f, uint64_t bin, uint32_t pair, uint64_t place[2]) {
    const stream_block b = stream_draw(f->numbers.key, STREAM_RESAMPLE, (uint32_t)bin, pair,
                                       DRAW_OF_POINTS, f->numbers.temperature);
    place[0] = fall_place(f, bin, (uint64_t)b.number[1] << 32 | b.number[0]);
    place[1] = fall_place(f, bin, (uint64_t)b.number[3] << 32 | b.number[2]);
}

/* Nobody has children for sure; the weight of a parent is its tau-hat. */
SHARED_FUNCTION uint64_t multinomial_sure(uint64_t tau_hat) {
    (void)tau_hat;
    return 0;
}

SHARED_FUNCTION uint64_t multinomial_weight(uint64_t tau_hat) {
    return tau_hat;
}

#endif
