/* What an engine is: a population of replicas, and what can be done with it.
 *
 * An engine gets no temperature, and decides nothing by rounded arithmetic. It is given integers and tables of probabilities:
 * tau-hat of each energy level, acceptance thresholds, keys of random streams. What it computes with doubles is exact, or
 * corrected to the exact integer. It reports exact integer sums (histogram.h). Temperatures, weights and averages are the
 * host's, one implementation for every engine. Engines of one coding give the same bits on any device.
 *
 *   level            one of the energies that the model can have, numbered from the lowest
 *   gap n            the n-th energy difference of a spin flip that needs a random decision
 *   family, founder  the descendants of one replica of the population at beta = 0, and that replica
 *   report           the histogram of a population
 *   share            the replicas of a population that one engine has, where ranks divide it
 *   machine word     one site of 32 replicas (MSC); p: the replicas that share random numbers
 *
 * Equations and sections are those of Barash et al. 2017 (docs/theory.md).
 *
 * The verbs are synchronous: each returns when its work is done. An engine that can work while the host does something else
 * has verbs for that as well (async.h), which stepper.c alone calls. */
#ifndef PAISING_ENGINE_H
#define PAISING_ENGINE_H

#include "bernoulli.h"
#include "fine_flips.h"
#include "flip_table.h"
#include "histogram.h"
#include "kinds.h"
#include "overlaps.h"
#include "rounding.h"
#include "states.h"
#include "update/update.h"
#include "vectors.h"
#include "visits.h"
#include "walk.h"

#include <stdbool.h>

/* Replicas of a population at most, on all ranks together: numbers of replicas and of families have 32 bits. */
#define MOST_REPLICAS ((uint64_t)UINT32_MAX)

typedef enum {
    ENGINE_OK,
    ENGINE_EXTINCT,  /* the new population is empty */
    ENGINE_OUTGROWN, /* the new population exceeds the capacity */
    ENGINE_STOPPED, /* the step was given up (engine_step.stop): spins and families are those before it, and not measured */
    ENGINE_FAILED   /* the device failed; engine.error says what and where */
} engine_status;

/* Where an engine's time goes. */
typedef enum {
    STAGE_RESAMPLE,
    STAGE_SWEEP,
    STAGE_MEASURE,
    STAGE_STEP,       /* all three, where one kernel makes them */
    STAGE_OVERLAPS,   /* of pairs of replicas, behind a step */
    STAGE_ROUND_TRIP, /* of a device, from the end of a step to the beginning of the next */
    STAGES
} engine_stage;

/* Where the time of a distributed engine (ranks/) goes besides, as rank 0 spends it. */
typedef enum {
    PHASE_EXCHANGE, /* from the first count of children until every child is on its rank */
    PHASE_WAIT,   /* from this rank's own report until the level counts of all ranks are added up */
    PHASE_REDUCE, /* the other reductions that the next step waits for */
    DISTRIBUTED_PHASES
} distributed_phase;

/* What must be known before an engine can be made. */
typedef struct {
    spin_coding coding;
    spin_model model;
    uint64_t capacity; /* the largest population it must hold */
    /* replicas of each population, where there are several at temperatures of their own; 0: it is one */
    uint64_t group;
    resampling_rule resampling;
    uint32_t word; /* p (MSC) */
    rng_mode rng;  /* MSC */
    bool clusters; /* it has room for cluster updates; SSC, ferromagnets with all bonds, Potts */
    /* order of local updates; others than VISIT_CHECKERBOARD: SSC, ferromagnets with all bonds; VISIT_TILES also MSC,
     * mode `independent`, square lattices (msc_tiles.h), steps without PART_SELECT */
    visit_plan visits;
    bool walkers;      /* it has room for walks (walk.h); engine_has_walkers */
    int device_number; /* CUDA */
    /* CUDA; other processes use it: work that waits for the host would delay them */
    bool device_is_shared;
    stage_mode stages; /* CUDA; STAGES_HYBRID with SSC only */
} engine_config;

/* What a step does, any of these together and in this order. Random numbers are counted by what they are
 * for, so that the parts one by one give the bits of all at once. */
typedef enum {
    PART_SELECT = 1,  /* children replace their parents */
    PART_SWEEP = 2,   /* local updates */
    PART_MEASURE = 4, /* energies and order parameters, and the report */
    WHOLE_STEP = 7
} step_parts;

/* Changes of the energy by a flip are numbered by the unsatisfied bonds d that the spin has before, as model_counted_at_lowest
 * counts them:
 *
 *   sites       d < gaps     d = gaps                     d > gaps
 *   all         gap[d]       0                            -gap[2 gaps - d]
 *   odd ones    gap[d] - 2   -(gap[2 gaps - 1 - d] - 2)   likewise
 *
 * Odd sites have an odd number of bonds, since some are missing. With DOWNHILL_ALWAYS probabilities are given for changes
 * above 0, and other flips are always made. With DOWNHILL_COMPLEMENT a flip of a change below 0 is made where one of the
 * opposite change would not. */

/* What decides the flips at odd sites, at one temperature: as in flip_rule. */
typedef struct {
    uint32_t threshold[MODEL_MAX_CHANGES];
    uint64_t fraction[MODEL_MAX_CHANGES], rest[MODEL_MAX_CHANGES];
    bernoulli_classes bernoulli;
} odd_site_flips;

/* What decides the flips at one temperature. */
typedef struct {
    downhill_flips downhill;

    /* Of a cluster update nothing is read but this and threshold[0], with its fraction and rest: the probability that a bond
     * between parallel spins is left out. */
    cluster_flips clusters;

    /* By change: the probability p of acceptance, 2^32 p = threshold + (fraction + rest / 2^64) / 2^64: for
     * 32-bit numbers and rounded thresholds (rounding.h). */
    uint32_t threshold[MODEL_MAX_CHANGES];
    uint64_t fraction[MODEL_MAX_CHANGES],
        rest[MODEL_MAX_CHANGES]; /* 0 where threshold = 2^32 - 1 */
    odd_site_flips odd;          /* of a model with odd sites; else all zero */

    /* Local updates of spins with more states, and clusters and local updates of vectors, read nothing else. Graphs read the
     * ceiling of `states`. */
    state_rule states;
    vector_rule vectors;

    /* By gap: the same for bit planes; with DOWNHILL_COMPLEMENT of 2 p, since half of the flips that it accepts are made. */
    bernoulli_table bernoulli;

    /* Of graphs, and of fine energies, for which nothing else but `downhill` is read. NULL there: there was no memory, and a step
     * fails. */
    const flip_table *table;
    const fine_flips *fine;
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
    uint64_t points; /* P, the number of points on the line; 0 if T is 0 */
    uint64_t before; /* of a share (partition.h): the weight of all parents before its own */
} parent_line;

/* A step. What its pointers point to must stay as it is until the step is done. */
typedef struct {
    step_parts parts;
    stream_key key;       /* of this run */
    uint32_t temperature; /* index of the step, 1 for the first after beta = 0 */
    uint32_t sweeps;      /* theta */

    /* The parent of each child, for PART_SELECT: by the engine's rule from tau_hat[], or given as parents[]. Both are NULL where
     * `assign` and `attach` have said (partition.h). */
    parent_line line;  /* of all parents; not read by rules without one */
    uint64_t founders; /* replicas that the run began with */
    /* [levels.count] tau-hat (eq. 2) in 32.32 fixed point, read for the levels that the last report found occupied */
    const uint64_t *tau_hat;
    /* [children] numbers in the population before, in any order of one engine; on ranks as ranks/given.c allows */
    const uint32_t *parents;
    uint64_t children;

    /* Of fine energies. Not NULL: tau-hat follows from these and the energy of each replica, and tau_hat[] is not read. Pre: the
     * last report had weights for the step (histogram.next). */
    const expected_copies *copies;

    /* dbeta of the next step, and how many children it is to have; 0: not known. An engine may report weights for it. Then `wait`
     * brings the population and the weights; the counts of the levels come with the rest of the report. */
    double next_width;
    uint64_t next_target;

    /* One temperature for all, as in population annealing, or groups. */
    flip_rule rule;            /* of all replicas, without groups */
    const engine_group *group; /* [groups] in rising order; the first begins with replica 0 */
    size_t groups;             /* 0: there are none; not in the modes that reorder replicas */

    /* A step is given up once *stop is not 0, which another thread or a signal handler may write meanwhile. Steps with PART_SWEEP, of
     * engines that heed it. Without PART_SELECT it costs a copy of the spins. NULL: never. */
    const int *stop;
} engine_step;

/* Whether a step is to be given up. */
static inline bool step_is_stopped(const engine_step *step) {
    return step->stop != NULL && __atomic_load_n(step->stop, __ATOMIC_RELAXED) != 0;
}

/* Whether the spins behind a step stand beside those before it, which another step may overwrite: those of children, and of
 * a step that may be given up. */
static inline bool step_keeps_spins(const engine_step *step) {
    return step->parts & PART_SELECT || (step->stop != NULL && step->parts & PART_SWEEP);
}

/* Where replicas stand in a file, all of a population in pieces of so many: of a piece the families, then the spins, as
 * `read` gives them. */
typedef struct {
    char path[4096];
    uint64_t offset; /* of the first piece */
    uint64_t replicas, piece, founders;
    bool write; /* or they are read */
} engine_file;

/* What came of it. */
typedef struct {
    bool reached;  /* every rank could open the file; if not, nothing was done */
    bool in_order; /* families that were read rise, and are below the founders */
    uint32_t crc;  /* CRC-32 of all pieces */
} engine_file_outcome;

typedef struct engine engine;

/* One constant table for each kind of engine. Statuses: ENGINE_FAILED leaves the reason in engine.error. */
struct engine_verbs {
    /* Draws `replicas` random states, the population at beta = 0, and reports them. Replica k is the founder of family k. */
    engine_status (*randomise)(engine *self, stream_key key, uint64_t replicas, histogram *out);

    /* Makes the parts of a step. With PART_MEASURE it reports the population: out[groups], or one histogram without groups; else
     * `out` is not touched. Families are counted where the engine's rule chose the parents; other reports have 0 families. After a
     * failure the population is undefined until the next `randomise` or `write`. */
    engine_status (*step)(engine *self, const engine_step *step, histogram *out);

    /* Reports the overlaps of the pairs of the population, as it was measured last (overlaps.h); of disordered models. */
    engine_status (*overlaps)(engine *self, overlap_sums *out);

    /* The same of replicas first .. first + count - 1 alone, a group of a step: its pairs are those of a population of `count`
     * replicas, and family_logs is left 0. `first` is a multiple of 32 in MSC. NULL: it cannot. */
    engine_status (*group_overlaps)(engine *self, uint64_t first, uint64_t count,
                                    overlap_sums *out);

    /* Copies the energy levels of replicas first .. first + count - 1, as they were measured last. */
    engine_status (*read_levels)(engine *self, uint64_t first, uint64_t count, uint32_t *levels);

    /* The same of fine energies, in units of J / unit. Pre: energies are fine. NULL: it cannot. */
    engine_status (*read_energies)(engine *self, uint64_t first, uint64_t count, int64_t *energies);

    /* Copies replicas first .. first + count - 1 out, or in. Neither allocates.
     *
     *   families[count]
     *   spins[count][model_packed_bytes]   of Ising spins bit i % 8 of byte i / 8 for site i, 1 for spin up. Site i counts the
     *                                      even sub-lattice (row + column even) row by row, then the odd one, or places of a graph
     *                                      (graph.h). Of others a byte or the components of each site, as in couplings.h
     *
     * A `read` that fails leaves the engine as it was. Each of a series of `write` says how many replicas the population will
     * have. If it has as many, those that are not written stay, but for modes that reorder. The next step after the last `write`
     * must measure. */
    engine_status (*read)(engine *self, uint64_t first, uint64_t count, uint8_t *spins,
                          uint32_t *families);
    engine_status (*write)(engine *self, uint64_t first, uint64_t count, uint64_t replicas,
                           const uint8_t *spins, const uint32_t *families);

    /* Copies hashes of the spins (spins_hash.h), and the families, of replicas first .. first + count - 1. NULL: the caller makes
     * hashes of what `read` gives. */
    engine_status (*read_hashes)(engine *self, uint64_t first, uint64_t count, uint64_t *hashes,
                                 uint32_t *families);

    /* Copies the whole population to a file, or from it. NULL: the caller does, by `read` and `write`. */
    engine_status (*transfer_file)(engine *self, const engine_file *file, engine_file_outcome *out);

    /* Takes the couplings of another sample of its model for the populations that follow. The engine does not copy them. NULL: it
     * cannot, and another engine must be made. */
    engine_status (*take_sample)(engine *self, const couplings *sample);

    void (*destroy)(engine *self);

    /* Copies the unsatisfied bonds of stripes (model_stripe) first .. first + count - 1, and their spins up, as they were measured
     * last. NULL: it has no stripes. Of stripes `step` reports nothing. */
    engine_status (*read_stripes)(engine *self, uint64_t first, uint64_t count,
                                  uint32_t *unsatisfied, uint32_t *up);

    /* Makes a walk of a flat-histogram method (walk.h). Pre: the replicas were measured. NULL: it has no walkers. */
    engine_status (*walk)(engine *self, const engine_walk *walk);

    /* Fills up[count][planes] with the profiles of replicas first .. first + count - 1, or stripes (profiles.h), whole
     * machine words in MSC. NULL: the caller makes them of what `read` gives. */
    engine_status (*read_profiles)(engine *self, uint64_t first, uint64_t count, uint32_t *up);

    /* Copies |M| / order unit of replicas first .. first + count - 1, as they were measured last, to orders[count]; and
     * their pairs, as `group_overlaps` takes them, to pair[overlap_pairs(count)]. NULL: it cannot. */
    engine_status (*read_orders)(engine *self, uint64_t first, uint64_t count, uint32_t *orders);
    engine_status (*read_pairs)(engine *self, uint64_t first, uint64_t count, overlap_pair *pair);

    /* async.h; NULL: the engine does nothing while the host does */
    const struct engine_async_verbs *async;
    /* partition.h; NULL: it holds whole populations only */
    const struct partition_verbs *partition;
};

struct engine {
    const struct engine_verbs *verbs;
    const char *name;   /* "SSC on the CPU", for messages */
    const char *driver; /* of its device; NULL: it has none */
    spin_model model;
    uint32_t threads;                         /* CPU threads in use */
    bool heeds_stop;                          /* engine_step.stop is read; else it must be NULL */
    double seconds[STAGES];                   /* time spent so far; NAN: not known apart */
    double phase_seconds[DISTRIBUTED_PHASES]; /* likewise; 0 of an engine of one process */
    char error[200];                          /* what failed, after ENGINE_FAILED */
};

C_DECLARATIONS_BEGIN

/* The flips of an update at inverse temperature beta. Where it is no update of DOWNHILL_OF_ITS_OWN, SSC on a GPU relies on it that
 * probabilities do not rise with dE. MSC has no flips of DOWNHILL_OF_ITS_OWN, and those of DOWNHILL_COMPLEMENT in mode
 * `independent` alone. */
flip_rule flip_rule_at(const update_kind *update, const spin_model *model, double beta);

/* Flips with given probabilities: probability[gaps], or with DOWNHILL_OF_ITS_OWN of each change. Of a model with odd sites those of
 * their changes follow behind these. Numbers that are compared take what is above 1 - 2^-32 for that. */
flip_rule flip_rule_of(downhill_flips downhill, const spin_model *model,
                       const double probability[]);

/* The same with probabilities threshold[] / 2^32, which odd sites share. */
flip_rule flip_rule_with(downhill_flips downhill, const spin_model *model,
                         const uint32_t threshold[]);

/* Whether the rules of a step are no more general, and flip clusters only if the engine can. If not, says so in e->error. */
int step_flips_are_possible(engine *e, const engine_step *step, downhill_flips most, bool clusters);

/* Whether the rules of a step have the tables that graphs and fine energies need. If one has not, says so in e->error. */
int step_tables_are_there(engine *e, const engine_step *step);

/* The rule for replica k. */
const flip_rule *step_rule(const engine_step *step, uint64_t k);

/* What the thresholds of a rule are rounded from in a step; and those of odd sites. */
rounding step_rounding(const engine_step *step, const flip_rule *rule);
rounding step_odd_rounding(const engine_step *step, const flip_rule *rule);

/* Whether the groups of a step are ranges of `unit` replicas, as an engine asks for; 0: it takes none. If
 * not, says so in e->error. */
int step_groups_are_whole(engine *e, const engine_step *step, uint64_t unit);

/* Whether each group has replicas of a population of so many, once the children are counted. If not, says so
 * in e->error. */
int step_groups_have_replicas(engine *e, const engine_step *step, uint64_t replicas);

/* Reports the population as it is: a step that only measures. */
engine_status engine_measure(engine *e, histogram *out);

/* Whether an engine of this configuration has cluster updates. */
bool engine_has_clusters(const engine_config *config);

/* Whether an engine of this configuration has walks: SSC, lattices with all bonds, and graphs with energy levels. */
bool engine_has_walkers(const engine_config *config);

/* The populations of an engine: each has a temperature, or a window of walkers, which has all levels on the way there. */
uint64_t engine_populations(const engine_config *config);

/* Whether there is a CPU engine for a model in a coding. */
int engine_cpu_has(const engine_config *config);

/* Host memory in bytes that an engine of this configuration takes. */
uint64_t engine_cpu_bytes(const engine_config *config);

/* Creates a CPU engine. Returns NULL when there is none, or not enough memory. */
engine *engine_cpu_create(const engine_config *config);

C_DECLARATIONS_END

#endif
