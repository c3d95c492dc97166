/* The interface of the population engines.
 *
 * An engine holds a population of replicas and never touches a floating-point number: all that it
 * is told are integers (copies for each energy level, acceptance thresholds, tables for the random
 * streams) and all that it reports are integer sums (histogram.h). The temperatures, the weights
 * and the averages are the host's, one implementation for every engine. Engines of one coding give
 * the same bits whatever they run on. */
#ifndef PAISING_ENGINE_H
#define PAISING_ENGINE_H

#include "bernoulli.h"
#include "histogram.h"
#include "kinds.h"
#include "streams.h"

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

/* What must be known before an engine can be made. */
typedef struct {
    spin_coding coding;
    spin_model model;
    uint64_t capacity; /* the largest population it must hold */
    uint32_t word;     /* p (MSC) */
    rng_mode rng;      /* MSC */
    int device_number; /* CUDA */
    stage_mode stages; /* CUDA; STAGES_HYBRID with SSC only */
} engine_config;

/* One annealing step: resample, sweep, measure. */
typedef struct {
    stream_key key;         /* of this run */
    uint32_t temperature;   /* index of the temperature, 1 for the first after beta = 0 */
    uint32_t sweeps;        /* theta; 0 resamples and measures only */
    uint64_t founders;      /* replicas that the run began with */
    const uint64_t *copies; /* [levels.count] tau-hat (eq. 2) in 32.32 fixed point; only the levels
                               that the last histogram reported as occupied are read */
    uint32_t threshold[MODEL_MAX_GAPS]; /* accept when r < threshold, r a 32-bit number */
    bernoulli_table bernoulli;          /* the same thresholds for bit planes */
} engine_step;

typedef struct engine engine;

struct engine {
    const char *name;   /* "SSC on one CPU core", for messages */
    const char *driver; /* of its device; NULL: it has none */
    spin_model model;
    uint32_t threads;       /* CPU threads in use */
    double seconds[STAGES]; /* time spent so far; NAN: not known apart */
    char error[200];        /* what failed, after ENGINE_FAILED */

    /* Draws `replicas` random states (the beta = 0 population) and reports them. Replica k is the
     * founder of family k. */
    engine_status (*randomise)(engine *self, stream_key key, uint64_t replicas, histogram *out);

    /* Begins a step: resampling by step->copies, step->sweeps sweeps. May return before anything is
     * done, so that the host can do other work meanwhile; step->copies must stay as it is until
     * finish. */
    engine_status (*start)(engine *self, const engine_step *step);

    /* Ends the step that was begun, and reports the new population. */
    engine_status (*finish)(engine *self, histogram *out);

    /* Copies replicas first .. first+count-1 out, or in: families[count], and in spins[] one
     * replica after another, ceil(N/8) bytes each, bit i % 8 of byte i / 8 for site i, 1 for spin
     * up. Site i counts the even sub-lattice (row + column even) row by row, then the odd one. A
     * load says how many replicas the population will have, and takes effect when measure ends the
     * series. */
    engine_status (*save)(engine *self, uint64_t first, uint64_t count, uint8_t *spins,
                          uint32_t *families);
    engine_status (*load)(engine *self, uint64_t first, uint64_t count, uint64_t replicas,
                          const uint8_t *spins, const uint32_t *families);

    /* Ends a series of loads that filled a population of `replicas`, and reports it. */
    engine_status (*measure)(engine *self, uint64_t replicas, histogram *out);

    void (*destroy)(engine *self);
};

/* A whole step. */
static inline engine_status engine_advance(engine *e, const engine_step *step, histogram *out) {
    const engine_status started = e->start(e, step);
    return started == ENGINE_OK ? e->finish(e, out) : started;
}

/* Host memory in bytes that an engine of this configuration takes. */
uint64_t engine_cpu_bytes(const engine_config *config);

/* Makes a CPU engine. Returns NULL when there is not enough memory. */
engine *engine_cpu_create(const engine_config *config);

#endif
