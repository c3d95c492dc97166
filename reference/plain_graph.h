/* A graph of Ising spins, as plain_graph.c and plain_flat.c read it: its bonds and fields, colours, energies, random states and flips. The
 * file has a line "i j J" for each bond and "i i h" for a field, sites from 0, whole numbers J and h. */
#ifndef PLAIN_GRAPH_H
#define PLAIN_GRAPH_H

#include "plain_random.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    size_t lines;    /* of the file: bonds, and fields, which have i = j */
    uint32_t *i, *j; /* (lines) both ends */
    int64_t *J;      /* (lines) */
    int64_t *h;      /* (N) */
    uint32_t colours;
    uint32_t *colour; /* (N) */
    int64_t lowest, spacing;
    uint64_t levels; /* E = lowest + spacing n, n below `levels` */
} graph;

/* Reads the bonds and fields. Returns false if the file is none of a graph. */
static bool read_graph(graph *g, FILE *file) {
    char line[1000];
    int64_t i, j, value;
    size_t most = 1;
    while (fgets(line, sizeof line, file))
        most++;
    rewind(file);
    g->i = calloc(most, sizeof *g->i);
    g->j = calloc(most, sizeof *g->j);
    g->J = calloc(most, sizeof *g->J);
    while (g->i && g->j && g->J && fgets(line, sizeof line, file)) {
        line[strcspn(line, "#")] = '\0';
        const int read = sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNd64, &i, &j, &value);
        if (read > 0 && (read < 3 || i < 0 || j < 0 || i >= 1 << 28 || j >= 1 << 28))
            return false;
        if (read <= 0)
            continue;
        g->i[g->lines] = (uint32_t)i;
        g->j[g->lines] = (uint32_t)j;
        g->J[g->lines++] = value;
        g->N = i >= g->N ? (uint32_t)i + 1 : g->N;
        g->N = j >= g->N ? (uint32_t)j + 1 : g->N;
    }
    g->h = calloc(g->N + 1, sizeof *g->h);
    g->colour = calloc(g->N + 1, sizeof *g->colour);
    for (size_t n = 0; g->h && n < g->lines; n++)
        g->h[g->i[n]] += g->i[n] == g->j[n] ? g->J[n] : 0;
    return g->N > 0 && g->h && g->colour;
}

static bool is_bond(const graph *g, size_t n) {
    return g->i[n] != g->j[n] && g->J[n] != 0;
}

/* The other end of a line that is a bond of site i; else N. */
static uint32_t neighbour(const graph *g, size_t n, uint32_t i) {
    if (!is_bond(g, n) || (g->i[n] != i && g->j[n] != i))
        return g->N;
    return g->i[n] == i ? g->j[n] : g->i[n];
}

/* Each site in turn gets the first colour that none of its neighbours before it has: no two neighbours have the same. */
static void colour_graph(graph *g) {
    for (uint32_t i = 0; i < g->N; i++) {
        for (bool taken = true; taken; g->colour[i] += taken) {
            taken = false;
            for (size_t n = 0; n < g->lines; n++) {
                const uint32_t j = neighbour(g, n, i);
                taken = taken || (j < i && g->colour[j] == g->colour[i]);
            }
        }
        g->colours = g->colour[i] >= g->colours ? g->colour[i] + 1 : g->colours;
    }
}

static int64_t common_divisor(int64_t a, int64_t b) {
    return b == 0 ? llabs(a) : common_divisor(b, a % b);
}

/* The levels. With all spins up a flip costs 2 (sum of J + h), and every neighbour that turns over changes this by 4 J: energies
 * differ by multiples of the greatest common divisor of all these. None is beyond -+(sum |J| + sum |h|). */
static void find_levels(graph *g) {
    int64_t all_up = 0, bound = 0;
    for (size_t n = 0; n < g->lines; n++)
        if (is_bond(g, n)) {
            all_up -= g->J[n];
            bound += llabs(g->J[n]);
            g->spacing = common_divisor(g->spacing, 4 * g->J[n]);
        }
    for (uint32_t i = 0; i < g->N; i++) {
        int64_t along = g->h[i];
        for (size_t n = 0; n < g->lines; n++)
            along += neighbour(g, n, i) < g->N ? g->J[n] : 0;
        g->spacing = common_divisor(g->spacing, 2 * along);
        all_up -= g->h[i];
        bound += llabs(g->h[i]);
    }
    g->spacing = g->spacing > 0 ? g->spacing : 1;
    g->lowest = all_up - (all_up + bound) / g->spacing * g->spacing;
    g->levels = (uint64_t)((bound - g->lowest) / g->spacing) + 1;
}

/* Of a state s[i]: draws a random bit for each spin; 128 sites share a call. Sites are visited colour by colour. */
static void randomise_graph(const graph *g, int8_t *s, uint64_t key, use u) {
    four_numbers random = {{0}};
    uint32_t n = 0; /* sites visited */
    for (uint32_t colour = 0; colour < g->colours; colour++)
        for (uint32_t i = 0; i < g->N; i++)
            if (g->colour[i] == colour) {
                u.position = n / 128;
                if (n % 128 == 0)
                    random = philox(key, u);
                s[i] = random.r[n / 32 % 4] >> n % 32 & 1 ? 1 : -1;
                n++;
            }
}

/* The energy dE that a flip of the spin costs. */
static int64_t flip_energy(const graph *g, const int8_t *s, uint32_t i) {
    int64_t along = g->h[i];
    for (size_t n = 0; n < g->lines; n++) {
        const uint32_t j = neighbour(g, n, i);
        along += j < g->N ? g->J[n] * s[j] : 0;
    }
    return 2 * s[i] * along;
}

/* The energy, and the magnetisation. */
static void measure_graph(const graph *g, const int8_t *s, int64_t *E, int64_t *M) {
    *E = *M = 0;
    for (size_t n = 0; n < g->lines; n++)
        *E -= g->J[n] * (g->i[n] == g->j[n] ? s[g->i[n]] : s[g->i[n]] * s[g->j[n]]);
    for (uint32_t i = 0; i < g->N; i++)
        *M += s[i];
}

#endif
