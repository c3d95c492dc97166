/* A curve: the runs of one way to decide spin flips, as build/paising left them in a folder. */
#ifndef PAISING_INFLATION_CURVE_H
#define PAISING_INFLATION_CURVE_H

#include "spread.h"
#include "validate/lib/result_file.h"

#include <stdbool.h>

/* What the curves of a model must have in common, by the names in the headers: the model is not named where it is the
 * square ferromagnet. */
enum { CURVE_MODEL, CURVE_COMMON = 9 };
extern const char *const curve_common[CURVE_COMMON];
typedef char common_values[CURVE_COMMON][RESULT_VALUE_SIZE];

typedef struct {
    const char *name;
    bool made;                                          /* its folder holds a complete result */
    common_values common;                               /* of curve_common */
    char coding[RESULT_VALUE_SIZE];                     /* ssc, msc */
    char rng[RESULT_VALUE_SIZE];                        /* of msc: the mode of random numbers */
    uint64_t word, seed;                                /* p (of msc) and the seed */
    char engine[128], driver[64], commit[64], date[64]; /* from run.json; "-": does not say */
    spread_sample sample;
} curve;

/* Reads FOLDER/NAME. A folder that is not there, or is not complete, gives a curve that is not made.
 * Returns STATUS_OK, or STATUS_FAILED after a line on stderr. To be given to curve_free in either
 * case. `name` must live as long as the curve. */
exit_status curve_read(curve *c, const char *folder, const char *name);

void curve_free(curve *c);

#endif
