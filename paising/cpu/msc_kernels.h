/* The vectorised kernels of the CPU engines; there is one set per instruction set. */
#ifndef PAISING_CPU_MSC_KERNELS_H
#define PAISING_CPU_MSC_KERNELS_H

#include "engine/engine.h"
#include "engine/msc_layout.h"
#include "msc_lattice.h"

#define DRAWN_CALLS 8 /* as many as the widest vector makes */

/* The parameters of the flips of one lattice. */
typedef struct {
    rng_mode rng;
    uint32_t word;         /* p */
    uint32_t machine_word; /* index of this lattice in the population */
    const engine_step *step;
    const visit_plan *visits;            /* the checkerboard or tiles */
    const flip_rule *rule;               /* of the replicas in this lattice */
    rounding thresholds, odd_thresholds; /* for the modes that compare numbers; made from `rule` */
} msc_flips;

/* The thresholds of a sweep, and those of sites with an odd number of bonds. */
typedef struct {
    threshold_set usual, odd;
} msc_thresholds;

/* One source of a child lattice with 32 lanes: child lattice = OR over sources of (source rotated
 * left by `rotation`) & `lanes`. */
typedef struct {
    const uint32_t *spins; /* the lattice of a machine word in the population; a vector
                            * beyond its end is readable */
    uint32_t rotation;
    uint32_t lanes;
} msc_source;

/* A sub-lattice of a ferromagnet in single-spin coding, whose rows are whole vectors. */
typedef struct {
    uint32_t dimension, edge[MODEL_MAX_DIMENSION];
    uint32_t parity;           /* of the sites: 0 even, 1 odd */
    bool complement;           /* flips of DOWNHILL_COMPLEMENT; else of DOWNHILL_ALWAYS */
    const uint32_t *threshold; /* [dimension + 1] by unsatisfied bonds; they do not fall */
} ssc_half;

#define SSC_VECTOR_SITES 32 /* of a row, updated and others */

typedef struct {
    const char *name; /* name of the instruction set */

    /* Gathers a lattice from 1 to 32 sources. */
    void (*gather)(msc_lattice *lattice, const msc_source *sources, size_t count);

    /* Executes flips->step->sweeps updates. */
    void (*sweep)(msc_lattice *lattice, const msc_flips *flips);

    /* Fills the numbers of unsatisfied bonds, with those of the missing ones that count as such, and of up spins of each
     * lane. */
    void (*measure)(const msc_lattice *lattice, uint32_t bonds[MACHINE_LANES],
                    uint32_t up[MACHINE_LANES]);

    /* Copies words[sites] to packed bits (engine/engine.h, `save`), one lane after another, or
     * back. `sites` is a multiple of 8, as N is. */
    void (*pack)(const uint32_t *words, size_t sites, uint8_t *spins);
    void (*unpack)(uint32_t *words, size_t sites, const uint8_t *spins);

    /* Single-spin coding: fills number[4 calls] with stream_draw() of purpose ssc for the quads first .. first + calls - 1.
     * `calls` is a multiple of DRAWN_CALLS. */
    void (*draw)(uint32_t *number, uint32_t first, uint32_t calls, stream_key key, uint32_t replica,
                 uint32_t sweep, uint32_t temperature);

    /* Makes the flips of a sub-lattice of spin[N], +1 or -1, as ssc_sweep() does. number[N / 2]: one for each of its sites. */
    void (*flip_half)(int8_t *spin, const ssc_half *half, const uint32_t *number);
} msc_kernels;

/* The set with the widest vectors that this processor can run. */
const msc_kernels *msc_kernels_best(void);

/* The set with this name; NULL if there is none or this processor cannot run it. */
const msc_kernels *msc_kernels_named(const char *name);

#endif
