/* Headers of NumPy's arrays (npy.h). */
#include "npy.h"

#include "input_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

static const char magic[] = "\x93NUMPY\x01";

#define MAGIC_SIZE   7  /* and a byte of the minor version, */
#define LENGTH_AT    8  /* the length of the text in two bytes, */
#define TEXT_AT      10 /* and the text, which is padded so that the numbers are aligned */
#define ALIGNMENT    64
#define LONGEST      1000
#define MOST_COLUMNS (UINT32_C(1) << 28)

void npy_write(FILE *file, npy_shape shape) {
    char text[200], second[30] = "";
    if (shape.columns > 0)
        snprintf(second, sizeof second, " %" PRIu64, shape.columns);
    const int length = snprintf(
        text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRIu64 ",%s), }",
        shape.type, shape.rows, second);
    const int padded = (TEXT_AT + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - TEXT_AT;
    fwrite(magic, 1, MAGIC_SIZE, file);
    fputc(0, file);
    fputc(padded % 256, file);
    fputc(padded / 256, file);
    fprintf(file, "%-*s\n", padded - 1, text);
}

bool npy_begins(FILE *file) {
    char start[MAGIC_SIZE];
    rewind(file);
    const size_t length = fread(start, 1, MAGIC_SIZE, file);
    return !ferror(file) && memcmp(start, magic, length) == 0;
}

/* The text behind a key: "'descr': ". NULL if it is not there. */
static const char *value_of(const char *text, const char *key) {
    const char *const at = strstr(text, key);
    return at != NULL ? at + strlen(key) + strspn(at + strlen(key), ": ") : NULL;
}

static bool read_text(const char *text, npy_shape *shape) {
    const char *const type = value_of(text, "'descr'"),
                      *const order = value_of(text, "'fortran_order'"),
                      *const of = value_of(text, "'shape'");
    int end = 0;
    *shape = (npy_shape){.rows = 0};
    if (type == NULL || order == NULL || of == NULL || strncmp(order, "False", 5) != 0 ||
        sscanf(type, "'%7[^']'", shape->type) != 1)
        return false;
    if (sscanf(of, "(%" SCNu64 ", %" SCNu64 " )%n", &shape->rows, &shape->columns, &end) == 2 &&
        end > 0)
        return shape->columns > 0;
    shape->columns = 0;
    return sscanf(of, "(%" SCNu64 ",)%n", &shape->rows, &end) == 1 && end > 0;
}

uint64_t npy_width(const char *type) {
    return strcmp(type, NPY_BYTE) == 0     ? sizeof(uint8_t)
           : strcmp(type, NPY_UINT32) == 0 ? sizeof(uint32_t)
           : strcmp(type, NPY_INT64) == 0  ? sizeof(int64_t)
           : strcmp(type, NPY_DOUBLE) == 0 ? sizeof(double)
                                           : 0;
}

size_t npy_numbers_begin(const unsigned char *bytes, size_t size) {
    if (size < TEXT_AT || memcmp(bytes, magic, MAGIC_SIZE) != 0)
        return 0;
    const size_t begin = TEXT_AT + bytes[LENGTH_AT] + 256u * bytes[LENGTH_AT + 1];
    return begin <= size ? begin : 0;
}

bool npy_read(FILE *file, npy_shape *shape) {
    unsigned char head[TEXT_AT];
    char text[LONGEST + 1];
    if (!npy_begins(file) || fseek(file, 0, SEEK_SET) != 0 ||
        fread(head, 1, TEXT_AT, file) != TEXT_AT)
        return false;
    const size_t length = head[LENGTH_AT] + 256u * head[LENGTH_AT + 1];
    if (length > LONGEST || fread(text, 1, length, file) != length)
        return false;
    text[length] = '\0';
    if (!read_text(text, shape))
        return false;
    const uint64_t width = npy_width(shape->type),
                   columns = shape->columns > 0 ? shape->columns : 1;
    if (width == 0 || shape->rows > UINT32_MAX || columns > MOST_COLUMNS)
        return false;
    const long at = ftell(file);
    if (at < 0 || fseek(file, 0, SEEK_END) != 0)
        return false;
    const long size = ftell(file);
    return size >= at && (uint64_t)(size - at) == width * shape->rows * columns &&
           fseek(file, at, SEEK_SET) == 0;
}

bool npy_crc(const char *path, uint32_t *crc, const char **why) {
    unsigned char data[1 << 16];
    size_t got;
    FILE *const file = input_file_open(path, why);
    if (file == NULL)
        return false;
    *crc = 0;
    while ((got = fread(data, 1, sizeof data, file)) > 0)
        *crc = (uint32_t)crc32_z(*crc, data, got);
    const bool good = ferror(file) == 0;
    if (!good)
        *why = strerror(errno);
    fclose(file);
    return good;
}
