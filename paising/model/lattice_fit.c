/* Tries all lattices with the right number of sites (lattice_fit.h). */
#include "lattice_fit.h"

#include <stdio.h>
#include <string.h>

#define SMALLEST_EDGE 3
#define MOST_SHAPES   3

/* Whether two sites, i < j, are neighbours in the direction whose sites are `stride` apart. */
static bool are_neighbours(uint32_t i, uint32_t j, uint32_t stride, uint32_t edge) {
    const uint32_t x = i / stride % edge, distance = j - i;
    return (distance == stride && x + 1 < edge) || (distance == (edge - 1) * stride && x == 0);
}

static bool fits(const bond_list *list, const uint32_t edge[3]) {
    for (size_t n = 0; n < list->bonds; n++) {
        uint32_t stride = 1;
        bool found = false;
        for (int d = 0; d < 3; stride *= edge[d++])
            found = found || (edge[d] > 1 &&
                              are_neighbours(list->bond[n].i, list->bond[n].j, stride, edge[d]));
        if (!found)
            return false;
    }
    return true;
}

const char *lattice_fit(const bond_list *list, char text[LATTICE_FIT_SIZE]) {
    size_t length = 0;
    int shapes = 0;
    for (uint32_t z = 1; z <= list->sites / (SMALLEST_EDGE * SMALLEST_EDGE) && shapes < MOST_SHAPES;
         z++) {
        const uint32_t layer = list->sites / z;
        if (list->sites % z != 0 || (z > 1 && z < SMALLEST_EDGE))
            continue;
        for (uint32_t x = SMALLEST_EDGE; x <= layer / SMALLEST_EDGE && shapes < MOST_SHAPES; x++) {
            if (layer % x != 0 || !fits(list, (const uint32_t[]){x, layer / x, z}))
                continue;
            length += (size_t)snprintf(text + length, LATTICE_FIT_SIZE - length, "%s-L %ux%u",
                                       shapes++ == 0 ? ": all are with " : ", ", (unsigned)x,
                                       (unsigned)(layer / x));
            if (z > 1)
                length +=
                    (size_t)snprintf(text + length, LATTICE_FIT_SIZE - length, "x%u", (unsigned)z);
        }
    }
    if (shapes == 0)
        snprintf(text, LATTICE_FIT_SIZE, ", nor are all on any other lattice of %u sites",
                 (unsigned)list->sites);
    return text;
}
