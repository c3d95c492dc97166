/* The common part of the headers of all data files of a simulation: program, version, model, and
 * the parameters that decide the data. */
#ifndef PAISING_RESULT_HEADER_H
#define PAISING_RESULT_HEADER_H

#include "settings/parameters.h"

#include <stdbool.h>
#include <stdio.h>

/* Prints the title, the first line. */
void result_header_print_title(FILE *file, const parameters *p, const spin_model *model);

/* Prints the parameters, one `#` line each, with the names of the long options. */
void result_header_print_parameters(FILE *file, const parameters *p);

/* Digits of energies of a lattice and of cuts in headers: -30, where the shortest text would be -3e+01. */
#define RESULT_ENERGY_DIGITS 15

/* Prints the cut of `lowest`, an energy of the lattice in J, if its couplings are the weights of a cut (bond_origin.h). */
void result_header_print_cut(FILE *file, const spin_model *model, double lowest);

/* Whether a data file begins like those of this program in any version, as far as the file goes.
 * Rewinds the file first. */
bool result_header_begins(FILE *file);

/* Compares the header of a data file with parameters. HEADER_OWN: it is theirs. HEADER_CUT_OFF: it
 * is theirs as far as the file goes, which may be empty. HEADER_OF_OTHERS: it is different, or
 * memory ran out. Rewinds the file first. */
typedef enum { HEADER_OWN, HEADER_CUT_OFF, HEADER_OF_OTHERS } header_match;
header_match result_header_match(FILE *file, const parameters *p);

#endif
