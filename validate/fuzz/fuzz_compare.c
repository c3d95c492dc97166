/* Fuzz target: build/compare as a whole, from the bytes of a file (sealed_file.h) to the verdict. It must
 * end with one of its verdicts, and never agree with a file whose trusted rows hold a number that is not
 * finite, or a free energy that is not exact and has no error, nor with one without a trusted row. */
#include "reference/exact.h"
#include "sealed_file.h"
#include "validate/lib/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_SIZE 64 /* larger lattices take their time */
#define MOST_ROWS 50

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What holds for a file that agrees. */
static void check_agreement(const result_file *result) {
    const uint32_t size = (uint32_t)result_file_number(result, "size");
    size_t trusted = 0;
    for (size_t i = 0; i < result->rows; i++) {
        const double *const x = result->row[i];
        if (x[RESULT_TRUSTED] == 0)
            continue;
        trusted++;
        for (int n = 0; n < RESULT_COLUMNS; n++)
            if (!isfinite(x[n]) && n != RESULT_R_EFF)
                abort();
        const double off =
            fabs(x[RESULT_BETA_F] - exact_thermodynamics(size, x[RESULT_BETA]).beta_f);
        if (x[RESULT_ERR_BETA_F] == 0 && off > 1e-6 * (1 + x[RESULT_BETA]))
            abort();
    }
    if (trusted == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *nowhere;
    if (nowhere == NULL && (nowhere = fopen("/dev/null", "w")) == NULL)
        abort();
    const char *const path = sealed_file(data, size);
    result_file result;
    if (result_file_read(&result, path) == STATUS_OK &&
        result_file_number(&result, "size") <= MOST_SIZE && result.rows <= MOST_ROWS) {
        const comparison_verdict verdict = compare_with_exact(&result, path, 1e-4, nowhere);
        if (verdict == COMPARISON_AGREES)
            check_agreement(&result);
        else if (verdict != COMPARISON_DISAGREES && verdict != COMPARISON_NOT_JUDGED)
            abort();
    }
    result_file_free(&result);
    return 0;
}
