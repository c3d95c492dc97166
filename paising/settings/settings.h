/* The settings: one table, a row each. From it are made the options, their help and the manual page
 * (command/), the headers of the data files, run.json and the parameters of a checkpoint (files/), and
 * what --resume may change. A new setting is a field of `parameters` and a row of the table
 * (settings.c); rules between several settings stand in rules.c. */
#ifndef PAISING_SETTINGS_H
#define PAISING_SETTINGS_H

#include "parameters.h"

/* What a value is, and with it how it is read and written (values.h). The field is of the type behind
 * it. */
typedef enum {
    SETTING_WHOLE,    /* uint32_t or uint64_t: a whole number, also like 1e5 */
    SETTING_INT,      /* int: the same, not negative */
    SETTING_SEED,     /* uint64_t: decimal or hexadecimal */
    SETTING_REAL,     /* double: a finite decimal number */
    SETTING_EDGES,    /* lattice_size: a whole number, or several like 8x8x12 */
    SETTING_CHOICE,   /* an enum, or a uint32_t: one of its names */
    SETTING_DEVICE,   /* device_kind: "cuda:N" sets parameters.device_number too */
    SETTING_TEXT,     /* const char *: not empty; NULL: none */
    SETTING_FLAG,     /* bool: an option that takes no value */
    SETTING_INTERVAL, /* checkpoint_interval: a time, or a number of steps */
    SETTING_SHOW      /* no setting: an option that prints something, and there is nothing to run */
} setting_type;

/* When a setting means anything. */
typedef enum {
    WHEN_ALWAYS,
    WHEN_FIXED_STEPS, /* the steps are those of -d */
    WHEN_NOT_ZERO,    /* a real number is given */
    WHEN_ONE_THETA,   /* without --sweeps-file */
    WHEN_BETAS,       /* with --betas, */
    WHEN_SWEEPS,      /* --sweeps-file, */
    WHEN_RELAXATION,  /* --relaxation */
    WHEN_MSC,         /* with -c msc */
    WHEN_DISORDERED,  /* with a disordered model ... */
    WHEN_DRAWN,       /* ... whose couplings are drawn */
    WHEN_READ,        /* ... or read from a file */
    WHEN_ON_GPU       /* parameters alone do not tell */
} setting_condition;

/* What it decides, and with it whether it stands in the headers of the data files, and whether a
 * simulation that is resumed may have another value. */
typedef enum {
    DECIDES_RUN, /* how the simulation is run: no header, may differ */
    DECIDES_DATA /* what it results in: every header names it, must not differ */
} setting_effect;

/* Where a value stands in `parameters`; size 0: nowhere. */
typedef struct {
    size_t offset, size;
} setting_field;

typedef struct {
    const char *name; /* the long option, and the name in headers and run.json */
    int letter;       /* 0: none */
    setting_type type;
    setting_field field;
    setting_field flag; /* a bool that the option sets, its value being optional; without it the
                           setting has no value */
    setting_condition when;
    setting_effect effect;
    int json;       /* its place in run.json's "parameters", from 1; 0: not there */
    int checkpoint; /* its place in a checkpoint, likewise */

    const char *value;    /* what help calls the value; NULL: no option, or it takes none */
    const char *fallback; /* the value without the option; NULL: none */
    const char *help;     /* what it means and takes; NULL: the setting has no option of its own */

    const char *(*choice)(
        uint32_t n);     /* SETTING_CHOICE, SETTING_DEVICE: the name of choice n ... */
    uint32_t choices;    /* ... of so many */
    const char *subject; /* "the number of runs" must be from ... */
    double least, most;  /* ... to ...; without a subject: any, or rules.c knows */
    const char *no_ssc;  /* WHEN_MSC: why the option is refused with -c ssc */
    bool quiet;          /* headers do not name the fallback */
} setting;

extern const setting settings[];
extern const size_t settings_count;
#define SETTINGS_MOST 64 /* for arrays with an entry for each */

/* The row of this name, letter, or place in run.json or a checkpoint; NULL if there is none. */
const setting *setting_named(const char *name);
const setting *setting_of_letter(int letter);
const setting *setting_in_json(int place);
const setting *setting_in_checkpoint(int place);

/* Whether the setting has a value in *p that means something. */
bool setting_holds(const setting *s, const parameters *p);

/* What decides the steps of the inverse temperature: dbeta, overlap, culling, energy-step or betas. */
const setting *setting_of_steps(const parameters *p);

/* The option as messages name it: by its letter, or else by its name. Returns text. */
#define SETTING_OPTION_SIZE 32
const char *setting_option(char text[SETTING_OPTION_SIZE], const setting *s);

#endif
