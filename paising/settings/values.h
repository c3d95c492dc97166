/* Values of settings as text: as users write them, and as headers and messages show them. */
#ifndef PAISING_VALUES_H
#define PAISING_VALUES_H

#include "settings.h"

/* Reads a value into its field. *p may keep a pointer to `text`. Returns false if the text has the
 * wrong type, and for 0 where that means that there is no value; parameters_validate checks the
 * range. */
bool setting_read(const setting *s, parameters *p, const char *text);

/* The largest whole number that the field of a setting can hold and setting_read accepts. */
uint64_t setting_most(const setting *s);

/* Whether the setting has a value in *p: texts that are not NULL, flags that are set, intervals that
 * are not 0, real numbers without a fallback that are not 0, and all others. */
bool setting_has_value(const setting *s, const parameters *p);

/* The value of the setting in *p, in a form that setting_read accepts if it has one (of those that
 * hold, only: setting_text in exclusions.h). `text` is a buffer for the result. */
#define SETTING_TEXT_SIZE LATTICE_TEXT_SIZE
const char *setting_value_text(char text[SETTING_TEXT_SIZE], const setting *s, const parameters *p);

/* The number of the choice in *p: SETTING_CHOICE, SETTING_DEVICE. */
uint32_t setting_choice(const setting *s, const parameters *p);

/* The value of a numeric setting. */
double setting_number(const setting *s, const parameters *p);

#endif
