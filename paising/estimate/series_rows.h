/* Averages over a series of measurements at fixed temperatures, with errors from its autocorrelation. */
#ifndef PAISING_SERIES_ROWS_H
#define PAISING_SERIES_ROWS_H

#include "autocorrelation.h"
#include "moments.h"

/* Fewest autocorrelation times that a series must have for its errors to be relied on. */
#define SERIES_LEAST_TIMES 100

/* The observables of a row, in this order. */
typedef enum {
    SERIES_E,
    SERIES_C,
    SERIES_ABS_M,
    SERIES_M2,
    SERIES_M4,
    SERIES_CHI,
    SERIES_U4,
    SERIES_OBSERVABLES
} series_observable;

/* Their names and meanings; and how many of them a model has: those of the magnetisation come last, and disordered models have
 * none. */
typedef struct {
    const char *name, *meaning;
} series_column;
extern const series_column series_columns[SERIES_OBSERVABLES];
size_t series_observables(bool disordered);

typedef struct {
    double value[SERIES_OBSERVABLES], error[SERIES_OBSERVABLES];
    autocorrelation e, abs_m; /* of these two, in units of the time between measurements */
    bool trusted; /* both times are known, and the series has SERIES_LEAST_TIMES of them */
} series_row;

/* The row of temperature number k at inverse temperature beta, of a lattice of so many spins. Errors are those of the series of
 * pseudo-values n f - (n - 1) f_t, where f is the observable of all n measurements and f_t that without measurement t, with the
 * autocorrelation time of that series. Returns false without memory. There is a measurement at least. */
bool series_row_of(series_row *row, const moment_series *s, size_t k, double beta, uint64_t spins);

#endif
