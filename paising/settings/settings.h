/* The table of settings, one row each, made from list.h. It defines the options, their help and the
 * manual page (command/), the headers of data files, run.json and the parameters in a checkpoint
 * (files/), and what --resume may change. Which settings exclude each other: exclusions.h; rules that
 * compute: rules.h. */
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
    SETTING_BOUNDARY, /* lattice_boundary: a word, or several, like open,periodic */
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
    int short_name;   /* 0: none */
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
    const char *subject;    /* for messages about the range: "the number of runs" */
    double least, most;     /* the range; without a subject any value, or rules.c checks it */
    bool quiet;             /* headers do not contain the fallback value */
    method_kind quiet_with; /* likewise with this method, other than annealing */
    bool only_on_gpu;       /* no meaning on a CPU */
} setting;

extern const setting settings[];
extern const size_t settings_count;
#define SETTINGS_MOST 128 /* size of arrays with an entry for each setting */

/* The row with this name or option character; NULL if there is none. */
const setting *setting_named(const char *name);
const setting *setting_of_short_name(int short_name);

/* The setting that decides the temperature steps: dbeta, overlap, culling, energy-step or betas. */
const setting *setting_of_steps(const parameters *p);

/* The option as messages name it: the short form if there is one, else the long one. Returns text. */
#define SETTING_OPTION_SIZE 32
const char *setting_option(char text[SETTING_OPTION_SIZE], const setting *s);

#endif
