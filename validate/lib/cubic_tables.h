/* What was counted of the 4 x 4 x 4 lattice, and computed of 4 x 4 x Lz, read from the files that hold it
 * (validate/unit/cubic_*.txt, layer_values.txt): that takes minutes. */
#ifndef PAISING_CUBIC_TABLES_H
#define PAISING_CUBIC_TABLES_H

#include "reference/exact.h"
#include "reference/transfer_matrix.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUBIC_STATES "validate/unit/cubic_states.txt"
#define CUBIC_COUNTS "validate/unit/cubic_counts.txt"
#define LAYER_VALUES "validate/unit/layer_values.txt"
#define CUBIC_SEED   2026 /* of the disorder of all samples */
#define CUBIC_SITES  64
#define CUBIC_BONDS  192

/* Reads the next line that is no comment. Returns false behind the last. */
static inline bool cubic_line(FILE *file, char line[300]) {
    while (fgets(line, 300, file) != NULL)
        if (line[0] != '#')
            return true;
    return false;
}

/* Reads the numbers of states with u unsatisfied bonds of sample s. Returns P, with which its couplings are drawn; -1
 * if it is not there, or the file is not what it should be. */
static inline double cubic_states_read(uint32_t s, uint64_t count[CUBIC_BONDS + 1]) {
    FILE *const file = fopen(CUBIC_STATES, "r");
    char line[300];
    double found = -1;
    bool good = file != NULL;
    memset(count, 0, (CUBIC_BONDS + 1) * sizeof *count);
    while (good && cubic_line(file, line)) {
        unsigned number;
        int energy;
        double p;
        unsigned long long states;
        good = sscanf(line, "%u %lf %d %llu", &number, &p, &energy, &states) == 4 &&
               abs(energy) <= CUBIC_BONDS && energy % 2 == 0;
        if (!good || number != s)
            continue;
        good = count[(energy + CUBIC_BONDS) / 2] == 0;
        count[(energy + CUBIC_BONDS) / 2] = states;
        found = p;
    }
    if (file != NULL)
        fclose(file);
    return good ? found : -1;
}

/* Reads the states of the ferromagnet by energy and magnetisation, to be destroyed. Returns false, with nothing to be
 * destroyed, if the file is not there or not what it should be. */
static inline bool cubic_counts_read(state_counts *counts) {
    *counts = (state_counts){4, CUBIC_SITES, CUBIC_BONDS,
                             calloc((CUBIC_BONDS / 2 + 1) * (CUBIC_SITES + 1), sizeof(uint64_t))};
    FILE *const file = fopen(CUBIC_COUNTS, "r");
    char line[300];
    bool good = file != NULL && counts->count != NULL;
    while (good && cubic_line(file, line)) {
        int energy, m;
        unsigned long long states;
        good = sscanf(line, "%d %d %llu", &energy, &m, &states) == 3 &&
               abs(energy) <= CUBIC_BONDS && energy % 4 == 0 && m >= 0 && m <= CUBIC_SITES &&
               m % 2 == 0;
        if (!good)
            continue;
        const uint32_t pairs = (uint32_t)(energy + CUBIC_BONDS) / 4;
        *state_count_place(counts, pairs, (uint32_t)(CUBIC_SITES + m) / 2) = states;
        *state_count_place(counts, pairs, (uint32_t)(CUBIC_SITES - m) / 2) = states;
    }
    if (file != NULL)
        fclose(file);
    if (!good)
        state_counts_destroy(counts);
    return good;
}

/* The values of 4 x 4 x Lz at one temperature, of a sample with P = 0.5. */
typedef struct {
    uint32_t edge, sample; /* Lz */
    double beta;
    exact_result x;
} layer_value;

/* Reads number n of them. Returns false behind the last, or if the file is not what it should be. */
static inline bool layer_value_read(size_t n, layer_value *v) {
    FILE *const file = fopen(LAYER_VALUES, "r");
    char line[300];
    bool good = file != NULL;
    for (size_t k = 0; good && k <= n; k++)
        good = cubic_line(file, line);
    if (file != NULL)
        fclose(file);
    return good && sscanf(line, "%u %u %lf %lf %lf %lf %lf", &v->edge, &v->sample, &v->beta,
                          &v->x.e, &v->x.c, &v->x.beta_f, &v->x.s) == 7;
}

#endif
