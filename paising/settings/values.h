/* Values of settings as text: as a user writes them, and as headers and messages show them. */
#ifndef PAISING_VALUES_H
#define PAISING_VALUES_H

#include "base/number.h"
#include "settings.h"

/* Reads a value into its field; `text` may be kept by *p. Returns false if it is not of the setting's
 * type; whether it is in its range, parameters_validate says. */
bool setting_read(const setting *s, parameters *p, const char *text);

/* The largest whole number that has room in the field of a setting, and can be read. */
uint64_t setting_most(const setting *s);

/* The value that the setting has in *p, as setting_read takes it; "none" if it has none that means
 * something (setting_holds). text is the room for it. */
#define SETTING_TEXT_SIZE LATTICE_TEXT_SIZE
const char *setting_text(char text[SETTING_TEXT_SIZE], const setting *s, const parameters *p);

/* The same, whether it means something or not. */
const char *setting_value_text(char text[SETTING_TEXT_SIZE], const setting *s, const parameters *p);

/* A number in its field, of a setting whose values are numbers. */
double setting_number(const setting *s, const parameters *p);

/* The first setting by which *p gives other data files than *other; NULL if they give the same. A
 * setting that means something in *p comes before one that does not. */
const setting *settings_differ(const parameters *p, const parameters *other);

#endif
