/* Fuzz target: the readers of bonds, model/couplings_file.c and model/bond_file.c. The first byte chooses the lattice, or
 * any graph, the dialect and the first site; the rest is the file. A file of five columns that is accepted has as many lines with numbers
 * as bonds, and as many -1 as bits. What is accepted is the same when it is written and read again. */
#include "memory_file.h"
#include "model/couplings.h"

#include "model/bond_file.h"

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

/* Writes a list as lines i j J, and a field as i i h, and reads them again. */
static void reread_list(int descriptor, const bond_list *list) {
    char *text;
    size_t length;
    FILE *const stream = open_memstream(&text, &length);
    if (stream == NULL)
        abort();
    for (size_t n = 0; n < list->bonds; n++)
        fprintf(stream, "%u %u %lld\n", list->bond[n].i, list->bond[n].j,
                (long long)list->bond[n].value);
    for (uint32_t i = 0; list->field != NULL && i < list->sites; i++)
        fprintf(stream, "%u %u %lld\n", i, i, (long long)list->field[i]);
    bond_list again;
    bond_origin origin;
    if (fclose(stream) != 0)
        abort();
    const bond_reading how = {BONDS_OURS, FIRST_SITE_0};
    const exit_status status = bond_file_read(&again, &origin, NULL, "-", how, list->sites,
                                              memory_file_fill(descriptor, text, length));
    free(text);
    if (status != STATUS_OK) { /* numbers may be too large for a file */
        for (size_t n = 0; n < list->bonds; n++)
            if (llabs(list->bond[n].value) >= 100000000000000)
                return;
        for (uint32_t i = 0; list->field != NULL && i < list->sites; i++)
            if (llabs(list->field[i]) >= 100000000000000)
                return;
        abort();
    }
    if (again.bonds != list->bonds || (again.field == NULL) != (list->field == NULL))
        abort();
    for (size_t n = 0; n < list->bonds; n++)
        if (memcmp(&again.bond[n], &list->bond[n], sizeof *list->bond) != 0)
            abort();
    bond_list_destroy(&again);
}

/* Reads a file as any graph. */
static void read_graph(int descriptor, bond_reading how, const char *path) {
    bond_list list;
    bond_origin origin;
    if (bond_file_read(&list, &origin, NULL, "-", how, 0, path) != STATUS_OK)
        return;
    if (list.sites < 100000)
        reread_list(descriptor, &list);
    bond_list_destroy(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int descriptor = -1;
    if (descriptor < 0)
        descriptor = memory_file_open();
    if (size == 0)
        return 0;
    /* '0' to '3': the lattices, and all is recognised. */
    enum { LATTICES = sizeof lattices / sizeof *lattices };
    const uint8_t choice = data[0] & 127;
    const size_t n = choice % LATTICES;
    const bond_reading how = {(bond_dialect)(choice / LATTICES % BOND_DIALECTS),
                              (first_site)((choice / LATTICES / BOND_DIALECTS + 1) % FIRST_SITES)};
    if (data[0] != choice) {
        read_graph(descriptor, how, memory_file_fill(descriptor, data + 1, size - 1));
        return 0;
    }
    couplings c, again;
    if (couplings_read(&c, lattices[n].dimension, lattices[n].edge, how,
                       memory_file_fill(descriptor, data + 1, size - 1)) != STATUS_OK)
        return 0;
    uint64_t lines, negative;
    count_lines(data + 1, size - 1, &lines, &negative);
    if (c.origin.text[0] == '\0' &&
        (lines < couplings_present(&c) || negative != couplings_count_negative(&c)))
        abort();
    char *text;
    size_t length;
    FILE *const stream = open_memstream(&text, &length);
    if (stream == NULL)
        abort();
    couplings_write(&c, stream, "model", "fuzz");
    if (fclose(stream) != 0 ||
        couplings_read(&again, c.dimension, c.edge, (bond_reading){0},
                       memory_file_fill(descriptor, text, length)) != STATUS_OK ||
        couplings_fingerprint(&again) != couplings_fingerprint(&c))
        abort();
    free(text);
    couplings_destroy(&again);
    couplings_destroy(&c);
    return 0;
}
