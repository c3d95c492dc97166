/* Logarithmic bins of a series (logarithmic_bins.h). */
#include "logarithmic_bins.h"

#include "autocorrelation.h"

#include <math.h>

size_t logarithmic_bins_divide(size_t n, logarithmic_bin bin[]) {
    size_t bins = 0;
    for (size_t end = n;
         bins < LOGARITHMIC_BINS_MOST && (bins == 0 || end - end / 2 >= LOGARITHMIC_BIN_LEAST);
         end /= 2)
        bin[bins++] = (logarithmic_bin){.first = end / 2, .count = end - end / 2};
    return bins;
}

size_t logarithmic_bins_of(const double value[], size_t n, logarithmic_bin bin[]) {
    const size_t bins = logarithmic_bins_divide(n, bin);
    for (size_t b = 0; b < bins; b++) {
        const autocorrelation a = autocorrelation_of(value + bin[b].first, bin[b].count);
        bin[b].mean = a.mean;
        bin[b].error = a.error_mean;
    }
    return bins;
}

static bool two_agree(const logarithmic_bin *a, const logarithmic_bin *b) {
    return a->mean == b->mean ||
           fabs(a->mean - b->mean) <=
               LOGARITHMIC_BINS_ERRORS * sqrt(a->error * a->error + b->error * b->error);
}

bool logarithmic_bins_agree(const logarithmic_bin bin[], size_t bins) {
    return bins >= LOGARITHMIC_BINS_LAST && two_agree(&bin[0], &bin[1]) &&
           two_agree(&bin[0], &bin[2]) && two_agree(&bin[1], &bin[2]);
}
