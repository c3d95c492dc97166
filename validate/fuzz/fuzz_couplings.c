/* Fuzz target: the reader of couplings, model/couplings_file.c. The first byte chooses the lattice, the rest is
 * the file. What is accepted has as many lines with numbers as bonds, as many -1 as bits, and is the same when it
 * is written and read again. */
#include "memory_file.h"
#include "model/couplings.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    uint32_t dimension, edge[3];
} lattices[] = {{2, {4, 4, 1}}, {2, {3, 5, 1}}, {3, {3, 3, 3}}, {3, {4, 3, 3}}};

/* The bonds that a text gives: lines with anything before a comment, and those of them that end in -1. */
static void count_lines(const uint8_t *text, size_t size, uint64_t *lines, uint64_t *negative) {
    *lines = *negative = 0;
    for (size_t at = 0; at < size;) {
        size_t next = at + 1;
        while (next < size && text[next - 1] != '\n' && text[next - 1] != '\r')
            next++;
        const uint8_t *const comment = memchr(text + at, '#', next - at);
        size_t end = comment == NULL ? next : (size_t)(comment - text);
        while (end > at && strchr(" \t\n\v\f\r", text[end - 1]) != NULL)
            end--;
        size_t minus = end;
        while (minus > at && strchr("-01", text[minus - 1]) != NULL && text[minus] != '-')
            minus--;
        *lines += end > at;
        *negative += end > at && text[minus] == '-';
        at = next;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int descriptor = -1;
    if (descriptor < 0)
        descriptor = memory_file_open();
    if (size == 0)
        return 0;
    const size_t n = data[0] % (sizeof lattices / sizeof *lattices);
    couplings c, again;
    if (couplings_read(&c, lattices[n].dimension, lattices[n].edge,
                       memory_file_fill(descriptor, data + 1, size - 1)) != STATUS_OK)
        return 0;
    uint64_t lines, negative;
    count_lines(data + 1, size - 1, &lines, &negative);
    if (lines != c.bonds || negative != couplings_count_negative(&c))
        abort();
    char *text;
    size_t length;
    FILE *const stream = open_memstream(&text, &length);
    if (stream == NULL)
        abort();
    couplings_write(&c, stream, "model", "fuzz");
    if (fclose(stream) != 0 ||
        couplings_read(&again, c.dimension, c.edge, memory_file_fill(descriptor, text, length)) !=
            STATUS_OK ||
        couplings_fingerprint(&again) != couplings_fingerprint(&c))
        abort();
    free(text);
    couplings_destroy(&again);
    couplings_destroy(&c);
    return 0;
}
