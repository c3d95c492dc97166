/* The manual page paising(1), made from the table of the settings. */
#ifndef PAISING_MANUAL_H
#define PAISING_MANUAL_H

#include <stdio.h>

/* Prints the page in the language of man(7). */
void manual_print(FILE *file);

#endif
