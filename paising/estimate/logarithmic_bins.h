/* Whether a series is in equilibrium: averages over logarithmic bins of it. Of n values, bin b holds those from n / 2^(b + 1) to n /
 * 2^b: bin 0 the second half of the series, bin 1 the half before, and so on. A series from random states is in equilibrium where the
 * last three bins, 0 to 2, agree (H. G. Katzgraber, M. Koerner, A. P. Young, Phys. Rev. B 73, 224432, 2006). */
#ifndef PAISING_LOGARITHMIC_BINS_H
#define PAISING_LOGARITHMIC_BINS_H

#include <stdbool.h>
#include <stddef.h>

#define LOGARITHMIC_BINS_MOST 40
#define LOGARITHMIC_BINS_LAST 3

/* Fewest values of a bin behind the first, so that it has an error. */
#define LOGARITHMIC_BIN_LEAST 16

typedef struct {
    size_t first, count; /* its values are first .. first + count - 1 */
    double mean, error;  /* from the autocorrelation of its values; nan where that is not known */
} logarithmic_bin;

/* Fills the first and the count of the bins of n values, n > 0. Returns how many there are, LOGARITHMIC_BINS_MOST at most. */
size_t logarithmic_bins_divide(size_t n, logarithmic_bin bin[]);

/* Fills bin[] from value[n], n > 0. Returns how many bins there are, LOGARITHMIC_BINS_MOST at most. */
size_t logarithmic_bins_of(const double value[], size_t n, logarithmic_bin bin[]);

/* How many errors of their difference the first two of three bins are apart at most, of those three: false alarms of one observable
 * happen with a probability below 3 x 5.7e-7. */
#define LOGARITHMIC_BINS_ERRORS 5

/* Whether the last three bins agree: no two of them are further apart. False with fewer than three, and where an error is not known,
 * unless the three are equal. */
bool logarithmic_bins_agree(const logarithmic_bin bin[], size_t bins);

#endif
