/* The table of settings that exclude each other, made from list.h, and what follows from it: where a
 * setting has no meaning. */
#ifndef PAISING_EXCLUSIONS_H
#define PAISING_EXCLUSIONS_H

#include "values.h"

/* A row of the table of exclusions: setting `one` is refused without `other` (only), or with it. Each
 * side is "NAME", a setting that is in use; "NAME=X|Y", that has one of these values, choices or
 * kinds of choices; or "NAME!=X|Y", that has none of them. */
typedef struct {
    const char *one;
    bool only;
    const char *other;
    const char *why; /* end of the message; NULL: none */
} exclusion;

extern const exclusion exclusions[];
extern const size_t exclusions_count;

/* For each row of settings[], whether its option was given. */
typedef struct {
    bool row[SETTINGS_MOST];
} settings_given;

/* Whether the setting has a value in *p, and no exclusion takes its meaning away. */
bool setting_holds(const setting *s, const parameters *p);

/* Goes through the table of exclusions. A setting is in use if its option was given; without a default
 * value also if it has a value. Returns 0; or -1 with one line in message[size] that names both
 * settings, for the first exclusion that *p does not obey. */
int settings_excluded(const parameters *p, const settings_given *given, char *message, size_t size);

/* The value of the setting in *p, in a form that setting_read accepts (values.h); "none" if it does
 * not hold. `text` is a buffer for the result. */
const char *setting_text(char text[SETTING_TEXT_SIZE], const setting *s, const parameters *p);

/* The first setting in which *p and *other differ so that their data files differ; NULL if there is
 * none. Settings that apply in *p come first. */
const setting *settings_differ(const parameters *p, const parameters *other);

#endif
