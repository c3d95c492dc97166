/* The table of settings, one row each, and the table of those that exclude each other; both are made
 * from list.h. They define the options, their help and the manual page (command/), the headers of
 * data files, run.json and the parameters in a checkpoint (files/), and what --resume may change.
 * Rules that compute are in rules.c. */
#ifndef PAISING_SETTINGS_H
#define PAISING_SETTINGS_H

#include "parameters.h"

/* The type of a value. It decides how the value is read and written (values.h), and the C type of
 * the field, named first below. */
typedef enum {
    SETTING_WHOLE,    /* uint32_t or uint64_t: a whole number, also written like 1e5 */
    SETTING_INT,      /* int: the same; not negative */
    SETTING_SEED,     /* uint64_t: decimal or hexadecimal */
    SETTING_REAL,     /* double: a finite decimal number */
    SETTING_EDGES,    /* lattice_size: a whole number, or several, like 8x8x12 */
    SETTING_CHOICE,   /* an enum or a uint32_t: one of a list of names */
    SETTING_DEVICE,   /* device_kind: "cuda:N" also sets parameters.device_number */
    SETTING_TEXT,     /* const char *: not empty; NULL: none */
    SETTING_FLAG,     /* bool: an option without a value */
    SETTING_INTERVAL, /* checkpoint_interval: a time, or a number of steps */
    SETTING_SHOW      /* no field: an option that prints something instead of a simulation */
} setting_type;

/* What a setting decides, and so which files have it. */
typedef enum {
    DECIDES_RUN,  /* how the simulation runs: in run.json and checkpoints; --resume may change it */
    DECIDES_DATA, /* the results: in the headers of data files, too; must not change */
    DECIDES_COMMAND /* what this one command does: in no file */
} setting_effect;

/* The position of a value in `parameters`; size 0: none. */
typedef struct {
    size_t offset, size;
} setting_field;

typedef struct {
    const char *name; /* name of the long option, also in headers and run.json */
    int letter;       /* 0: none */
    setting_type type;
    setting_field field;
    setting_field flag; /* field of another row, a bool that the option sets if its value is
                         * optional; while it is false the setting has no value */
    setting_effect effect;

    const char *value;    /* the name of the value in help; NULL: no option, or no value */
    const char *fallback; /* value without the option; NULL: none */
    const char *help;     /* meaning and values; NULL: no option of its own */

    const char *(*choice)(uint32_t n); /* SETTING_CHOICE, SETTING_DEVICE: name of choice n */
    uint32_t choices;                  /* number of choices */
    bool (*is_kind)(uint32_t n, const char *kind); /* whether choice n is of a kind that exclusions
                                                    * name in place of choices; NULL: no kinds */
    const char *subject; /* for messages about the range: "the number of runs" */
    double least, most;  /* the range; without a subject any value, or rules.c checks it */
    bool quiet;          /* headers do not contain the fallback value */
    bool only_on_gpu;    /* no meaning on a CPU */
} setting;

extern const setting settings[];
extern const size_t settings_count;
#define SETTINGS_MOST 64 /* size of arrays with an entry for each setting */

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

/* The row with this name or option character; NULL if there is none. */
const setting *setting_named(const char *name);
const setting *setting_of_letter(int letter);

/* Whether the setting has a value in *p, and no exclusion takes its meaning away. */
bool setting_holds(const setting *s, const parameters *p);

/* Goes through the table of exclusions. A setting is in use if its option was given; without a default
 * value also if it has a value. Returns 0; or -1 with one line in message[size] that names both
 * settings, for the first exclusion that *p does not obey. */
int settings_excluded(const parameters *p, const settings_given *given, char *message, size_t size);

/* The value of the setting in *p, in a form that setting_read accepts (values.h); "none" if it does
 * not hold. `text` is a buffer for the result. */
#define SETTING_TEXT_SIZE LATTICE_TEXT_SIZE
const char *setting_text(char text[SETTING_TEXT_SIZE], const setting *s, const parameters *p);

/* The first setting in which *p and *other differ so that their data files differ; NULL if there is
 * none. Settings that apply in *p come first. */
const setting *settings_differ(const parameters *p, const parameters *other);

/* The setting that decides the temperature steps: dbeta, overlap, culling, energy-step or betas. */
const setting *setting_of_steps(const parameters *p);

/* The option as messages name it: the short form if there is one, else the long one. Returns text. */
#define SETTING_OPTION_SIZE 32
const char *setting_option(char text[SETTING_OPTION_SIZE], const setting *s);

#endif
