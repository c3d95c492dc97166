/* exp and log of arrays: loops without branches, which become vector instructions. The few numbers
 * that need a branch are computed afterwards, one by one. */
#include "ieee_arrays.h"

#include "ieee_math.h"
#include "portable.h"

#define AT_ONCE 64

VECTORS_OF_EACH_PROCESSOR
static void exp_simple(double *restrict y, const double *restrict x, size_t count) {
    for (size_t n = 0; n < count; n++)
        y[n] = ieee_exp_simple(x[n]);
}

void ieee_exp_all(double *x, size_t count) {
    double y[AT_ONCE];
    for (double *const end = x + count; x < end;) {
        const size_t some = end - x < AT_ONCE ? (size_t)(end - x) : AT_ONCE;
        exp_simple(y, x, some);
        for (size_t n = 0; n < some; n++, x++)
            *x = ieee_exp_is_simple(*x) ? y[n] : ieee_exp(*x);
    }
}

VECTORS_OF_EACH_PROCESSOR
static void log_simple(double *restrict y, const double *restrict x, size_t count) {
    for (size_t n = 0; n < count; n++)
        y[n] = ieee_log_simple(x[n]);
}

void ieee_log_all(double *x, size_t count) {
    double y[AT_ONCE];
    for (double *const end = x + count; x < end;) {
        const size_t some = end - x < AT_ONCE ? (size_t)(end - x) : AT_ONCE;
        log_simple(y, x, some);
        for (size_t n = 0; n < some; n++, x++)
            *x = ieee_log_is_simple(*x) ? y[n] : ieee_log(*x);
    }
}
