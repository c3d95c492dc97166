/* Two engines taken in lockstep through the same steps. After each the complete reports are
 * compared, and the populations replica by replica. */
#ifndef PAISING_IDENTITY_LOCKSTEP_H
#define PAISING_IDENTITY_LOCKSTEP_H

#include "devices.h"
#include "difference.h"
#include "faults.h"
#include "model/boundary.h"

#define IDENTITY_FERROMAGNETIC 0.6

/* What the engines are taken through. */
typedef struct {
    const model_kind *model;
    lattice_size size;
    /* the seed of the couplings of a glass, of which IDENTITY_FERROMAGNETIC are +1 */
    uint64_t disorder;
    lattice_boundary boundary;
    double dilution; /* of a glass */
    spin_coding coding;
    uint32_t word;     /* p (MSC) */
    rng_mode rng;      /* MSC */
    stage_mode stages; /* of engines on a GPU */
    resampling_rule resampling;
    uint64_t founders; /* the population at beta = 0 */
    uint64_t target;   /* R of eq. (2), which the population then keeps to */
    uint64_t capacity;
    stream_key key;
    const update_kind *update;
    visit_plan visits;     /* order of local updates */
    uint32_t sweeps;       /* theta */
    uint32_t steps;        /* after beta = 0 */
    uint32_t temperature;  /* index of the first step's; 0 is that of the beta = 0 population */
    double beta;           /* step i = 1, 2, ... sweeps at beta + i dbeta ... */
    double dbeta;          /* ... and is resampled for a rise by dbeta */
    const flip_rule *rule; /* ... or sweeps with this one (NULL: none), ... */
    bool fixed_thresholds; /* ... or with these (of the update's flips): */
    uint32_t threshold[MODEL_MAX_CHANGES];
    uint64_t piece; /* replicas that a save or a load copies at most */
    int receiver;   /* the engine, 0 or 1, that after step `handover` (0: beta = 0) is handed
                                the other's population by save and load; -1: none */
    uint32_t handover;
    int kept; /* the engine, 0 or 1, that is taken through everything again, beside a new one; -1:
                 none */
} identity_case;

/* The two engines: where they run, and a fault planted in the second (NULL: none). */
typedef struct {
    identity_device device[2];
    const identity_fault *fault;
} identity_pair;

typedef enum {
    IDENTITY_SAME,
    IDENTITY_DIFFERENT,
    IDENTITY_NOT_COMPARED /* an engine could not be made, or both failed: see error */
} identity_verdict;

/* What came out. */
typedef struct {
    identity_verdict verdict;
    engine_status status;           /* how both runs ended, if they are the same */
    uint32_t temperature;           /* index, at the end or at the first difference */
    bool loaded;                    /* the first difference showed right after the hand-over */
    bool again;                     /* ... or in the second time through everything */
    identity_difference report;     /* its first difference ... */
    identity_difference population; /* ... and that of the populations of this temperature, as far
                                       as both have replicas */
    char error[300];
} identity_result;

identity_result identity_run(const identity_case *c, const identity_pair *pair);

/* Writes the result in one line without an end. Returns text. */
#define RESULT_TEXT_SIZE 512
const char *identity_result_text(char text[RESULT_TEXT_SIZE], const identity_result *result);

#endif
