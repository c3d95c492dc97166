/* The energies that a model can have. */
#ifndef PAISING_LEVELS_H
#define PAISING_LEVELS_H

#include "base/portable.h"

#include <stddef.h>
#include <stdint.h>

/* Level n has energy lowest + n * spacing, in units of J / unit. */
typedef struct {
    int64_t lowest;
    int64_t spacing;
    uint32_t count;
    uint32_t unit; /* 0: 1 */
} energy_levels;

/* The energy of level n in these units. */
SHARED_FUNCTION int64_t level_energy(energy_levels levels, size_t n) {
    return levels.lowest + (int64_t)n * levels.spacing;
}

/* By how much energies in these units are divided to have them in units of J. */
SHARED_FUNCTION double level_unit(energy_levels levels) {
    return levels.unit > 1 ? levels.unit : 1;
}

#endif
