/* The command line: from argv to parameters. */
#ifndef PAISING_OPTIONS_H
#define PAISING_OPTIONS_H

#include "files/checkpoint_head.h"
#include "settings/exclusions.h"
#include "settings/parameters.h"

/* A result of parameters_parse besides STATUS_OK and STATUS_REFUSED: help or version was printed on
 * stdout, and there is nothing to run. */
#define OPTIONS_SHOWN (-1)

/* Fills *p from the options and validates it. Of repeated options the last one counts. p->output
 * points into argv, and a graph is freed by parameters_end. Returns STATUS_OK; STATUS_REFUSED after one message on stderr; or
 * OPTIONS_SHOWN. */
int parameters_parse(parameters *p, int argc, char **argv);

/* The same in parts, for programs that call the library. First: the values without options, none of them given. */
void options_begin(parameters *p, settings_given *given);

/* Second, any number of times: sets an option by its long name. A text is kept as a pointer. Returns
 * STATUS_OK, or STATUS_REFUSED after a message. */
int options_set(parameters *p, settings_given *given, const char *name, const char *text);

/* In between, if p->resume is set: replaces all values by those of this checkpoint, on top of which others are set. *saved keeps
 * them, *head their texts, as long as *p is used. Returns STATUS_OK, or STATUS_REFUSED after a message. */
int options_resume(parameters *p, parameters *saved, checkpoint_head *head);

/* Last: reads the files that options name, and checks all of it; saved: of options_resume, from which no value may differ that
 * decides on the data, or NULL. Returns STATUS_OK, or STATUS_REFUSED after a message. parameters_end frees what *p holds in both
 * cases. */
int options_end(parameters *p, const settings_given *given, const parameters *saved);

#endif
