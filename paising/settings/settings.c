/* Lookup of settings (settings.h). */
#include "settings.h"

#include <stdio.h>
#include <string.h>

const setting *setting_named(const char *name) {
    for (size_t i = 0; i < settings_count; i++)
        if (strcmp(settings[i].name, name) == 0)
            return &settings[i];
    return NULL;
}

const setting *setting_of_short_name(int short_name) {
    for (size_t i = 0; short_name != 0 && i < settings_count; i++)
        if (settings[i].short_name == short_name)
            return &settings[i];
    return NULL;
}

const setting *setting_of_steps(const parameters *p) {
    static const char *const names[] = {
        [STEPS_FIXED] = "dbeta",     [STEPS_OVERLAP] = "overlap",
        [STEPS_CULLING] = "culling", [STEPS_ENERGY] = "energy-step",
        [STEPS_FILE] = "betas",      [STEPS_GEOMETRIC] = "geometric"};
    return setting_named(names[parameters_steps(p)]);
}

const char *setting_option(char text[SETTING_OPTION_SIZE], const setting *s) {
    if (s->short_name != 0)
        snprintf(text, SETTING_OPTION_SIZE, "-%c", s->short_name);
    else
        snprintf(text, SETTING_OPTION_SIZE, "--%s", s->name);
    return text;
}
