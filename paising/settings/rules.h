/* Validation of parameters. */
#ifndef PAISING_RULES_H
#define PAISING_RULES_H

#include "parameters.h"

/* Checks ranges and the rules that compute; which settings exclude each other, settings_excluded
 * checks (exclusions.h). Returns 0; or -1 with one line in message[size] that names the option, its
 * value and the allowed values. */
int parameters_validate(const parameters *p, char *message, size_t size);

#endif
