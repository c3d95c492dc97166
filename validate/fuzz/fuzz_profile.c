/* Fuzz target: the reader of files of numbers against beta, resample/profile.c. The first byte chooses the kind, the
 * rest is the file. What is accepted has rising betas, and sweeps that are at least 1 everywhere; written again with
 * all digits it has the same fingerprint. */
#include "base/number.h"
#include "memory_file.h"
#include "resample/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const beta_profile *p) {
    for (size_t n = 0; n < p->count; n++)
        if (!(p->beta[n] >= 0 && (n == 0 || p->beta[n] > p->beta[n - 1])))
            abort();
    for (double beta = 0; p->kind != PROFILE_BETAS && beta < 2000; beta += 0.7 + beta)
        if (profile_sweeps(p, 3, beta) < 1)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int descriptor = -1;
    if (descriptor < 0)
        descriptor = memory_file_open();
    if (size == 0)
        return 0;
    const profile_kind kind = data[0] == 'b'   ? PROFILE_BETAS
                              : data[0] == 's' ? PROFILE_SWEEPS
                                               : PROFILE_RELAXATION;
    beta_profile p, again;
    if (profile_read(&p, kind, memory_file_fill(descriptor, data + 1, size - 1)) != STATUS_OK)
        return 0;
    check(&p);
    char *text, beta[NUMBER_TEXT_SIZE], value[NUMBER_TEXT_SIZE];
    size_t length;
    FILE *const stream = open_memstream(&text, &length);
    if (stream == NULL)
        abort();
    for (size_t n = 0; n < p.count; n++)
        fprintf(stream, "%s %s\n", number_text(beta, p.beta[n]),
                kind == PROFILE_BETAS ? "" : number_text(value, p.value[n]));
    if (fclose(stream) != 0 ||
        profile_read(&again, kind, memory_file_fill(descriptor, text, length)) != STATUS_OK ||
        again.fingerprint != p.fingerprint)
        abort();
    free(text);
    profile_destroy(&again);
    profile_destroy(&p);
    return 0;
}
