/* The lines of a file of bonds, before it is known what they mean (bond_file.c). */
#ifndef PAISING_BOND_LINES_H
#define PAISING_BOND_LINES_H

#include "base/line_file.h"
#include "bond_origin.h"

#include <stddef.h>

/* A line `i j value`: value = number / 10^decimals. */
typedef struct {
    uint32_t i, j; /* i <= j */
    int64_t number;
    uint8_t decimals; /* 0 to BOND_DECIMALS */
    bool lower;       /* the line has j first, the larger one */
    unsigned long line;
} bond_line;

#define BOND_DECIMALS 8

typedef enum { VARTYPE_NONE, VARTYPE_SPIN, VARTYPE_BINARY, VARTYPE_OTHER } bond_vartype;

typedef struct {
    line_file file;
    bond_line *row; /* [rows] */
    size_t rows, room;
    bool has_name, has_banner; /* isakov, matrix-market */
    bool pattern, symmetric;   /* by the banner */
    bond_vartype vartype;      /* coo */
    double offset; /* coo: what to add to the energy; NAN: the line that says it has no number */
    unsigned long offset_line; /* 0: no line says it */
    bool has_header;           /* n m; of matrix-market n n m */
    int64_t header[2];         /* n, m */
    unsigned long header_line;
    bool six_decimals; /* every value is written with six decimals, as dimod does */
    uint32_t decimals; /* the most of any row */
    size_t rounded;    /* rows whose value had more decimals than BOND_DECIMALS */
} bond_lines;

/* Reads a file. Returns false after a message. The file is closed; messages of line_file_refuse may follow. */
bool bond_lines_read(bond_lines *b, const char *option, bond_dialect dialect, const char *path);

/* Reports an error in line number `line`. Returns false. */
#define bond_lines_wrong(b, number, ...)                                                           \
    ((b)->file.line = (number), line_file_wrong(&(b)->file, __VA_ARGS__))

void bond_lines_destroy(bond_lines *b);

#endif
