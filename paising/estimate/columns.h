/* The table of columns that are functions of means over the population. A line of the table in
 * columns.c makes a column NAME and its error err_NAME at the end of each row: of single runs,
 * averages over runs and samples, multi-histogram analyses, and flat histograms. Headers and checkpoints follow. */
#ifndef PAISING_COLUMNS_H
#define PAISING_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Means at one temperature, per spin: over a population, a population less a block, or runs. */
typedef struct {
    double beta;          /* 1/J */
    double spins;         /* N */
    double e, e2, e3, e4; /* of (E/N)^k, in J^k. A population less a block has no e3 and e4: nan */
    double abs_m, m2, m4; /* of |M|/N, (M/N)^2, (M/N)^4 */
    double s_k;           /* S(k) of series (structure.h); 0: not measured */
    uint32_t edge;        /* the longest one, where s_k is measured */
} moments;

typedef struct {
    const char *name;    /* at most COLUMN_NAME_MOST characters */
    const char *meaning; /* for headers */
    const char *unit;    /* NULL: none */
    /* The value for given means. The error is the jackknife error of this function: of one run over
     * blocks, of averages over runs. It is nan where the means without a block are not known. */
    double (*value)(const moments *);
    bool of_order; /* made of |m|, m2 or m4: absent where overlaps replace these */
} moment_column;

#define COLUMN_NAME_MOST 30

extern const moment_column moment_columns[];
extern const size_t moment_columns_count;
#define COLUMNS_MOST 8 /* room for the table; its size is part of the rows in checkpoints */

/* Whether results of a model have the column. */
static inline bool column_fits(const moment_column *c, bool disordered) {
    return !(c->of_order && disordered);
}

#endif
