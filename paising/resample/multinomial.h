/* Multinomial resampling: every point falls anywhere on the line, independently of the others.
 *
 * It does so in two draws. The line has 2^b bins of one length, the fewest with which a bin has BIN_POINTS on average, rounded
 * down, or less; or one bin, if the points are not more than ONE_BIN_POINTS. A number of the point says which bin it falls
 * in; and since points are alike, how many fall in each is all that is kept. The points of a bin then fall anywhere in it, by
 * numbers that the bin has for them. So who wants to know what falls on a part of the line draws the points of its bins, and
 * no point is kept, sorted or looked for. */
#ifndef PAISING_MULTINOMIAL_H
#define PAISING_MULTINOMIAL_H

#include "line.h"

#define BIN_POINTS     1024
#define ONE_BIN_POINTS 2048 /* so many are in one bin: few parents have them, who need them all */

/* What the `sweep` is of each draw (engine/streams.h). */
#define DRAW_OF_BINS   1
#define DRAW_OF_POINTS 2

/* The points that fall on a line. */
typedef struct {
    parent_line line;
    selection_numbers numbers;
    uint32_t bits; /* b */
} fall;

SHARED_FUNCTION fall fall_of(parent_line line, selection_numbers numbers) {
    fall f = {line, numbers, 0};
    if (line.points > ONE_BIN_POINTS)
        while (line.points >> f.bits > BIN_POINTS)
            f.bits++;
    return f;
}

/* --- bins --- */

/* The numbers that say the bins of points 4 four .. 4 four + 3. */
STREAM_FUNCTION stream_block fall_four(const fall *f, uint64_t four) {
    return stream_draw(f->numbers.key, STREAM_RESAMPLE, 0, (uint32_t)four, DRAW_OF_BINS,
                       f->numbers.temperature);
}

SHARED_FUNCTION uint32_t fall_bin(const fall *f, uint32_t number) {
    return (uint32_t)((uint64_t)number << f->bits >> 32);
}

/* Bins first .. end-1, into which a part of the line reaches that begins and ends at these weights; and perhaps one more
 * on either side, since they are found by doubles, rounded five times. */
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

/* --- places --- */

/* The weight of the line where a point of a bin falls, as `r` says: it is a child of the parent that begins there or
 * before, and ends behind it. The bin and r together are a number of 64 bits. */
SHARED_FUNCTION uint64_t fall_place(const fall *f, uint64_t bin, uint64_t r) {
    return line_scaled(f->line, bin << 1 << (63 - f->bits) | r >> f->bits);
}

/* Where points 2 pair and 2 pair + 1 of a bin fall. */
STREAM_FUNCTION void fall_pair(const fall *f, uint64_t bin, uint32_t pair, uint64_t place[2]) {
    const stream_block b = stream_draw(f->numbers.key, STREAM_RESAMPLE, (uint32_t)bin, pair,
                                       DRAW_OF_POINTS, f->numbers.temperature);
    place[0] = fall_place(f, bin, (uint64_t)b.number[1] << 32 | b.number[0]);
    place[1] = fall_place(f, bin, (uint64_t)b.number[3] << 32 | b.number[2]);
}

#endif
