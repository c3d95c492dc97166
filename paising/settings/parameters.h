/* The parameters of a run, from the options, validated once before anything is allocated. The fields
 * are those of the list of settings (list.h). */
#ifndef PAISING_PARAMETERS_H
#define PAISING_PARAMETERS_H

#include "engine/kinds.h"
#include "engine/visits.h"
#include "model/bond_origin.h"
#include "model/boundary.h"
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

/* The methods (method_list.h). */
#define METHOD(file, name, title, meaning) METHOD_##file,
typedef enum {
#include "method_list.h"
    METHODS
} method_kind;
#undef METHOD

/* Moves of two chains of tempering at one temperature. */
typedef enum { MOVES_NONE, MOVES_HOUDAYER, MOVES } chain_moves;
/* What the bits of a machine word are of: chains of one sample, or one chain of 32 samples each. */
typedef enum { WORDS_CHAINS, WORDS_SAMPLES, WORD_CONTENTS } word_content;
/* What is kept. Of words of samples by tempering: the series of each sample, or sums over logarithmic bins. Of flat histograms: nothing
 * (series), where each walker is behind each measurement, or that and its spins. */
typedef enum { RECORD_SERIES, RECORD_BINS, RECORD_WALKERS, RECORD_STATES, RECORDS } record_kind;
/* How ln f of Wang-Landau falls. */
typedef enum { REFINEMENT_HALVED, REFINEMENT_BY_TIME, REFINEMENTS } refinement_rule;
/* How couplings are drawn (engine/disorder.h). */
typedef enum {
    COUPLINGS_BIMODAL,
    COUPLINGS_GAUSSIAN,
    COUPLINGS_REAL,
    COUPLINGS_TYPES
} couplings_type;

/* How data files are written (files/npz_results.h). */
typedef enum { FORMAT_TEXT, FORMAT_NPZ, FORMAT_TEXT_NPZ, FORMATS } file_format;

/* A field for each SETTING of the list. */
typedef struct {
#define SETTING(type, field, ...) type field;
#include "list.h"
    /* what the settings of graphs and fields make (graphs.h); NULL: the model is a lattice */
    const spin_graph *graph;
} parameters;

/* The kind of model; and the model, with couplings +1 if it is disordered. Whether bonds of a file are missing it does not
 * know. */
const model_kind *parameters_kind(const parameters *p);
spin_model parameters_model(const parameters *p);

/* What a replica of the engines is: the model, or a stripe of it. */
spin_model parameters_replica(const parameters *p);

/* The update whose probabilities decide flips: of an order of sites that of --acceptance. And the order of sites. */
const update_kind *parameters_acceptance(const parameters *p);
visit_plan parameters_visits(const parameters *p);

/* The kind of temperature steps, by option. */
typedef enum {
    STEPS_FIXED,    /* -d */
    STEPS_OVERLAP,  /* -a */
    STEPS_CULLING,  /* --culling */
    STEPS_ENERGY,   /* --energy-step */
    STEPS_FILE,     /* --betas */
    STEPS_GEOMETRIC /* --geometric */
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

/* Whether the method is one of walkers with weights of the energy (method/flat.h). */
bool parameters_have_walkers(const parameters *p);

/* Whether the parameters ask for a graph: a file (--graph), a field (--field, --random-field), in single-spin coding a
 * lattice with an odd edge, or microcanonical annealing of Ising spins. */
bool parameters_ask_for_graph(const parameters *p);

/* The name in options, run.json and messages. */
const char *device_name(device_kind device);

/* The name of a method, and its title in the headers of data files. */
const char *method_name(method_kind method);
const char *method_title(method_kind method);

#endif
