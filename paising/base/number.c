/* Numbers as text. */
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *number_text(char text[NUMBER_TEXT_SIZE], double x) {
    if (isnan(x))
        x = NAN; /* no "-nan" */
    int digits = 1;
    do {
        snprintf(text, NUMBER_TEXT_SIZE, "%.*g", digits, x);
    } while (++digits <= 17 && strtod(text, NULL) != x && !isnan(x));
    return text;
}
