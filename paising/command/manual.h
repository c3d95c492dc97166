/* The manual page paising(1), from the table of settings. */
#ifndef PAISING_MANUAL_H
#define PAISING_MANUAL_H

#include <stdio.h>

/* Prints the page as man(7) source. */
void manual_print(FILE *file);

#endif
