/* Weights of an annealing step where energies have no levels (eqs. 1, 2, 8): a function of whole numbers, the same on every machine
 * and device.
 *
 * The weight of a replica is w = exp(-dbeta (E - E_top) / unit), where E_top is the energy of the largest weight, 1. Weights are added
 * in units of 2^-62, as whole numbers of 128 bits: so an engine may add them in any order. What each loses is below 2^-62, and the sum is
 * at least 1. */
#ifndef PAISING_FINE_WEIGHTS_H
#define PAISING_FINE_WEIGHTS_H

#include "base/ieee_math.h"
#include "base/portable.h"

#include <stdint.h>

#define WEIGHT_UNITS 0x1p62 /* of 1 */

/* A sum of numbers of 64 bits: low + 2^32 high. So many replicas as have numbers of 32 bits add to less than 2^64 in each. */
typedef struct {
    uint64_t low, high;
} weight_units;

/* What an engine adds up of a population for the step that follows it. width 0: nothing. */
typedef struct {
    double width;         /* dbeta */
    int64_t top;          /* E_top */
    weight_units sum;     /* of w */
    weight_units overlap; /* of min(1, w / <w>) */
    /* Of rules that place parents on a line (resample/line.h), for so many children: */
    uint64_t target;
    weight_units length, sure; /* of resampling_weight and resampling_sure, in their units */
} next_weights;

/* By what tau-hat follows from an energy. */
typedef struct {
    double per_unit; /* dbeta / unit */
    int64_t top;
    double target, sum; /* replicas wanted, and the sum of their parents' weights */
} expected_copies;

/* The weight of an energy so much above E_top. */
SHARED_FUNCTION double weight_above_top(double per_unit, int64_t above) {
    return ieee_exp(-per_unit * (double)above);
}

/* The same of a number between 0 and 1 in units. */
SHARED_FUNCTION uint64_t in_weight_units(double w) {
    return (uint64_t)(w * WEIGHT_UNITS);
}

/* The sum where it is below 2^64. */
SHARED_FUNCTION uint64_t unit_total(weight_units sum) {
    return sum.low + (sum.high << 32);
}

/* The sum of weights as a number, rounded twice. */
SHARED_FUNCTION double weight_total(weight_units sum) {
    const uint64_t low = (uint32_t)sum.low, high = sum.high + (sum.low >> 32);
    return ((double)high * 0x1p32 + (double)low) * (1 / WEIGHT_UNITS);
}

/* tau-hat (eq. 2), at most 2^31. */
SHARED_FUNCTION double copies_of_weight(double target, double w, double sum) {
    const double copies = target * w / sum;
    return copies < 0x1p31 ? copies : 0x1p31;
}

/* The same in 32.32 fixed point. */
SHARED_FUNCTION uint64_t copies_in_fixed_point(double copies) {
    return (uint64_t)(copies * 0x1p32 + 0.5);
}

SHARED_FUNCTION uint64_t expected_copies_of(const expected_copies *of, int64_t energy) {
    const double w = weight_above_top(of->per_unit, energy - of->top);
    return copies_in_fixed_point(copies_of_weight(of->target, w, of->sum));
}

#endif
