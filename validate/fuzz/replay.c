/* Gives a fuzz target the files that are named, one after the other, where there is no clang: build/replay/TARGET FILE...
 * A broken claim ends it by SIGABRT. Status 1: a file could not be read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LONGEST (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
    static uint8_t all[LONGEST];
    for (int n = 1; n < argc; n++) {
        FILE *const file = fopen(argv[n], "rb");
        const size_t size = file != NULL ? fread(all, 1, sizeof all, file) : 0;
        if (file == NULL || ferror(file) || !feof(file)) {
            perror(argv[n]);
            return 1;
        }
        fclose(file);
        /* Memory of its own, whose ends sanitizers know. */
        uint8_t *const data = malloc(size + !size);
        if (data == NULL)
            return 1;
        for (size_t i = 0; i < size; i++)
            data[i] = all[i];
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    return 0;
}
