/* Couplings drawn at random, each bond by itself: J = +1 with probability P, else -1; or J = J0 + width g with a Gaussian g of
 * mean 0 and variance 1, rounded to a multiple of 1 / FINE_UNIT.
 *
 * Sample s of a disorder seed D has the key of (D, s) (stream_disorder_key), and bond b takes the number
 * that its own number b counts. So a coupling depends on D, s, P and the bond alone: on no engine, and on no seed of a run. */
#ifndef PAISING_DISORDER_H
#define PAISING_DISORDER_H

#include "model/couplings.h"

/* Where couplings are from. */
typedef struct {
    uint64_t seed;        /* D */
    uint32_t sample;      /* s */
    double ferromagnetic; /* P, from 0 to 1 */
} disorder;

/* Gives every bond its coupling: J = +1 with the probability floor(2^64 P) / 2^64, which is P itself from
 * 2^-12 on and at 0. */
void disorder_draw(couplings *c, disorder from);

/* Gives every bond a Gaussian coupling: J0 from -16 to 16, width from 0 to 8. The rounding adds 2^-40 / 12 to the variance.
 * g comes from the polar method (Marsaglia and Bray, SIAM Rev. 6, 260) in arithmetic that IEEE 754 defines: the same bits on
 * every machine. |g| is below 13, so that |J| is below COUPLINGS_MOST. Returns false without memory. */
bool disorder_draw_gaussian(couplings *c, disorder from, double mean, double width);

/* Takes bonds away, each by itself: with the probability floor(2^64 P) / 2^64, P = dilution. Their numbers are those of the sample,
 * and others than those of J. Returns false without memory. */
bool disorder_dilute(couplings *c, disorder from, double dilution);

/* Describes it in one line, for headers; returns text. */
#define DISORDER_TEXT_SIZE 128
const char *disorder_text(char text[DISORDER_TEXT_SIZE], disorder from);

#endif
