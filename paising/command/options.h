/* The command line: from argv to parameters. */
#ifndef PAISING_OPTIONS_H
#define PAISING_OPTIONS_H

#include "settings/parameters.h"

/* What parameters_parse returns beside STATUS_OK and STATUS_REFUSED: help or version was printed on
 * stdout, and there is nothing to run. */
#define OPTIONS_SHOWN (-1)

/* Fills *p from the options, a later one replacing an earlier one, and validates it. p->output
 * points into argv. Returns STATUS_OK; STATUS_REFUSED after one line on stderr; or OPTIONS_SHOWN.
 */
int parameters_parse(parameters *p, int argc, char **argv);

#endif
