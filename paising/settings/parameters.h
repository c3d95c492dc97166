/* The parameters of a run: what the options say, validated once, before anything is allocated. Each
 * field has a row in the table of the settings (settings.h). */
#ifndef PAISING_PARAMETERS_H
#define PAISING_PARAMETERS_H

#include "engine/kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decisions are exact up to beta = 8 and more (engine/rounding.h, bernoulli.h); long before, nothing is
 * seen to move any more. */
#define PARAMETERS_MAX_BETA 1000

typedef enum { DEVICE_AUTO, DEVICE_CPU, DEVICE_CUDA } device_kind;

/* A time, or a number of steps: how often a checkpoint is written. One of the two, the other is 0. */
typedef struct {
    double seconds;
    uint32_t steps; /* temperature steps */
} checkpoint_interval;

typedef struct {
    uint32_t model;             /* its kind, by its place in model_kinds */
    lattice_size size;          /* L, the edges of the lattice */
    uint64_t population;        /* R, the target population size */
    uint32_t sweeps;            /* theta, Metropolis sweeps at each temperature, or the most */
    resampling_rule resampling; /* how many children a replica gets */
    double beta_start;          /* the first inverse temperature that is written */
    double beta_end;            /* the last one, hit exactly */
    double dbeta;               /* the fixed step; with one of the next four it is not used */
    double overlap;          /* alpha*, the target of adaptive steps (eq. 8); 0: they have none */
    double culling;          /* 1 - alpha*, likewise */
    double energy_step;      /* dbeta sigma_E, likewise */
    const char *betas;       /* the file of the temperatures; NULL: there is none */
    uint32_t betas_print;    /* the fingerprint of what stands there */
    const char *sweeps_file; /* the file of theta at each temperature; NULL: theta is one number */
    uint32_t sweeps_print;   /* likewise */
    const char
        *relaxation; /* the file of the times to which theta is proportional; NULL: to none */
    uint32_t relaxation_print; /* likewise */
    double sweep_gain;         /* of adaptive sweeps, what each is worth; 0: they are none */
    uint32_t runs;             /* M, independent runs */
    uint32_t in_flight;        /* of them at a time; 0: as many as fill the device */
    uint64_t seed;             /* the user's seed; each run derives its key from it */
    int precision;             /* significant digits in data files */
    const char *output;        /* the folder for the results; NULL: named after the parameters */
    bool force;                /* overwrite an existing result */
    bool dry_run;              /* say what it would take, and end ... */
    checkpoint_interval plan;  /* a time: say which R and theta to choose for it, and end; 0: no */
    const char *like;          /* ... on the GPU of this baseline; NULL: on the device at hand */
    spin_coding coding;        /* SSC or MSC */
    device_kind device;        /* where the engine runs */
    int device_number;         /* which GPU */
    stage_mode stages;         /* how it makes a step */
    uint32_t word;             /* p, replicas a word (MSC) */
    rng_mode rng;              /* how MSC decides the spins of a word */
    bool reweight;             /* multi-histogram analysis (eq. 9) */
    double reweight_step;      /* the spacing of its grid of temperatures */
    const char *checkpoint;    /* the file for checkpoints; NULL: none are written */
    checkpoint_interval checkpoint_every;
    const char *resume; /* the checkpoint to begin from; NULL: from the start */
    uint64_t
        disorder; /* the seed of the couplings (disordered models); the run's has no part in them */
    double ferromagnetic;  /* the share of couplings +1 */
    const char *couplings; /* the file that they are from; NULL: they are drawn */
    uint32_t fingerprint;  /* of the couplings of that file, as they were read */
    uint32_t sample;       /* the number of the sample that is drawn, of several the first */
    uint32_t samples;      /* K, one after the other by their numbers */
} parameters;

/* The kind of model that they ask for, and the model; a disordered one with couplings +1. */
const model_kind *parameters_kind(const parameters *p);
spin_model parameters_model(const parameters *p);

/* What decides the steps of the inverse temperature. */
typedef enum {
    STEPS_FIXED,   /* -d */
    STEPS_OVERLAP, /* -a */
    STEPS_CULLING, /* --culling */
    STEPS_ENERGY,  /* --energy-step */
    STEPS_FILE     /* --betas */
} step_kind;

step_kind parameters_steps(const parameters *p);

/* Whether they are decided in the first run. */
bool parameters_steps_are_adaptive(const parameters *p);

/* Whether anything of the schedule is, the steps or the sweeps. */
bool parameters_first_run_decides(const parameters *p);

/* What makes steps smaller, in words: "smaller steps (-d)". */
const char *parameters_smaller_steps(const parameters *p);

/* Whether shared random numbers correlate the replicas of a word, so that the errors that one run
 * gives itself mean nothing. */
bool parameters_replicas_correlated(const parameters *p);

/* The name that options, run.json and messages use. */
const char *device_name(device_kind device);

#endif
