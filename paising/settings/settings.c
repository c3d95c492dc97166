/* The table of the settings, in the order in which help lists them. */
#include "settings.h"

#include <stdio.h>
#include <string.h>

#define FIELD(name)                                                                                \
    { offsetof(parameters, name), sizeof((parameters *)NULL)->name }

static const char *choice_of_model(uint32_t n) {
    return model_kinds[n]->name;
}

static const char *choice_of_coding(uint32_t n) {
    return coding_name((spin_coding)n);
}

static const char *choice_of_device(uint32_t n) {
    return device_name((device_kind)n);
}

static const char *choice_of_stages(uint32_t n) {
    return stages_name((stage_mode)n);
}

static const char *choice_of_rng(uint32_t n) {
    return rng_name((rng_mode)n);
}

static const char *choice_of_resampling(uint32_t n) {
    return resampling_name((resampling_rule)n);
}

const setting settings[] = {
    {.name = "model",
     .type = SETTING_CHOICE,
     .field = FIELD(model),
     .effect = DECIDES_DATA,
     .json = 21,
     .checkpoint = 21,
     .value = "MODEL",
     .fallback = "square",
     .help = "square or cubic (ferromagnets), glass2d or glass3d (couplings +1 and -1)",
     .choice = choice_of_model,
     .choices = MODEL_KINDS,
     .quiet = true},
    {.name = "size",
     .letter = 'L',
     .type = SETTING_EDGES,
     .field = FIELD(size),
     .effect = DECIDES_DATA,
     .json = 1,
     .checkpoint = 1,
     .value = "L",
     .fallback = "64",
     .help = "lattice edge, or edges like 8x8x12: " LATTICE_EDGES},
    {.name = "disorder",
     .type = SETTING_SEED,
     .field = FIELD(disorder),
     .when = WHEN_DRAWN,
     .effect = DECIDES_DATA,
     .json = 22,
     .checkpoint = 22,
     .value = "SEED",
     .fallback = "1",
     .help = "64-bit seed of the couplings, on which -s has no influence; glasses only"},
    {.name = "sample",
     .type = SETTING_WHOLE,
     .field = FIELD(sample),
     .when = WHEN_DRAWN,
     .effect = DECIDES_DATA,
     .json = 26,
     .checkpoint = 26,
     .value = "S",
     .fallback = "0",
     .help = "number of the sample of the disorder, from 0; of --samples the first; glasses only",
     .subject = "the number of the sample",
     .least = 0,
     .most = UINT32_MAX,
     .quiet = true},
    {.name = "samples",
     .type = SETTING_WHOLE,
     .field = FIELD(samples),
     .when = WHEN_DRAWN,
     .json = 27,
     .checkpoint = 27,
     .value = "K",
     .fallback = "1",
     .help = "samples of the disorder, from 1: a folder in that of -o for each, and averages; "
             "those that are "
             "there already stay; glasses only",
     .subject = "the number of samples",
     .least = 1,
     .most = 1000000},
    {.name = "ferromagnetic",
     .type = SETTING_REAL,
     .field = FIELD(ferromagnetic),
     .when = WHEN_DRAWN,
     .effect = DECIDES_DATA,
     .json = 23,
     .checkpoint = 23,
     .value = "P",
     .fallback = "0.5",
     .help = "probability of a coupling +1, from 0 to 1; glasses only",
     .subject = "the probability of a coupling +1",
     .least = 0,
     .most = 1},
    {.name = "couplings",
     .type = SETTING_TEXT,
     .field = FIELD(couplings),
     .when = WHEN_DISORDERED,
     .json = 24,
     .checkpoint = 24,
     .value = "FILE",
     .help = "couplings from a file with a line 'x y z direction J' or 'i j J' for each bond; "
             "glasses only"},
    {.name = "fingerprint",
     .type = SETTING_WHOLE,
     .field = FIELD(fingerprint),
     .when = WHEN_READ,
     .effect = DECIDES_DATA,
     .json = 25,
     .checkpoint = 25},
    {.name = "population",
     .letter = 'R',
     .type = SETTING_WHOLE,
     .field = FIELD(population),
     .effect = DECIDES_DATA,
     .json = 2,
     .checkpoint = 2,
     .value = "R",
     .fallback = "20000",
     .help = "target population size, from 1"},
    {.name = "sweeps",
     .letter = 't',
     .type = SETTING_WHOLE,
     .field = FIELD(sweeps),
     .when = WHEN_ONE_THETA,
     .effect = DECIDES_DATA,
     .json = 3,
     .checkpoint = 3,
     .value = "THETA",
     .fallback = "100",
     .help = "sweeps per temperature, from 1",
     .subject = "the number of sweeps",
     .least = 1,
     .most = UINT32_MAX},
    {.name = "resampling",
     .type = SETTING_CHOICE,
     .field = FIELD(resampling),
     .effect = DECIDES_DATA,
     .json = 28,
     .checkpoint = 28,
     .value = "RULE",
     .fallback = "nearest",
     .help =
         "nearest (one of the two integers next to what is expected), poisson; or, for R exactly, "
         "systematic, stratified, residual, multinomial",
     .choice = choice_of_resampling,
     .choices = RESAMPLE_POISSON + 1,
     .quiet = true},
    {.name = "beta-start",
     .letter = 'b',
     .type = SETTING_REAL,
     .field = FIELD(beta_start),
     .effect = DECIDES_DATA,
     .json = 4,
     .checkpoint = 4,
     .value = "BETA",
     .fallback = "0",
     .help = "first inverse temperature, from 0",
     .subject = "the first inverse temperature",
     .least = 0,
     .most = PARAMETERS_MAX_BETA},
    {.name = "beta-end",
     .letter = 'f',
     .type = SETTING_REAL,
     .field = FIELD(beta_end),
     .effect = DECIDES_DATA,
     .json = 5,
     .checkpoint = 5,
     .value = "BETA",
     .fallback = "1",
     .help = "last inverse temperature, from BETA of -b",
     .subject = "the last inverse temperature",
     .least = 0,
     .most = PARAMETERS_MAX_BETA},
    {.name = "dbeta",
     .letter = 'd',
     .type = SETTING_REAL,
     .field = FIELD(dbeta),
     .when = WHEN_FIXED_STEPS,
     .effect = DECIDES_DATA,
     .json = 6,
     .checkpoint = 6,
     .value = "STEP",
     .fallback = "0.005",
     .help = "fixed step of the inverse temperature, above 0"},
    {.name = "overlap",
     .letter = 'a',
     .type = SETTING_REAL,
     .field = FIELD(overlap),
     .when = WHEN_NOT_ZERO,
     .effect = DECIDES_DATA,
     .json = 7,
     .checkpoint = 7,
     .value = "ALPHA",
     .help = "adaptive steps with this overlap, above 0 and below 1; not with -d"},
    {.name = "culling",
     .type = SETTING_REAL,
     .field = FIELD(culling),
     .when = WHEN_NOT_ZERO,
     .effect = DECIDES_DATA,
     .json = 29,
     .checkpoint = 29,
     .value = "FRACTION",
     .help = "adaptive steps in which this fraction of the replicas is lost, above 0 and below 1: "
             "1 - ALPHA"},
    {.name = "energy-step",
     .type = SETTING_REAL,
     .field = FIELD(energy_step),
     .when = WHEN_NOT_ZERO,
     .effect = DECIDES_DATA,
     .json = 30,
     .checkpoint = 30,
     .value = "X",
     .help = "adaptive steps of X over the standard deviation of the energy, above 0"},
    {.name = "betas",
     .type = SETTING_TEXT,
     .field = FIELD(betas),
     .json = 31,
     .checkpoint = 31,
     .value = "FILE",
     .help =
         "inverse temperatures from a file with a line for each, as PA_schedule.dat of a result; "
         "not with -b, -f"},
    {.name = "betas-fingerprint",
     .type = SETTING_WHOLE,
     .field = FIELD(betas_print),
     .when = WHEN_BETAS,
     .effect = DECIDES_DATA,
     .json = 32,
     .checkpoint = 32},
    {.name = "sweeps-file",
     .type = SETTING_TEXT,
     .field = FIELD(sweeps_file),
     .json = 33,
     .checkpoint = 33,
     .value = "FILE",
     .help = "sweeps from a file with a line 'beta theta' for those from each beta on, as "
             "PA_schedule.dat; not with -t"},
    {.name = "sweeps-fingerprint",
     .type = SETTING_WHOLE,
     .field = FIELD(sweeps_print),
     .when = WHEN_SWEEPS,
     .effect = DECIDES_DATA,
     .json = 34,
     .checkpoint = 34},
    {.name = "relaxation",
     .type = SETTING_TEXT,
     .field = FIELD(relaxation),
     .json = 35,
     .checkpoint = 35,
     .value = "FILE",
     .help = "THETA times tau sweeps, from a file with lines 'beta tau' and straight lines between "
             "them; not with --sweeps-file"},
    {.name = "relaxation-fingerprint",
     .type = SETTING_WHOLE,
     .field = FIELD(relaxation_print),
     .when = WHEN_RELAXATION,
     .effect = DECIDES_DATA,
     .json = 36,
     .checkpoint = 36},
    {.name = "runs",
     .letter = 'M',
     .type = SETTING_WHOLE,
     .field = FIELD(runs),
     .effect = DECIDES_DATA,
     .json = 8,
     .checkpoint = 8,
     .value = "M",
     .fallback = "1",
     .help = "independent runs, from 1",
     .subject = "the number of runs",
     .least = 1,
     .most = 1000000},
    {.name = "seed",
     .letter = 's',
     .type = SETTING_SEED,
     .field = FIELD(seed),
     .effect = DECIDES_DATA,
     .json = 9,
     .checkpoint = 9,
     .value = "SEED",
     .fallback = "2017",
     .help = "64-bit seed, decimal or 0x..."},
    {.name = "precision",
     .letter = 'P',
     .type = SETTING_INT,
     .field = FIELD(precision),
     .effect = DECIDES_DATA,
     .json = 10,
     .checkpoint = 10,
     .value = "DIGITS",
     .fallback = "11",
     .help = "significant digits in the data files, 1 to 17",
     .subject = "the digits in the output",
     .least = 1,
     .most = 17},
    {.name = "output",
     .letter = 'o',
     .type = SETTING_TEXT,
     .field = FIELD(output),
     .json = 11,
     .checkpoint = 19,
     .value = "FOLDER",
     .help = "where the results go [named after the parameters]"},
    {.name = "force",
     .type = SETTING_FLAG,
     .field = FIELD(force),
     .json = 19,
     .help = "replace a result or a checkpoint that is there already"},
    {.name = "dry-run",
     .type = SETTING_FLAG,
     .field = FIELD(dry_run),
     .help = "say what the run would take (memory, spin flips, time), and end"},
    {.name = "plan",
     .type = SETTING_INTERVAL,
     .field = FIELD(plan),
     .value = "TIME",
     .help = "say which -R and -t to choose for a time like 600s, 10m, 2h, from short pilot runs, "
             "and end"},
    {.name = "like",
     .type = SETTING_TEXT,
     .field = FIELD(like),
     .value = "NAME",
     .help =
         "with --dry-run: on the GPU that perf/baselines/NAME.dat was measured on, here or not"},
    {.name = "coding",
     .letter = 'c',
     .type = SETTING_CHOICE,
     .field = FIELD(coding),
     .effect = DECIDES_DATA,
     .json = 12,
     .checkpoint = 13,
     .value = "CODING",
     .fallback = "msc",
     .help = "ssc (one byte a spin) or msc (one bit a spin)",
     .choice = choice_of_coding,
     .choices = CODING_MSC + 1},
    {.name = "device",
     .letter = 'D',
     .type = SETTING_DEVICE,
     .field = FIELD(device),
     .json = 13,
     .checkpoint = 15,
     .value = "DEVICE",
     .fallback = "auto",
     .help = "cpu, cuda, cuda:N, or auto: a GPU if there is one",
     .choice = choice_of_device,
     .choices = DEVICE_CUDA + 1},
    {.name = "device-number",
     .type = SETTING_INT,
     .field = FIELD(device_number),
     .json = 14,
     .checkpoint = 17},
    {.name = "stages",
     .type = SETTING_CHOICE,
     .field = FIELD(stages),
     .when = WHEN_ON_GPU,
     .json = 15,
     .checkpoint = 16,
     .value = "MODE",
     .fallback = "fused",
     .help = "how a GPU makes a step: fused, apart (each timed) or hybrid (resampling on the CPU; "
             "ssc only)",
     .choice = choice_of_stages,
     .choices = STAGES_HYBRID + 1},
    {.name = "in-flight",
     .type = SETTING_WHOLE,
     .field = FIELD(in_flight),
     .json = 20,
     .checkpoint = 20,
     .value = "N",
     .fallback = "0",
     .help = "runs of -M that are made side by side, or samples if there are several, 0: as many "
             "as fill a GPU, "
             "or 1 on a CPU",
     .subject = "the number of runs in flight",
     .least = 0,
     .most = 1000000},
    {.name = "word",
     .letter = 'p',
     .type = SETTING_WHOLE,
     .field = FIELD(word),
     .when = WHEN_MSC,
     .effect = DECIDES_DATA,
     .json = 16,
     .checkpoint = 11,
     .value = "P",
     .fallback = "32",
     .help = "replicas a word, 8, 16, 32 or 64; msc only",
     .no_ssc = "ssc has no words"},
    {.name = "rng",
     .letter = 'g',
     .type = SETTING_CHOICE,
     .field = FIELD(rng),
     .when = WHEN_MSC,
     .effect = DECIDES_DATA,
     .json = 17,
     .checkpoint = 14,
     .value = "MODE",
     .fallback = "independent",
     .help = "independent, philox, shared, shared-reorder or lcg; msc only",
     .choice = choice_of_rng,
     .choices = RNG_LCG + 1,
     .no_ssc = "ssc has no choice of them"},
    {.name = "reweight",
     .letter = 'm',
     .type = SETTING_REAL,
     .field = FIELD(reweight_step),
     .flag = FIELD(reweight),
     .effect = DECIDES_DATA,
     .json = 18,
     .checkpoint = 12,
     .value = "STEP",
     .help = "multi-histogram analysis on a grid of this step, above 0 [step of -d, or 0.005]"},
    {.name = "checkpoint",
     .type = SETTING_TEXT,
     .field = FIELD(checkpoint),
     .value = "FILE",
     .help = "a new file for checkpoints, written between temperatures [FILE of --resume]"},
    {.name = "checkpoint-every",
     .type = SETTING_INTERVAL,
     .field = FIELD(checkpoint_every),
     .checkpoint = 18,
     .value = "TIME",
     .fallback = "10m",
     .help =
         "how often: a time above 0 like 600s, 10m, 2h, or a number of temperature steps, from 1"},
    {.name = "resume",
     .type = SETTING_TEXT,
     .field = FIELD(resume),
     .value = "FILE",
     .help = "go on from a checkpoint, whose options hold; others than -D, -o, --stages, "
             "--in-flight, --force and --checkpoint... must not differ"},
    {.name = "help", .letter = 'h', .type = SETTING_SHOW, .help = "print this"},
    {.name = "version", .letter = 'V', .type = SETTING_SHOW, .help = "print the version"},
    {.name = "manual", .type = SETTING_SHOW, .help = "print the manual page, for man -l"},
};

const size_t settings_count = sizeof settings / sizeof *settings;
_Static_assert(sizeof model_kinds / sizeof *model_kinds == MODEL_KINDS + 1, "a choice for each");
_Static_assert(sizeof settings / sizeof *settings <= SETTINGS_MOST, "SETTINGS_MOST is too small");

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
