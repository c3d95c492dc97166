/* Reading and writing values of settings (values.h). */
#include "values.h"

#include "base/number.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EXACT ((UINT64_C(1) << 53) - 1) /* numbers written like 1e5 are exact up to here */

static const void *field_of(const setting *s, const parameters *p) {
    return (const char *)p + s->field.offset;
}

bool setting_has_value(const setting *s, const parameters *p) {
    const void *const field = field_of(s, p);
    const checkpoint_interval *const every = field;
    if (s->flag.size > 0 && !*(const bool *)((const char *)p + s->flag.offset))
        return false;
    switch (s->type) {
    case SETTING_REAL:
        return s->fallback != NULL || *(const double *)field != 0;
    case SETTING_TEXT:
        return *(const char *const *)field != NULL;
    case SETTING_FLAG:
        return *(const bool *)field;
    case SETTING_INTERVAL:
        return every->seconds > 0 || every->steps > 0;
    case SETTING_SHOW:
        return false;
    default:
        return true;
    }
}

/* --- reading --- */

uint64_t setting_most(const setting *s) {
    if (s->type == SETTING_INT)
        return INT_MAX;
    return s->field.size == sizeof(uint32_t) ? UINT32_MAX : MOST_EXACT;
}

/* Reads a whole number, which may be written like 1e5. Nothing may follow it. */
static bool read_whole(const char *text, uint64_t most, uint64_t *value) {
    if (text[strspn(text, "0123456789.eE+")] != '\0' || text[0] == '+' || text[0] == '\0')
        return false;
    char *end;
    errno = 0;
    if (text[strspn(text, "0123456789")] == '\0') {
        *value = strtoull(text, &end, 10);
        return errno == 0 && *value <= most;
    }
    const double x = strtod(text, &end);
    if (errno != 0 || *end != '\0' || end == text || !(x <= (double)MOST_EXACT) ||
        x != (double)(uint64_t)x)
        return false;
    *value = (uint64_t)x;
    return *value <= most;
}

/* Reads edges: a positive whole number, or several separated by x. */
static bool read_edges(const char *text, lattice_size *size) {
    *size = (lattice_size){{0}};
    for (size_t d = 0; d < MODEL_MAX_DIMENSION; d++) {
        char number[32];
        uint64_t edge;
        const size_t length = strcspn(text, "x");
        if (length >= sizeof number)
            return false;
        memcpy(number, text, length);
        number[length] = '\0';
        if (!read_whole(number, UINT32_MAX, &edge) ||
            (edge == 0 && (d > 0 || text[length] != '\0')))
            return false;
        size->edge[d] = (uint32_t)edge;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
    return false;
}

/* Reads a 64-bit number, decimal or hexadecimal. */
static bool read_seed(const char *text, uint64_t *value) {
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *const digits = hex ? text + 2 : text;
    if (digits[0] == '\0' ||
        digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")] != '\0')
        return false;
    errno = 0;
    *value = strtoull(digits, NULL, hex ? 16 : 10);
    return errno == 0;
}

/* Reads a finite decimal number; like whole numbers, it has no plus sign. */
static bool read_real(const char *text, double *value) {
    if (text[0] == '\0' || text[0] == '+' || text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    char *end;
    errno = 0;
    *value = strtod(text, &end) + 0.0; /* -0 becomes 0 */
    return errno == 0 && *end == '\0';
}

static bool read_choice(const setting *s, const char *text, uint32_t *choice) {
    for (uint32_t n = 0; n < s->choices; n++) {
        if (strcmp(text, s->choice(n)) == 0) {
            *choice = n;
            return true;
        }
    }
    return false;
}

/* Adds a time like 90s, 10m or 1.5h to *seconds: `length` characters of text. */
static bool add_time(const char *text, size_t length, double *seconds) {
    char number[32];
    double value;
    if (length < 2 || length >= sizeof number)
        return false;
    memcpy(number, text, length - 1);
    number[length - 1] = '\0';
    const char unit = text[length - 1];
    if (!read_real(number, &value) || value < 0)
        return false;
    *seconds += value * (unit == 's' ? 1 : unit == 'm' ? 60 : 3600);
    return true;
}

/* Reads a time in hours, minutes and seconds, each once at most and in this order, or a whole number of steps. */
static bool read_interval(const char *text, checkpoint_interval *every) {
    uint64_t steps;
    *every = (checkpoint_interval){.steps = 0};
    if (read_whole(text, UINT32_MAX, &steps)) {
        every->steps = (uint32_t)steps;
        return steps > 0;
    }
    for (const char *units = "hms"; *text != '\0'; text += strcspn(text, "hms") + 1) {
        const size_t digits = strcspn(text, "hms");
        const char *const unit = text[digits] != '\0' ? strchr(units, text[digits]) : NULL;
        if (unit == NULL || !add_time(text, digits + 1, &every->seconds))
            return false;
        units = unit + 1;
    }
    return every->seconds > 0 && isfinite(every->seconds);
}

/* Reads the name of a device, or "cuda:N" with at most four digits. */
static bool read_device(const setting *s, const char *text, uint32_t *device, int *number) {
    *number = 0;
    if (read_choice(s, text, device))
        return true;
    static const char prefix[] = "cuda:";
    if (strncmp(text, prefix, sizeof prefix - 1) != 0)
        return false;
    const char *const digits = text + sizeof prefix - 1;
    const size_t length = strspn(digits, "0123456789");
    if (length < 1 || length > 4 || digits[length] != '\0')
        return false;
    *device = DEVICE_CUDA;
    *number = (int)strtol(digits, NULL, 10);
    return true;
}

bool setting_read(const setting *s, parameters *p, const char *text) {
    void *const field = (char *)p + s->field.offset;
    uint64_t whole = 0;
    uint32_t choice = 0;
    bool good = false;
    switch (s->type) {
    case SETTING_WHOLE:
        good = read_whole(text, setting_most(s), &whole);
        if (good && s->field.size == sizeof(uint32_t))
            *(uint32_t *)field = (uint32_t)whole;
        else if (good)
            *(uint64_t *)field = whole;
        return good;
    case SETTING_INT:
        good = read_whole(text, setting_most(s), &whole);
        if (good)
            *(int *)field = (int)whole;
        return good;
    case SETTING_EDGES:
        return read_edges(text, field);
    case SETTING_BOUNDARY:
        return boundary_read(field, text);
    case SETTING_SEED:
        return read_seed(text, field);
    case SETTING_REAL:
        return read_real(text, field) && setting_has_value(s, p);
    case SETTING_CHOICE:
        good = read_choice(s, text, &choice);
        break;
    case SETTING_DEVICE:
        good = read_device(s, text, &choice, &p->device_number);
        break;
    case SETTING_TEXT:
        *(const char **)field = text;
        return text[0] != '\0';
    case SETTING_FLAG:
        *(bool *)field = strcmp(text, "true") == 0;
        return *(bool *)field || strcmp(text, "false") == 0;
    case SETTING_INTERVAL:
        return read_interval(text, field);
    case SETTING_SHOW:
        return false;
    }
    if (good)
        memcpy(field, &choice, sizeof choice); /* the enum type differs between settings */
    return good;
}

/* --- writing --- */

uint32_t setting_choice(const setting *s, const parameters *p) {
    uint32_t choice;
    memcpy(&choice, field_of(s, p), sizeof choice);
    return choice;
}

static uint64_t whole_in(const setting *s, const parameters *p) {
    const void *const field = field_of(s, p);
    return s->field.size == sizeof(uint32_t) ? *(const uint32_t *)field : *(const uint64_t *)field;
}

double setting_number(const setting *s, const parameters *p) {
    return s->type == SETTING_REAL ? *(const double *)field_of(s, p) : (double)whole_in(s, p);
}

const char *setting_value_text(char text[SETTING_TEXT_SIZE], const setting *s,
                               const parameters *p) {
    const void *const field = field_of(s, p);
    switch (s->type) {
    case SETTING_WHOLE:
    case SETTING_INT:
    case SETTING_SEED:
        snprintf(text, SETTING_TEXT_SIZE, "%" PRIu64, whole_in(s, p));
        return text;
    case SETTING_EDGES:
        return lattice_text(text, *(const lattice_size *)field);
    case SETTING_BOUNDARY:
        return boundary_text(text, *(const lattice_boundary *)field);
    case SETTING_REAL:
        return number_text(text, *(const double *)field);
    case SETTING_CHOICE:
    case SETTING_DEVICE:
        return s->choice(setting_choice(s, p));
    case SETTING_TEXT:
        return *(const char *const *)field;
    case SETTING_FLAG:
        return *(const bool *)field ? "true" : "false";
    case SETTING_INTERVAL: {
        const checkpoint_interval *const every = field;
        const double x = every->steps > 0 ? every->steps : every->seconds;
        for (int digits = 15; digits <= 17; digits += 2) {
            snprintf(text, SETTING_TEXT_SIZE, "%.*g", digits, x);
            if (strtod(text, NULL) == x)
                break;
        }
        return every->steps > 0 ? text : strcat(text, "s");
    }
    case SETTING_SHOW:
        break;
    }
    return "none";
}
