/* Options of paising-helium, and files of parameters with the names of the program QL. */
#ifndef PAISING_HELIUM_OPTIONS_H
#define PAISING_HELIUM_OPTIONS_H

#include "system.h"

#include <stdio.h>

typedef struct {
    helium_parameters p;
    double density; /* atoms per A^3; decides the box unless the edge is given */
    uint32_t blocks, analyses, macroupdates, warm_up;
    const char *device;  /* or a list (devices.h) */
    const char *analyst; /* who analyses (devices.h) */
    uint32_t blocks_per_walker, threads;
    const char *output, *checkpoint, *resume; /* NULL: none */
    bool force, go_on;                        /* go_on: --continue */
} helium_request;

/* Reads the command line; ends the program to show the help. Returns STATUS_OK, or STATUS_REFUSED after a message that
 * names the option, its value and what is allowed. */
exit_status helium_options(helium_request *r, int argc, char **argv);

/* Prints what decides the data, a line for each, "# name value". */
void helium_options_print(FILE *file, const helium_request *r);

/* The same as members of a JSON object, each with a comma. */
void helium_options_print_json(FILE *file, const helium_request *r);

/* The first of these names whose value differs; NULL: none. The number of blocks may differ. */
const char *helium_options_differ(const helium_request *a, const helium_request *b);

#endif
