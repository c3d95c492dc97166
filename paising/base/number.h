/* Numbers as text. */
#ifndef PAISING_NUMBER_H
#define PAISING_NUMBER_H

#include <stdint.h>

#define NUMBER_TEXT_SIZE 32

/* The shortest decimal text that reads as x again; "nan" and "inf" as such. Returns text. */
const char *number_text(char text[NUMBER_TEXT_SIZE], double x);

/* The same for messages: where 15 digits of x end in zeros, as of three times 0.05, the last bit of which is another one than
 * that of 0.15, the text is without the others. */
const char *number_short_text(char text[NUMBER_TEXT_SIZE], double x);

/* Both put a number at `to`, where there is room for NUMBER_TEXT_SIZE characters, without a '\0' behind it, and return where it
 * ends: x as "%.*g" prints it with `precision` digits, 1 to 17; and a whole number. */
char *number_put(char *to, double x, int precision);
char *number_put_whole(char *to, int64_t n);

/* Reads the number that a text begins with, as strtod does, and sooner where it has few digits. */
double number_read(const char *text, char **end);

#endif
