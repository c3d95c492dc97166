/* Fuzz target: the reader of data files (sealed_file.h). What is accepted must be all of the file: as many rows as it
 * has lines without `#`, each of them printable numbers; parameters of the header are those that it
 * has. */
#include "sealed_file.h"
#include "validate/lib/result_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines that are not of the header. */
static size_t count_data_lines(const uint8_t *data, size_t size) {
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) {
        const uint8_t before = i == 0 ? '\n' : data[i - 1];
        const bool begins = before == '\n' || (before == '\r' && data[i] != '\n');
        lines += begins && data[i] != '#';
    }
    return lines;
}

static void check_accepted(const result_file *result, const uint8_t *data, size_t size) {
    static const char *const names[] = {"size", "runs", "seed", "rng", "", " "};
    if (result->rows == 0 || result->rows != count_data_lines(data, size))
        abort();
    if (memchr(data, '\0', size) != NULL)
        abort();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char value[RESULT_VALUE_SIZE], again[RESULT_VALUE_SIZE];
        if (strlen(result_file_parameter(result, names[i], value)) >= sizeof value)
            abort();
        const uint64_t number = result_file_number(result, names[i]);
        snprintf(again, sizeof again, "%llu", (unsigned long long)number);
        if (number != 0 && strcmp(value + strspn(value, "0"), again) != 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    result_file result;
    if (result_file_read(&result, sealed_file(data, size)) == STATUS_OK)
        check_accepted(&result, data + 1, size - 1);
    result_file_free(&result);
    return 0;
}
