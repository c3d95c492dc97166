/* Arrays of numbers in the format of NumPy, version 1.0 (numpy.lib.format): a header of ASCII text, then
 * the numbers, row by row. */
#ifndef PAISING_NPY_H
#define PAISING_NPY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The types of this machine's numbers, as NumPy names them. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NPY_ORDER "<"
#else
#define NPY_ORDER ">"
#endif
#define NPY_BYTE   "|u1"
#define NPY_UINT32 NPY_ORDER "u4"
#define NPY_INT64  NPY_ORDER "i8"
#define NPY_DOUBLE NPY_ORDER "f8"

typedef struct {
    char type[8];     /* NPY_BYTE or another */
    uint64_t rows;    /* the first dimension */
    uint64_t columns; /* the second; 0: there is one dimension only */
} npy_shape;

/* Bytes of a number of this type; 0: of another type. */
uint64_t npy_width(const char *type);

/* Where the numbers begin behind a header; 0: there is none in these bytes. */
size_t npy_numbers_begin(const unsigned char *bytes, size_t size);

/* Writes a header. Errors are left to the stream. */
void npy_write(FILE *file, npy_shape shape);

/* Reads the header of an array of one or two dimensions in C order, and leaves the file at the first
 * number. Returns false if the file is no such array, or does not have as many bytes as it says. */
bool npy_read(FILE *file, npy_shape *shape);

/* Whether the file begins as such files do, as far as it goes. Rewinds the file first. */
bool npy_begins(FILE *file);

/* The CRC-32 of a whole file. Returns false if it cannot be read; *why says why. */
bool npy_crc(const char *path, uint32_t *crc, const char **why);

#endif
