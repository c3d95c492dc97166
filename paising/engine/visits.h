/* Orders in which local updates visit the sites of a lattice, one site after the other or sites that do not interact at a time.
 *
 * A lattice of N sites has edges Lx, Ly, Lz (1 in two dimensions: d = 2). An update is k = `hits` sweeps, each of N attempts to
 * flip a spin. Sweep number s of a temperature, s = update * k + hit, counts random numbers and turns of rounding (rounding.h).
 *
 *   tiles          Tiles of edge T are coloured like a checkerboard, by (x/T + y/T + z/T) mod 2 (M. Weigel, J. Comput. Phys. 231,
 *                  3064, 2012). All tiles of colour 0 make k hits each, and then those of colour 1. A hit updates the even sites
 *                  of the tile, then the odd ones. `palindrome`: colour 0 makes hits 0 .. k/2 - 1, colour 1 those and hits k/2 ..
 *                  k - 1, colour 0 hits k/2 .. k - 1; from hit k/2 on odd sites come first. So the update read backwards is the
 *                  same, and has detailed balance. Each edge is a multiple of 2 T, or all are T: one tile, a checkerboard update.
 *   sequential     x fastest, then y, then z.
 *   random         N random sites of the lattice.
 *   double tiling  Tiles of edge T have 2^d parts of edge T/2. In a random order, the same for all tiles, one part after the other
 *                  makes k (T/2)^d attempts at random sites of it. Parts of different tiles are T/2 >= 2 apart.
 *   dead border    Tiles begin at a random origin. Each makes k T^d attempts at random sites that are not at its border.
 *
 * Random numbers (streams.h): those of purpose ssc decide flips, by the site in the first two orders, and by the attempt in the
 * others. Attempts of a sweep are numbered from 0 to N - 1: those of a part, or of a tile, are successive. The same attempt has the
 * number of its site by purpose site. One more call of that purpose, at the position behind those, in the first sweep of an
 * update, has the origin in x, y, z (numbers 0 to 2) and the order of the parts (number 3). `common`: the numbers of purpose
 * site are those of replica 0 for all replicas. */
#ifndef PAISING_VISITS_H
#define PAISING_VISITS_H

#include "model/model.h"
#include "streams.h"
#include "update/update.h"

#include <stdbool.h>

typedef struct {
    visit_order order;
    uint32_t tile;   /* T; not of sequential and random */
    uint32_t hits;   /* k, from 1; 1 of sequential and random; not read of the checkerboard */
    bool palindrome; /* of tiles; k is even */
    bool common;     /* replicas visit the same random sites */
} visit_plan;

/* --- tiles --- */

/* Hits first .. end - 1 of the tiles of a colour. */
typedef struct {
    uint32_t colour, first, end;
    bool odd_first;
} visit_stage;

#define MOST_VISIT_STAGES 4

/* Fills the stages of an update by tiles. Returns how many there are. */
SHARED_FUNCTION uint32_t visit_stages(const visit_plan *v, visit_stage stage[MOST_VISIT_STAGES]) {
    const uint32_t k = v->hits, half = v->palindrome ? k / 2 : k;
    const visit_stage all[MOST_VISIT_STAGES] = {
        {0, 0, half, false}, {1, 0, half, false}, {1, half, k, true}, {0, half, k, true}};
    for (uint32_t n = 0; n < MOST_VISIT_STAGES; n++)
        stage[n] = all[n];
    return v->palindrome ? 4 : 2;
}

/* The tiles of a lattice in each direction. */
SHARED_FUNCTION uint32_t visit_tiles(const visit_plan *v, uint32_t dimension, const uint32_t edge[],
                                     uint32_t tiles[MODEL_MAX_DIMENSION]) {
    uint32_t all = 1;
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++) {
        tiles[d] = d < dimension && v->order != VISIT_RANDOM ? edge[d] / v->tile : 1;
        all *= tiles[d];
    }
    return all;
}

/* --- random sites --- */

/* The sites of which some attempts choose: a box, which may reach over the boundary. */
typedef struct {
    uint32_t first[MODEL_MAX_DIMENSION], edge[MODEL_MAX_DIMENSION];
    uint32_t sites;    /* in the box */
    uint32_t attempts; /* of a hit */
    uint32_t number;   /* of its first attempt in a sweep */
} visit_box;

/* How many phases an update has: in each a tile has one box. */
SHARED_FUNCTION uint32_t visit_phases(const visit_plan *v, uint32_t dimension) {
    return v->order == VISIT_DOUBLE_TILING ? 1u << dimension : 1;
}

/* The part whose turn is phase n of `parts`, at most 8: one of all orders, by a random number. */
SHARED_FUNCTION uint32_t visit_part(uint32_t random, uint32_t parts, uint32_t n) {
    uint32_t order = 0x76543210; /* part n in hexadecimal digit n */
    for (uint32_t left = parts; left > 1; left--) {
        const uint64_t product = (uint64_t)random * left;
        const uint32_t a = 4 * (left - 1), b = 4 * (uint32_t)(product >> 32),
                       both = ((order >> a) ^ (order >> b)) & 0xf;
        random = (uint32_t)product;
        if (a != b)
            order ^= both << a | both << b;
    }
    return order >> 4 * n & 0xf;
}

/* The box of a tile in a phase. `drawn`: the origin and the order of parts of this update; not read by VISIT_RANDOM. */
SHARED_FUNCTION visit_box visit_box_of(const visit_plan *v, uint32_t dimension,
                                       const uint32_t edge[], const stream_block *drawn,
                                       uint32_t phase, uint32_t tile) {
    const uint32_t t = v->tile;
    uint32_t tiles[MODEL_MAX_DIMENSION], part = 0, number = tile;
    visit_box box = {{0, 0, 0}, {1, 1, 1}, 1, 1, 0};
    visit_tiles(v, dimension, edge, tiles);
    if (v->order == VISIT_DOUBLE_TILING) {
        part = visit_part(drawn->number[3], 1u << dimension, phase);
        number = tile << dimension | part;
    }
    for (uint32_t d = 0; d < dimension; d++) {
        const uint32_t at = tile % tiles[d] * t;
        tile /= tiles[d];
        if (v->order == VISIT_RANDOM) {
            box.edge[d] = edge[d];
            box.attempts *= edge[d];
        } else if (v->order == VISIT_DOUBLE_TILING) {
            box.first[d] = at + (part >> d & 1) * (t / 2);
            box.edge[d] = t / 2;
            box.attempts *= t / 2;
        } else {
            box.first[d] =
                (at + 1 + (uint32_t)((uint64_t)drawn->number[d] * edge[d] >> 32)) % edge[d];
            box.edge[d] = t - 2;
            box.attempts *= t;
        }
        box.sites *= box.edge[d];
    }
    box.number = number * box.attempts;
    return box;
}

/* The coordinates that a random number chooses in a box. */
typedef struct {
    uint32_t at[MODEL_MAX_DIMENSION];
} visit_site;

SHARED_FUNCTION visit_site visit_site_of(const visit_box *box, uint32_t dimension,
                                         const uint32_t edge[], uint32_t random) {
    visit_site site = {{0, 0, 0}};
    uint32_t n = (uint32_t)((uint64_t)random * box->sites >> 32);
    for (uint32_t d = 0; d < dimension; d++) {
        const uint32_t x = box->first[d] + n % box->edge[d];
        n /= box->edge[d];
        site.at[d] = x < edge[d] ? x : x - edge[d];
    }
    return site;
}

/* The numbers of purpose site for attempts 4 quad .. 4 quad + 3 of a sweep; and for what an update draws. */
STREAM_FUNCTION stream_block visit_numbers(const visit_plan *v, stream_key key, uint32_t quad,
                                           uint32_t replica, uint32_t sweep, uint32_t temperature) {
    return stream_draw(key, STREAM_SITE, quad, v->common ? 0 : replica, sweep, temperature);
}

STREAM_FUNCTION stream_block visit_drawn(const visit_plan *v, stream_key key, uint32_t sites,
                                         uint32_t replica, uint32_t sweep, uint32_t temperature) {
    return visit_numbers(v, key, (sites + 3) / 4, replica, sweep, temperature);
}

#endif
