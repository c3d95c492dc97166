/* Values of settings as text: as users write them, and as headers and messages show them. */
#ifndef PAISING_VALUES_H
#define PAISING_VALUES_H

#include "base/number.h"
#include "settings.h"

/* Reads a value into its field. *p may keep a pointer to `text`. Returns false if the text has the
 * wrong type; parameters_validate checks the range. */
bool setting_read(const setting *s, parameters *p, const char *text);

/* The largest whole number that the field of a setting can hold and setting_read accepts. */
uint64_t setting_most(const setting *s);

/* The value of the setting in *p, in a form that setting_read accepts; "none" if it does not apply
 * (setting_holds). `text` is a buffer for the result. */
#define SETTING_TEXT_SIZE LATTICE_TEXT_SIZE
const char *setting_text(char text[SETTING_TEXT_SIZE], const setting *s, const parameters *p);

/* The same, whether the setting applies or not. */
const char *setting_value_text(char text[SETTING_TEXT_SIZE], const setting *s, const parameters *p);

/* The value of a numeric setting. */
double setting_number(const setting *s, const parameters *p);

/* The first setting in which *p and *other differ so that their data files differ; NULL if there is
 * none. Settings that apply in *p come first. */
const setting *settings_differ(const parameters *p, const parameters *other);

#endif
