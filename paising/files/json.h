/* Values in JSON. */
#ifndef PAISING_JSON_H
#define PAISING_JSON_H

#include <stdio.h>

/* Prints text as a string with quotes. Bytes that are not valid UTF-8, which file names may
 * contain, become the replacement character. */
void json_string(FILE *stream, const char *text);

/* Prints a number with enough digits to read it back exactly; null if it is not finite. */
void json_number(FILE *stream, double x);

#endif
