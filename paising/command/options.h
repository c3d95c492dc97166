/* The command line: from argv to parameters. */
#ifndef PAISING_OPTIONS_H
#define PAISING_OPTIONS_H

#include "settings/parameters.h"

/* A result of parameters_parse besides STATUS_OK and STATUS_REFUSED: help or version was printed on
 * stdout, and there is nothing to run. */
#define OPTIONS_SHOWN (-1)

/* Fills *p from the options and validates it. Of repeated options the last one counts. p->output
 * points into argv, and a graph is freed by parameters_end. Returns STATUS_OK; STATUS_REFUSED after one message on stderr; or
 * OPTIONS_SHOWN. */
int parameters_parse(parameters *p, int argc, char **argv);

#endif
