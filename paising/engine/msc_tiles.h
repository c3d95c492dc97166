/* Tiles of square and cubic lattices in multi-spin coding, for updates in the order VISIT_TILES (visits.h).
 *
 * A strip is eight rows and one column of words of either sub-lattice, 8 x 2 sites, or two cells of a cubic lattice beside
 * each other in x, 4 x 2 x 2 sites (streams.h). So a tile of edge T has T/8 rows of T/2 strips, or T/2 layers of T/2 rows of
 * T/4 strips. Strips are numbered tile by tile: first those of all tiles of colour 0, then those of colour 1; tiles of a
 * colour row by row and layer by layer, and the strips of a tile likewise. A strip's number is the position of its random
 * stream. The strips of a colour form the groups of the correction by themselves, the last of which may have fewer strips:
 * their half sweeps are made at the same time. Half sweep h of a strip counts its own: 2 (update * k + hit), and one more
 * for the sub-lattice that comes second. Each edge of the lattice, or of a stripe, is a multiple of 2 T. */
#ifndef PAISING_MSC_TILES_H
#define PAISING_MSC_TILES_H

#include "visits.h"

/* The edge of a tile is a power of two from the least one to the largest of its dimension. */
#define LEAST_MSC_TILE      8
#define MOST_MSC_TILE       64
#define MOST_CUBIC_MSC_TILE 16

typedef struct {
    uint32_t columns, rows, layers; /* of strips in a tile */
    uint32_t strips;                /* of a tile */
    uint32_t across, down;          /* tiles of the lattice in x and y */
    uint32_t tiles;                 /* of the lattice */
} msc_tiles;

/* The tiles of a lattice, or of a stripe. */
SHARED_FUNCTION msc_tiles msc_tiles_of(uint32_t tile, uint32_t dimension,
                                       const uint32_t edge[MODEL_MAX_DIMENSION]) {
    msc_tiles t = {tile / 2, tile / 8, 1, 0, edge[0] / tile, edge[1] / tile, 0};
    if (dimension == 3) {
        t.columns = tile / 4;
        t.rows = t.layers = tile / 2;
    }
    t.strips = t.columns * t.rows * t.layers;
    t.tiles = t.across * t.down * (dimension == 3 ? edge[2] / tile : 1);
    return t;
}

/* The strips of the tiles of a colour; and the number of the first one. */
SHARED_FUNCTION uint32_t msc_colour_strips(const msc_tiles *t, uint32_t colour) {
    return (t->tiles + 1 - colour) / 2 * t->strips;
}

SHARED_FUNCTION uint32_t msc_colour_first(const msc_tiles *t, uint32_t colour) {
    return colour ? msc_colour_strips(t, 0) : 0;
}

/* The layer, row and column of tile n of a colour, counted in tiles. */
typedef struct {
    uint32_t layer, row, column;
} msc_tile_place;

SHARED_FUNCTION msc_tile_place msc_tile_at(const msc_tiles *t, uint32_t colour, uint32_t n) {
    const uint32_t pairs = (t->across + 1) / 2, line = n / pairs, layer = line / t->down,
                   row = line % t->down;
    const msc_tile_place p = {layer, row, 2 * (n % pairs) + ((row + layer + colour) & 1)};
    return p;
}

#endif
