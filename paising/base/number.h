/* Numbers as text. */
#ifndef PAISING_NUMBER_H
#define PAISING_NUMBER_H

#define NUMBER_TEXT_SIZE 32

/* The shortest decimal text that reads as x again; "nan" and "inf" as such. Returns text. */
const char *number_text(char text[NUMBER_TEXT_SIZE], double x);

#endif
