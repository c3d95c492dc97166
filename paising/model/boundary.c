#include "boundary.h"

#include <stdio.h>
#include <string.h>

static const char *boundary_name(boundary_kind kind) {
    static const char *const names[BOUNDARIES] = {"periodic", "open", "antiperiodic"};
    return names[kind];
}

boundary_kind boundary_of(lattice_boundary b, uint32_t direction) {
    return b.of[direction < b.given ? direction : 0];
}

bool boundary_any(lattice_boundary b, uint32_t dimension, boundary_kind kind) {
    bool any = false;
    for (uint32_t d = 0; d < dimension; d++)
        any = any || boundary_of(b, d) == kind;
    return any;
}

/* Reads one word. */
static bool read_kind(const char *word, size_t length, boundary_kind *kind) {
    for (int k = 0; k < BOUNDARIES; k++) {
        const char *const name = boundary_name((boundary_kind)k);
        if (strlen(name) == length && strncmp(name, word, length) == 0) {
            *kind = (boundary_kind)k;
            return true;
        }
    }
    return false;
}

bool boundary_read(lattice_boundary *b, const char *text) {
    *b = (lattice_boundary){0};
    while (b->given < MODEL_MAX_DIMENSION) {
        const size_t length = strcspn(text, ",");
        if (!read_kind(text, length, &b->of[b->given]))
            return false;
        b->given++;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
    return false;
}

const char *boundary_text(char text[BOUNDARY_TEXT_SIZE], lattice_boundary b) {
    bool same = true;
    for (uint32_t d = 1; d < b.given; d++)
        same = same && b.of[d] == b.of[0];
    size_t length = (size_t)snprintf(text, BOUNDARY_TEXT_SIZE, "%s", boundary_name(b.of[0]));
    for (uint32_t d = 1; d < b.given && !same; d++)
        length += (size_t)snprintf(text + length, BOUNDARY_TEXT_SIZE - length, ",%s",
                                   boundary_name(b.of[d]));
    return text;
}

/* Whether the bond of a site in a direction leads around the edge. */
static bool leads_around(const couplings *c, uint64_t site, uint32_t direction) {
    return couplings_neighbour(c, site, direction) < site;
}

bool boundary_apply(lattice_boundary b, couplings *c) {
    for (uint32_t d = 0; d < c->dimension; d++) {
        const boundary_kind kind = boundary_of(b, d);
        c->antiperiodic[d] = kind == BOUNDARY_ANTIPERIODIC;
        for (uint64_t site = 0; kind != BOUNDARY_PERIODIC && site < c->sites; site++) {
            const uint64_t bond = site * c->dimension + d;
            if (!leads_around(c, site, d) || !couplings_has(c, bond))
                continue;
            if (kind == BOUNDARY_ANTIPERIODIC)
                couplings_set(c, bond, !couplings_negative(c, bond));
            else if (!couplings_remove(c, bond))
                return false;
        }
    }
    return true;
}
