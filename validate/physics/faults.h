/* Seeded faults: engines that are wrong in a known way, and that validation must tell from right
 * ones (negative controls). Each wraps a right engine behind the same interface. */
#ifndef PAISING_PHYSICS_FAULTS_H
#define PAISING_PHYSICS_FAULTS_H

#include "engine/engine.h"
#include "settings/parameters.h"

typedef enum {
    FAULT_NONE,
    FAULT_OWN_SWEEP, /* none, but with the sweeps of faults.c: the same bits as SSC */
    FAULT_THRESHOLD, /* acceptance thresholds larger by 0.1% */
    FAULT_BOND,      /* the sweeps do not know one of the 2 N bonds */
    FAULT_COLOURS,   /* both colours of the checkerboard updated at once */
    FAULT_LCG32,     /* one LCG32 sequence, dealt out to the threads in turn */
    FAULT_TAU        /* resampling with tau instead of tau-hat = (R / R_{i-1}) tau */
} fault_kind;

/* Plants a fault in an engine made for these parameters: returns the faulty engine, which owns the
 * right one, or that itself for FAULT_NONE. FAULT_OWN_SWEEP, _BOND, _COLOURS and _LCG32 sweep on
 * the host, slowly. Returns NULL without memory, the engine then being destroyed. */
engine *fault_plant(fault_kind fault, engine *right, const parameters *p);

#endif
