/* The energies that a model can have: levels, or without levels (`fine`).
 *
 * Fine energies are any whole numbers of J / unit. A level is then a rank: of the energies that the replicas of a population
 * have, each counted once, the n-th from the lowest, and `count` is the number of replicas that an engine has room for. A
 * histogram says which energies these are (histogram_energy). */
#ifndef PAISING_LEVELS_H
#define PAISING_LEVELS_H

#include "base/portable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Level n has energy lowest + n * spacing, in units of J / unit. Fine energies have no levels: `lowest` is below them all, and
 * `spacing` 1. Kernels have arguments of 4096 bytes at most, of which this is a part. */
typedef struct {
    int64_t lowest;
    int64_t spacing;
    uint32_t count;
    uint32_t unit : 31; /* 0: 1 */
    uint32_t fine : 1;
} energy_levels;

/* The unit of couplings that are no whole numbers: J is rounded to a multiple of 2^-20. */
#define FINE_UNIT (UINT32_C(1) << 20)

/* Fine energies in units of J / unit. */
static inline energy_levels energies_without_levels(uint32_t unit) {
    return (energy_levels){INT64_MIN, 1, 0, unit & INT32_MAX, true};
}

/* The energy of level n in these units; not of fine energies. */
SHARED_FUNCTION int64_t level_energy(energy_levels levels, size_t n) {
    return levels.lowest + (int64_t)n * levels.spacing;
}

/* By how much energies in these units are divided to have them in units of J. */
SHARED_FUNCTION double level_unit(energy_levels levels) {
    return levels.unit > 1 ? levels.unit : 1;
}

#endif
