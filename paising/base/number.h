/* Numbers as text, and back. */
#ifndef PAISING_NUMBER_H
#define PAISING_NUMBER_H

#include <stdint.h>

#define NUMBER_TEXT_SIZE 32

/* The shortest decimal text that reads as x again; "nan" and "inf" otherwise. Returns text. */
const char *number_text(char text[NUMBER_TEXT_SIZE], double x);

/* The same for messages, where 0.15 is better than 0.15000000000000002 for three times 0.05: the
 * text is shorter if the 15 digits of x end in zeros. */
const char *number_short_text(char text[NUMBER_TEXT_SIZE], double x);

/* The text of "%.*g" with so many digits; "nan" has no sign. Returns text. */
const char *number_rounded_text(char text[NUMBER_TEXT_SIZE], double x, int digits);

/* Write a number at `to`, which has room for NUMBER_TEXT_SIZE characters, without a final '\0', and
 * return its end. number_put writes x as "%.*g" would with `precision` digits, 1 to 17;
 * number_put_whole writes a whole number. */
char *number_put(char *to, double x, int precision);
char *number_put_whole(char *to, int64_t n);

/* Reads the number at the beginning of a text with the result of strtod; faster for few digits. */
double number_read(const char *text, char **end);

#endif
