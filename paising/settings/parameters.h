/* The parameters of a run, from the options, validated once before anything is allocated. Each
 * field has a row in the table of settings (settings.h). */
#ifndef PAISING_PARAMETERS_H
#define PAISING_PARAMETERS_H

#include "engine/kinds.h"
#include "update/update.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Random decisions are exact up to beta = 8 and more (engine/rounding.h, bernoulli.h). Populations
 * freeze long before. */
#define PARAMETERS_MAX_BETA 1000

typedef enum { DEVICE_AUTO, DEVICE_CPU, DEVICE_CUDA } device_kind;

/* The interval between checkpoints, as a time or as a number of steps; the other one is 0. */
typedef struct {
    double seconds;
    uint32_t steps; /* temperature steps */
} checkpoint_interval;

typedef struct {
    uint32_t model;             /* index in model_kinds */
    lattice_size size;          /* L, the edges of the lattice */
    uint64_t population;        /* R, the target population size */
    uint32_t sweeps;            /* theta, sweeps at each temperature; the maximum if adaptive */
    uint32_t update;            /* index in update_kinds */
    resampling_rule resampling; /* the rule that decides the number of children of a replica */
    double beta_start;          /* the first inverse temperature in the results */
    double beta_end;            /* the last one, reached exactly */
    double dbeta;               /* the fixed step; not used with one of the next four */
    double overlap;             /* alpha*, the target of adaptive steps (eq. 8); 0: no target */
    double culling;             /* 1 - alpha*; 0: no target */
    double energy_step;         /* dbeta sigma_E; 0: no target */
    const char *betas;          /* file of the temperatures; NULL: none */
    uint32_t betas_print;       /* its fingerprint */
    const char *sweeps_file;    /* file of theta at each temperature; NULL: none */
    uint32_t sweeps_print;      /* its fingerprint */
    const char *relaxation;     /* file of relaxation times to which theta is proportional; NULL:
                                 * none */
    uint32_t relaxation_print;  /* its fingerprint */
    double sweep_gain;          /* gain of adaptive sweeps; 0: theta is given */
    uint32_t runs;              /* M, independent runs */
    uint32_t in_flight;         /* runs at a time; 0: as many as fill the device */
    uint64_t seed;              /* the user's seed; each run derives its key from it */
    int precision;              /* significant digits in data files */
    const char *output;         /* folder of the results; NULL: named after the parameters */
    bool force;                 /* overwrite an existing result */
    bool dry_run;               /* print the needs of the simulation, and end */
    checkpoint_interval plan;   /* a time for which to propose R and theta; 0: none */
    const char *like;           /* estimate for the GPU of this baseline; NULL: for this device */
    spin_coding coding;         /* SSC or MSC */
    device_kind device;         /* where the engine runs */
    int device_number;          /* number of the GPU */
    stage_mode stages;          /* kernels of a step */
    uint32_t word;              /* p, replicas per word (MSC) */
    rng_mode rng;               /* random numbers of MSC */
    bool reweight;              /* multi-histogram analysis (eq. 9) */
    double reweight_step;       /* spacing of its grid of temperatures */
    const char *checkpoint;     /* file for checkpoints; NULL: none are written */
    checkpoint_interval checkpoint_every;
    const char *resume;    /* checkpoint to continue; NULL: none */
    uint64_t disorder;     /* seed of the couplings of disordered models, independent of `seed` */
    double ferromagnetic;  /* fraction of couplings +1 */
    const char *couplings; /* file of the couplings; NULL: they are drawn */
    uint32_t fingerprint;  /* fingerprint of that file's couplings */
    uint32_t sample;       /* number of the sample drawn; of several samples, of the first */
    uint32_t samples;      /* K, samples with consecutive numbers */
} parameters;

/* The kind of model; and the model, with couplings +1 if it is disordered. */
const model_kind *parameters_kind(const parameters *p);
spin_model parameters_model(const parameters *p);

/* The kind of temperature steps, by option. */
typedef enum {
    STEPS_FIXED,   /* -d */
    STEPS_OVERLAP, /* -a */
    STEPS_CULLING, /* --culling */
    STEPS_ENERGY,  /* --energy-step */
    STEPS_FILE     /* --betas */
} step_kind;

step_kind parameters_steps(const parameters *p);

/* Whether the first run decides the steps. */
bool parameters_steps_are_adaptive(const parameters *p);

/* Whether the first run decides steps or sweeps. */
bool parameters_first_run_decides(const parameters *p);

/* The advice that makes steps smaller: "smaller steps (-d)". */
const char *parameters_smaller_steps(const parameters *p);

/* Whether shared random numbers correlate the replicas of a word. Errors estimated within one run
 * are then meaningless. */
bool parameters_replicas_correlated(const parameters *p);

/* The name in options, run.json and messages. */
const char *device_name(device_kind device);

#endif
