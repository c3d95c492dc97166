/* Labels of clusters: trees of sites, and the tiles in which they are joined in shared memory first.
 *
 * label[n] is a site of the cluster of site n that is not behind n, and a root is its own label. Joining two trees hangs the
 * larger root below the smaller one by compare-and-swap (Y. Komura, Y. Okabe, Comput. Phys. Commun. 183, 1155, 2012; D. P.
 * Playne, K. A. Hawick, IEEE Trans. Parallel Distrib. Syst. 29, 1217, 2018). So the label of a cluster is its smallest site,
 * in whatever order bonds are joined. */
#ifndef PAISING_CUDA_DEVICE_LABEL_TREES_CUH
#define PAISING_CUDA_DEVICE_LABEL_TREES_CUH

#include "model/model.h"

#define CLUSTER_THREADS 256
#define TILE_COLUMNS    32
#define TILE_ROWS       16
#define TILE_SITES      (TILE_COLUMNS * TILE_ROWS)

/* The lattice whose sites have labels, row by row. */
struct label_lattice {
    uint32_t dimension, edge[MODEL_MAX_DIMENSION], sites;
};

static inline label_lattice label_lattice_of(const spin_model *m) {
    return label_lattice{m->dimension, {m->edge[0], m->edge[1], m->edge[2]}, (uint32_t)m->sites};
}

/* The next site of n in a direction. */
static __device__ __forceinline__ uint32_t next_site(const label_lattice &c, uint32_t n,
                                                     uint32_t direction) {
    const uint32_t lx = c.edge[0], layer = lx * c.edge[1];
    if (direction == 0)
        return n % lx + 1 < lx ? n + 1 : n + 1 - lx;
    if (direction == 1)
        return n / lx % c.edge[1] + 1 < c.edge[1] ? n + lx : n + lx - layer;
    return n + layer < c.sites ? n + layer : n + layer - c.sites;
}

/* Threads change labels meanwhile: from a site to one further up in the same tree, and those of roots only by join. */
static __device__ __forceinline__ uint32_t label_at(const uint32_t *label, uint32_t n) {
    return *(const volatile uint32_t *)(label + n);
}

static __device__ __forceinline__ uint32_t root_of(const uint32_t *label, uint32_t n) {
    for (uint32_t up = label_at(label, n); up != n; up = label_at(label, n))
        n = up;
    return n;
}

/* The same, and halves the way for others. */
static __device__ __forceinline__ uint32_t shortened_root_of(uint32_t *label, uint32_t n) {
    for (uint32_t up = label_at(label, n); up != n; up = label_at(label, n)) {
        const uint32_t above = label_at(label, up);
        if (above != up)
            *(volatile uint32_t *)(label + n) = above;
        n = above;
    }
    return n;
}

/* Joins the trees of two sites. If the larger root has got a label meanwhile, it goes on from there. */
static __device__ __forceinline__ void join(uint32_t *label, uint32_t a, uint32_t b) {
    for (;;) {
        a = shortened_root_of(label, a);
        b = shortened_root_of(label, b);
        if (a == b)
            return;
        const uint32_t larger = max(a, b), smaller = min(a, b);
        const uint32_t found = atomicCAS(label + larger, larger, smaller);
        if (found == larger)
            return;
        a = found;
        b = smaller;
    }
}

/* --- tiles: one block a tile, whose sites have the order of the lattice: its smallest site is the first one --- */

/* Whether the bond of a site, at x of row z Ly + y, in a direction is within a tile. Tiles begin at multiples of their edges. */
static __device__ __forceinline__ bool is_in_tile(const label_lattice &c, uint32_t x, uint32_t row,
                                                  uint32_t direction) {
    if (direction == 0)
        return x % TILE_COLUMNS != TILE_COLUMNS - 1 && x + 1 < c.edge[0];
    return direction == 1 && row % TILE_ROWS != TILE_ROWS - 1 && row % c.edge[1] + 1 < c.edge[1];
}

/* Tiles of a replica: in a row of tiles, and in all. */
static __host__ __device__ uint32_t tiles_across(uint32_t lx) {
    return (lx + TILE_COLUMNS - 1) / TILE_COLUMNS;
}

static __host__ __device__ uint32_t tiles_of(uint32_t sites, uint32_t lx) {
    return (sites / lx + TILE_ROWS - 1) / TILE_ROWS * tiles_across(lx);
}

/* The site of the lattice that site `root` of a tile is, by site t of it, which is n of the lattice. */
static __device__ __forceinline__ uint32_t label_of_tile(uint32_t n, uint32_t t, uint32_t root,
                                                         uint32_t lx) {
    return n - (t / TILE_COLUMNS - root / TILE_COLUMNS) * lx - t % TILE_COLUMNS +
           root % TILE_COLUMNS;
}

#endif
