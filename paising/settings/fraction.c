/* Fractions of whole numbers (fraction.h). */
#include "fraction.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Reads digits up to a number of at most FRACTION_MOST. Returns what follows; NULL if there are none. */
static const char *read_digits(const char *text, int64_t *number) {
    const char *const first = text;
    for (*number = 0; isdigit((unsigned char)*text) && *number <= FRACTION_MOST; text++)
        *number = 10 * *number + (*text - '0');
    return text > first && *number <= FRACTION_MOST ? text : NULL;
}

/* Reads the digits behind a decimal point as number / unit. Returns what follows; NULL if there are none or too many. */
static const char *read_decimals(const char *text, int64_t *number, int64_t *unit) {
    const char *const first = text;
    for (; isdigit((unsigned char)*text) && *unit < FRACTION_MOST; text++, *unit *= 10)
        *number = 10 * *number + (*text - '0');
    return text > first ? text : NULL;
}

fraction fraction_read(const char *text) {
    int64_t number, unit = 1;
    if (text == NULL)
        return (fraction){0, 1};
    const bool minus = *text == '-';
    const char *rest = read_digits(text + (minus || *text == '+'), &number);
    const bool decimal = rest != NULL && *rest == '.';
    if (decimal)
        rest = read_decimals(rest + 1, &number, &unit);
    else if (rest != NULL && *rest == '/')
        rest = read_digits(rest + 1, &unit);
    if (rest == NULL || *rest != '\0')
        return (fraction){0, 0};
    const fraction f = {minus ? -number : number, (uint32_t)unit};
    const fraction read = decimal ? fraction_reduced(f) : f;
    return llabs(read.number) <= FRACTION_MOST ? read : (fraction){0, 0};
}

fraction fraction_reduced(fraction f) {
    int64_t a = llabs(f.number), b = f.unit;
    while (b > 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 0 ? f : (fraction){f.number / a, (uint32_t)(f.unit / a)};
}
