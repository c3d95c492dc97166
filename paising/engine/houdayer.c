/* Isoenergetic cluster moves (houdayer.h). */
#include "houdayer.h"

#include "base/wide.h"

#include <stdlib.h>

/* --- the lattice --- */

/* The number that `read` gives to the site (z Ly + y) Lx + x. */
static uint32_t number_of(const couplings *c, uint64_t site) {
    const uint64_t x = site % c->edge[0], row = site / c->edge[0], y = row % c->edge[1],
                   z = row / c->edge[1];
    return (uint32_t)((x + y + z) % 2 * (c->sites / 2) + row * (c->edge[0] / 2) + x / 2);
}

uint64_t houdayer_lattice_bytes(const spin_model *model) {
    return model->sites * 2 * model->dimension * (sizeof(uint32_t) + sizeof(int32_t));
}

int houdayer_lattice_create(houdayer_lattice *l, const spin_model *model) {
    const couplings *const c = model->sample;
    *l = (houdayer_lattice){.sites = (uint32_t)model->sites, .bonds = 2 * model->dimension};
    l->neighbour = malloc((size_t)l->sites * l->bonds * sizeof *l->neighbour);
    l->bond = malloc((size_t)l->sites * l->bonds * sizeof *l->bond);
    if (l->neighbour == NULL || l->bond == NULL) {
        houdayer_lattice_destroy(l);
        return -1;
    }
    for (uint64_t site = 0; site < c->sites; site++)
        for (uint32_t d = 0; d < c->dimension; d++) {
            const uint32_t here = number_of(c, site),
                           there = number_of(c, couplings_neighbour(c, site, d));
            const size_t ahead = (size_t)here * l->bonds + 2 * d,
                         behind = (size_t)there * l->bonds + 2 * d + 1;
            l->neighbour[ahead] = there;
            l->neighbour[behind] = here;
            l->bond[ahead] = l->bond[behind] =
                c->value != NULL ? c->value[site * c->dimension + d] : couplings_sign(c, site, d);
        }
    return 0;
}

void houdayer_lattice_destroy(houdayer_lattice *l) {
    free(l->neighbour);
    free(l->bond);
    *l = (houdayer_lattice){.neighbour = NULL};
}

/* --- a move --- */

enum { OUTSIDE, IN_SET, IN_CLUSTER };

uint64_t houdayer_work_bytes(const spin_model *model) {
    return model->sites * (sizeof(uint32_t) + sizeof(uint8_t));
}

static int spin_of(const uint8_t *spins, uint32_t i) {
    return spins[i / 8] >> i % 8 & 1 ? 1 : -1;
}

/* Marks the set. Returns how many sites are in it. */
static uint32_t mark_set(const houdayer_lattice *l, const uint8_t *one, const uint8_t *other,
                         uint8_t mark[]) {
    uint32_t differ = 0;
    for (uint32_t i = 0; i < l->sites; i++) {
        mark[i] = (one[i / 8] ^ other[i / 8]) >> i % 8 & 1;
        differ += mark[i];
    }
    if (2 * (uint64_t)differ <= l->sites)
        return differ;
    for (uint32_t i = 0; i < l->sites; i++)
        mark[i] ^= 1;
    return l->sites - differ;
}

/* The site with so many of the set before it. */
static uint32_t site_of_set(const uint8_t mark[], uint32_t before) {
    uint32_t i = 0;
    for (;; i++)
        if (mark[i] == IN_SET && before-- == 0)
            return i;
}

/* Lists the cluster of a site. Returns its size. */
static uint32_t list_cluster(const houdayer_lattice *l, uint32_t site, uint8_t mark[],
                             uint32_t list[]) {
    uint32_t count = 1;
    list[0] = site;
    mark[site] = IN_CLUSTER;
    for (uint32_t n = 0; n < count; n++)
        for (size_t b = (size_t)list[n] * l->bonds; b < ((size_t)list[n] + 1) * l->bonds; b++) {
            const uint32_t next = l->neighbour[b];
            if (mark[next] != IN_SET || l->bond[b] == 0)
                continue;
            mark[next] = IN_CLUSTER;
            list[count++] = next;
        }
    return count;
}

houdayer_outcome houdayer_move(const houdayer_lattice *l, uint8_t *one, uint8_t *other,
                               uint64_t number, void *work) {
    uint32_t *const list = work;
    uint8_t *const mark = (uint8_t *)(list + l->sites);
    houdayer_outcome out = {.set = mark_set(l, one, other, mark)};
    if (out.set == 0)
        return out;
    const uint32_t before = (uint32_t)((uint128)number * out.set >> 64);
    out.cluster = list_cluster(l, site_of_set(mark, before), mark, list);
    for (uint32_t n = 0; n < out.cluster; n++)
        for (size_t b = (size_t)list[n] * l->bonds; b < ((size_t)list[n] + 1) * l->bonds; b++)
            if (mark[l->neighbour[b]] != IN_CLUSTER)
                out.rise +=
                    2 * (int64_t)l->bond[b] * spin_of(one, list[n]) * spin_of(one, l->neighbour[b]);
    for (uint32_t n = 0; n < out.cluster; n++) {
        one[list[n] / 8] ^= (uint8_t)(1u << list[n] % 8);
        other[list[n] / 8] ^= (uint8_t)(1u << list[n] % 8);
    }
    return out;
}
