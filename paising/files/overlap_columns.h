/* The columns of overlaps in the results of disordered models: in place of those of the magnetisation, and behind all others. */
#ifndef PAISING_OVERLAP_COLUMNS_H
#define PAISING_OVERLAP_COLUMNS_H

#include "estimate/overlap.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *name;
    const char *meaning;
    const char *of_average; /* meaning in an average over several runs, if different */
} heading;

#define OVERLAP_COLUMNS_MOST 22

/* The column of the overlaps that stands at this place of a row in place of the magnetisation, or NULL. */
const heading *overlap_heading_in_place(size_t place);

/* How many columns a model has behind the others, 0 without overlaps; and what they are. */
size_t overlap_columns_count(const spin_model *model);
void overlap_columns_list(heading to[OVERLAP_COLUMNS_MOST], const spin_model *model);

/* Fills those in place of others, in_place[] the row, and those behind, behind[overlap_columns_count]. errors_known: or
 * errors are nan. */
void overlap_columns_fill(double in_place[], double behind[], const overlap_row *o,
                          const spin_model *model, bool errors_known);

#endif
