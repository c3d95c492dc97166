/* The population in a checkpoint: the section "population". */
#ifndef PAISING_CHECKPOINT_POPULATION_H
#define PAISING_CHECKPOINT_POPULATION_H

#include "annealing.h"
#include "base/section_file.h"

/* The section is made of pieces of about this size: the families of so many replicas, and their spins.
 * Two of them are in memory. */
#define CHECKPOINT_PIECE_BYTES ((uint64_t)16 << 20)

typedef struct {
    annealing *annealing; /* its engine has or takes the population, its histogram tells the size */
    bool engine_failed;   /* what went wrong is not the file's fault */
} checkpoint_population;

/* The content of the section; state is a checkpoint_population. */
section_content checkpoint_population_section;

/* After the section was read: has the engine measure what it was given, and holds that against the
 * histogram that was saved. */
bool checkpoint_population_agrees(section_file *f, checkpoint_population *p);

#endif
