/* Poisson resampling: the number of children of a parent has the Poisson distribution of mean
 * tau-hat, independently of the other parents.
 *
 * Points fall on an axis with density 1, and those below tau-hat are the children. Each unit [n, n
 * + 1) holds a number of points with the Poisson distribution of mean 1, drawn with a random number
 * of 64 bits and one table. In the last unit, which contains tau-hat, only points whose positions,
 * of 32 bits each, are below the fraction of tau-hat count. One table serves every mean; the mean
 * number of children is tau-hat to within 2^-60.
 *
 * Unit n of parent j has a sequence of random numbers: numbers 0 and 1 for the number of points,
 * number 2 + i for the position of point i. */
#ifndef PAISING_POISSON_H
#define PAISING_POISSON_H

#include "line.h"

#define POISSON_FEW 6 /* points of a unit; more are rare */

/* The number of points for a random number r: the number of n with r >= 2^64 P(points <= n). */
SHARED_FUNCTION uint32_t poisson_points(uint64_t r) {
    const uint64_t below[] = {
        0x5e2d58d8b3bcdf1a, 0xbc5ab1b16779be35, 0xeb715e1dc1582dc2, 0xfb23979734a252f1,
        0xff1025f59174dc3d, 0xffd90f3ba4055e19, 0xfffa8b71fc72c913, 0xffff540c0914b3c9,
        0xffffed1f4aa8f120, 0xfffffe216e641462, 0xffffffd4d85d3183, 0xfffffffc6da262b4,
        0xffffffffba12d178, 0xfffffffffb07c64c, 0xffffffffffab8ea5, 0xfffffffffffabe22,
        0xffffffffffffb11a, 0xfffffffffffffba1, 0xffffffffffffffc5, 0xfffffffffffffffd};
    uint32_t points = 0;
    for (uint32_t n = 0; n < POISSON_FEW; n++)
        points += r >= below[n] ? 1 : 0;
    if (points == POISSON_FEW)
        for (uint32_t n = POISSON_FEW; n < sizeof below / sizeof *below; n++)
            points += r >= below[n] ? 1 : 0;
    return points;
}

/* Numbers 4 n .. 4 n + 3 of the sequence of a unit. */
STREAM_FUNCTION stream_block poisson_numbers(selection_numbers numbers, uint32_t parent,
                                             uint32_t unit, uint32_t n) {
    return stream_draw(numbers.key, STREAM_RESAMPLE, n, parent, unit, numbers.temperature);
}

/* The number of points of the unit whose sequence begins with *b. */
SHARED_FUNCTION uint32_t poisson_points_of(const stream_block *b) {
    return poisson_points((uint64_t)b->number[1] << 32 | b->number[0]);
}

/* The number of children of a parent; tau_hat in 32.32 fixed point. The last unit comes after the
 * loop, so that neighbouring threads of a GPU with different tau-hat go through it together. */
STREAM_FUNCTION uint64_t poisson_copies(selection_numbers numbers, uint32_t parent,
                                        const stream_block *four, uint64_t tau_hat) {
    (void)four;
    const uint32_t last = (uint32_t)(tau_hat >> 32), fraction = (uint32_t)tau_hat;
    uint64_t copies = 0;
    stream_block b = poisson_numbers(numbers, parent, 0, 0);
    for (uint32_t unit = 0; unit < last; unit++) {
        copies += poisson_points_of(&b);
        b = poisson_numbers(numbers, parent, unit + 1, 0);
    }
    const uint32_t points = poisson_points_of(&b);
    copies += points > 0 && b.number[2] < fraction ? 1 : 0;
    copies += points > 1 && b.number[3] < fraction ? 1 : 0;
    for (uint32_t i = 4; i < 2 + points; i++) {
        if (i % 4 == 0)
            b = poisson_numbers(numbers, parent, last, i / 4);
        copies += b.number[i % 4] < fraction ? 1 : 0;
    }
    return copies;
}

#endif
