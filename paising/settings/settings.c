/* Lookup of settings, and whether a setting applies (settings.h). */
#include "settings.h"

#include <stdio.h>
#include <string.h>

const setting *setting_named(const char *name) {
    for (size_t i = 0; i < settings_count; i++)
        if (strcmp(settings[i].name, name) == 0)
            return &settings[i];
    return NULL;
}

const setting *setting_of_letter(int letter) {
    for (size_t i = 0; letter != 0 && i < settings_count; i++)
        if (settings[i].letter == letter)
            return &settings[i];
    return NULL;
}

const setting *setting_in_json(int place) {
    for (size_t i = 0; i < settings_count; i++)
        if (settings[i].json == place)
            return &settings[i];
    return NULL;
}

const setting *setting_in_checkpoint(int place) {
    for (size_t i = 0; i < settings_count; i++)
        if (settings[i].checkpoint == place)
            return &settings[i];
    return NULL;
}

const setting *setting_of_steps(const parameters *p) {
    static const char *const names[] = {[STEPS_FIXED] = "dbeta",
                                        [STEPS_OVERLAP] = "overlap",
                                        [STEPS_CULLING] = "culling",
                                        [STEPS_ENERGY] = "energy-step",
                                        [STEPS_FILE] = "betas"};
    return setting_named(names[parameters_steps(p)]);
}

bool setting_holds(const setting *s, const parameters *p) {
    const char *const fields = (const char *)p;
    if (s->flag.size > 0 && !*(const bool *)(fields + s->flag.offset))
        return false;
    if (s->type == SETTING_TEXT && *(const char *const *)(fields + s->field.offset) == NULL)
        return false;
    switch (s->when) {
    case WHEN_FIXED_STEPS:
        return parameters_steps(p) == STEPS_FIXED;
    case WHEN_NOT_ZERO:
        return *(const double *)(fields + s->field.offset) > 0;
    case WHEN_ONE_THETA:
        return p->sweeps_file == NULL;
    case WHEN_BETAS:
        return p->betas != NULL;
    case WHEN_SWEEPS:
        return p->sweeps_file != NULL;
    case WHEN_RELAXATION:
        return p->relaxation != NULL;
    case WHEN_MSC:
        return p->coding == CODING_MSC;
    case WHEN_DISORDERED:
        return parameters_kind(p)->disordered;
    case WHEN_DRAWN:
        return parameters_kind(p)->disordered && p->couplings == NULL;
    case WHEN_READ:
        return parameters_kind(p)->disordered && p->couplings != NULL;
    case WHEN_SERIES:
        return p->method != METHOD_annealing;
    case WHEN_ALWAYS:
    case WHEN_ON_GPU:
        break;
    }
    return true;
}

const char *setting_option(char text[SETTING_OPTION_SIZE], const setting *s) {
    if (s->letter != 0)
        snprintf(text, SETTING_OPTION_SIZE, "-%c", s->letter);
    else
        snprintf(text, SETTING_OPTION_SIZE, "--%s", s->name);
    return text;
}
