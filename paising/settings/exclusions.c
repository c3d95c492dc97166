/* Settings that exclude each other (exclusions.h). */
#include "exclusions.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* A side of an exclusion, taken apart. */
typedef struct {
    const setting *s;
    const char *values; /* "X|Y"; NULL: the setting is in use */
    bool others;        /* has none of these values */
    uint32_t fitting;   /* choices that fit the side, a bit for each */
} side;

static side side_of(const char *text) {
    char name[SETTING_OPTION_SIZE];
    const size_t length = strcspn(text, "!=");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const bool others = text[length] == '!';
    return (side){setting_named(name), text[length] == '\0' ? NULL : text + length + 1 + others,
                  others, 0};
}

/* Whether the side has this value; of a choice its number, too. */
static bool fits(const side *x, const char *value, uint32_t choice) {
    char word[SETTING_TEXT_SIZE];
    bool found = false;
    for (const char *rest = x->values; !found && *rest != '\0'; rest += *rest == '|') {
        const size_t length = strcspn(rest, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, rest);
        rest += length;
        found = strcmp(word, value) == 0 || (x->s->is_kind != NULL && x->s->is_kind(choice, word));
    }
    return found != x->others;
}

/* The sides of all exclusions, taken apart once: each file of a result asks for all settings. */
#define EXCLUSIONS_MOST 256
static side sides[EXCLUSIONS_MOST][2];

/* Of each setting the number of the first exclusion of it, and of each exclusion that of the next one of the same setting;
 * exclusions_count: there is none. */
static size_t first_of[SETTINGS_MOST], next_of[EXCLUSIONS_MOST];

static void take_apart(void) {
    assert(exclusions_count <= EXCLUSIONS_MOST);
    for (size_t i = 0; i < settings_count; i++)
        first_of[i] = exclusions_count;
    for (size_t n = 0; n < exclusions_count; n++) {
        for (size_t k = 0; k < 2; k++) {
            side *const x = &sides[n][k];
            *x = side_of(k == 0 ? exclusions[n].one : exclusions[n].other);
            for (uint32_t c = 0; x->values != NULL && c < x->s->choices; c++)
                x->fitting |= (uint32_t)fits(x, x->s->choice(c), c) << c;
        }
        size_t *const first = &first_of[sides[n][0].s - settings];
        next_of[n] = *first;
        *first = n;
    }
}

/* Those of exclusions[n] are [n][0], of `one`, and [n][1]. */
static const side (*all_sides(void))[2] {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, take_apart);
    return (const side(*)[2])sides;
}

/* Whether the side is as the exclusion says. given: NULL if no options are known. */
static bool is_so(const side *x, const parameters *p, const settings_given *given) {
    char value[SETTING_TEXT_SIZE];
    if (x->values != NULL && x->s->choices > 0)
        return x->fitting >> setting_choice(x->s, p) & 1;
    if (x->values != NULL)
        return fits(x, setting_value_text(value, x->s, p), 0);
    return (given != NULL && given->row[x->s - settings]) ||
           (x->s->help != NULL && x->s->fallback == NULL && setting_has_value(x->s, p));
}

#define SIDE_TEXT_SIZE 160

/* The setting as it stands on a command line, of a text the beginning: "-d 0.01". */
static const char *given_text(char text[SIDE_TEXT_SIZE], const setting *s, const parameters *p) {
    char option[SETTING_OPTION_SIZE], value[SETTING_TEXT_SIZE];
    setting_option(option, s);
    if (s->type == SETTING_FLAG)
        snprintf(text, SIDE_TEXT_SIZE, "%s", option);
    else
        snprintf(text, SIDE_TEXT_SIZE, "%s %.100s", option, setting_value_text(value, s, p));
    return text;
}

/* What the side allows: "--model glass2d, glass3d". */
static const char *allowed_text(char text[SIDE_TEXT_SIZE], const side *x) {
    size_t length = strlen(setting_option(text, x->s));
    const char *before = " ";
    for (uint32_t n = 0; x->values != NULL && n < x->s->choices; n++)
        if (x->fitting >> n & 1 && length < SIDE_TEXT_SIZE) {
            length += (size_t)snprintf(text + length, SIDE_TEXT_SIZE - length, "%s%s", before,
                                       x->s->choice(n));
            before = ", ";
        }
    assert(length < SIDE_TEXT_SIZE); /* no name is cut */
    return text;
}

int settings_excluded(const parameters *p, const settings_given *given, char *message,
                      size_t size) {
    char one_text[SIDE_TEXT_SIZE], other_text[SIDE_TEXT_SIZE];
    const side(*const of)[2] = all_sides();
    for (size_t n = 0; n < exclusions_count; n++) {
        const exclusion *const e = &exclusions[n];
        const side *const one = &of[n][0], *const other = &of[n][1];
        if (!is_so(one, p, given) || is_so(other, p, given) == e->only)
            continue;
        given_text(one_text, one->s, p);
        if (e->only)
            allowed_text(other_text, other);
        else
            given_text(other_text, other->s, p);
        snprintf(message, size, "%s: %sallowed with %s%s%s%s", one_text, e->only ? "" : "not ",
                 other_text, e->only ? " only" : "", e->why != NULL ? ": " : "",
                 e->why != NULL ? e->why : "");
        return -1;
    }
    return 0;
}

bool setting_holds(const setting *s, const parameters *p) {
    const side(*const of)[2] = all_sides();
    for (size_t n = first_of[s - settings]; n < exclusions_count; n = next_of[n]) {
        const side *const one = &of[n][0], *const other = &of[n][1];
        if ((one->values == NULL || is_so(one, p, NULL)) &&
            is_so(other, p, NULL) != exclusions[n].only)
            return false;
    }
    return setting_has_value(s, p);
}

const char *setting_text(char text[SETTING_TEXT_SIZE], const setting *s, const parameters *p) {
    return setting_holds(s, p) ? setting_value_text(text, s, p) : "none";
}

const setting *settings_differ(const parameters *p, const parameters *other) {
    const setting *first = NULL;
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        char here[SETTING_TEXT_SIZE], there[SETTING_TEXT_SIZE];
        if (s->effect != DECIDES_DATA ||
            strcmp(setting_text(here, s, p), setting_text(there, s, other)) == 0)
            continue;
        if (setting_holds(s, p))
            return s;
        if (first == NULL)
            first = s;
    }
    return first;
}
