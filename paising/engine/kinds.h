/* The kinds of engine: how spins are coded, flips decided and children counted, how a GPU makes a step. */
#ifndef PAISING_KINDS_H
#define PAISING_KINDS_H

#include "model/model.h"
#include "update/update.h"

/* How MSC decides the flips of the p spins of a word (Sec. 4). */
typedef enum {
    RNG_INDEPENDENT,    /* an exact decision for each spin from bit planes and corrections */
    RNG_PHILOX,         /* a Philox number for each spin: n_RNG = p */
    RNG_SHARED,         /* one Philox number for the whole word: n_RNG = 1 */
    RNG_SHARED_REORDER, /* the same, siblings spread over the words */
    RNG_LCG             /* the same, the number multiplied by an LCG: a number for each spin */
} rng_mode;

/* How many children a parent gets of the tau-hat that it expects (rule_list.h). */
typedef enum {
#define RULE(NAME, name, way, meaning) RESAMPLE_##NAME,
#include "rule_list.h"
#undef RULE
    RESAMPLING_RULES
} resampling_rule;

/* How a GPU makes a temperature step: the same bits each way. */
typedef enum {
    STAGES_FUSED, /* one kernel collects the children, sweeps and measures */
    STAGES_APART, /* resampling, sweeps and measurement one after the other, each timed (Table 4) */
    STAGES_HYBRID /* likewise, and the population is resampled on the host (Table 5); SSC only */
} stage_mode;

C_DECLARATIONS_BEGIN

/* The names that options, data files and messages use. */
const char *coding_name(spin_coding coding);
const char *rng_name(rng_mode mode);
const char *resampling_name(resampling_rule rule);
const char *stages_name(stage_mode stages);

/* The most general flips that a coding has; it has those before it in the list as well. */
downhill_flips most_general_flips(spin_coding coding, rng_mode rng);

C_DECLARATIONS_END

#endif
