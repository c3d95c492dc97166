/* From a list of bonds to a graph: colouring, order of the sites, energies (graph.h). */
#include "graph.h"

#include "bond_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* --- the list --- */

/* Adds a number to a checksum, lowest byte first. */
static uLong add_number(uLong crc, uint64_t number) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    return crc32_z(crc, bytes, sizeof bytes);
}

static uint32_t fingerprint_of(const bond_list *list) {
    uLong crc = add_number(add_number(crc32_z(0, NULL, 0), list->sites), list->unit);
    for (size_t n = 0; n < list->bonds; n++)
        if (list->bond[n].value != 0)
            crc = add_number(add_number(add_number(crc, list->bond[n].i), list->bond[n].j),
                             (uint64_t)list->bond[n].value);
    for (uint32_t i = 0; list->field != NULL && i < list->sites; i++)
        if (list->field[i] != 0)
            crc = add_number(add_number(crc, i), (uint64_t)list->field[i]);
    return (uint32_t)crc;
}

static int64_t field_of(const bond_list *list, uint32_t i) {
    return list->field != NULL ? list->field[i] : 0;
}

/* Adds |value| to a sum. Returns false if the sum becomes too large. */
static bool add_size(int64_t *sum, int64_t value) {
    if (value <= -GRAPH_MOST_ENERGY || value >= GRAPH_MOST_ENERGY)
        return false;
    *sum += value < 0 ? -value : value;
    return *sum < GRAPH_MOST_ENERGY;
}

/* Sorts the list and checks it. Sets *sum to sum |J| + sum |h|. */
static bool list_is_good(bond_list *list, int64_t *sum, char *reason, size_t size) {
    const size_t twice = bond_list_sort(list);
    *sum = 0;
    bool small = true;
    for (size_t n = 0; small && n < list->bonds; n++)
        small = add_size(sum, list->bond[n].value);
    for (uint32_t i = 0; small && i < list->sites; i++)
        small = add_size(sum, field_of(list, i));
    if (twice < list->bonds)
        snprintf(reason, size, "the bond of sites %" PRIu32 " and %" PRIu32 " is there twice",
                 list->bond[twice].i, list->bond[twice].j);
    else if (list->sites == 0 || list->sites > GRAPH_MOST_SITES)
        snprintf(reason, size, "%" PRIu32 " sites; from 1 to %" PRIu32 " are allowed", list->sites,
                 GRAPH_MOST_SITES);
    else if (!small)
        snprintf(reason, size, "sum |J| + sum |h| must be below 2^44, and is not");
    else
        return true;
    return false;
}

/* --- memory --- */

bool graph_allocate(spin_graph *g) {
    const size_t ends = 2 * g->bonds > 0 ? 2 * g->bonds : 1;
    g->first_of_colour = calloc((size_t)g->sites + 1, sizeof *g->first_of_colour);
    g->number = calloc(g->sites, sizeof *g->number);
    g->first = calloc((size_t)g->sites + 1, sizeof *g->first);
    g->neighbour = calloc(ends, sizeof *g->neighbour);
    g->coupling = calloc(ends, sizeof *g->coupling);
    g->weight = calloc(ends, sizeof *g->weight);
    g->field = calloc(g->sites, sizeof *g->field);
    g->base = calloc(g->sites, sizeof *g->base);
    return g->first_of_colour && g->number && g->first && g->neighbour && g->coupling &&
           g->weight && g->field && g->base;
}

void graph_destroy(spin_graph *g) {
    free(g->first_of_colour);
    free(g->number);
    free(g->first);
    free(g->neighbour);
    free(g->coupling);
    free(g->weight);
    free(g->field);
    free(g->base);
    *g = (spin_graph){.sites = 0};
}

uint64_t graph_bytes(const spin_graph *g) {
    const uint64_t sites = g->sites,
                   of_site = 3 * sizeof(uint32_t) + sizeof(size_t) + sizeof(int64_t),
                   of_bond = 2 * (sizeof(uint32_t) + sizeof(int64_t) + sizeof(int32_t));
    return sites * of_site + g->bonds * of_bond;
}

/* --- order of the sites --- */

/* Fills the neighbours of each place, in the order of their numbers in the list, which is sorted. */
static void join(spin_graph *g, const bond_list *list, const uint32_t *place) {
    size_t *const end = g->first + 1; /* of the neighbours filled in so far, from the count on */
    memset(g->first, 0, ((size_t)g->sites + 1) * sizeof *g->first);
    for (size_t n = 0; n < list->bonds; n++)
        if (list->bond[n].value != 0) {
            end[place[list->bond[n].i]]++;
            end[place[list->bond[n].j]]++;
        }
    for (size_t i = 0; i < g->sites; i++)
        end[i] += g->first[i];
    for (size_t n = list->bonds;
         n-- > 0;) /* from the last on: `first` goes back to the beginnings */
        for (int side = 1; side >= 0 && list->bond[n].value != 0; side--) {
            const bond *const b = &list->bond[n];
            const uint32_t i = place[side ? b->j : b->i], j = place[side ? b->i : b->j];
            const size_t at = --end[i];
            g->neighbour[at] = j;
            g->coupling[at] = b->value;
        }
    /* end[i] is now where the neighbours of i begin. */
    memmove(g->first, end, g->sites * sizeof *g->first);
    g->first[g->sites] = 2 * g->bonds;
}

/* Gives each site, in turn, the first colour that no neighbour before it has. `taken` has room for a number of each colour. */
static void colour_sites(spin_graph *g, uint32_t *colour, uint32_t *taken) {
    for (uint32_t c = 0; c < g->sites; c++)
        taken[c] = UINT32_MAX;
    g->colours = 0;
    for (uint32_t i = 0; i < g->sites; i++) {
        for (size_t n = g->first[i]; n < g->first[i + 1]; n++)
            if (g->neighbour[n] < i)
                taken[colour[g->neighbour[n]]] = i;
        uint32_t c = 0;
        while (taken[c] == i)
            c++;
        colour[i] = c;
        g->colours = c + 1 > g->colours ? c + 1 : g->colours;
    }
}

/* Puts sites in the order of their colours. */
static void order_sites(spin_graph *g, const uint32_t *colour, uint32_t *place) {
    uint32_t *const first = g->first_of_colour;
    for (uint32_t i = 0; i < g->sites; i++)
        first[colour[i] + 1]++;
    for (uint32_t c = 0; c < g->colours; c++)
        first[c + 1] += first[c];
    for (uint32_t i = 0; i < g->sites; i++) {
        place[i] = first[colour[i]]++;
        g->number[place[i]] = i;
    }
    for (uint32_t c = g->colours; c > 0; c--)
        first[c] = first[c - 1];
    first[0] = 0;
}

static bool place_sites(spin_graph *g, const bond_list *list) {
    uint32_t *const colour = calloc(g->sites, sizeof *colour), *const place =
                                                                   calloc(g->sites, sizeof *place);
    const bool good = colour != NULL && place != NULL;
    if (good) {
        for (uint32_t i = 0; i < g->sites; i++)
            place[i] = i;
        join(g, list, place);
        colour_sites(g, colour, place);
        order_sites(g, colour, place);
        join(g, list, place);
        for (uint32_t i = 0; i < g->sites; i++)
            g->field[place[i]] = field_of(list, i);
    }
    free(colour);
    free(place);
    return good;
}

/* --- energies --- */

static int64_t divisor(int64_t a, int64_t b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b > 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* What sums of J over the neighbours of a site, and of |J|, are. */
typedef struct {
    int64_t sum, size;
} bond_sums;

static bond_sums sum_bonds(const spin_graph *g, uint32_t i) {
    bond_sums s = {0, 0};
    for (size_t n = g->first[i]; n < g->first[i + 1]; n++) {
        s.sum += g->coupling[n];
        s.size += g->coupling[n] < 0 ? -g->coupling[n] : g->coupling[n];
    }
    return s;
}

/* The greatest common divisor of what flips can cost; 1 if they cost nothing. With all neighbours up a flip of site i costs
 * 2 (sum J + h), and a neighbour that turns over changes that by 4 J. */
static int64_t spacing_of(const spin_graph *g) {
    int64_t common = 0;
    for (uint32_t i = 0; i < g->sites; i++) {
        common = divisor(common, 2 * (sum_bonds(g, i).sum + g->field[i]));
        for (size_t n = g->first[i]; n < g->first[i + 1]; n++)
            common = divisor(common, 4 * g->coupling[n]);
    }
    return common > 0 ? common : 1;
}

/* Sets the levels: those between -bound and bound that differ by multiples of the spacing from the energy of all spins up. */
static void set_levels(spin_graph *g, uint32_t unit) {
    int64_t up = 0; /* -2 E of all spins up */
    for (uint32_t i = 0; i < g->sites; i++)
        up += sum_bonds(g, i).sum + 2 * g->field[i];
    const int64_t spacing = spacing_of(g), energy = -up / 2,
                  lowest = energy - (energy + g->bound) / spacing * spacing,
                  count = (g->bound - lowest) / spacing + 1;
    g->spacing = spacing;
    g->levels = count <= (int64_t)GRAPH_MOST_LEVELS
                    ? (energy_levels){lowest, spacing, (uint32_t)count, unit & INT32_MAX, false}
                    : energies_without_levels(unit);
}

/* Sets what flips cost. Returns false if that is too much. */
static bool set_changes(spin_graph *g) {
    const int64_t spacing = g->spacing;
    int64_t most = 0, cheapest = 0;
    for (uint32_t i = 0; i < g->sites; i++) {
        const bond_sums s = sum_bonds(g, i);
        const int64_t h = g->field[i], change = 2 * (s.size + (h < 0 ? -h : h));
        if (change >= GRAPH_MOST_COST)
            return false;
        g->base[i] = (int32_t)(2 * (h - s.sum) / spacing);
        for (size_t n = g->first[i]; n < g->first[i + 1]; n++)
            g->weight[n] = (int32_t)(4 * g->coupling[n] / spacing);
        most = change > most ? change : most;
        cheapest = change > 0 && (cheapest == 0 || change < cheapest) ? change : cheapest;
    }
    g->most_change = (uint32_t)(most / spacing);
    g->cheapest = (uint32_t)(cheapest > 0 ? cheapest : spacing);
    return true;
}

int64_t graph_energy(const spin_graph *g, const int8_t *spin) {
    int64_t energy = 0;
    for (uint32_t i = 0; i < g->sites; i++) {
        int64_t along = g->field[i];
        for (size_t n = g->first[i]; n < g->first[i + 1]; n++)
            if (g->neighbour[n] < i) /* each bond once */
                along += g->coupling[n] * spin[g->neighbour[n]];
        energy -= along * spin[i];
    }
    return energy;
}

/* --- creation --- */

bool graph_create(spin_graph *g, bond_list *list, char *reason, size_t size) {
    *g = (spin_graph){.sites = list->sites};
    if (!list_is_good(list, &g->bound, reason, size))
        return false;
    for (size_t n = 0; n < list->bonds; n++)
        g->bonds += list->bond[n].value != 0;
    g->fingerprint = fingerprint_of(list);
    if (!graph_allocate(g) || !place_sites(g, list)) {
        snprintf(reason, size, "not enough memory for %" PRIu32 " sites and %zu bonds", list->sites,
                 list->bonds);
    } else {
        set_levels(g, list->unit);
        if (set_changes(g))
            return true;
        snprintf(reason, size,
                 "a flip costs 2^32 or more in units of J / %" PRIu32 "; fewer digits are needed",
                 list->unit);
    }
    graph_destroy(g);
    return false;
}
