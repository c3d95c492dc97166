/* The density of states by a transfer matrix (transfer_matrix.h).
 *
 * The lattice is built site by site, row by row (Binder, Physica 62, 508 (1972)). Two things must
 * be remembered of the part built so far: its first row, for the periodic bonds that close the
 * lattice, and the last L sites, the frontier. For a fixed first row each of the 2^L frontiers has
 * a table: the number of states with b unsatisfied bonds and u spins up. A new site replaces the
 * one above it in the frontier. Each value of the new spin shifts the two tables of the old site by
 * the bonds that become unsatisfied and by the spin.
 *
 * Translations, reflections and the inversion of all spins leave few distinct first rows: 19 of 256
 * at L = 8. */
#include "transfer_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tables for one first row. */
typedef struct {
    uint32_t size, spins;
    uint32_t first;    /* the first row, bit x for column x, 1 for up */
    uint32_t sites;    /* built so far; only b <= 2 sites, u <= sites are in use */
    size_t entries;    /* of one table: (2 N + 1) (N + 1) */
    uint64_t *table;   /* [2^L][2 N + 1][N + 1] */
    uint64_t *scratch; /* [2][2 N + 1][N + 1]: the tables that a new site replaces */
} strip;

static uint32_t bit(uint32_t row, uint32_t x) {
    return row >> x & 1;
}

/* The row shifted by one column, periodically. */
static uint32_t rotate(uint32_t row, uint32_t size) {
    return (row << 1 | bit(row, size - 1)) & ((1u << size) - 1);
}

static uint32_t reflect(uint32_t row, uint32_t size) {
    uint32_t mirrored = 0;
    for (uint32_t x = 0; x < size; x++)
        mirrored |= bit(row, x) << (size - 1 - x);
    return mirrored;
}

static uint32_t spins_up(uint32_t row) {
    uint32_t up = 0;
    for (; row != 0; row &= row - 1)
        up++;
    return up;
}

/* The smallest row that translations and reflections make of this one, which represents them all. */
static uint32_t representative(uint32_t row, uint32_t size) {
    uint32_t smallest = row, image = row, mirrored = reflect(row, size);
    for (uint32_t n = 0; n < size; n++) {
        smallest = image < smallest ? image : smallest;
        smallest = mirrored < smallest ? mirrored : smallest;
        image = rotate(image, size);
        mirrored = rotate(mirrored, size);
    }
    return smallest;
}

/* The entries of a table in use when `sites` sites are built. */
static size_t entries_used(const strip *s, uint32_t sites) {
    return (2 * (size_t)sites + 1) * (s->spins + 1);
}

/* Begins a strip with its first row alone. */
static void start(strip *s, uint32_t first) {
    for (size_t frontier = 0; frontier < (size_t)1 << s->size; frontier++)
        memset(s->table + frontier * s->entries, 0, entries_used(s, s->size) * sizeof *s->table);
    s->first = first;
    s->sites = s->size;
    const uint32_t broken = spins_up(first ^ rotate(first, s->size));
    s->table[first * s->entries + (size_t)broken * (s->spins + 1) + spins_up(first)] = 1;
}

/* to[b + broken][u + up] += from[b][u] */
static void move_on(const strip *s, uint64_t *to, const uint64_t *from, uint32_t broken,
                    uint32_t up) {
    const size_t width = s->spins + 1;
    for (size_t b = 0; b <= 2 * s->sites; b++) {
        const uint64_t *source = from + b * width;
        uint64_t *target = to + (b + broken) * width + up;
        for (size_t u = 0; u <= s->sites; u++)
            target[u] += source[u];
    }
}

/* Adds a site with this value in column x below the frontier; in the last row with its bond to the
 * first row. above[a] is the table for value a of the old site. */
static void add_spin(strip *s, uint32_t x, uint32_t frontier, uint32_t spin,
                     const uint64_t *const above[2]) {
    uint64_t *to = s->table + frontier * s->entries;
    memset(to, 0, entries_used(s, s->sites + 1) * sizeof *to);
    uint32_t broken = 0;
    if (x > 0)
        broken += spin ^ bit(frontier, x - 1);
    if (x == s->size - 1)
        broken += spin ^ bit(frontier, 0);
    if (s->sites >= s->spins - s->size)
        broken += spin ^ bit(s->first, x);
    for (uint32_t old = 0; old < 2; old++)
        move_on(s, to, above[old], broken + (spin ^ old), spin);
}

static void add_site(strip *s) {
    const uint32_t x = s->sites % s->size;
    const size_t bytes = entries_used(s, s->sites) * sizeof *s->table;
    const uint64_t *const above[2] = {s->scratch, s->scratch + s->entries};
    for (uint32_t down = 0; down < 1u << s->size; down++) {
        if (bit(down, x))
            continue;
        const uint32_t up = down | 1u << x;
        memcpy(s->scratch, s->table + down * s->entries, bytes);
        memcpy(s->scratch + s->entries, s->table + up * s->entries, bytes);
        add_spin(s, x, down, 0, above);
        add_spin(s, x, up, 1, above);
    }
    s->sites++;
}

/* Adds the states of the closed strip to the counts, `times` times each; if `inverted`, also those
 * with all spins inverted. */
static void collect(const strip *s, state_counts *counts, uint64_t times, int inverted) {
    const size_t width = s->spins + 1;
    for (size_t frontier = 0; frontier < (size_t)1 << s->size; frontier++)
        for (size_t pairs = 0; pairs <= s->spins; pairs++)
            for (size_t u = 0; u <= s->spins; u++) {
                const uint64_t states =
                    times * s->table[frontier * s->entries + 2 * pairs * width + u];
                counts->count[pairs * width + u] += states;
                if (inverted)
                    counts->count[pairs * width + s->spins - u] += states;
            }
}

int state_counts_create(state_counts *counts, uint32_t size) {
    *counts = (state_counts){size, size * size, 2 * size * size, NULL};
    if (size < STATE_COUNTS_MIN_SIZE || size > STATE_COUNTS_MAX_SIZE)
        return -1;
    strip s = {.size = size, .spins = size * size};
    const size_t width = s.spins + 1;
    s.entries = (2 * s.spins + 1) * width;
    s.table = malloc(((size_t)1 << size) * s.entries * sizeof *s.table);
    s.scratch = malloc(2 * s.entries * sizeof *s.scratch);
    counts->count = calloc(width * width, sizeof *counts->count);
    const int failed = s.table == NULL || s.scratch == NULL || counts->count == NULL;
    uint64_t times[1u << STATE_COUNTS_MAX_SIZE] = {0};
    for (uint32_t row = 0; row < 1u << size; row++)
        times[representative(row, size)]++;
    for (uint32_t first = 0; !failed && first < 1u << size; first++) {
        const uint32_t up = spins_up(first);
        if (times[first] == 0 || 2 * up > size)
            continue; /* another row, or its inverse, represents it */
        start(&s, first);
        while (s.sites < s.spins)
            add_site(&s);
        collect(&s, counts, times[first], 2 * up < size);
    }
    free(s.table);
    free(s.scratch);
    if (failed)
        state_counts_destroy(counts);
    return failed ? -1 : 0;
}

void state_counts_destroy(state_counts *counts) {
    free(counts->count);
    counts->count = NULL;
}

exact_moments state_counts_moments(const state_counts *counts, double beta) {
    const uint32_t spins = counts->sites, levels = counts->bonds / 2 + 1;
    const long double n = spins, b = beta;
    long double z = 0, energy = 0, abs_m = 0, m2 = 0, m4 = 0;
    /* Energies relative to the ground state are small at low temperature, and e^2 - <e>^2 never
     * appears. */
    for (uint32_t pairs = 0; pairs < levels; pairs++) {
        const long double boltzmann = expl(-b * 4 * pairs);
        for (uint32_t up = 0; up <= spins; up++) {
            const long double weight = boltzmann * (long double)state_count(counts, pairs, up);
            const long double m = fabsl(2.0L * up - n) / n;
            z += weight;
            energy += weight * 4 * pairs;
            abs_m += weight * m;
            m2 += weight * m * m;
            m4 += weight * m * m * m * m;
        }
    }
    const long double mean = energy / z;
    long double variance = 0;
    for (uint32_t pairs = 0; pairs < levels; pairs++) {
        const long double deviation = 4.0L * pairs - mean;
        long double states = 0;
        for (uint32_t up = 0; up <= spins; up++)
            states += (long double)state_count(counts, pairs, up);
        variance += states * expl(-b * 4 * pairs) * deviation * deviation;
    }
    return (exact_moments){
        .e = (double)((mean - counts->bonds) / n),
        .c = (double)(b * b * variance / z / n),
        .abs_m = (double)(abs_m / z),
        .m2 = (double)(m2 / z),
        .m4 = (double)(m4 / z),
        .ln_z = (double)(counts->bonds * b + logl(z)),
    };
}
