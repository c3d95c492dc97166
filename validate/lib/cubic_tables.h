/* What was counted of the 4 x 4 x 4 lattice, read from the files that hold it (validate/unit/cubic_*.txt), for
 * tests: counting takes minutes. */
#ifndef PAISING_CUBIC_TABLES_H
#define PAISING_CUBIC_TABLES_H

#include "reference/transfer_matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CUBIC_STATES "validate/unit/cubic_states.txt"
#define CUBIC_COUNTS "validate/unit/cubic_counts.txt"
#define CUBIC_SITES  64
#define CUBIC_BONDS  192

/* Reads the numbers of states with u unsatisfied bonds of sample s, whose couplings are drawn with the disorder
 * seed 2026 and P. Returns P; -1 if it is not there. */
static inline double cubic_states_read(uint32_t s, uint64_t count[CUBIC_BONDS + 1]) {
    FILE *const file = fopen(CUBIC_STATES, "r");
    assert_non_null(file);
    char line[200];
    double found = -1;
    memset(count, 0, (CUBIC_BONDS + 1) * sizeof *count);
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned number;
        int energy;
        double p;
        unsigned long long states;
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%u %lf %d %llu", &number, &p, &energy, &states), 4);
        if (number != s)
            continue;
        assert_true(abs(energy) <= CUBIC_BONDS && energy % 2 == 0);
        assert_int_equal(count[(energy + CUBIC_BONDS) / 2], 0);
        count[(energy + CUBIC_BONDS) / 2] = states;
        found = p;
    }
    fclose(file);
    return found;
}

/* Reads the states of the ferromagnet by energy and magnetisation, to be destroyed. */
static inline state_counts cubic_counts_read(void) {
    state_counts counts = {4, CUBIC_SITES, CUBIC_BONDS,
                           calloc((CUBIC_BONDS / 2 + 1) * (CUBIC_SITES + 1), sizeof(uint64_t))};
    FILE *const file = fopen(CUBIC_COUNTS, "r");
    assert_non_null(file);
    assert_non_null(counts.count);
    char line[200];
    while (fgets(line, sizeof line, file) != NULL) {
        int energy, m;
        unsigned long long states;
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%d %d %llu", &energy, &m, &states), 3);
        assert_true(abs(energy) <= CUBIC_BONDS && energy % 4 == 0 && m >= 0 && m <= CUBIC_SITES &&
                    m % 2 == 0);
        const uint32_t pairs = (uint32_t)(energy + CUBIC_BONDS) / 4;
        *state_count_place(&counts, pairs, (uint32_t)(CUBIC_SITES + m) / 2) = states;
        *state_count_place(&counts, pairs, (uint32_t)(CUBIC_SITES - m) / 2) = states;
    }
    fclose(file);
    return counts;
}

#endif
