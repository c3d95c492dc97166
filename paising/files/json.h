/* Values of JSON, printed. */
#ifndef PAISING_JSON_H
#define PAISING_JSON_H

#include <stdio.h>

/* Prints text as a string, quotes included. It is taken for UTF-8; bytes that are not, as names of files
 * may have, become the replacement character. */
void json_string(FILE *stream, const char *text);

/* Prints a number so that reading it gives the same number again; null if it is not finite. */
void json_number(FILE *stream, double x);

#endif
