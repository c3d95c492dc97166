/* Clusters of Ising and Potts spins. Rows are joined in strips, one a thread, and then the strips. reference/plain_clusters.c
 * makes the same clusters by going from site to site. */
#include "clusters.h"

#include "union_find.h"

/* The numbers of a site: of its bonds in each direction, and of the cluster of which it is the first site. */
static stream_block numbers_of(const ssc_flips *flips, uint32_t site) {
    return stream_draw(flips->step->key, STREAM_BONDS, site, flips->replica, flips->sweep,
                       flips->step->temperature);
}

/* Joins the sites of a row, row = z Ly + y, with the next ones in directions first .. end - 1. */
static void join_row(const ssc_lattice *l, const int8_t *spin, const ssc_flips *flips, uint32_t row,
                     uint32_t first, uint32_t end, uint32_t *label) {
    const uint32_t lx = l->edge[0], ly = l->edge[1], lz = l->edge[2], layer = lx * ly;
    const uint32_t y = row % ly, z = row / ly, here = row * lx;
    const uint32_t next[MODEL_MAX_DIMENSION] = {0, y + 1 < ly ? here + lx : here + lx - layer,
                                                z + 1 < lz ? here + layer
                                                           : here + layer - (uint32_t)l->sites};
    for (uint32_t x = 0; x < lx; x++) {
        stream_block numbers = {{0}};
        bool drawn = false;
        for (uint32_t d = first; d < end; d++) {
            const uint32_t to = d > 0 ? next[d] + x : x + 1 < lx ? here + x + 1 : here;
            if (spin[here + x] != spin[to])
                continue;
            if (!drawn)
                numbers = numbers_of(flips, here + x);
            drawn = true;
            if (numbers.number[d] >= flips->thresholds.threshold[0])
                join(label, here + x, to);
        }
    }
}

/* Joins the sites of slices first .. end - 1, rows in two dimensions and layers in three. */
static void label_strip(const ssc_lattice *l, const int8_t *spin, const ssc_flips *flips,
                        uint32_t first, uint32_t end, uint32_t *label) {
    const uint32_t d = l->dimension, rows = d < 3 ? 1 : l->edge[1]; /* of a slice */
    for (uint32_t site = first * rows * l->edge[0]; site < end * rows * l->edge[0]; site++)
        label[site] = site;
    for (uint32_t row = first * rows; row < end * rows; row++)
        join_row(l, spin, flips, row, 0, row < (end - 1) * rows ? d : d - 1, label);
}

void clusters_label(const ssc_lattice *l, const int8_t *spin, const ssc_flips *flips,
                    uint32_t threads, uint32_t *label) {
    const uint32_t d = l->dimension, rows = d < 3 ? 1 : l->edge[1], slices = l->edge[d - 1];
    const uint32_t strips = threads < slices ? threads : slices;
    if (strips == 1)
        label_strip(l, spin, flips, 0, slices, label);
    else
#pragma omp parallel for num_threads(strips)
        for (uint32_t n = 0; n < strips; n++)
            label_strip(l, spin, flips, slices * n / strips, slices * (n + 1) / strips, label);
    for (uint32_t n = 0; n < strips; n++) /* the last slice of a strip with the next one */
        for (uint32_t k = 1, end = slices * (n + 1) / strips; k <= rows; k++)
            join_row(l, spin, flips, end * rows - k, d - 1, d, label);
    for (uint32_t site = 0; site < l->sites; site++) /* those before it have their labels */
        label[site] = label[label[site]];
}

/* A site is behind the first one of its cluster, where label[] then has the decision. */
void clusters_flip(const ssc_lattice *l, int8_t *spin, const ssc_flips *flips, cluster_flips which,
                   uint32_t *label) {
    const uint32_t sites = (uint32_t)l->sites;
    const uint32_t chosen = which == CLUSTERS_ONE
                                ? label[cluster_site(flips->step->key, flips->replica, flips->sweep,
                                                     flips->step->temperature, sites)]
                                : 0;
    for (uint32_t site = 0; site < sites; site++) {
        const uint32_t first = label[site];
        if (first < site)
            label[site] = label[first];
        else if (which == CLUSTERS_ONE)
            label[site] = site == chosen;
        else
            label[site] = numbers_of(flips, site).number[3] >> 31;
        spin[site] = (int8_t)(spin[site] ^ -2 * (int8_t)label[site]); /* 1 ^ -2 is -1, and back */
    }
}
