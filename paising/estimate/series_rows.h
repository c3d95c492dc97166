/* Averages over a series of measurements at fixed temperatures, with errors from its autocorrelation. */
#ifndef PAISING_SERIES_ROWS_H
#define PAISING_SERIES_ROWS_H

#include "autocorrelation.h"
#include "columns.h"
#include "measurements.h"
#include "structure.h"

/* Fewest autocorrelation times that a series must have for its errors to be relied on. A time counts with twice its error: a
 * short series whose time came out too small by chance is not to be taken for a long one. */
#define SERIES_LEAST_TIMES 200

/* The columns of a row: e, C, |m|, m2, m4, behind them the table of columns.h, and where S(k) is measured S_k and xi. */
#define SERIES_OWN_COLUMNS 5
typedef enum { SERIES_E, SERIES_C, SERIES_ABS_M, SERIES_M2, SERIES_M4 } series_own_column;
#define SERIES_WAVE_COLUMNS 2
#define SERIES_COLUMNS_MOST (SERIES_OWN_COLUMNS + COLUMNS_MOST + SERIES_WAVE_COLUMNS)
size_t series_columns(bool waves);
const moment_column *series_column(size_t n);

/* Whether n measurements are enough for a time, which may be longer than it was found. */
bool series_is_long(const autocorrelation *a, size_t n);

/* Fewest runs from whose scatter errors can be relied on. */
#define SERIES_LEAST_RUNS 8

typedef struct {
    double value[SERIES_COLUMNS_MOST], error[SERIES_COLUMNS_MOST]; /* [series_columns()] */
    autocorrelation e, abs_m; /* of these two, in units of the time between measurements */
    /* the times are known, the series has SERIES_LEAST_TIMES of the longer one, which counts as 1/2 at least, and
     * neither half of it stands still; of a disordered model by e alone */
    bool trusted;
} series_row;

/* The row of temperature number k at inverse temperature beta, of a lattice of so many spins. Errors are those of the series of
 * pseudo-values n f - (n - 1) f_t, where f is the observable of all n measurements and f_t that without measurement t, with the
 * autocorrelation time of that series, within the window of e or more. Returns false without memory. There is a measurement at least. */
bool series_row_of(series_row *row, const measurement_series *s, size_t k, double beta,
                   const spin_model *model);

/* Makes the errors of columns of |m|, m2 and m4 again, of rows row[temperatures] whose replicas are exchanged, within the longest window
 * of |m| at any temperature, and within that of all together if it is longer. Exchanges bring phases of cold replicas to warm temperatures,
 * where |m| then is correlated for as long, by too little for the series there to show it. They also shuffle phases among cold temperatures, so that |m| changes fast
 * at each of them; but not in the sum of all, which changes as slowly as the phases that the replicas are in. Where that window is not known no
 * row is trusted. No error gets smaller. Returns false without memory. */
bool series_rows_widen(series_row row[], const measurement_series *s, const double beta[],
                       const spin_model *model);

/* The row of several runs, of which run r has the measurements of s at temperature number r temperatures + k: functions of the means over
 * all of them, with jackknife errors over the runs; times are means over the runs, with the scatter of the runs. Trusted are
 * SERIES_LEAST_RUNS and more, whose measurements together are as many as a series must have, and none of which stands still.
 * Returns false without memory. */
bool series_row_of_runs(series_row *row, const measurement_series *s, size_t runs, size_t k,
                        double beta, const spin_model *model);

#endif
