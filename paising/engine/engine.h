/* The interface of the population engines.
 *
 * An engine holds a population of replicas and never touches a floating-point number: all that it
 * is told are integers (tau-hat of each energy level, acceptance thresholds, tables for the random
 * streams) and all that it reports are integer sums (histogram.h). The temperatures, the weights
 * and the averages are the host's, one implementation for every engine. Engines of one coding give
 * the same bits whatever they run on. */
#ifndef PAISING_ENGINE_H
#define PAISING_ENGINE_H

#include "bernoulli.h"
#include "histogram.h"
#include "kinds.h"
#include "overlaps.h"
#include "rounding.h"

#include <stdbool.h>

typedef enum {
    ENGINE_OK,
    ENGINE_EXTINCT,  /* the new population is empty */
    ENGINE_OUTGROWN, /* the new population exceeds the capacity */
    ENGINE_FAILED    /* the device failed; engine.error says what and where */
} engine_status;

/* Where an engine's time goes. */
typedef enum {
    STAGE_RESAMPLE,
    STAGE_SWEEP,
    STAGE_MEASURE,
    STAGE_STEP,       /* all three, where one kernel makes them */
    STAGE_ROUND_TRIP, /* of a device, from the end of a step to the beginning of the next */
    STAGES
} engine_stage;

/* Where besides the time of an engine goes that is made of engines (ranks/), as the one that the program sees spends
 * it. */
typedef enum {
    PHASE_EXCHANGE, /* from the first count of children until each is where it will be; some are swept meanwhile */
    PHASE_WAIT, /* from the own report until the last one is made, and replicas of each level are added up */
    PHASE_REDUCE, /* what else makes all reports one, as far as the next step waits for it */
    DISTRIBUTED_PHASES
} distributed_phase;

/* What must be known before an engine can be made. */
typedef struct {
    spin_coding coding;
    spin_model model;
    uint64_t capacity; /* the largest population it must hold */
    bool wide; /* the whole population, of which these may be a share, may have 2^32 or more */
    resampling_rule resampling;
    uint32_t word;     /* p (MSC) */
    rng_mode rng;      /* MSC */
    int device_number; /* CUDA */
    stage_mode stages; /* CUDA; STAGES_HYBRID with SSC only */
} engine_config;

/* What a step does, any of these together and in this order. Random numbers are counted by what they are
 * for, so that the parts one by one give the bits of all at once. */
typedef enum {
    PART_SELECT = 1,  /* children replace their parents */
    PART_SWEEP = 2,   /* Metropolis updates */
    PART_MEASURE = 4, /* energies and order parameters, and the report */
    WHOLE_STEP = 7
} step_parts;

/* What decides the flips at one temperature. */
typedef struct {
    /* [gaps] The probability p of acceptance, 2^32 p = threshold + (fraction + rest / 2^64) / 2^64: for
     * 32-bit numbers and rounded thresholds (rounding.h). */
    uint32_t threshold[MODEL_MAX_GAPS];
    uint64_t fraction[MODEL_MAX_GAPS], rest[MODEL_MAX_GAPS]; /* 0 where threshold = 2^32 - 1 */
    bernoulli_table bernoulli;                               /* the same for bit planes */
} flip_rule;

/* A range of the population at a temperature of its own: replicas first .. first of the next group - 1, or
 * up to the last. Ranges are of whole machine words: `first` is a multiple of 32 and of p in MSC. None is
 * empty: a step whose last group begins behind the population fails. */
typedef struct {
    uint64_t first;
    flip_rule rule;
} engine_group;

/* The line on which rules with a fixed number of children have their parents stand (resample/line.h). */
typedef struct {
    uint64_t length; /* T, the sum of the weights of all parents */
    uint64_t points; /* P, that fall on it; 0 where the length is */
    uint64_t before; /* the weight of the parents before the replicas here, of a share (share.h) */
} parent_line;

/* A step. What the pointers point to must stay as it is until `finish`. */
typedef struct {
    step_parts parts;
    stream_key key;       /* of this run */
    uint32_t temperature; /* index of the step, 1 for the first after beta = 0 */
    uint32_t sweeps;      /* theta */

    /* Who is the parent of each child, for PART_SELECT: by the engine's rule from tau-hat, or as told. */
    parent_line line;  /* all of them on theirs; of rules that have none, not read */
    uint64_t founders; /* replicas that the run began with */
    const uint64_t
        *tau_hat; /* [levels.count] tau-hat (eq. 2) in 32.32 fixed point; only the levels that
                                the last histogram reported as occupied are read. NULL: */
    const uint32_t
        *parents; /* [children] of each child, a replica of the population before. NULL, too:
                                as the engine was told before (share.h) */
    uint64_t children;

    /* One temperature for all, as in population annealing, or groups. */
    flip_rule rule;            /* of all replicas, without groups */
    const engine_group *group; /* [groups] in rising order; the first begins with replica 0 */
    size_t groups;             /* 0: there are none; not in the modes that reorder replicas */
} engine_step;

/* Where replicas stand in a file, all of a population in pieces of so many: of a piece the families, then the spins, as
 * `save` gives them. */
typedef struct {
    char path[4096];
    uint64_t offset; /* of the first piece */
    uint64_t replicas, piece, founders;
    bool write; /* or they are read */
} engine_file;

/* What came of it. */
typedef struct {
    bool reached;  /* everyone could open the file; if not, nothing was done */
    bool in_order; /* families that were read rise, and are below the founders */
    uint32_t crc;  /* CRC-32 of all pieces */
} engine_file_outcome;

typedef struct engine engine;

struct engine {
    const char *name;   /* "SSC on one CPU core", for messages */
    const char *driver; /* of its device; NULL: it has none */
    spin_model model;
    uint32_t threads;                         /* CPU threads in use */
    double seconds[STAGES];                   /* time spent so far; NAN: not known apart */
    double phase_seconds[DISTRIBUTED_PHASES]; /* likewise; 0 of an engine that is one */
    char error[200];                          /* what failed, after ENGINE_FAILED */

    /* Draws `replicas` random states (the beta = 0 population) and reports them. Replica k is the
     * founder of family k. */
    engine_status (*randomise)(engine *self, stream_key key, uint64_t replicas, histogram *out);

    /* From now on goes with another engine of the same thread, made alike but for the couplings, and those that this one
     * goes with: what they are asked for waits for the others', until it is sent off together. NULL: it goes alone. */
    void (*join_batch)(engine *self, engine *other);

    /* Says how the next step will be, less its tau-hat and line, as soon as that is known, while the device works: who
     * tells others tells them then, and who can queues it ahead. NULL: nobody needs to know before `start`, and whoever says
     * nothing, or is wrong, is right, too. */
    void (*expect)(engine *self, const engine_step *step);

    /* Begins a step. May return before anything is done, so that the host can do other work
     * meanwhile. */
    engine_status (*start)(engine *self, const engine_step *step);

    /* Sends off the steps that were started and the overlaps that were asked for, of all that go with it, when the last
     * one is; who waits for its own has them sent off, too. NULL: they are under way. */
    void (*flush)(engine *self);

    /* Ends the step that was begun, and with PART_MEASURE reports the population: out[groups], or one
     * histogram without groups. Families are followed by eq. (2) alone: there are 0 in the reports of
     * groups, and after a selection by parents. */
    engine_status (*finish)(engine *self, histogram *out);

    /* Adds to a report what `finish` has left out: all sums but how many replicas there are of each level, which is
     * what the next step is decided by. It may have been started meanwhile, and the report may have been given a wider
     * range of levels. ENGINE_FAILED: the report is not whole. NULL: nothing is left out. */
    engine_status (*complete)(engine *self, histogram *out);

    /* Copies the energy levels of replicas first .. first+count-1, as they were measured last. */
    engine_status (*read_levels)(engine *self, uint64_t first, uint64_t count, uint32_t *levels);

    /* Copies replicas first .. first+count-1 out, or in: families[count], and in spins[] one
     * replica after another, ceil(N/8) bytes each, bit i % 8 of byte i / 8 for site i, 1 for spin
     * up. Site i counts the even sub-lattice (row + column even) row by row, then the odd one. Neither
     * allocates, and a save that fails leaves the engine as it was. A series of loads says how many
     * replicas the population will have; when it has brought them all, the next step must measure. */
    engine_status (*save)(engine *self, uint64_t first, uint64_t count, uint8_t *spins,
                          uint64_t *families);
    engine_status (*load)(engine *self, uint64_t first, uint64_t count, uint64_t replicas,
                          const uint8_t *spins, const uint64_t *families);

    /* Saves or loads the whole population by way of a file, all who have a part of it at a time. NULL: there is one
     * who has, with `save` and `load`. */
    engine_status (*pass_file)(engine *self, const engine_file *file, engine_file_outcome *out);

    /* Reports the overlaps of the pairs of a population that was measured (overlaps.h), between two steps. NULL:
     * the engine cannot; every engine of a disordered model can. They may come later, when the next step was started,
     * and are waited for with the second one, before a new population begins. NULL: they are there at once. */
    engine_status (*overlaps)(engine *self, overlap_sums *out);
    engine_status (*await_overlaps)(engine *self);

    /* Takes the couplings of another sample of its model, which must stay as long, for the populations that follow. NULL:
     * another engine must be made for them. */
    engine_status (*take_sample)(engine *self, const couplings *sample);

    /* For populations that are divided among engines (share.h). NULL: it holds whole ones only. */
    const struct partition_verbs *share;

    void (*destroy)(engine *self);
};

C_DECLARATIONS_BEGIN

/* Metropolis updates at inverse temperature beta, with the probabilities exp(-beta gap n). Or with given
 * probabilities[gaps], or thresholds[gaps], which stand for threshold / 2^32. Numbers that are compared
 * take what is above 1 - 2^-32 for that. SSC on a GPU relies on probabilities that do not fall with n. */
flip_rule flip_rule_at(const spin_model *model, double beta);
flip_rule flip_rule_of(const spin_model *model, const double probability[]);
flip_rule flip_rule_with(const spin_model *model, const uint32_t threshold[]);

/* The rule for replica k. */
const flip_rule *step_rule(const engine_step *step, uint64_t k);

/* What the thresholds of a rule are rounded from in a step. */
rounding step_rounding(const engine_step *step, const flip_rule *rule);

/* Whether the groups of a step are ranges of `unit` replicas, as an engine asks for; 0: it takes none. If
 * not, says so in e->error. */
int step_groups_are_whole(engine *e, const engine_step *step, uint64_t unit);

/* Whether each group has replicas of a population of so many, once the children are counted. If not, says so
 * in e->error. */
int step_groups_have_replicas(engine *e, const engine_step *step, uint64_t replicas);

/* Sends off what was started, unless it is under way. */
void engine_flush(engine *e);

/* Says how the next step will be, if anybody wants to know. */
void engine_expect(engine *e, const engine_step *step);

/* Waits for the overlaps that were asked for, unless they are there. */
engine_status engine_await_overlaps(engine *e);

/* Completes a report, unless it is. */
engine_status engine_complete(engine *e, histogram *out);

/* Ends a step, and completes its report. */
engine_status engine_finish(engine *e, histogram *out);

/* Makes a step: start and finish. */
engine_status engine_advance(engine *e, const engine_step *step, histogram *out);

/* Reports the population as it is. */
engine_status engine_measure(engine *e, histogram *out);

/* Whether there is a CPU engine for a model in a coding. */
int engine_cpu_has(const engine_config *config);

/* Host memory in bytes that an engine of this configuration takes. */
uint64_t engine_cpu_bytes(const engine_config *config);

/* Creates a CPU engine. Returns NULL when there is none, or not enough memory. */
engine *engine_cpu_create(const engine_config *config);

C_DECLARATIONS_END

#endif
