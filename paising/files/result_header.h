/* What the headers of all data files of a simulation have in common: the program, its version, the model
 * and the parameters that decide the data. */
#ifndef PAISING_RESULT_HEADER_H
#define PAISING_RESULT_HEADER_H

#include "settings/parameters.h"

#include <stdbool.h>
#include <stdio.h>

/* The first line. */
void result_header_print_title(FILE *file, const spin_model *model);

/* The parameters: one `#` line each, named as its long option. */
void result_header_print_parameters(FILE *file, const parameters *p);

/* Whether a data file begins as those of this program of any version, as far as it is there. Reads from the beginning. */
bool result_header_begins(FILE *file);

/* Of which simulation the header of a data file is: of the one that these parameters give; of that one as far as it
 * is there, which may be nothing; of another one, or not known for want of memory. Reads from the beginning. */
typedef enum { HEADER_OWN, HEADER_CUT_OFF, HEADER_OF_OTHERS } header_match;
header_match result_header_match(FILE *file, const parameters *p);

#endif
