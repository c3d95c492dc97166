/* The vectorised kernels of the MSC engine, one set for each instruction set. */
#ifndef PAISING_CPU_MSC_KERNELS_H
#define PAISING_CPU_MSC_KERNELS_H

#include "engine/engine.h"
#include "engine/msc_layout.h"
#include "msc_lattice.h"

/* What the flips of one lattice depend on. */
typedef struct {
    rng_mode rng;
    uint32_t word;         /* p */
    uint32_t machine_word; /* index of this lattice in the population */
    const engine_step *step;
    const flip_rule *rule; /* for the replicas of this lattice */
    rounding thresholds;   /* from it, for the modes that compare numbers */
} msc_flips;

/* The spins of 32 children come from the lattices of their parents: child lattice =
 * OR over the sources of (source rotated left by `rotation`) & `lanes`. */
typedef struct {
    const uint32_t *spins; /* a machine word's lattice in the population, and room for a vector */
    uint32_t rotation;
    uint32_t lanes;
} msc_source;

typedef struct {
    const char *name; /* of the instruction set */

    /* Collects a lattice from 1 to 32 sources. */
    void (*gather)(msc_lattice *lattice, const msc_source *sources, size_t count);

    /* Makes flips->step->sweeps Metropolis sweeps. */
    void (*sweep)(msc_lattice *lattice, const msc_flips *flips);

    /* For each lane the number of unsatisfied bonds and of spins up. */
    void (*measure)(const msc_lattice *lattice, uint32_t bonds[MACHINE_LANES],
                    uint32_t up[MACHINE_LANES]);

    /* Copies words[sites] out as packed bits (engine/engine.h, `save`), one lane after another, or in.
     * `sites` is a multiple of 8, as N is. */
    void (*pack)(const uint32_t *words, size_t sites, uint8_t *spins);
    void (*unpack)(uint32_t *words, size_t sites, const uint8_t *spins);
} msc_kernels;

/* The widest set that this processor can run. */
const msc_kernels *msc_kernels_best(void);

/* The set of a name, or NULL if there is none or this processor cannot run it. */
const msc_kernels *msc_kernels_named(const char *name);

#endif
