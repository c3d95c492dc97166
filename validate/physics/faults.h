/* Seeded faults: engines that are wrong in a known way, and that validation must tell from right
 * ones (negative controls). Each wraps a right engine behind the same interface. */
#ifndef PAISING_PHYSICS_FAULTS_H
#define PAISING_PHYSICS_FAULTS_H

#include "engine/engine.h"
#include "settings/parameters.h"

typedef enum {
    FAULT_NONE,
    FAULT_OWN_SWEEP, /* none, but with the sweeps of faults.c: the same bits as SSC */
    FAULT_BOND,      /* the sweeps do not know one of the bonds */
    FAULT_TWICE,     /* ... count one twice */
    FAULT_SIGN,      /* ... take the first J = -1 for +1 at one of its ends */
    FAULT_LANE,      /* ... give every 32nd replica the couplings of the next sites */
    FAULT_COLOURS,   /* both colours of the checkerboard updated at once */
    FAULT_LCG32,     /* one LCG32 sequence, dealt out to the threads in turn */
    FAULT_THRESHOLD, /* acceptance thresholds larger by 0.1% */
    FAULT_THIRD,     /* the third one alone larger by 1% */
    FAULT_TAU,       /* resampling with tau instead of tau-hat = (R / R_{i-1}) tau */
    FAULT_PARITY,    /* the lowest level is that of a sample with one more J = -1 */
    FAULT_ITSELF     /* overlaps are of replicas with themselves */
} fault_kind;

/* Whether the fault, or none, is one of sweeps that are made on the host, slowly. */
static inline bool fault_sweeps(fault_kind fault) {
    return fault >= FAULT_OWN_SWEEP && fault <= FAULT_LCG32;
}

/* Plants a fault in an engine made for these parameters: returns the faulty engine, which owns the
 * right one, or that itself for FAULT_NONE. Returns NULL without memory, the engine then being destroyed. */
engine *fault_plant(fault_kind fault, engine *right, const parameters *p);

#endif
