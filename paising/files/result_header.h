/* What the headers of all data files of a simulation have in common: the program, its version, the model
 * and the parameters that decide the data. */
#ifndef PAISING_RESULT_HEADER_H
#define PAISING_RESULT_HEADER_H

#include "settings/parameters.h"

#include <stdio.h>

/* The first line. */
void result_header_print_title(FILE *file, const spin_model *model);

/* The parameters: one `#` line each, named as its long option. */
void result_header_print_parameters(FILE *file, const parameters *p);

/* Whether a data file, read from its beginning, is one that these parameters give. Without memory: no. */
bool result_header_is_of(FILE *file, const parameters *p);

#endif
