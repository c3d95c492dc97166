/* Engines with a planted fault: behind engine/engine.h stands another engine, and one thing that goes in or
 * comes out is changed on its way. What a comparison must find. */
#ifndef PAISING_IDENTITY_FAULTS_H
#define PAISING_IDENTITY_FAULTS_H

#include "engine/engine.h"

typedef enum {
    FAULT_LOADED_SPIN,   /* spin `site` of replica `index` is turned when it is loaded */
    FAULT_LOADED_FAMILY, /* the family of replica `index` is one higher when it is loaded */
    FAULT_SAVED_SPIN,    /* as FAULT_LOADED_SPIN, when it is saved */
    FAULT_THRESHOLD,     /* acceptance threshold number `index` is one unit higher */
    FAULT_PLANE,         /* the lowest bit plane of that threshold is wrong (bernoulli.h) */
    FAULT_COPIES,        /* tau-hat of level `index` is 2^-32 higher */
    FAULT_KEY,           /* bit number `index` of the key is wrong */
    FAULT_LEVEL,         /* one replica more is reported in level `index` */
    FAULT_BLOCK,         /* the energy of block `index` is reported one unit higher */
    FAULT_FAMILIES,      /* one family more is reported */
    FAULT_STATUS,        /* the population is said to have died out */
    FAULT_SECOND_RUN     /* as FAULT_LEVEL, in every run but the first */
} identity_fault_kind;

typedef struct {
    identity_fault_kind kind;
    uint32_t temperature; /* index of the step at which it strikes; loads are at any */
    uint64_t index;
    uint32_t site;
} identity_fault;

/* Puts a fault before an engine, which the new engine owns. Returns NULL without memory, the engine
 * then being destroyed. */
engine *identity_plant_fault(engine *inner, const identity_fault *fault);

#endif
